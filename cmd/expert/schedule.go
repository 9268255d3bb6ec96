package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tracerec/exchange/gotrace"
	"tracerec/trace"
)

// schedules reads the execution traces that processes wrote beside their events (tracerec --certify), and returns what tells
// whether a goroutine was undisturbed, nil if there are none. What cannot be read is told in warnings.
func schedules(dir string, a *trace.Archive) (undisturbed func(pid int, goid uint64, from, to int64) bool, warnings []string) {
	byPID := map[int][]*gotrace.Schedule{}
	for _, p := range a.Definitions().Processes {
		pieces, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("schedule-%d-*.gotrace", p.PID)))
		for i, name := range pieces {
			s, err := readSchedule(name)
			if s != nil {
				byPID[p.PID] = append(byPID[p.PID], s)
			}
			if err != nil && i < len(pieces)-1 { // the last one is cut off as a rule
				warnings = append(warnings, fmt.Sprintf("%s: %v; what it certifies ends there", name, err))
			}
		}
	}
	if len(byPID) == 0 {
		return nil, warnings
	}
	return func(pid int, goid uint64, from, to int64) bool {
		return slices.ContainsFunc(byPID[pid], func(s *gotrace.Schedule) bool { return s.Undisturbed(goid, from, to) })
	}, warnings
}

func readSchedule(name string) (*gotrace.Schedule, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return gotrace.ReadSchedule(f)
}

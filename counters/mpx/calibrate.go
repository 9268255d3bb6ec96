package mpx

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/counters/substrate"
)

// Rounds and occurrences of a calibration.
const (
	calibrationRounds = 21
	calibrationHits   = 100
)

// Calibrate measures how many cycles one counted occurrence of an event costs the thread: a watchpoint traps on every
// hit. happen must make the event occur n times, and quiet not at all; it is run on the calling goroutine, which
// must be locked to the thread, with the event counted and with quiet counted by turns. The medians of both are compared.
// A cost below 0 is reported as 0. It takes about 4000 occurrences.
func Calibrate(from substrate.Slotter, thread int, event, quiet string, happen func(n int)) (cycles float64, err error) {
	s, err := from.OpenSlot(thread, quiet)
	if err != nil {
		return 0, fmt.Errorf("mpx: calibrate: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var with, without []float64
	var counted uint64
	for range calibrationRounds {
		for _, next := range []string{event, quiet} {
			if _, _, err := s.Switch(next); err != nil {
				return 0, fmt.Errorf("mpx: calibrate: %w", err)
			}
			_, before, err := s.Read()
			if err != nil {
				return 0, fmt.Errorf("mpx: calibrate: %w", err)
			}
			happen(calibrationHits)
			count, after, err := s.Read()
			if err != nil {
				return 0, fmt.Errorf("mpx: calibrate: %w", err)
			}
			if next == event {
				with, counted = append(with, float64(after-before)), counted+count
			} else {
				without = append(without, float64(after-before))
			}
		}
	}
	if counted == 0 {
		return 0, fmt.Errorf("mpx: calibrate: %s: %w: it did not occur", event, substrate.ErrUnsupported)
	}
	return max(0, (median(with)-median(without))/(float64(counted)/calibrationRounds)), nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

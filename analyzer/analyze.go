package analyzer

import (
	"cmp"
	"fmt"
	"runtime"

	"tracerec/report"
	"tracerec/trace"
)

// Options say how to analyze. The result does not depend on Workers.
type Options struct {
	Patterns []*Pattern          // see package patterns; must be valid and hold the metrics the analyzer computes itself
	Workers  int                 // goroutines to use; 0 means GOMAXPROCS
	Progress func(events uint64) // called now and then with the number of events read, never concurrently; may be nil
	// Memory is how many bytes the operations of the trace may take, 0 for any number. If they take more, the trace is
	// read several times, each time for some of the objects. The operations of one object, the locations and the waits
	// found are in memory whatever it says. The result does not depend on it.
	Memory int64
	// Locations is how many locations the report tells apart, 0 for 4096. If there are more, those of the largest groups become
	// one location each, until there are no more or all groups have.
	Locations int
	// Name, if set, tells what the program calls the object that an operation works on, by the place of the operation; "" unknown.
	// It is not called concurrently.
	Name func(operation *report.Region) ObjectName
	// IndexWaits makes an index of all waits that others ended, for windows of the trace: 2 to 4 bytes for each.
	IndexWaits bool
	// Wait and Message, if set, are told every wait, and every receive whose value had been sent, one at a time, in any order. What they
	// are given is theirs during the call only.
	Wait    func(o *Op, w *Wait)
	Message func(recv *Op, p SynchPoint)
}

// Analyze finds the wait states in an archive. It is an error if the patterns are not valid or nothing was recorded;
// damage in the archive is among the warnings of the result.
func Analyze(a *trace.Archive, o Options) (*report.Experiment, error) {
	defs := a.Definitions()
	list, err := newMetrics(o.Patterns, defs)
	if err != nil {
		return nil, err
	}
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	keep := passes(a, o.Memory)
	s := newScan(a, list, n, keep[0])
	s.progress = o.Progress
	s.run()
	if s.events == 0 {
		return nil, fmt.Errorf("no events recorded%s", firstOf(a.Problems()))
	}
	lives := s.live()
	m := &matching{s: s, lives: lives, places: s.place(lives, cmp.Or(o.Locations, defaultLocations)), classes: s.classify(o.Name), name: o.Name, list: o.Patterns, memory: o.Memory, index: o.IndexWaits, onWait: o.Wait, onMessage: o.Message}
	matchWorkers := m.matchWorkers(n)
	m.run(matchWorkers, s)
	for _, parts := range keep[1:] {
		again := s.again(parts)
		again.run()
		again.live()
		m.run(matchWorkers, again)
	}
	path := findCriticalPath(s, lives, matchWorkers)
	b := &builder{matching: m, path: path, matchWorkers: matchWorkers, waits: m.critical(path, matchWorkers)}
	return b.build()
}

// storedEvent is about what operations take per event of a trace that consists of them, bytes.
const storedEvent = 6

// passes divides the parts of the operations so that those of each pass take about half the given number of bytes;
// the other half is for those that are expanded.
func passes(a *trace.Archive, memory int64) (keep []uint64) {
	need := int64(0)
	for _, c := range a.Chunks() {
		need += int64(c.Events) * storedEvent
	}
	n := int64(1)
	if memory > 0 {
		half := (memory + 1) / 2
		n = min(max(1, (need+half-1)/half), parts)
	}
	for i := range n {
		from, to := i*parts/n, (i+1)*parts/n
		keep = append(keep, (1<<(to-from)-1)<<from)
	}
	return keep
}

func firstOf(p []trace.Problem) string {
	if len(p) == 0 {
		return ""
	}
	return ": " + p[0].Error()
}

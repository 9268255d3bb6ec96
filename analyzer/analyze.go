package analyzer

import (
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
	s := newScan(a, list, n, o.Progress)
	s.run()
	if s.events == 0 {
		return nil, fmt.Errorf("no events recorded%s", firstOf(a.Problems()))
	}
	lives := s.live()
	m := &matching{s: s, lives: lives, places: s.place(lives), list: o.Patterns}
	settlers := m.run(n)
	path := findCriticalPath(s, lives.root, settlers)
	b := &builder{matching: m, path: path, settlers: settlers}
	b.pathCells = s.retrace(path)
	b.waits = m.critical(path, settlers)
	return b.build(), nil
}

func firstOf(p []trace.Problem) string {
	if len(p) == 0 {
		return ""
	}
	return ": " + p[0].Error()
}

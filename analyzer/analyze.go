package analyzer

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"

	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/trace"
)

// Options say how to analyze. The result does not depend on Workers.
type Options struct {
	Patterns []*Pattern // see package patterns; must be valid and hold the metrics the analyzer computes itself
	Workers  int        // goroutines to use; 0 means GOMAXPROCS
	// Progress, if set, is told now and then, never concurrently, how much of a step of the analysis is done, of how much.
	Progress func(step string, done, all uint64)
	// Memory is how many bytes of the process may be resident, 0 for any number. What does not fit lies in a temporary file.
	// The result does not depend on it.
	Memory int64
	Store  *spill.Store // where that lies, see [NewStore]; nil: one of its own
	// Collect, if set, is told by who makes a Store that it is also for what Wait and Message collect, before they are called.
	Collect func(*spill.Store)
	Keeps   Kept // what they keep at most, see [Least]
	// Locations is how many locations the report tells apart, 0 for 4096. If there are more, those of the largest groups become
	// one location each, until there are no more or all groups have.
	Locations int
	// Name, if set, tells what the program calls the object that an operation works on, by the place of the operation; "" unknown.
	// It is not called concurrently.
	Name func(operation *report.Region) ObjectName
	// Goroutine is the id of the one whose critical path is found, from its begin to its end; 0 for that of the run.
	Goroutine uint64
	// Causes has what causes the waits of goroutines looked for in any recording. Without it, that is not done, and told by the header of the result, where there
	// are more than 3,000,000 events, 50,000 goroutines, or very many waits: it can take longer than all else, and several hundred bytes for each wait, or each holder for whom one waited for a lock.
	Causes bool
	// IndexWaits makes an index of all waits that others ended, for windows of the trace: 2 to 4 bytes for each.
	IndexWaits bool
	// Wait and Message, if set, are told every wait, and every receive whose value had been sent, one at a time, in any order. What they
	// are given is theirs during the call only.
	Wait    func(o *Op, w *Wait)
	Message func(recv *Op, p SynchPoint)
	// Queued, if set, is told, after all of these, of every location that waited for a lock in a convoy, when, in ns: see [report.Finding]. It is not called concurrently.
	Queued func(location uint32, begin, end int64)
	// Beside, if set, is called in a goroutine of its own when all waits are told, and waited for: what is left of the analysis leaves most processors idle.
	Beside func()
}

// Analyze finds the wait states in an archive. It is an error if the patterns are not valid or nothing was recorded;
// damage in the archive is among the warnings of the result.
func Analyze(a *trace.Archive, o Options) (*report.Experiment, error) {
	a, ticks := a.InTicks()
	defs := a.Definitions()
	list, err := newMetrics(o.Patterns, defs)
	if err != nil {
		return nil, err
	}
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	store := o.Store
	if store == nil {
		if store, err = NewStore(a, o.Memory, false, o.Causes); err != nil {
			return nil, err
		}
		defer store.Close()
	}
	s := newScan(a, list, n, store)
	s.ticks = ticks
	s.progress.tell = o.Progress
	s.run()
	if s.events == 0 && store.Err() == nil {
		return nil, fmt.Errorf("no events recorded%s", firstOf(a.Problems()))
	}
	lives := s.live()
	if err := lives.choose(s, o.Goroutine); err != nil {
		return nil, err
	}
	m := &matching{s: s, lives: lives, places: s.place(lives, cmp.Or(o.Locations, defaultLocations)), classes: s.classify(o.Name), name: o.Name, forced: o.Causes, threads: threads(defs), onWait: o.Wait, onMessage: o.Message, onQueued: o.Queued}
	matchWorkers := m.matchWorkers(n)
	m.run(matchWorkers)
	if err := store.Err(); err != nil {
		return nil, err
	}
	m.decide(matchWorkers)
	stats := m.statistics(matchWorkers)
	var jumps *jumps
	if lives.pathProcess >= 0 {
		jumps = newJumps(s, matchWorkers)
	}
	var index report.WaitIndex
	var beside sync.WaitGroup
	defer beside.Wait()
	if o.Beside != nil {
		beside.Go(o.Beside)
	}
	var divided sync.WaitGroup
	divided.Go(func() { // while one worker looks for the path
		for i := range stats {
			stats[i].divide()
		}
		if o.IndexWaits && jumps != nil {
			index = s.indexWaits(jumps)
		}
	})
	path := findCriticalPath(s, lives, m.places, jumps, matchWorkers)
	divided.Wait()
	b := &builder{matching: m, path: path, index: index, matchWorkers: matchWorkers, stats: stats, waits: m.critical(path, matchWorkers), bounds: m.bounds(path, matchWorkers)}
	out, err := b.build()
	if full := store.Err(); full != nil {
		return nil, full
	}
	return out, err
}

func firstOf(p []trace.Problem) string {
	if len(p) == 0 {
		return ""
	}
	return ": " + p[0].Error()
}

package otf2

import (
	"cmp"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// stretch is a stretch of time, such as one in which a team works: from ≤ time < to.
type stretch struct{ from, to int64 }

// lacks finds the processes with threads that are not in all teams, and when teams work there: an idle thread is not idle then because nobody works in parallel, but because it was left out.
func (s *source) lacks(all []survey) {
	s.working = make([][]stretch, len(s.Definitions.Processes))
	lacking, workers := make([]bool, len(s.working)), make([][]int, len(s.working))
	for i := range all {
		if s.workers[i] {
			p := s.Definitions.Locations[i].Process
			workers[p] = append(workers[p], i)
		}
	}
	for t, list := range s.forks.of {
		left := func(i int) bool { return all[i].begun[t] < len(list) }
		lacking[t.process] = lacking[t.process] || slices.ContainsFunc(workers[t.process], left)
	}
	for t, list := range s.forks.of {
		for _, x := range list {
			if lacking[t.process] && x.from < x.to {
				s.working[t.process] = append(s.working[t.process], stretch{x.from, x.to})
			}
		}
	}
	for p, list := range s.working {
		slices.SortFunc(list, func(x, y stretch) int { return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to)) })
		n := 0 // those that overlap are one
		for _, x := range list {
			if n > 0 && x.from < list[n-1].to {
				list[n-1].to = max(list[n-1].to, x.to)
			} else {
				list[n] = x
				n++
			}
		}
		s.working[p] = list[:n]
	}
	if slices.ContainsFunc(s.working, func(list []stretch) bool { return len(list) > 0 }) {
		s.without = uint32(len(s.Definitions.Regions))
		s.Definitions.Regions = append(s.Definitions.Regions, trace.Region{Name: "(team of others)", Class: "omp_limited_parallelism"})
	}
}

// numberIdle gives objects to the processes in which threads are left out of teams.
func (s *source) numberIdle() {
	s.passing.idle = make([]uint32, len(s.working))
	for p, list := range s.working {
		if len(list) > 0 {
			s.Definitions.Objects = append(s.Definitions.Objects, trace.Object{Kind: wire.Idleness, Region: trace.NoRegion, Process: p})
			s.passing.idle[p] = uint32(len(s.Definitions.Objects))
		}
	}
}

// leftOut appends when teams of others worked while a thread was idle, which ends now; only of the time that is wanted.
func (s *source) leftOut(w *walk, until int64, to []trace.Event) []trace.Event {
	list := s.working[w.process]
	since := w.last
	if x := s.forks.at(&w.ended); x != nil {
		since = max(since, x.to)
	}
	begin, _ := slices.BinarySearchFunc(list, since, func(x stretch, t int64) int { return cmp.Compare(x.to, t+1) })
	end, _ := slices.BinarySearchFunc(list, until, func(x stretch, t int64) int { return cmp.Compare(x.from, t) })
	if begin >= end || since >= until {
		return to // such as if the thread is in its next team before the one before has ended
	}
	list = list[begin:end]
	w.last = max(w.last, min(list[len(list)-1].to, until))
	wanted, _ := slices.BinarySearchFunc(list, w.wanted.from, func(x stretch, t int64) int { return cmp.Compare(x.to, t) })
	for _, x := range list[wanted:] {
		from, end := max(x.from, since), min(x.to, until)
		if from >= w.wanted.to {
			break
		}
		to = append(to, trace.Event{Time: from, Kind: wire.Enter, ID: s.without, Word: trace.Elsewhere},
			trace.Event{Time: end, Kind: wire.Met, ID: uint32(wire.TeamWithout), Word: uint64(s.passing.idle[w.process])}, trace.Event{Time: end, Kind: wire.Exit})
	}
	return to
}

// joins appends that a thread has worked in a team that it had forked, if others were left out of any.
func (s *source) joins(w *walk, t int64, to []trace.Event) []trace.Event {
	if object := s.passing.idle[w.process]; object != 0 {
		w.last = max(w.last, t)
		to = append(to, trace.Event{Time: w.last, Kind: wire.Met, ID: uint32(wire.TeamWithout | wire.Root), Word: uint64(object)})
	}
	return to
}

package otf2

import (
	"cmp"
	"maps"
	"slices"

	"tracerec/trace/wire"
)

// epoch is what a call does about an epoch of one-sided communication: the process whose window is accessed posts it and awaits its end, the others start and complete it.
type epoch uint8

const (
	noEpoch epoch = iota
	starts
	completes
	posts
	awaits
)

// epochs are the calls that do so.
var epochs = map[string]epoch{"win_start": starts, "win_complete": completes, "win_post": posts, "win_wait": awaits, "win_test": awaits}

// how is what kind of call it is, see wire.Called.
func (e epoch) how() uint32 {
	switch e {
	case starts, completes:
		return wire.Accesses
	case awaits:
		return wire.Awaits
	}
	return 0
}

// Queues of what is told about epochs have these numbers instead of a process: that one is posted is told to who starts it and, as a call need not wait for what a later one needs, to who accesses the window for the first time and to who completes it.
const (
	postedToStart = 1<<62 + iota
	postedToAccess
	postedToComplete
	completed
)

// target is what a process has of a window.
type target struct{ window, rank uint64 }

// epoch tells what a location that is in a call does about epochs, for each of the other processes: it hands something over, or takes it.
func (s *source) epoch(l *Location, e *Event, w *walk, tell func(q queue, kind wire.Kind)) {
	window, n := s.a.Find(RmaWins, e.Values[1]), len(w.stack)
	if window == nil || n == 0 || w.stack[n-1].work || int(w.stack[n-1].region) >= len(s.passing.classes) {
		return
	}
	ranks := s.passing.ranks[window.Get("comm")]
	me, known := ranks[l.Group]
	if !known {
		return
	}
	for _, process := range s.passing.peers[e.Values[2]] {
		other, is := ranks[process]
		if !is {
			continue
		}
		give := func(phase uint64) { tell(queue{window.Values[0], phase, me, other, 0}, wire.Dispatched) }
		take := func(phase uint64) { tell(queue{window.Values[0], phase, other, me, 0}, wire.Arrived) }
		switch s.passing.classes[w.stack[n-1].region].epoch {
		case posts:
			give(postedToStart)
			give(postedToAccess)
			give(postedToComplete)
		case starts:
			take(postedToStart)
			x := target{window.Values[0], uint64(other)}
			w.touches(x) // of an epoch that was never completed
			w.untouched = append(w.untouched, x)
		case completes:
			if w.touches(target{window.Values[0], uint64(other)}) {
				take(postedToAccess)
			}
			take(postedToComplete)
			give(completed)
		case awaits:
			take(completed)
		}
	}
}

// classifyWindows finds out who is in the groups that epochs are about.
func (s *source) classifyWindows(locations []uint64) {
	s.passing.peers = map[uint64][]uint64{}
	if !slices.ContainsFunc(s.a.records, func(r Record) bool { return r.Spec.Self == RmaWins }) {
		return
	}
	for i := range s.a.records {
		if g := &s.a.records[i]; g.Spec.Self == Groups && g.Get("paradigm") == mpi && s.a.Find(Groups, g.Values[0]) == g {
			ranks := s.ranks(g, locations)
			list := slices.Collect(maps.Keys(ranks))
			slices.SortFunc(list, func(x, y uint64) int { return cmp.Compare(ranks[x], ranks[y]) })
			s.passing.peers[g.Values[0]] = list
		}
	}
}

// epoch notes the queues of what a location tells about epochs.
func (v *survey) epoch(s *source, l *Location, w *walk, e *Event) {
	s.epoch(l, e, w, func(q queue, _ wire.Kind) { v.queue(q) })
}

// touches says whether a window is accessed for the first time since its epoch was started, and forgets that then.
func (w *walk) touches(x target) bool {
	i := slices.Index(w.untouched, x)
	if i >= 0 {
		w.untouched = slices.Delete(w.untouched, i, i+1)
	}
	return i >= 0
}

// access tells that a call passes data to or from a window, if that is the first one since its epoch was started.
func (s *source) access(l *Location, e *Event, w *walk, tell func(q queue, kind wire.Kind)) {
	if !w.touches(target{e.Values[0], e.Values[1]}) {
		return
	}
	if window := s.a.Find(RmaWins, e.Values[0]); window != nil {
		if me, known := s.passing.ranks[window.Get("comm")][l.Group]; known {
			tell(queue{window.Values[0], postedToAccess, uint32(e.Values[1]), me, 0}, wire.Arrived)
			w.accesses = true
		}
	}
}

// access notes the queue of what a location is told if it accesses a window.
func (v *survey) access(s *source, l *Location, w *walk, e *Event) {
	if id := e.Spec.ID; id == idRmaPut || id == idRmaGet || id == idRmaAtomic {
		s.access(l, e, w, func(q queue, _ wire.Kind) { v.queue(q) })
	}
}

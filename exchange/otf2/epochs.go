package otf2

import (
	"cmp"
	"maps"
	"slices"

	"tracerec/trace"
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
			w.completes(x) // an epoch that was never completed
			if len(w.started) < mostStarted {
				w.started[x] = false
			}
		case completes:
			if !w.completes(target{window.Values[0], uint64(other)}) {
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

// mostStarted is in how many epochs a location is at once at most, which each chunk begins with. Damaged archives may have any number that nobody completes.
const mostStarted = 1 << 16

// completes applies that an epoch is complete, and says whether the window was accessed, or the epoch was never started.
func (w *walk) completes(x target) bool {
	touched, is := w.started[x]
	delete(w.started, x)
	return touched || !is
}

// access tells that a call passes data to or from a window, if that is the first one since its epoch was started.
func (s *source) access(l *Location, e *Event, w *walk, tell func(q queue, kind wire.Kind)) {
	x := target{e.Values[0], e.Values[1]}
	if len(w.accessed) < mostAccessed && !slices.Contains(w.accessed, x) {
		w.accessed = append(w.accessed, x)
	}
	if touched, is := w.started[x]; !is || touched {
		return
	}
	w.started[x] = true
	if me, known := s.accessor(x, l); known {
		tell(queue{x.window, postedToAccess, uint32(x.rank), me, 0}, wire.Arrived)
		w.accesses = true
	}
}

// mostAccessed is how many windows a call accesses at most. It is one, but for damage.
const mostAccessed = 16

// accessor returns the rank of a location among those who have a window, and whether it is one of them.
func (s *source) accessor(x target, l *Location) (rank uint32, known bool) {
	if window := s.a.Find(RmaWins, x.window); window != nil {
		rank, known = s.passing.ranks[window.Get("comm")][l.Group]
	}
	return rank, known
}

// touched tells of the windows that a call that ends has accessed: those of who awaits the end of that, and those that are fenced. Of windows that are locked nobody is told.
func (s *source) touched(l *Location, w *walk, awaited func(q queue), fenced func(object, rank uint32)) {
	for _, x := range w.accessed {
		me, known := s.accessor(x, l)
		_, started := w.started[x]
		locked := slices.ContainsFunc(w.held, func(h held) bool { return h.window == x.window })
		switch {
		case !known:
		case started:
			awaited(queue{x.window, completed, me, uint32(x.rank), 0})
		case !locked && s.passing.fences[x.window] != 0:
			fenced(s.passing.fences[x.window], uint32(x.rank))
		}
	}
	w.accessed = w.accessed[:0]
}

// touches appends that.
func (s *source) touches(l *Location, t int64, w *walk, to []trace.Event) []trace.Event {
	if len(w.accessed) == 0 {
		return to
	}
	w.last = max(w.last, t)
	tell := func(object, id uint32) {
		to = append(to, trace.Event{Time: w.last, Kind: wire.Accessed, ID: id, Word: uint64(object)})
	}
	s.touched(l, w, func(q queue) { tell(allMessages, s.passing.queues[q]<<1|1) }, tell)
	return to
}

// access notes the queues of what a location is told if it accesses a window, and of what it tells of that.
func (v *survey) access(s *source, l *Location, w *walk, e *Event) {
	switch e.Spec.ID {
	case idRmaPut, idRmaGet, idRmaAtomic:
		s.access(l, e, w, func(q queue, _ wire.Kind) { v.queue(q) })
	case idLeave:
		s.touched(l, w, v.queue, func(uint32, uint32) {})
	}
}

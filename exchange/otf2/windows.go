package otf2

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// windowLock is the lock of a process's part of a window, or of all parts: that is only ever shared.
type windowLock struct{ window, rank uint64 }

// allParts is the rank of all.
const allParts = 1<<32 - 1

// held is a lock of a window that a location has, or has asked for, and what the call that goes on does about it.
type held struct {
	windowLock
	shared, begins, accesses, ends bool
	part                           uint64 // that is accessed
}

// mostHeld is how many locks of windows a location has at once at most. All are looked at in each call, and damaged archives may have any number that nobody releases.
const mostHeld = 1 << 12

// holds applies what a call does about a lock of a window.
func (s *source) holds(w *walk, e *Event) {
	const shared = 1
	lock := windowLock{e.Values[0], e.Values[1]}
	if lock.rank != allParts && lock.rank >= wire.HoldParts {
		return // no window has so many
	}
	find := func(l windowLock) int {
		return slices.IndexFunc(w.held, func(h held) bool { return h.windowLock == l })
	}
	i := find(lock)
	switch e.Spec.ID {
	case idRmaRequestLock:
		if window := s.a.Find(RmaWins, lock.window); window == nil || s.passing.ranks[window.Get("comm")] == nil {
			return
		}
		if i < 0 {
			if i = len(w.held); i == mostHeld {
				return
			}
			w.held = append(w.held, held{})
		}
		w.held[i] = held{windowLock: lock, shared: e.Values[3] == shared || lock.rank == allParts, begins: true}
	case idRmaReleaseLock:
		if i >= 0 {
			w.held[i].ends = true
		}
	default:
		if i < 0 {
			i = find(windowLock{lock.window, allParts})
		}
		if i >= 0 {
			w.held[i].accesses, w.held[i].part = true, lock.rank
		}
	}
}

// releases applies that a region ends, and tells what it did about each lock. A call that only waits until accesses are complete is about the lock that the location has, if that is only one: it does not say which.
func (s *source) releases(region uint32, w *walk, tell func(h *held, flushes wire.Hold)) {
	if len(w.held) == 0 || int(region) >= len(s.passing.classes) || !strings.HasPrefix(s.passing.classes[region].name, "mpi") {
		return
	}
	flushes := s.passing.classes[region].flushes
	for i := range w.held {
		h, how := &w.held[i], flushes
		if how != 0 && len(w.held) > 1 {
			how = wire.HoldVague
		}
		if h.rank != allParts {
			how &= wire.HoldFlushes
		}
		if h.begins || h.accesses || h.ends || how != 0 {
			tell(h, how)
			h.begins, h.accesses = false, false
		}
	}
	w.held = slices.DeleteFunc(w.held, func(h held) bool { return h.ends })
}

// holding appends what a call that ends did about locks of windows.
func (s *source) holding(region uint32, t int64, w *walk, to []trace.Event) []trace.Event {
	s.releases(region, w, func(h *held, flushes wire.Hold) {
		what, part := flushes, h.rank
		for i, is := range []bool{h.begins, h.ends, h.shared, h.accesses, h.rank == allParts} {
			if is {
				what |= []wire.Hold{wire.HoldBegins, wire.HoldEnds, wire.HoldShared, wire.HoldAccesses, wire.HoldAll}[i]
			}
		}
		if h.accesses {
			part = h.part
		}
		w.last = max(w.last, t)
		to = append(to, trace.Event{Time: w.last, Kind: wire.Held, ID: uint32(what.Of(uint32(part))), Word: uint64(s.passing.windows[h.window])})
	})
	return to
}

// hold applies an event about locks of windows, and notes them.
func (v *survey) hold(s *source, w *walk, e *Event) {
	if s.holds(w, e); e.Spec.ID != idRmaRequestLock {
		return
	}
	if v.windows == nil {
		v.windows = map[windowLock]bool{}
	}
	for i := range w.held {
		if w.held[i].begins {
			v.windows[w.held[i].windowLock] = true
		}
	}
}

// presence is that others may wait until a process is in MPI, as they access what it has of a window.
type presence struct{ object, rank uint32 }

// numberWindows gives objects to the windows of which locations have asked for locks.
func (s *source) numberWindows(all []survey) {
	var locks []windowLock
	for i := range all {
		for l := range all[i].windows {
			locks = append(locks, l)
		}
	}
	slices.SortFunc(locks, func(x, y windowLock) int { return cmp.Or(cmp.Compare(x.window, y.window), cmp.Compare(x.rank, y.rank)) })
	s.passing.windows, s.passing.present = map[uint64]uint32{}, make([][]presence, len(s.Definitions.Processes))
	processes := map[uint64]int{} // by group of locations
	for i, l := range s.of {
		processes[l.Group] = s.Definitions.Locations[i].Process
	}
	locks = slices.Compact(locks)
	for len(locks) > 0 {
		window, n := locks[0].window, 0
		s.Definitions.Objects = append(s.Definitions.Objects, trace.Object{Kind: wire.WindowLock, Region: trace.NoRegion})
		s.passing.windows[window] = uint32(len(s.Definitions.Objects))
		owners := s.owners(window, processes)
		for n < len(locks) && locks[n].window == window {
			n++
		}
		if locks[n-1].rank != allParts {
			asked := map[uint64]int{}
			for _, l := range locks[:n] {
				if p, known := owners[l.rank]; known {
					asked[l.rank] = p
				}
			}
			owners = asked
		}
		for _, rank := range slices.Sorted(maps.Keys(owners)) {
			if p := owners[rank]; len(s.passing.present[p]) < mostPresent {
				s.passing.present[p] = append(s.passing.present[p], presence{s.passing.windows[window], uint32(rank)})
			}
		}
		locks = locks[n:]
	}
}

// mostPresent is for how many windows it is told at most that a process is in MPI: of each it is told in each call.
const mostPresent = 8

// owners returns the processes that have a window, by rank.
func (s *source) owners(window uint64, processes map[uint64]int) map[uint64]int {
	owners := map[uint64]int{}
	for group, rank := range s.passing.ranks[s.a.Find(RmaWins, window).Get("comm")] {
		if p, known := processes[group]; known {
			owners[uint64(rank)] = p
		}
	}
	return owners
}

// presents appends that a call of MPI ends in which others make progress.
func (s *source) presents(region uint32, t int64, w *walk, to []trace.Event) []trace.Event {
	if len(s.passing.present[w.process]) == 0 || int(region) >= len(s.passing.classes) {
		return to
	}
	if c := &s.passing.classes[region]; c.alone || !strings.HasPrefix(c.name, "mpi") {
		return to
	}
	w.last = max(w.last, t)
	for _, p := range s.passing.present[w.process] {
		to = append(to, trace.Event{Time: w.last, Kind: wire.Present, ID: p.rank, Word: uint64(p.object)})
	}
	return to
}

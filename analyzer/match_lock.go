package analyzer

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// lockState is what is known of one lock: who held it when.
type lockState struct {
	exclusive []hold // by (begin, end); disjoint once clipped
	shared    []hold // by (end, begin)
	sorted    []hold
	orphans   []stamped // releases without acquisition on their location
	pending   []int32   // acquisitions of the current location whose release is still to come
	convoy    convoyIndex
	writer    int32   // the earliest exclusive acquisition that never ended
	since     []int64 // by exclusive hold: when others had to wait for it; only if there are readers
	readers   bool
	near      [2]int // by mode: where the last search among its holds ended
}

// hold is the time in which a location held the lock.
type hold struct {
	begin, end int64  // ns; end is held if the release is not known
	op         int32  // the acquisition
	loc, path  uint32 // of it, or of the release if another location released it
}

const held = int64(math.MaxInt64)

// lock finds who held the lock while others waited for it.
//
// A hold lasts from the End of an acquisition (outcome OK, ended) to its release: the location's next
// release of the same mode, of several shared holds the latest one's first. An exclusive acquisition by a
// location that holds the lock exclusively means that another location had released it (legal in Go).
// Releases and holds left over are matched across locations: releases by time, each closing the latest hold
// of its mode that is open and began no later. Such a hold counts as that of the location that released it, in the call path of the release,
// unless another acquisition in between shows that it had ended: then it ends like one without release. A hold without release ends at the next later exclusive
// acquisition, an exclusive one also at the next later shared one, else never. Exclusive holds, in the
// order of (begin, end, op), those without release last, end no later than the next begins.
//
// Waiting are the lock operations that blocked or never ended, whatever their outcome: one that failed and
// blocked is one whose end is lost. An exclusive one waits during its overlap with each
// exclusive hold of another location, by time (if more than 2·maxParts holds overlap it, those before the
// last maxParts as described at convoy). If the lock has readers, such a hold counts from the begin of the acquisition, though not from before
// the end of the previous hold: who is pending while readers have the lock goes first. Let X be the end of the last exclusive hold (of any location) that
// overlaps it, or its begin if there is none. If shared holds of other locations end after X and no later
// than the wait (if it never ended: at any time after X), it waits once more, from X to the end
// of the last of them to end, which is the holder: of several the first to begin, of those the first op. It
// starts at X even if that hold began later: it was other readers until then.
//
// A shared one waits during its overlap with every exclusive hold of another location that
// began before the end of the wait, where a hold counts from the begin of the acquisition, though not from
// before the end of the previous hold: a reader also waits for the writer that is pending. If the wait
// never ended, the earliest exclusive acquisition that never ended is such a writer as well, for ever.
//
// An acquisition that never ended and waits for nobody so is unmatched. Its holder is its own location if that has held the lock all the time: exclusively, or,
// where the acquisition is exclusive, shared. What is left of a wait is time in which the lock was free.
func (m *Matcher) lock(ops []Op) {
	m.findHolds(ops)
	m.clipHolds(ops)
	for i := range ops {
		o := &ops[i]
		if i%paced == 0 {
			m.store.Pace()
		}
		if o.Kind != wire.LockBegin || o.Blocked == NotBlocked && !o.Open {
			continue
		}
		var found bool
		if o.Mode == wire.Shared {
			found = m.readerWaits(ops, int32(i))
		} else {
			found = m.writerWaits(ops, int32(i))
		}
		if o.Open && !found {
			m.unmatched(int32(i))
			m.holdsItself(int32(i))
		}
	}
}

// holdsItself notes the hold for which op waits, which never ended, if it is one of its own location.
func (m *Matcher) holdsItself(op int32) {
	o, s := &m.ops[op], &m.locks
	lasts := func(h *hold) bool { return h.loc == o.Loc && h.begin <= o.Begin && h.end > o.Begin && h.end >= o.End }
	if at := sort.Search(len(s.exclusive), func(i int) bool { return s.exclusive[i].begin > o.Begin }); at > 0 && lasts(&s.exclusive[at-1]) {
		m.own = append(m.own, ownHold{op, s.exclusive[at-1].path})
		return
	}
	for i := len(s.shared) - 1; i >= 0 && s.shared[i].end >= o.End && o.Mode != wire.Shared; i-- { // others would have been waited for
		if h := &s.shared[i]; lasts(h) {
			m.own = append(m.own, ownHold{op, h.path})
			return
		}
	}
}

// findHolds fills exclusive and shared, both by op, and pairs them with releases.
func (m *Matcher) findHolds(ops []Op) {
	s := &m.locks
	s.orphans, s.pending = s.orphans[:0], s.pending[:0]
	var count [2]int // by mode; growing by append would take several times the memory
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		if ops[i].Kind == wire.LockBegin {
			count[min(ops[i].Mode, wire.Shared)]++
		}
	}
	s.exclusive, s.shared = spill.Grow(m.store, s.exclusive, count[wire.Exclusive]), spill.Grow(m.store, s.shared, count[wire.Shared])
	s.writer, s.convoy.built, s.readers, s.near = noOp, false, count[wire.Shared] > 0, [2]int{}
	writing := -1 // index of the location's exclusive hold
	for i := range ops {
		o := &ops[i]
		if i%paced == 0 {
			m.store.Pace()
		}
		if i > 0 && o.Loc != ops[i-1].Loc {
			writing, s.pending = -1, s.pending[:0]
		}
		switch {
		case o.Kind == wire.LockBegin && o.Open:
			if o.Mode != wire.Shared && (s.writer == noOp || o.Begin < ops[s.writer].Begin) {
				s.writer = int32(i)
			}
		case o.Kind == wire.LockBegin && o.Outcome != wire.OK:
		case o.Kind == wire.LockBegin && o.Mode == wire.Shared:
			s.pending = append(s.pending, int32(len(s.shared)))
			s.shared = append(s.shared, hold{o.End, held, int32(i), o.Loc, o.Path})
		case o.Kind == wire.LockBegin:
			writing = len(s.exclusive)
			s.exclusive = append(s.exclusive, hold{o.End, held, int32(i), o.Loc, o.Path})
		case o.Kind != wire.Release:
		case o.Mode != wire.Shared && writing >= 0:
			s.exclusive[writing].end = o.Begin
			writing = -1
		case o.Mode == wire.Shared && len(s.pending) > 0:
			n := len(s.pending) - 1
			s.shared[s.pending[n]].end = o.Begin
			s.pending = s.pending[:n]
		default:
			s.orphans = spill.Append(m.store, s.orphans, stamped{o.Begin, int32(i)})
		}
	}
	if len(s.orphans) > 0 {
		sortStamped(m.store, s.orphans)
		m.closeAcross(ops, s.exclusive, wire.Exclusive)
		m.closeAcross(ops, s.shared, wire.Shared)
	}
}

// closeAcross pairs open holds with releases of a mode by other locations.
func (m *Matcher) closeAcross(ops []Op, holds []hold, mode uint32) {
	m.order.start(len(holds), func(i int32) (int64, bool) { return holds[i].begin, holds[i].end == held })
	next, more := m.order.next()
	open := m.locks.pending[:0]
	for i, r := range m.locks.orphans {
		if i%paced == 0 {
			m.store.Pace()
		}
		if (ops[r.op].Mode == wire.Shared) != (mode == wire.Shared) {
			continue
		}
		for ; more && next.time <= r.time; next, more = m.order.next() {
			open = append(open, next.op)
		}
		if len(open) == 0 {
			m.count.Impossible++
			continue
		}
		h, o := &holds[open[len(open)-1]], &ops[r.op]
		h.end, h.loc, h.path = r.time, o.Loc, o.Path
		open = open[:len(open)-1]
	}
	m.locks.pending = open
}

// clipHolds ends the holds whose release is missing and sorts: exclusive by begin, shared by end.
func (m *Matcher) clipHolds(ops []Op) {
	s := &m.locks
	m.sortHolds(s.exclusive, func(h *hold) (int64, int64) { return h.begin, h.end })
	m.sortHolds(s.shared, func(h *hold) (int64, int64) { return h.begin, h.end })
	for i := range s.shared {
		if h, o := &s.shared[i], &ops[s.shared[i].op]; h.end == held || h.loc != o.Loc {
			h.until(o, nextBegin(s.exclusive, h.begin))
		}
	}
	for i := range s.exclusive {
		h, o := &s.exclusive[i], &ops[s.exclusive[i].op]
		if i%paced == 0 {
			m.store.Pace()
		}
		if h.end == held || h.loc != o.Loc {
			h.until(o, nextBegin(s.shared, h.begin))
		}
		if i+1 < len(s.exclusive) {
			h.until(o, s.exclusive[i+1].begin)
			h.end = max(h.begin, h.end)
		}
	}
	m.sortHolds(s.shared, func(h *hold) (int64, int64) { return h.end, h.begin })
	s.since = s.since[:0]
	if !s.readers {
		return
	}
	end := int64(math.MinInt64)
	s.since = spill.Grow(m.store, s.since, len(s.exclusive))
	for i := range s.exclusive {
		h := &s.exclusive[i]
		if i%paced == 0 {
			m.store.Pace()
		}
		s.since = append(s.since, max(end, min(ops[h.op].Begin, h.begin)))
		end = h.end
	}
}

// until ends the hold of acquisition o at t, unless it ended before. So it is not what another location released later.
func (h *hold) until(o *Op, t int64) {
	if t < h.end {
		h.end, h.loc, h.path = t, o.Loc, o.Path
	}
}

// nextBegin is the earliest begin after t of holds sorted by begin, or held.
func nextBegin(holds []hold, t int64) int64 {
	if i := firstFrom(holds, t+1, 0); i < len(holds) {
		return holds[i].begin
	}
	return held
}

// sortHolds sorts by two keys, then op; holds come by op or nearly sorted.
func (m *Matcher) sortHolds(holds []hold, keys func(*hold) (int64, int64)) {
	if m.sorted(holds, keys) {
		return
	}
	m.order.start(len(holds), func(i int32) (int64, bool) {
		t, _ := keys(&holds[i])
		return t, true
	})
	sorted := spill.Grow(m.store, m.locks.sorted, len(holds))
	for group := m.order.same(); len(group) > 0; group = m.order.same() {
		n := len(sorted)
		for _, e := range group {
			sorted = append(sorted, holds[e.op])
		}
		if len(group) > 1 {
			slices.SortFunc(sorted[n:], func(a, b hold) int {
				_, x := keys(&a)
				_, y := keys(&b)
				return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.op, b.op))
			})
		}
	}
	spill.Copy(m.store, holds, sorted)
	m.locks.sorted = sorted
}

// sorted says whether holds are in this order already, as those of one location.
func (m *Matcher) sorted(holds []hold, keys func(*hold) (int64, int64)) bool {
	for i := range holds {
		if i%paced == 0 {
			m.store.Pace()
		}
		if i == 0 {
			continue
		}
		a, b := keys(&holds[i-1])
		if t, u := keys(&holds[i]); t < a || t == a && (u < b || u == b && holds[i].op < holds[i-1].op) {
			return false
		}
	}
	return true
}

// firstAfter is the index of the first hold that ends after t, of holds whose ends ascend. It is found fastest near the given index.
func firstAfter(holds []hold, t int64, near int) int {
	lo, hi := near, near // it lies in between, once the steps are far enough
	for step := 1; hi < len(holds) && holds[hi].end <= t; step *= 2 {
		lo, hi = hi+1, min(hi+step, len(holds))
	}
	for step := 1; lo > 0 && holds[lo-1].end > t; step *= 2 {
		lo, hi = max(lo-step, 0), lo-1
	}
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); holds[mid].end <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// firstFrom is the index of the first hold that begins at t or later, of holds sorted by begin, and not before the given index.
func firstFrom(holds []hold, t int64, from int) int {
	lo, hi := from, from // it lies in between, once the steps are far enough
	for step := 1; hi < len(holds) && holds[hi].begin < t; step *= 2 {
		lo, hi = hi+1, min(hi+step, len(holds))
	}
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); holds[mid].begin < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// contend emits the synch point of op with h from the given time on, unless it is empty or h is of the
// same location.
func (m *Matcher) contend(kind PointKind, ops []Op, op int32, h *hold, from int64) bool {
	o := &ops[op]
	begin, end := max(from, o.Begin), min(h.end, o.End)
	if begin >= end || h.loc == o.Loc {
		return false
	}
	m.pointBy(kind, op, h.loc, h.path, begin, end, begin)
	return true
}

// writerWaits emits the synch points of an exclusive acquisition and says whether there are any.
func (m *Matcher) writerWaits(ops []Op, op int32) (found bool) {
	o, s := &ops[op], &m.locks
	from := o.Begin
	lo := firstAfter(s.exclusive, o.Begin, s.near[wire.Exclusive])
	hi := firstFrom(s.exclusive, o.End, lo)
	s.near[wire.Exclusive] = lo
	if hi-lo > 2*maxParts {
		m.convoy(op, lo, hi-maxParts)
		lo, found = hi-maxParts, true
	}
	for j := lo; j < hi; j++ {
		h := &s.exclusive[j]
		since := h.begin
		if s.readers {
			since = s.since[j]
		}
		found = m.contend(HeldLock, ops, op, h, since) || found
		from = h.end
	}
	last := len(s.shared)
	if !o.Open {
		last = firstAfter(s.shared, o.End, s.near[wire.Shared])
		s.near[wire.Shared] = last
	}
	best := -1 // last to leave
	for j := last - 1; j >= 0 && s.shared[j].end > from; j-- {
		h := &s.shared[j]
		if best >= 0 && h.end < s.shared[best].end {
			break
		}
		if h.loc != o.Loc {
			best = j
		}
	}
	if best < 0 {
		return found
	}
	return m.contend(ReadBefore, ops, op, &s.shared[best], from) || found
}

// readerWaits emits the synch points of a shared acquisition and says whether there are any.
func (m *Matcher) readerWaits(ops []Op, op int32) (found bool) {
	o, s := &ops[op], &m.locks
	s.near[wire.Exclusive] = firstAfter(s.exclusive, o.Begin, s.near[wire.Exclusive])
	for j := s.near[wire.Exclusive]; j < len(s.exclusive) && s.exclusive[j].begin < o.End; j++ {
		found = m.contend(WroteBefore, ops, op, &s.exclusive[j], s.since[j]) || found
	}
	if w := s.writer; o.Open && w != noOp {
		from := ops[w].Begin
		if n := len(s.exclusive); n > 0 {
			from = max(from, s.exclusive[n-1].end)
		}
		found = m.contend(WroteBefore, ops, op, &hold{0, held, w, ops[w].Loc, ops[w].Path}, from) || found
	}
	return found
}

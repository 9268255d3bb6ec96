package analyzer

import (
	"cmp"
	"slices"
	"sort"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// windowEpoch is that a location had a lock of a window, or waited for it: from the call that asks for it to the one that releases it.
type windowEpoch struct {
	first, calls int32 // of its calls the place in the list of all, and how many they are
	end          int64 // of the last one; endOfTime if that does not release the lock
	part         uint32
	shared, all  bool // all: it is the lock of all parts
}

// windowLocks is what is known of the locks of a window.
type windowLocks struct {
	m        *Matcher
	ops      []Op
	calls    []int32 // of all epochs
	epochs   []windowEpoch
	owners   map[uint32]*presence // by part
	presents []int32              // the calls of all owners
	until    []int64              // by them: when all until then have ended

	last, exclusive map[uint32]int32 // by part: the last epochs that have ended, also of those that do not share it
	whole           int32            // the last one of the lock of all parts
	recent          []int32          // those that did not share the lock, and some that others have followed
	before          []int32          // memory for those before one epoch
	waits           []int32
	longest         []int64
	pending         []uint32  // parts that were accessed since the last flush
	part            [1]uint32 // memory for one
}

// window matches the calls in which locations have locks of a window of MPI. When a lock is acquired is not recorded: the call that asks for it need not wait, but any later one up to that which
// releases it may. But who has a lock releases it in the end, so that those that exclude each other had it in the order in which they released it. Each waits for the last one before it of those
// that it excludes, in one of its calls: of those that ended after the other one began to release the lock, the one in which it waited longest. The lock of all parts is shared, and excludes whoever has that of
// any part alone; it is waited for when it is asked for, or by the calls that need the part: that access it, and what completes that.
//
// And where no device does it, a call that accesses what another process has makes no progress while that is not in MPI: it waits until that comes into its next call, if that begins before the waiting one ends.
func (m *Matcher) window(ops []Op) {
	x := &windowLocks{m: m, ops: ops, last: map[uint32]int32{}, exclusive: map[uint32]int32{}, whole: noOp}
	defer x.free()
	x.find()
	looks := 0 // at epochs
	slices.SortFunc(x.epochs, func(a, b windowEpoch) int {
		if looks++; looks%paced == 0 {
			m.store.Pace()
		}
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(x.calls[a.first], x.calls[b.first]))
	})
	x.presence()
	for i := range x.epochs {
		x.excluded(int32(i))
		x.unlocked(int32(i))
	}
}

func (x *windowLocks) free() {
	store := x.m.store
	spill.Free(store, x.calls)
	spill.Free(store, x.epochs)
	spill.Free(store, x.presents)
	spill.Free(store, x.until)
}

// find finds the epochs of all locations.
func (x *windowLocks) find() {
	store := x.m.store
	of := spill.Make[int32](store, len(x.ops)) // by operation: its epoch
	defer func() { spill.Free(store, of) }()
	var open []int32 // of the location
	for i := range x.ops {
		if i%paced == 0 {
			store.Pace()
		}
		o := &x.ops[i]
		of[i] = noOp
		if o.Kind != wire.Held {
			continue
		}
		if len(open) > 0 && o.Loc != x.ops[x.epochs[open[0]].first].Loc {
			open = open[:0]
		}
		h := wire.Hold(o.Mode)
		k := slices.IndexFunc(open, func(e int32) bool { return x.epochs[e].is(h) })
		if h&wire.HoldBegins != 0 {
			if k < 0 {
				k, open = len(open), append(open, 0)
			}
			open[k] = int32(len(x.epochs))
			x.epochs = spill.Append(store, x.epochs, windowEpoch{int32(i), 0, endOfTime, h.Part(), h&wire.HoldShared != 0, h&wire.HoldAll != 0})
		}
		if k < 0 {
			continue
		}
		e := &x.epochs[open[k]]
		of[i], e.calls = open[k], e.calls+1
		if h&wire.HoldEnds != 0 {
			e.end, open = o.End, slices.Delete(open, k, k+1)
		}
	}
	x.list(of)
}

// list lists the calls of the epochs.
func (x *windowLocks) list(of []int32) {
	n := int32(0)
	for k := range x.epochs {
		e := &x.epochs[k]
		e.first, e.calls, n = n, 0, n+e.calls
	}
	x.calls = spill.Make[int32](x.m.store, int(n))
	for i, k := range of {
		if i%paced == 0 {
			x.m.store.Pace()
		}
		if k != noOp {
			e := &x.epochs[k]
			x.calls[e.first+e.calls] = int32(i)
			e.calls++
		}
	}
}

// is says whether a call is about the lock of an epoch.
func (e *windowEpoch) is(h wire.Hold) bool {
	return e.all && h&wire.HoldAll != 0 || !e.all && h&wire.HoldAll == 0 && e.part == h.Part()
}

// callsOf returns the calls of an epoch.
func (x *windowLocks) callsOf(e *windowEpoch) []int32 { return x.calls[e.first : e.first+e.calls] }

// release returns the call that releases the lock of an epoch.
func (x *windowLocks) release(k int32) int32 {
	e := &x.epochs[k]
	return x.calls[e.first+e.calls-1]
}

// unlocked applies that the next epoch has ended.
func (x *windowLocks) unlocked(k int32) {
	switch e := &x.epochs[k]; {
	case e.end == endOfTime:
	case e.all:
		x.whole = k
	default:
		if x.last[e.part] = k; e.shared {
			return
		}
		x.exclusive[e.part] = k
		if x.recent = append(x.recent, k); len(x.recent) > 2*len(x.exclusive)+16 {
			x.recent = slices.DeleteFunc(x.recent, func(k int32) bool { return x.exclusive[x.epochs[k].part] != k })
		}
	}
}

// excludes returns the epochs that one waits for: of each part the last one before it that it excludes, the last to end first.
func (x *windowLocks) excludes(e *windowEpoch) []int32 {
	x.before = x.before[:0]
	begin := x.ops[x.calls[e.first]].Begin
	if e.all {
		for _, k := range slices.Backward(x.recent) {
			if x.epochs[k].end <= begin {
				break
			}
			if x.exclusive[x.epochs[k].part] == k {
				x.before = append(x.before, k)
			}
		}
		return x.before
	}
	from, last := x.last, x.whole
	if e.shared {
		from, last = x.exclusive, noOp
	}
	if k, is := from[e.part]; is {
		last = max(last, k)
	}
	if last != noOp {
		x.before = append(x.before, last)
	}
	return x.before
}

// excluded emits the waits of an epoch: for those before it, and for the owners of what it accesses.
func (x *windowLocks) excluded(k int32) {
	e := &x.epochs[k]
	before := x.excludes(e)
	x.waitsIn(e, before)
	x.pending = x.pending[:0]
	for n, i := range x.callsOf(e) {
		if n%paced == 0 {
			x.m.store.Pace()
		}
		o := &x.ops[i]
		from, unlocked, present := o.Begin, UnlockedToSync, PresentToSync
		if wire.Hold(o.Mode)&wire.HoldAccesses != 0 {
			unlocked, present = UnlockedToAccess, PresentToAccess
		}
		if b := slices.Index(x.waits, i); b >= 0 { // the last to end is the first
			release := x.release(before[b])
			x.m.point(unlocked, i, release, from, x.ops[release].End, from)
			from = min(x.ops[release].End, o.End)
		}
		if comes := x.comes(o, from, x.needs(e, o)); comes != noOp {
			x.m.point(present, i, comes, from, x.ops[comes].Begin, from)
		}
		x.passed(e, o)
	}
}

// waitsIn finds the calls of an epoch that wait for those before it, noOp where there is none.
func (x *windowLocks) waitsIn(e *windowEpoch, before []int32) {
	x.waits, x.longest, x.pending = x.waits[:0], x.longest[:0], x.pending[:0]
	for range before {
		x.waits, x.longest = append(x.waits, noOp), append(x.longest, 0)
	}
	if len(before) == 0 {
		return
	}
	for n, i := range x.callsOf(e) {
		if n%paced == 0 {
			x.m.store.Pace()
		}
		o := &x.ops[i]
		needs := x.needs(e, o)
		for b, k := range before {
			release := &x.ops[x.release(k)]
			if release.End <= o.Begin {
				break
			}
			d := min(release.End, o.End) - o.Begin
			if o.End <= release.Begin || d <= x.longest[b] {
				continue
			}
			if e.all && wire.Hold(o.Mode)&wire.HoldBegins == 0 {
				if _, is := slices.BinarySearch(needs, x.epochs[k].part); !is {
					continue
				}
			}
			x.waits[b], x.longest[b] = i, d
		}
		x.passed(e, o)
	}
}

// needs returns the parts that a call of an epoch has to do with, in order, as far as that is known.
func (x *windowLocks) needs(e *windowEpoch, o *Op) []uint32 {
	const flushesOne = wire.HoldFlushes | wire.HoldVague
	switch h := wire.Hold(o.Mode); {
	case !e.all, h&wire.HoldAccesses != 0:
		return append(x.part[:0], h.Part())
	case h&wire.HoldEnds != 0, h&flushesOne == wire.HoldFlushes, h&flushesOne == flushesOne && len(x.pending) == 1:
		return x.pending
	}
	return nil
}

// passed applies a call to what is pending.
func (x *windowLocks) passed(e *windowEpoch, o *Op) {
	switch h := wire.Hold(o.Mode); {
	case !e.all:
	case h&wire.HoldAccesses != 0:
		if at, is := slices.BinarySearch(x.pending, h.Part()); !is {
			x.pending = slices.Insert(x.pending, at, h.Part())
		}
	case h&(wire.HoldFlushes|wire.HoldVague) != 0:
		x.pending = x.pending[:0]
	}
}

// comes returns the call in which the last of the owners of some parts comes into MPI while a call lasts, noOp if there is none.
func (x *windowLocks) comes(o *Op, from int64, parts []uint32) int32 {
	last := noOp
	for _, part := range parts {
		owner := x.owners[part]
		if owner == nil || owner.is[o.Loc] {
			continue
		}
		if c := owner.next(from); c != noOp && x.ops[c].Begin < o.End && (last == noOp || x.ops[c].Begin > x.ops[last].Begin) {
			last = c
		}
	}
	return last
}

// presence is when the process that owns a part of a window is in MPI.
type presence struct {
	ops   []Op
	calls []int32 // by begin
	until []int64 // by call: when all until then have ended
	is    map[uint32]bool
}

// presence finds when any thread of the owner of each part of the window is in MPI.
func (x *windowLocks) presence() {
	store := x.m.store
	for i := range x.ops {
		if i%paced == 0 {
			store.Pace()
		}
		if x.ops[i].Kind == wire.Present {
			x.presents = spill.Append(store, x.presents, int32(i))
		}
	}
	compared := 0
	slices.SortFunc(x.presents, func(i, j int32) int {
		if compared++; compared%paced == 0 {
			store.Pace()
		}
		a, b := &x.ops[i], &x.ops[j]
		return cmp.Or(cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Begin, b.Begin), cmp.Compare(i, j))
	})
	x.until = spill.Make[int64](store, len(x.presents))
	x.owners = map[uint32]*presence{}
	var p *presence
	for k, i := range x.presents {
		o := &x.ops[i]
		x.until[k] = o.End
		if k == 0 || o.Mode != x.ops[x.presents[k-1]].Mode {
			p = &presence{ops: x.ops, calls: x.presents[k:k], until: x.until[k:k], is: map[uint32]bool{}}
			x.owners[o.Mode] = p
		} else {
			x.until[k] = max(o.End, x.until[k-1])
		}
		p.calls, p.until = p.calls[:len(p.calls)+1], p.until[:len(p.until)+1]
		p.is[o.Loc] = true
	}
}

// next returns the next call of the owner from some time on, noOp if there is none, or if it is in a call then.
func (p *presence) next(t int64) int32 {
	k := sort.Search(len(p.calls), func(k int) bool { return p.ops[p.calls[k]].Begin > t })
	if k == len(p.calls) || k > 0 && p.until[k-1] > t {
		return noOp
	}
	return p.calls[k]
}

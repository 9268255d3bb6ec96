package analyzer

import (
	"cmp"
	"slices"
	"sort"
	"sync/atomic"

	"tracerec/internal/spill"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// handoff is that a location got a lock for which it had waited, when another one released it, in a trace that does not tell which lock that is.
type handoff struct {
	begin, at int64  // of the wait
	loc, by   uint32 // who was to get it, and who released it
	path, in  uint32 // call paths of the wait and of the release
	before    int32  // number of the last one that tells since when who released it had it, noHandoff if there is none
}

const noHandoff = int32(-1)

// handoffs are all of a trace, in their order. They are not changed once they are found; nil has none.
type handoffs struct {
	list  []handoff
	locks []uint32 // by call path: another one of the same lock, itself of one of them
}

func (x *handoff) compare(y *handoff) int {
	return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.loc, y.loc), cmp.Compare(x.path, y.path), cmp.Compare(x.by, y.by), cmp.Compare(x.in, y.in))
}

// findHandoffs looks at all operations, before they are matched, if who holds locks is not recorded.
func (m *matching) findHandoffs(workers []*matchWorker, order []uint32, all int) *handoffs {
	untold := func(object int) bool {
		return object < len(m.s.defs.Objects) && m.s.defs.Objects[object].Kind == wire.Waits
	}
	if !slices.ContainsFunc(m.s.defs.Objects, func(o trace.Object) bool { return o.Kind == wire.Waits }) {
		return nil
	}
	m.s.progress.begin("looking who had locks", 2*uint64(all)) // operations are expanded before
	found, room := make([][]handoff, len(workers)), newExpanded(m.s)
	var next, number atomic.Uint32
	parallel(workers, func(w *matchWorker) {
		list := &found[number.Add(1)-1]
		look := &glance{untold, func(ops []Op) {
			w.matcher.ends(ops, func(i, by int32) {
				if by != noOp && ops[i].endedBy(&ops[by]) == HeldLock {
					*list = spill.Append(m.s.store, *list, handoff{ops[i].Begin, ops[by].Begin, ops[i].Loc, ops[by].Loc, ops[i].Path, ops[by].Path, noHandoff})
				}
			})
		}}
		for i := next.Add(1) - 1; i < parts; i = next.Add(1) - 1 {
			w.part(order[i], i, room, look)
		}
	})
	for _, x := range room.free {
		x.free(m.s.store)
	}
	return m.s.chain(found)
}

// chain puts handoffs in order and finds the one before each, see told.
func (s *scan) chain(found [][]handoff) *handoffs {
	h := &handoffs{locks: make([]uint32, len(s.paths.nodes))}
	for i := range h.locks {
		h.locks[i] = uint32(i)
	}
	for _, list := range found {
		for i := range list {
			h.list = spill.Append(s.store, h.list, list[i])
			h.locks[h.lock(list[i].in)] = h.lock(list[i].path)
		}
		spill.Free(s.store, list)
	}
	compared := 0
	slices.SortFunc(h.list, func(x, y handoff) int {
		if compared++; compared%paced == 0 {
			s.store.Pace()
		}
		return x.compare(&y)
	})
	type party struct{ loc, lock uint32 }
	last := map[party]int32{} // in which each had a part
	for from, to := 0, 0; from < len(h.list); from = to {
		for ; to < len(h.list) && h.list[to].at == h.list[from].at; to++ {
			x, lock := &h.list[to], h.lock(h.list[to].path)
			if before, known := last[party{x.by, lock}]; known {
				x.before = before
			}
			if lost, known := last[party{x.loc, lock}]; known && h.list[lost].loc == x.loc {
				x.before = max(x.before, lost)
			}
		}
		for i := from; i < to; i++ {
			if i%paced == 0 {
				s.store.Pace()
			}
			x, lock := &h.list[i], h.lock(h.list[i].path)
			last[party{x.by, lock}], last[party{x.loc, lock}] = int32(i), int32(i)
		}
	}
	return h
}

// lock returns the call path that stands for the lock that is waited for, or released, in one.
func (h *handoffs) lock(path uint32) uint32 {
	for h.locks[path] != path {
		h.locks[path] = h.locks[h.locks[path]]
		path = h.locks[path]
	}
	return path
}

// before returns the number of the handoff before the one that ended a wait at a time.
func (h *handoffs) before(o *Op, at int64) int32 {
	if h == nil {
		return noHandoff
	}
	i := sort.Search(len(h.list), func(i int) bool {
		x := &h.list[i]
		return cmp.Or(cmp.Compare(x.at, at), cmp.Compare(x.loc, o.Loc), cmp.Compare(x.path, o.Path)) >= 0
	})
	if i == len(h.list) { // there was no room for all
		return noHandoff
	}
	return h.list[i].before
}

// longestQueue is through how many handoffs it is looked who had a lock while somebody waited for it.
const longestQueue = 1 << 12

// maxTurns bounds the holders of whom one wait is told, beside the last: a goroutine that stands in a queue of thousands waits for each of them.
const maxTurns = 16

// since returns from when on who released the lock had it, if y is the handoff before.
func (x *handoff) since(y *handoff) int64 {
	if y.loc == x.by {
		return y.at
	}
	return max(y.at, min(x.begin, x.at))
}

// inTurn emits the synch points of a wait for a lock, which ended when another operation released it, with those who had it meanwhile.
func (m *Matcher) inTurn(op, by int32) {
	o := &m.ops[op]
	turns := m.turns[:0]
	x := handoff{begin: o.Begin, at: m.ops[by].Begin, by: m.ops[by].Loc, in: m.ops[by].Path}
	x.before = m.handoffs.before(o, x.at)
	for x.before != noHandoff && m.handoffs.list[x.before].at > o.Begin && len(turns) < longestQueue {
		y := &m.handoffs.list[x.before]
		turns = append(turns, hold{x.since(y), x.at, op, x.by, x.in})
		x = *y
	}
	turns = append(turns, hold{o.Begin, x.at, op, x.by, x.in})
	m.turns = turns
	slices.Reverse(turns)
	before := turns[:len(turns)-1]
	n := min(len(before), maxTurns)
	for i := range n {
		group := before[len(before)*i/n : len(before)*(i+1)/n]
		most := slices.MaxFunc(group, func(a, b hold) int { return cmp.Compare(a.end-a.begin, b.end-b.begin) })
		begin, end := group[0].begin, group[0].begin
		for _, h := range group { // together they begin with the first of them
			end += h.end - h.begin
		}
		m.pointBy(HeldLock, op, most.loc, most.path, begin, end, begin)
	}
	last := &turns[len(before)] // to whom the critical path goes
	m.pointBy(HeldLock, op, last.loc, last.path, last.begin, last.end, last.begin)
}

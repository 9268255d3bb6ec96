package analyzer

import (
	"cmp"
	"slices"
	"sort"

	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/trace/wire"
)

// piece is a wait in an operation that is no jump, [begin, at), with what came behind it until the operation was done.
type piece struct {
	begin, at, done int64
	reach           int64 // the latest done of this and the location's pieces before
	loc, path       uint32
	external        bool // it is nobody's fault
}

// piece notes a wait if the path was in it or behind.
func (c *meter) piece(k *keptWait, nobody bool) {
	if x := c.onTrail(k.loc, k.begin, k.done); x.from < x.to {
		c.pieces.add(piece{begin: k.begin, at: k.end, done: k.done, loc: k.loc, path: k.path, external: nobody && k.begin < k.end})
	}
}

// complete takes over the pieces that were found, in order.
func (p *criticalPath) complete(meters []*meter, store *spill.Store) {
	n := 0
	for _, c := range meters {
		n += c.pieces.len()
	}
	p.pieces = spill.Make[piece](store, n)[:0]
	for _, c := range meters {
		for _, b := range c.pieces.blocks {
			store.Pace()
			p.pieces = append(p.pieces, b...)
		}
		c.pieces = list[piece]{}
	}
	compared := 0
	slices.SortFunc(p.pieces, func(a, b piece) int {
		if compared++; compared%paced == 0 {
			store.Pace()
		}
		return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(a.begin, b.begin), cmp.Compare(a.at, b.at), cmp.Compare(a.done, b.done), cmp.Compare(a.path, b.path))
	})
	for i := range p.pieces {
		if i%paced == 0 {
			store.Pace()
		}
		x := &p.pieces[i]
		x.reach = x.done
		if i > 0 && p.pieces[i-1].loc == x.loc {
			x.reach = max(x.reach, p.pieces[i-1].reach)
		}
	}
}

// piecesOf returns the pieces of a location.
func (p *criticalPath) piecesOf(loc uint32) []piece {
	from := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].loc >= loc })
	to := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].loc > loc })
	return p.pieces[from:to]
}

// insideKey is a part of a Split, in operations of a group.
type insideKey struct {
	part  splitPart
	path  uint32
	group int32
}

type splitPart uint8

const (
	execution splitPart = iota
	runnable
	waiting
	external
	givenUp // of what is runnable: who is so gave up its processor
	missing // events were lost
)

// did adds time that was a part of an operation.
func (f *follower) did(part splitPart, path uint32, d int64) {
	if d > 0 {
		group := f.group[f.loc]
		f.inside.add(cellHash(uint16(part), path, uint32(group)), insideKey{part, path, group}, d)
	}
}

// operations takes over what the path did in operations.
func (b *builder) operations() {
	type place struct {
		path  uint32
		group int32
	}
	all := map[place]*report.OperationSplit{}
	of := func(path uint32, group int32) *report.OperationSplit {
		at := place{b.rank[path], group}
		if all[at] == nil {
			all[at] = &report.OperationSplit{Path: at.path, Group: at.group}
		}
		return all[at]
	}
	for k, d := range b.path.inside {
		o := of(k.path, k.group)
		*[...]*int64{&o.Execution, &o.Runnable, &o.Waiting, &o.External, &o.Yielded, &o.NotRecorded}[k.part] += d
	}
	for path, t := range b.path.takes {
		if t.n > 0 {
			of(uint32(path), t.first).Taken = t.n
		}
		for group, n := range t.others {
			of(uint32(path), group).Taken = n
		}
	}
	for _, o := range all {
		b.out.Operations = append(b.out.Operations, *o)
	}
	slices.SortFunc(b.out.Operations, func(x, y report.OperationSplit) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Group, y.Group))
	})
}

// divide adds the path's time on the location in a stretch, in which its innermost level was a call path opened by kind.
// Calls of one location go on in time.
func (f *follower) divide(s *stretch, path uint32, kind wire.Kind) {
	from, to, all := s.from, s.to, s.after-s.before
	switch kind {
	case wire.Enter, wire.Begin:
		f.split.Execution += all
		return
	case wire.SleepBegin:
		f.split.Sleep += all
		return
	}
	for len(f.pieces) > 0 && f.pieces[0].reach <= from {
		f.pieces = f.pieces[1:]
	}
	for len(f.jumps) > 0 && f.jumps[0].done <= from {
		if f.jumps = f.jumps[1:]; f.since != nil {
			f.since = f.since[1:]
		}
	}
	for i := range f.pieces {
		x := &f.pieces[i]
		if x.begin >= to {
			break
		}
		if x.path != path || x.done <= from {
			continue
		}
		all -= f.waited(s, path, max(x.begin, from), x.at, min(x.done, to), x.external)
	}
	for i := range f.jumps {
		x := &f.jumps[i]
		if x.begin >= to && (f.since == nil || f.since[i] >= to) {
			break
		}
		if x.path == path && x.done > from && x.begin < to {
			all -= f.waited(s, path, max(x.begin, from), x.at, min(x.done, to), false)
		}
	}
	f.split.Execution += all
	f.did(execution, path, all)
}

// waited adds the path's time on the location in [from, to) of an operation, within a stretch, which waited until a time, and returns it.
func (f *follower) waited(s *stretch, path uint32, from, until, to int64, nobody bool) int64 {
	until = min(max(until, from), to)
	a, b, c := f.until(s, from), f.until(s, until), f.until(s, to)
	if nobody {
		f.split.External += b - a
		f.did(external, path, b-a)
	} else {
		f.split.Waiting += b - a
		f.did(waiting, path, b-a)
	}
	f.split.Runnable += c - b
	f.did(runnable, path, c-b)
	return c - a
}

// divideState adds the path's time on the location in a state outside of operations.
func (f *follower) divideState(d int64, path uint32, does wire.Kind) {
	part, sum := execution, &f.split.Execution
	switch does {
	case yielded:
		f.did(givenUp, path, d)
		part, sum = runnable, &f.split.Runnable
	case wire.Ready, wire.Stopped:
		part, sum = runnable, &f.split.Runnable
	case wire.Syscall, wire.Parked:
		part, sum = external, &f.split.External
	case wire.Lost:
		part, sum = missing, &f.split.NotRecorded
	}
	*sum += d
	f.did(part, path, d)
}

// addSplit adds the parts of o that depend on events.
func addSplit(s *report.Split, o *report.Split) {
	s.Execution += o.Execution
	s.Runnable += o.Runnable
	s.Waiting += o.Waiting
	s.Sleep += o.Sleep
	s.External += o.External
	s.NotRecorded += o.NotRecorded
}

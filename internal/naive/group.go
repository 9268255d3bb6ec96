package naive

import (
	"slices"

	"tracerec/trace/wire"
)

// join derives what the waits of a WaitGroup waited for.
func (n *analysis) join(ops []*op) {
	count := 0
	var now, before []*op // Dones of the current and of the previous generation
	part := func(o *op) bool { return o.kind == wire.Add || o.kind == wire.Done || o.kind == wire.JoinBegin }
	for _, o := range sorted(ops, part, func(o *op) int64 { return o.end }) {
		switch o.kind {
		case wire.Add:
			count += int(o.mode)
		case wire.Done:
			count = max(0, count-int(o.mode))
			now = append(now, o)
			if count == 0 {
				now, before = nil, now
			}
		case wire.JoinBegin:
			if o.open && count > 0 {
				n.unmatched(o)
				continue
			}
			group := now
			if len(now) == 0 {
				group = before
			}
			if len(group) == 0 {
				n.unmatched(o)
			} else {
				sum := int64(0)
				for _, d := range group {
					sum += d.begin
				}
				last := group[len(group)-1]
				n.waitFrom(o, "join_wait", o.begin, last.begin, last, sum/int64(len(group)))
			}
			count = 0
			if len(now) > 0 {
				now, before = nil, now
			}
		}
	}
}

// cond derives what the waits of a Cond waited for.
func (n *analysis) cond(ops []*op) {
	var waiting []*op
	for _, o := range sorted(ops, func(*op) bool { return true }, (*op).start) {
		if o.kind == wire.CondBegin {
			waiting = append(waiting, o)
			continue
		}
		for len(waiting) > 0 {
			w := pop(&waiting)
			if w.end < o.begin {
				n.unmatched(w)
				continue
			}
			n.wait(w, "cond_wait", w.begin, o.begin, o)
			if o.kind == wire.Signal {
				break
			}
		}
	}
	for _, w := range waiting {
		n.unmatched(w)
	}
}

// once derives what the calls of a Once waited for.
func (n *analysis) once(ops []*op) {
	runs := sorted(ops, func(o *op) bool { return o.mode == 1 }, func(o *op) int64 { return o.ran })
	for _, o := range ops {
		switch {
		case len(runs) > 0 && runs[0] == o:
		case len(runs) > 0 && o.loc != runs[0].loc && o.begin < runs[0].end && o.end >= runs[0].ran:
			n.wait(o, "once_wait", o.begin, runs[0].end, runs[0])
		default:
			n.unmatched(o)
		}
	}
}

// barrier derives what the participants of a barrier waited for.
func (n *analysis) barrier(ops []*op, size int) {
	generations := map[uint32][]*op{}
	var order []uint32
	for _, o := range ops {
		if generations[o.mode] == nil {
			order = append(order, o.mode)
		}
		generations[o.mode] = append(generations[o.mode], o)
	}
	slices.Sort(order)
	for _, g := range order {
		all := generations[g]
		latest, firstEnd := all[0], never
		for _, o := range all {
			if o.begin >= latest.begin {
				latest = o
			}
			if !o.open {
				firstEnd = min(firstEnd, o.end)
			}
		}
		for _, o := range all {
			if o.open && len(all) < size {
				n.unmatched(o)
				continue
			}
			n.wait(o, "barrier_wait", o.begin, latest.begin, latest)
			if o.open {
				continue
			}
			n.wait(o, "barrier_completion", max(firstEnd, latest.begin), o.end, nil)
		}
	}
}

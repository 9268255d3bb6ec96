package naive

import (
	"slices"

	"tracerec/trace/wire"
)

// counting is the simulated counter of a WaitGroup.
type counting struct {
	n           *analysis
	count       int
	now, before []*op // Dones of the current and of the previous generation
}

// join derives what the waits of a WaitGroup waited for. At equal times a Wait that finds the counter not 0
// lets the operations of other locations go first, and one that never ended all others.
func (n *analysis) join(ops []*op) {
	c := &counting{n: n}
	part := func(o *op) bool { return o.kind == wire.Add || o.kind == wire.Done || o.kind == wire.JoinBegin }
	end := func(o *op) int64 { return o.end }
	all := sorted(ops, part, end)
	for len(all) > 0 {
		now := sorted(all, func(o *op) bool { return o.end == all[0].end }, end)
		all = all[len(now):]
		var late []*op
		behind := map[*location]bool{}
		for _, o := range now {
			if behind[o.loc] || o.kind == wire.JoinBegin && (c.count > 0 || o.open) {
				behind[o.loc] = true
				late = append(late, o)
				continue
			}
			c.apply(o)
		}
		for _, o := range late {
			if !o.open {
				c.apply(o)
			}
		}
		for _, o := range late {
			if o.open {
				c.apply(o)
			}
		}
	}
}

// apply changes the counter, or derives what the Wait o waited for.
func (c *counting) apply(o *op) {
	switch o.kind {
	case wire.Add:
		c.count += int(o.mode)
	case wire.Done:
		c.count = max(0, c.count-int(o.mode))
		c.now = append(c.now, o)
		if c.count == 0 {
			c.now, c.before = nil, c.now
		}
	case wire.JoinBegin:
		c.wait(o)
	}
}

func (c *counting) wait(o *op) {
	if o.open && c.count > 0 {
		c.n.unmatched(o)
		return
	}
	c.count = 0
	if len(c.now) > 0 {
		c.now, c.before = nil, c.now
	}
	if len(c.before) == 0 {
		c.n.unmatched(o)
		return
	}
	sum := int64(0)
	for _, d := range c.before {
		sum += d.begin
	}
	last := c.before[len(c.before)-1]
	o.release()
	c.n.waitFrom(o, "join_wait", o.begin, last.begin, last, sum/int64(len(c.before)))
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
			w.release()
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
			if !runs[0].open {
				o.release()
			}
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
				if firstEnd < never {
					o.release()
				}
				continue
			}
			n.wait(o, "barrier_completion", max(firstEnd, latest.begin), o.end, nil)
		}
	}
}

package naive

import "tracerec/trace/wire"

// told derives the waits of a goroutine for objects that are not known.
func (n *analysis) told(ops []*op) {
	for _, o := range ops {
		if o.blocked < 0 {
			continue
		}
		by := endedBy(o, ops)
		if by == nil {
			n.unmatched(o)
			continue
		}
		from := o.begin
		if o.kind == wire.JoinBegin {
			from = by.begin
		}
		if metric := toldMetric(o, by); metric == "lock_competition" {
			n.inTurn(o, by)
		} else {
			n.waitFrom(o, metric, o.begin, by.begin, by, from)
		}
		if o.release(); o.released && o.kind == wire.SendBegin {
			o.sent = true
		}
	}
}

// endedBy returns what ended the wait o, nil if nothing did.
func endedBy(o *op, ops []*op) (by *op) {
	for _, d := range ops {
		if d.blocked < 0 && d.begin >= o.blocked && d.begin <= o.end && (by == nil || d.begin >= by.begin) {
			by = d
		}
	}
	if o.outcome == wire.Panicked {
		return nil
	}
	return by
}

// handoff is that a lock for which o waited came to it by another operation.
type handoff struct{ o, by *op }

// findHandoffs finds all of them, and which call paths belong to one lock: those have one number.
func (n *analysis) findHandoffs() {
	n.lockOf = map[string]int{}
	number := func(path string) int {
		if _, known := n.lockOf[path]; !known {
			n.lockOf[path] = len(n.lockOf)
		}
		return n.lockOf[path]
	}
	for i := range n.defs.Objects {
		ops := n.opsOf(uint32(i))
		for _, o := range ops {
			if n.defs.Objects[i].Kind != wire.Waits || o.blocked < 0 {
				continue
			}
			by := endedBy(o, ops)
			if by == nil || toldMetric(o, by) != "lock_competition" {
				continue
			}
			n.handoffs = append(n.handoffs, handoff{o, by})
			a, b := number(o.path), number(by.path)
			for path, k := range n.lockOf {
				if k == b {
					n.lockOf[path] = a
				}
			}
		}
	}
}

// inTurn divides the wait for a lock, which ended when by released it, among those who are known to have had it meanwhile.
func (n *analysis) inTurn(o, by *op) {
	for x := (handoff{o, by}); ; {
		y := n.before(x)
		if y == nil || y.by.begin <= o.begin {
			n.wait(o, "lock_competition", o.begin, x.by.begin, x.by)
			return
		}
		since := y.by.begin
		if y.o.loc != x.by.loc {
			since = max(since, min(x.o.begin, x.by.begin))
		}
		n.wait(o, "lock_competition", since, x.by.begin, x.by)
		x = *y
	}
}

// before returns the last handoff of the lock of x that ended earlier, and in which who released it in x had a part, or who waited for it in x got it, and did not release it since.
func (n *analysis) before(x handoff) *handoff {
	var of, to *handoff
	for i := range n.handoffs {
		y := &n.handoffs[i]
		if n.lockOf[y.o.path] != n.lockOf[x.o.path] || y.by.begin >= x.by.begin {
			continue
		}
		if (y.o.loc == x.by.loc || y.by.loc == x.by.loc) && (of == nil || y.by.begin > of.by.begin) {
			of = y
		}
		if (y.o.loc == x.o.loc || y.by.loc == x.o.loc) && (to == nil || y.by.begin > to.by.begin) {
			to = y
		}
	}
	if to != nil && to.o.loc == x.o.loc && (of == nil || to.by.begin > of.by.begin) {
		return to
	}
	return of
}

// toldMetric names the wait o that by ended.
func toldMetric(o, by *op) string {
	switch {
	case o.outcome == wire.Closed && (o.kind == wire.RecvBegin || o.kind == wire.SelectBegin):
		return "late_close"
	case o.kind == wire.SendBegin || o.kind == wire.SelectBegin && o.outcome == wire.Sent:
		return "late_receiver"
	case o.kind == wire.LockBegin && isShared(o):
		return "rw_reader_wait"
	case o.kind == wire.LockBegin && by.kind == wire.Release && isShared(by):
		return "rw_writer_wait"
	}
	return map[wire.Kind]string{wire.RecvBegin: "late_sender", wire.SelectBegin: "late_sender", wire.LockBegin: "lock_competition",
		wire.JoinBegin: "join_wait", wire.CondBegin: "cond_wait", wire.OnceBegin: "once_wait", wire.BarrierBegin: "barrier_wait"}[o.kind]
}

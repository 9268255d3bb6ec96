package naive

import "tracerec/trace/wire"

// told derives the waits of a goroutine for objects that are not known.
func (n *analysis) told(ops []*op) {
	for _, o := range ops {
		if o.blocked < 0 {
			continue
		}
		var by *op
		for _, d := range ops {
			if d.blocked < 0 && d.begin >= o.blocked && d.begin <= o.end && (by == nil || d.begin >= by.begin) {
				by = d
			}
		}
		if by == nil || o.outcome == wire.Panicked {
			n.unmatched(o)
			continue
		}
		from := o.begin
		if o.kind == wire.JoinBegin {
			from = by.begin
		}
		n.waitFrom(o, toldMetric(o, by), o.begin, by.begin, by, from)
		if o.release(); o.released && o.kind == wire.SendBegin {
			o.sent = true
		}
	}
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

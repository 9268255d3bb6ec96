package naive

import "tracerec/trace/wire"

// stream derives what the waits on a stream waited for.
func (n *analysis) stream(ops []*op) {
	ours := true
	for _, o := range ops {
		if o.kind == wire.NetworkBegin && o.outcome == wire.Received && o.mode > 1 {
			before := func(w *op) bool { return w.kind == wire.Write && w.mode >= o.mode-1 && w.begin <= o.begin }
			further := func(w *op) bool { return w.kind == wire.Write && (w.mode >= o.mode-1 || w.begin >= o.begin) }
			written := func(w *op) bool { return w.kind == wire.Write }
			unfinished := len(sorted(ops, further, (*op).start)) == 0 && len(sorted(ops, written, (*op).start)) > 0
			ours = ours && (unfinished || len(sorted(ops, before, (*op).start)) > 0)
		}
	}
	number := func(o *op) int64 { return int64(o.mode) }
	for _, o := range ops {
		if o.kind != wire.NetworkBegin {
			continue
		}
		var by []*op
		switch {
		case o.outcome == wire.Received && ours:
			by = sorted(ops, func(w *op) bool { return w.kind == wire.Write && w.mode >= o.mode }, number)
		case o.outcome == wire.Closed:
			by = sorted(ops, func(w *op) bool { return w.kind == wire.Interrupt && w.mode == o.mode }, number)
		}
		if len(by) == 0 {
			n.nobody(o)
			continue
		}
		w := sorted(by, func(w *op) bool { return w.mode == by[0].mode }, (*op).start)[0]
		if w.begin <= o.begin || w.begin > o.end {
			n.nobody(o)
			continue
		}
		n.waitFrom(o, "late_peer", o.begin, w.begin, w, w.begin)
	}
}

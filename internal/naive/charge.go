package naive

import (
	"cmp"
	"fmt"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

func (o *op) start() int64 { return o.begin }

// mayWait says whether o blocked or may have.
func (o *op) mayWait() bool {
	return o.blocked >= 0 || o.kind == wire.SelectBegin || o.kind == wire.CondBegin
}

// opsOf returns the operations on an object.
func (n *analysis) opsOf(object uint32) (ops []*op) {
	for _, o := range n.ops {
		if o.object == object+1 && !(o.kind == wire.SelectBegin && (o.open || o.outcome == wire.Failed)) {
			ops = append(ops, o)
		}
	}
	return ops
}

// match finds the waits of the operations on an object.
func (n *analysis) match(object uint32) {
	ops := n.opsOf(object)
	size := int(n.defs.Objects[object].Size)
	switch n.defs.Objects[object].Kind {
	case wire.Channel, wire.TimerChannel, wire.SignalChannel:
		n.channel(ops, size)
	case wire.Mutex, wire.RWMutex:
		n.lock(ops)
	case wire.WaitGroup:
		n.join(ops)
	case wire.Cond:
		n.cond(ops)
	case wire.Once:
		n.once(ops)
	case wire.Barrier:
		n.barrier(ops, size)
	case wire.Stream:
		n.stream(ops)
	case wire.Waits:
		n.told(ops)
	}
}

// wait records that o waited from begin to end, within itself, and says whether it did. Nobody waits for
// himself.
func (n *analysis) wait(o *op, metric string, begin, end int64, causer *op) bool {
	return n.waitFrom(o, metric, begin, end, causer, begin)
}

func (n *analysis) waitFrom(o *op, metric string, begin, end int64, causer *op, from int64) bool {
	begin, end = max(begin, o.begin), min(end, o.end)
	if begin >= end || causer != nil && causer.loc == o.loc {
		return false
	}
	if causer == nil && o.kind == wire.SelectBegin && o.blocked < 0 && !o.open && n.defs.Processes[n.defs.Locations[o.loc.id].Process].States {
		return false // it found a case ready
	}
	if causer != nil && slices.Contains(handOnSignals, causer.loc.function) {
		metric, causer, from = "external_wait", nil, begin
	}
	if (metric == "late_sender" || metric == "late_close") && slices.Contains(carriers, o.loc.function) {
		from = end
	}
	n.waits = append(n.waits, &wait{op: o, metric: metric, begin: begin, end: end, causer: causer, from: min(max(from, begin), end)})
	return true
}

// unmatched charges o to external_wait, or timer_wait, if it blocked or never ended.
func (n *analysis) unmatched(o *op) {
	metric := "external_wait"
	if o.object > 0 && n.defs.Objects[o.object-1].Kind == wire.TimerChannel {
		metric = "timer_wait"
	}
	if o.mayWait() || o.open {
		n.wait(o, metric, o.blocked, o.end, nil)
	}
}

// nobody charges o, which nobody in the trace ended.
func (n *analysis) nobody(o *op) {
	metric := "external_wait"
	if o.kind == wire.NetworkBegin && n.states() {
		metric = "network"
	}
	if o.timed && o.open {
		metric = "timer_wait"
	}
	n.wait(o, metric, o.blocked, o.end, nil)
}

// outside says whether a wait is for nobody in the trace.
func (w *wait) outside() bool {
	return w.metric == "external_wait" || w.metric == "network" || w.metric == "timer_wait"
}

// release notes that what o waited for has come.
func (o *op) release() { o.released = o.released || o.open }

// charge divides the time of all operations among the time metrics.
func (n *analysis) charge() {
	for _, o := range n.ops {
		alone := o.object == 0 && o.blocked >= 0 && o.kind != wire.SleepBegin
		if o.object == 0 && o.kind == wire.SelectBegin {
			alone = o.open || o.outcome != wire.Failed && o.outcome != wire.Panicked
		}
		if alone {
			n.nobody(o)
		}
	}
	for _, o := range n.ops {
		if waits := n.waitsOf(o); len(waits) > 0 {
			if w := waits[len(waits)-1]; w.end == o.end && w.outside() {
				w.end = max(w.begin, w.end-o.ready)
			}
		}
	}
	for _, l := range n.locations {
		for _, p := range l.steps {
			n.add(p.metric, p.path, l, p.to-p.from)
		}
	}
	for _, o := range n.ops {
		n.chargeOp(o)
		switch {
		case o.open && !o.sent:
		case o.kind == wire.SendBegin && o.outcome == wire.OK, o.kind == wire.SelectBegin && o.outcome == wire.Sent:
			n.add("messages", o.path, o.loc, 1)
		case acquisition(o):
			n.add("acquisitions", o.path, o.loc, 1)
		}
	}
}

// states says whether a process tells what its goroutines do.
func (n *analysis) states() bool {
	return slices.ContainsFunc(n.defs.Processes, func(p trace.Process) bool { return p.States })
}

// chargeOp takes the waits of o and its wakeup out of its own time.
func (n *analysis) chargeOp(o *op) {
	waits := n.waitsOf(o)
	own := o.own
	ready := o.ready
	take := func(metric string, amount int64) int64 {
		amount = min(amount, own)
		own -= amount
		n.add(metricOf(o.kind), o.path, o.loc, -amount)
		n.add(metric, o.path, o.loc, amount)
		return amount
	}
	since, covered := o.blocked, int64(0)
	instances := map[string]*Instance{}
	longest := map[string]int64{}
	for i, w := range waits {
		if i == 0 {
			since = w.begin
		}
		covered += w.end - w.begin
		w.charged = take(w.metric, w.end-w.begin)
		n.instance(w, w.charged, instances, longest)
		n.chargeCauser(w, w.charged)
	}
	if since >= 0 && (o.object != 0 || len(waits) > 0) {
		wakeup := min(o.end-since-covered, own)
		known := min(ready, wakeup)
		ready -= take("ready_after_wait", known)
		take("wakeup", wakeup-known)
	}
	if o.begin < o.end {
		take("ready", ready)
	}
	for _, m := range TimeMetrics {
		if instances[m] != nil {
			n.result.Instances = append(n.result.Instances, *instances[m])
		}
	}
}

// instance adds a wait to the instance of its metric in its operation.
func (n *analysis) instance(w *wait, charged int64, instances map[string]*Instance, longest map[string]int64) {
	i := instances[w.metric]
	if i == nil {
		i = &Instance{Metric: w.metric, Path: w.op.path, Location: w.op.loc.id, Begin: w.begin, Causer: -1}
		instances[w.metric] = i
	}
	i.End = w.end
	i.Duration += charged
	if d := w.end - w.begin; d >= longest[w.metric] {
		longest[w.metric] = d
		i.Causer, i.CauserPath = -1, ""
		if w.causer != nil {
			i.Causer, i.CauserPath = w.causer.loc.id, w.causer.path
		}
	}
}

// chargeCauser adds a wait to what its causer caused.
func (n *analysis) chargeCauser(w *wait, charged int64) {
	if !slices.Contains(WaitStates, w.metric) || charged == 0 {
		return
	}
	b := Caused{Metric: w.metric, Path: w.op.path, Group: n.result.Group[w.op.loc.id], Causer: -1}
	if w.causer != nil {
		b.Causer, b.CauserPath = n.result.Group[w.causer.loc.id], w.causer.path
	}
	n.result.Caused[b] += charged
	n.lines[n.lineOf(w)] = true
}

// waitsOf returns the waits of o by begin.
func (n *analysis) waitsOf(o *op) (waits []*wait) {
	for _, w := range n.waits {
		if w.op == o {
			waits = append(waits, w)
		}
	}
	slices.SortStableFunc(waits, func(a, b *wait) int { return int(a.begin - b.begin) })
	return waits
}

// neverEndedIn says whether o is what its location was in at the end, and not ready to go on.
func (n *analysis) neverEndedIn(o *op) bool {
	return n.atEnd(o) && o.kind != wire.SleepBegin && !(o.kind == wire.OnceBegin && o.mode == 1)
}

// asleep says whether o is a sleep in which its location was at the end.
func (n *analysis) asleep(o *op) bool { return n.atEnd(o) && o.kind == wire.SleepBegin }

func (n *analysis) atEnd(o *op) bool {
	return n.complete && !o.loc.cut && o.innermost && !(n.states() && o.loc.does == wire.Ready)
}

// lostEvents says whether events of l are missing.
func (l *location) lostEvents() bool {
	return slices.ContainsFunc(l.events[:l.used], func(e event) bool { return e.Kind == wire.Lost })
}

// neverEnded lists who was still blocked at the end.
func (n *analysis) neverEnded() {
	for _, o := range n.ops {
		if !n.neverEndedIn(o) || o.released || o.loc.lostEvents() {
			continue
		}
		c := Cell{"", o.path, o.loc.id}
		n.result.NeverEnded[c] = o.begin
		if waits := n.waitsOf(o); len(waits) > 0 {
			if w := waits[len(waits)-1]; w.end == o.end && w.causer != nil {
				n.result.Holders[c] = Party{w.causer.loc.id, w.causer.path}
			}
		}
		if o.holder != nil {
			n.result.Holders[c] = Party{o.holder.loc.id, o.holder.path}
		}
	}
}

// role names the group of a location: process, name and creating call path.
func (n *analysis) role(l *location) string { return n.function(l) + "<" + l.createPath }

// function names what a location runs, and the process.
func (n *analysis) function(l *location) string {
	name := l.ownPath
	if name == goroutine && l.first != "" {
		name = l.first
	}
	p := n.defs.Locations[l.id].Process
	if n.mainOf(p) == l {
		name = "main"
	}
	return fmt.Sprint(p, name)
}

// groups finds the first location of every location's group.
func (n *analysis) groups() {
	for _, l := range n.locations {
		first := l.id
		for _, m := range slices.Backward(n.locations[:l.id]) {
			if n.role(m) == n.role(l) {
				first = m.id
			}
		}
		n.result.Group = append(n.result.Group, first)
	}
}

// rounds divides the goroutines of a role into those that lived at the same time: a new round begins with each that lived less than half of its life with the round before.
func rounds(members []*location) (all [][]*location) {
	slices.SortStableFunc(members, func(x, y *location) int { return cmp.Or(cmp.Compare(x.begin, y.begin), cmp.Compare(y.end, x.end)) })
	for _, l := range members {
		with := int64(-1)
		if len(all) > 0 {
			for _, m := range all[len(all)-1] {
				with = max(with, min(m.end, l.end)-l.begin)
			}
		}
		if 2*with < l.end-l.begin || with < 0 {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	return all
}

// imbalance compares the execution of every call path among the goroutines of a role that lived at the same time.
func (n *analysis) imbalance() {
	paths := map[string]bool{}
	for c := range n.result.Severity {
		if c.Metric == "execution" {
			paths[c.Path] = true
		}
	}
	groups := map[int][]*location{}
	for i, first := range n.result.Group {
		if l := n.locations[i]; len(l.events) > 0 {
			groups[first] = append(groups[first], l)
		}
	}
	var all [][]*location
	for _, members := range groups {
		all = append(all, rounds(members)...)
	}
	for _, members := range all {
		for path := range paths {
			sum, came := int64(0), 0
			for _, l := range members {
				if own := n.result.Severity[Cell{"execution", path, l.id}]; own > 0 {
					sum += own
					came++
				}
			}
			if len(members) == 1 || sum == 0 || came*256 < len(members) {
				continue
			}
			for _, l := range members {
				above := n.result.Severity[Cell{"execution", path, l.id}] - sum/int64(len(members))
				if above > 0 {
					n.add("overload", path, l, above)
				} else {
					n.add("underload", path, l, -above)
				}
			}
		}
	}
}

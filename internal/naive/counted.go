package naive

import (
	"fmt"
	"slices"

	"tracerec/trace/wire"
)

// Count is what was counted: at least and at most, unless it may have been anything more.
type Count struct {
	AtLeast, AtMost int64
	Open            bool
}

// Line is a metric at a call path, over a group, which stands under its first location.
type Line struct {
	Metric, Path string
	Group        int
}

// Finding is all waiting for an object for one reason, or, without an object, of one function's goroutines at one call path.
type Finding struct {
	Lines    map[Line]int64 // how long it was waited
	Critical int64
	Counted  map[string]Count // by the causers in the critical time, by counter
}

// stretch is what a location counted from one sample to the next.
type stretch struct {
	l        *location
	from, to int64
	counter  string
	count    Count
}

// countedIn adds up the stretches in the ns of the critical path for which in holds.
func (n *analysis) countedIn(in func(l *location, t int64) bool) map[string]Count {
	sums := map[string]Count{}
	for _, s := range n.stretches {
		from, to := s.from, s.to
		if from == to {
			from, to = from-1, to+1
		}
		inside := int64(0)
		for t := from; t < to; t++ {
			if i := t - n.path.begin; i >= 0 && i < int64(len(n.path.on)) && n.path.on[i].l == s.l && in(s.l, t) {
				inside++
			}
		}
		if inside == 0 {
			continue
		}
		c := sums[s.counter]
		if inside == to-from {
			c.AtLeast += s.count.AtLeast
		}
		c.AtMost += s.count.AtMost
		if c.Open = c.Open || s.count.Open; c.Open {
			c.AtMost = 0
		}
		sums[s.counter] = c
	}
	return sums
}

// findings gathers the waits by what was waited for, and tells what was counted meanwhile.
func (n *analysis) findings() {
	if n.path == nil {
		return
	}
	n.result.PathCounts = n.countedIn(func(*location, int64) bool { return true })
	waits, keys := map[string][]*wait{}, []string{}
	for _, w := range n.waits {
		if !slices.Contains(WaitStates, w.metric) {
			continue
		}
		k := n.reason(w)
		if waits[k] == nil {
			keys = append(keys, k)
		}
		waits[k] = append(waits[k], w)
	}
	for _, k := range keys {
		n.result.Findings = append(n.result.Findings, n.finding(waits[k]))
	}
}

func (n *analysis) line(w *wait) Line {
	return Line{w.metric, w.op.path, n.result.Group[w.op.loc.id]}
}

// place names a metric at a call path, over all goroutines of a function, whoever started them.
func (n *analysis) place(w *wait) string {
	return fmt.Sprint(w.metric, w.op.path, " ", n.function(w.op.loc))
}

// reason names what was waited for.
func (n *analysis) reason(w *wait) string {
	kind := wire.Stream // it is of no importance which
	if w.op.object > 0 {
		kind = n.defs.Objects[w.op.object-1].Kind
	}
	if kind == wire.Stream || kind == wire.Waits {
		return n.place(w)
	}
	if (kind == wire.Mutex || kind == wire.RWMutex) && w.metric != "external_wait" {
		return fmt.Sprint("lock ", w.op.object)
	}
	return fmt.Sprint(w.metric, w.op.object)
}

// finding makes a finding of waits. Lines of which nothing was charged have no part in it.
func (n *analysis) finding(waits []*wait) Finding {
	f := Finding{Lines: map[Line]int64{}}
	for _, w := range waits {
		if w.charged > 0 {
			f.Lines[n.line(w)] += w.charged
		}
	}
	critical := func(l *location, t int64) bool {
		return slices.ContainsFunc(waits, func(w *wait) bool {
			return f.Lines[n.line(w)] > 0 && w.causer != nil && w.causer.loc == l && w.from <= t && t < w.end && n.path.held(w)
		})
	}
	for i, x := range n.path.on {
		if x.l != nil && critical(x.l, n.path.begin+int64(i)) {
			f.Critical++
		}
	}
	f.Counted = n.countedIn(critical)
	return f
}

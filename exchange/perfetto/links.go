package perfetto

import (
	"cmp"
	"slices"

	"tracerec/analyzer"
	"tracerec/internal/spill"
	"tracerec/metric"
	"tracerec/trace"
)

// Links is what connects the locations of a trace, to be collected while it is analyzed: Wait and Message are for the
// options of the analyzer. Its memory is 24 bytes for a message and 40 for a wait.
type Links struct {
	messages []message
	waits    []wait
	parts    []part // of waits that were merged
	store    *spill.Store
	compared int
}

// In says where they lie, before there are any; else they are of the heap.
func (l *Links) In(store *spill.Store) { l.store = store }

// paced is how much is touched between two looks at the limit on memory.
const paced = 1 << 12

// pace is called for everything that is touched.
func (l *Links) pace() {
	if l.compared++; l.compared%paced == 0 {
		l.store.Pace()
	}
}

// message is a message whose send began no later than its receive.
type message struct {
	sent, received int64
	from, to       trace.LocationID
}

// wait is a part of an operation that was spent waiting. Who waits for a lock may wait for many holders, one after the other,
// with moments in between; that is one wait, of the last of them.
type wait struct {
	begin, end int64
	until      int64 // end of the operation
	location   trace.LocationID
	causer     trace.LocationID // who ended it; NoLocation if nobody in the trace did
	metric     uint16           // index in the experiment
	count      uint16           // of its parts, if it was merged
	first      uint32           // of its parts
}

// part says how much of a merged wait was which wait state.
type part struct {
	metric uint16
	time   int64 // ns
}

// Message adds a message. If the receive began first it waited, and its wait says it all.
func (l *Links) Message(recv *analyzer.Op, p analyzer.SynchPoint) {
	sent, received := clip(p.Release), clip(recv.Begin)
	if p.Causer != recv.Loc && sent <= received && max(received, sent+1) <= recv.End {
		l.messages = spill.Append(l.store, l.messages, message{sent, received, trace.LocationID(p.Causer), trace.LocationID(recv.Loc)})
	}
}

// Wait adds a wait.
func (l *Links) Wait(o *analyzer.Op, w *analyzer.Wait) {
	l.waits = spill.Append(l.store, l.waits, wait{begin: clip(w.Begin), end: clip(w.Release), until: clip(o.End), location: trace.LocationID(o.Loc),
		causer: trace.LocationID(w.Causer), metric: w.Metric})
}

// latest is the latest time; a damaged archive may say something later.
const latest = int64(1) << 61

func clip(t int64) int64 { return max(0, min(t, latest)) }

// sort brings everything in the order in which it begins, and merges waits.
func (l *Links) sort(metrics []metric.Metric) {
	l.merge(metrics)
	slices.SortFunc(l.messages, func(a, b message) int {
		l.pace()
		return cmp.Or(cmp.Compare(a.sent, b.sent), cmp.Compare(a.from, b.from), cmp.Compare(a.received, b.received), cmp.Compare(a.to, b.to))
	})
	slices.SortFunc(l.waits, func(a, b wait) int {
		l.pace()
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.location, b.location), cmp.Compare(b.end, a.end), // the outer one first
			cmp.Compare(a.metric, b.metric), cmp.Compare(a.causer, b.causer), cmp.Compare(a.until, b.until))
	})
}

// merge makes one wait of those that follow each other in an operation and are of one kind.
func (l *Links) merge(metrics []metric.Metric) {
	l.waits = slices.DeleteFunc(l.waits, func(w wait) bool {
		l.pace()
		return w.begin >= w.end || int(w.metric) >= len(metrics)
	})
	slices.SortFunc(l.waits, func(a, b wait) int {
		l.pace()
		return cmp.Or(cmp.Compare(a.location, b.location), cmp.Compare(a.until, b.until), cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end),
			cmp.Compare(a.metric, b.metric), cmp.Compare(a.causer, b.causer))
	})
	kinds, merged := kindsOf(metrics), l.waits[:0]
	for list := l.waits; len(list) > 0; {
		l.pace()
		n, w := 1, list[0]
		for n < len(list) && list[n].location == w.location && list[n].until == w.until && kinds[list[n].metric] == kinds[w.metric] {
			n++
		}
		if n > 1 {
			w = l.merged(list[:n], kinds)
		}
		merged, list = append(merged, w), list[n:]
	}
	l.waits = merged
}

// merged returns a wait made of several.
func (l *Links) merged(list []wait, kinds []uint16) wait {
	w := list[0]
	w.first = uint32(len(l.parts))
	for _, v := range list {
		if v.end >= w.end {
			w.end, w.causer = v.end, v.causer
		}
		own := l.parts[w.first:]
		i := slices.IndexFunc(own, func(p part) bool { return p.metric == v.metric })
		if i < 0 {
			l.parts = spill.Append(l.store, l.parts, part{metric: v.metric, time: v.end - v.begin})
			continue
		}
		own[i].time += v.end - v.begin
	}
	if w.count = uint16(len(l.parts) - int(w.first)); w.count > 1 {
		w.metric = kinds[w.metric]
	}
	return w
}

// kindsOf returns for each wait state the one that it is a kind of, for others themselves.
func kindsOf(metrics []metric.Metric) []uint16 {
	kinds := make([]uint16, len(metrics))
	for i := range metrics {
		k := i
		for metrics[k].Kind == metric.WaitState {
			up := slices.IndexFunc(metrics, func(m metric.Metric) bool { return m.Name == metrics[k].Parent && m.Kind == metric.WaitState })
			if up < 0 {
				break
			}
			k = up
		}
		kinds[i] = uint16(k)
	}
	return kinds
}

package perfetto

import (
	"cmp"
	"slices"

	"tracerec/analyzer"
	"tracerec/trace"
)

// Links is what connects the locations of a trace, to be collected while it is analyzed: Wait and Message are for the
// options of the analyzer. Its memory is 24 bytes for a message and 40 for a wait.
type Links struct {
	messages []message
	waits    []wait
}

// message is a message whose send began no later than its receive.
type message struct {
	sent, received int64
	from, to       trace.LocationID
}

// wait is a part of an operation that was spent waiting.
type wait struct {
	begin, end int64
	until      int64 // end of the operation
	location   trace.LocationID
	causer     trace.LocationID // who ended it; NoLocation if nobody in the trace did
	metric     uint16           // index in the experiment
}

// Message adds a message. If the receive began first it waited, and its wait says it all.
func (l *Links) Message(send, recv *analyzer.Op) {
	sent, received := clip(send.Begin), clip(recv.Begin)
	if send.Loc != recv.Loc && sent <= received && max(received, sent+1) <= recv.End {
		l.messages = append(l.messages, message{sent, received, trace.LocationID(send.Loc), trace.LocationID(recv.Loc)})
	}
}

// Wait adds a wait.
func (l *Links) Wait(o *analyzer.Op, w *analyzer.Wait) {
	l.waits = append(l.waits, wait{begin: clip(w.Begin), end: clip(w.End), until: clip(o.End), location: trace.LocationID(o.Loc),
		causer: trace.LocationID(w.Causer), metric: w.Metric})
}

// latest is the latest time; a damaged archive may say something later.
const latest = int64(1) << 61

func clip(t int64) int64 { return max(0, min(t, latest)) }

// sort brings everything in the order in which it begins.
func (l *Links) sort() {
	slices.SortFunc(l.messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.sent, b.sent), cmp.Compare(a.from, b.from), cmp.Compare(a.received, b.received), cmp.Compare(a.to, b.to))
	})
	slices.SortFunc(l.waits, func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.location, b.location), cmp.Compare(a.end, b.end),
			cmp.Compare(a.metric, b.metric), cmp.Compare(a.causer, b.causer), cmp.Compare(a.until, b.until))
	})
}

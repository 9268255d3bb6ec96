package analyzer

import "tracerec/trace/wire"

// Counts is what matching could not explain. Counts of several objects add up.
type Counts struct {
	Messages   uint64 // elements whose send and receive were found
	Unmatched  uint64 // operations that blocked and have no partner in the trace
	Impossible uint64 // operations whose partner must exist but is missing: the pairs that were left cannot be
	Strange    uint64 // elements that went through a channel and were sent or received by somebody who was not found
}

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Messages += o.Messages
	c.Unmatched += o.Unmatched
	c.Impossible += o.Impossible
	c.Strange += o.Strange
}

// Matcher finds the wait states of synchronisation objects: it simulates one object at a time, which gives
// derived operations, and hands each to the patterns that require it. It keeps scratch memory from one
// object to the next, so every worker has one of its own.
type Matcher struct {
	found Found
	subs  subscribers
	count Counts
	order merger // of the object's events by time
	late  []stamped
	chans channelState
	locks lockState
	conds fifo

	released []release
}

// release is an operation that blocked and never ended although what it waited for had come: its goroutine was ready, but
// did not run again before the trace ended.
type release struct {
	op   int32
	sent bool // it is a send whose value was taken
}

// release notes that op was released, if it blocked and never ended.
func (m *Matcher) release(op int32, sent bool) {
	if o := &m.found.Ops[op]; o.Open && o.MayWait() {
		m.released = append(m.released, release{op, sent})
	}
}

// subscribers lists, by derived operation, the callbacks with the metric they find.
type subscribers struct {
	message    []subscriber[Message]
	closing    []subscriber[Closing]
	contention []subscriber[Contention]
	join       []subscriber[Join]
	wakeup     []subscriber[Wakeup]
	onceCall   []subscriber[OnceCall]
	arrival    []subscriber[Arrival]
	unmatched  []subscriber[Unmatched]
}

type subscriber[D any] struct {
	metric uint16
	find   func(*Found, D)
}

// Found is what a callback sees of the object and where it reports wait states.
type Found struct {
	Ops  []Op   // all operations on the object; not to be changed
	Size uint64 // capacity of a channel, participants of a barrier

	metric uint16
	emit   func(Wait)
}

// NewMatcher returns a matcher for the patterns of the list. Wait.Metric is an index in it.
func NewMatcher(list []*Pattern) *Matcher {
	m := new(Matcher)
	s := &m.subs
	for i, p := range list {
		subscribe(&s.message, i, p.OnMessage)
		subscribe(&s.closing, i, p.OnClosing)
		subscribe(&s.contention, i, p.OnContention)
		subscribe(&s.join, i, p.OnJoin)
		subscribe(&s.wakeup, i, p.OnWakeup)
		subscribe(&s.onceCall, i, p.OnOnceCall)
		subscribe(&s.arrival, i, p.OnArrival)
		subscribe(&s.unmatched, i, p.OnUnmatched)
	}
	return m
}

func subscribe[D any](list *[]subscriber[D], metric int, find func(*Found, D)) {
	if find != nil {
		*list = append(*list, subscriber[D]{uint16(metric), find})
	}
}

// tell hands a derived operation to its subscribers.
func tell[D any](f *Found, list []subscriber[D], d D) {
	for i := range list {
		f.metric = list[i].metric
		list[i].find(f, d)
	}
}

// Match simulates one object of the given kind and size and calls emit for every wait state found.
//
// ops are all operations on the object, at most 1<<31 - 1, ascending by (Loc, order in the stream of the
// location); an operation's place in the stream is that of its begin event, but of operations that begin at
// the same time the one that ended first comes first. A select stands with the object it chose and its outcome (Sent, Received, Closed); one that chose nothing stands nowhere. [wire.OnceRun]
// is a point operation in the middle of its Once operation; Create, Begin and End are no operations of an
// object.
//
// All matchers order events by time, ties by index in ops, which is the order of (location, order in the
// stream). Times are quantised, so that ties between locations are common and a tie may contradict what
// happened: the simulations must not depend on it.
//
// The waits of one operation are found one after the other, never overlap and lie within it. The order of
// calls of emit is defined by ops alone. Renumbering locations changes results only where ties were
// resolved by it.
func (m *Matcher) Match(kind wire.ObjectKind, size uint64, ops []Op, emit func(Wait)) Counts {
	m.found = Found{Ops: ops, Size: size, emit: emit}
	m.count, m.released = Counts{}, m.released[:0]
	switch kind {
	case wire.Channel:
		m.channel(ops, size)
	case wire.Mutex, wire.RWMutex:
		m.lock(ops)
	case wire.WaitGroup:
		m.join(ops)
	case wire.Cond:
		m.cond(ops)
	case wire.Once:
		m.once(ops)
	case wire.Barrier:
		m.barrier(ops, size)
	}
	m.found = Found{}
	return m.count
}

// Wait reports that operation op waited in [begin, end) for the operation causer (NoOp: for nobody). It is
// clipped to the operation. What is empty then is no wait, nor is one for an operation of the same
// location, which equal times in damaged traces may suggest. The end is the release.
func (f *Found) Wait(op int32, begin, end int64, causer int32) {
	f.WaitFrom(op, begin, end, causer, begin)
}

// WaitFrom is Wait for waits that are critical only from some time on.
func (f *Found) WaitFrom(op int32, begin, end int64, causer int32, from int64) {
	o := &f.Ops[op]
	begin, end = max(begin, o.Begin), min(end, o.End)
	if begin >= end || causer != NoOp && f.Ops[causer].Loc == o.Loc {
		return
	}
	w := Wait{
		Op: op, Metric: f.metric, Begin: begin, End: end,
		Causer: NoCauser, CauserPath: NoCauser, Release: end, From: min(max(from, begin), end),
	}
	if causer != NoOp {
		w.Causer, w.CauserPath = f.Ops[causer].Loc, f.Ops[causer].Path
	}
	f.emit(w)
}

// MayWait says whether o blocked, or may have: a select does not say whether it did, and a condition
// variable always blocks.
func (o *Op) MayWait() bool {
	return o.Blocked != NotBlocked || o.Kind == wire.SelectBegin || o.Kind == wire.CondBegin
}

// unmatched reports op as without partner, if it blocked or never ended.
func (m *Matcher) unmatched(op int32) {
	if o := &m.found.Ops[op]; o.MayWait() || o.Open {
		m.count.Unmatched++
		tell(&m.found, m.subs.unmatched, Unmatched{op})
	}
}

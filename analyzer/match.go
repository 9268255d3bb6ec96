package analyzer

import (
	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

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

// Matcher finds the synch points of synchronisation objects: it simulates one object at a time. It keeps scratch memory from one
// object to the next, so every worker has one of its own. The zero Matcher is ready.
type Matcher struct {
	All bool // emit is told the synch points at which nobody waited as well

	ops   []Op         // all operations on the object
	found []SynchPoint // what emit is still to be told
	emit  func([]SynchPoint)
	count Counts
	order merger // of the object's events by time
	late  []stamped
	chans channelState
	locks lockState
	conds fifo
	store *spill.Store // of what grows with the number of operations

	released []release
	own      []ownHold
	tallies  map[tallied]int64 // what was counted
	bounds   []Op              // with which processes begin and end

	others bool // locations that are in no operation of the group access the window: threads of those that are

	busy map[int32]int64 // how long members of a barrier did something else in it while they waited

	handoffs *handoffs // of locks of which it is not recorded who holds them
	turns    []hold    // of one

	gathered  *gathering  // the meetings of locations, nil if they are not wanted
	attending []encounter // memory for those of one
	object    uint32      // the number of the object
	timer     bool        // it is the channel of one
}

// release is an operation that never ended although what it waited for had come: its goroutine was ready, but
// did not run again before the trace ended.
type release struct {
	op   int32
	sent bool // it is a send whose value was taken
}

// ownHold is an acquisition that never ended, of a lock that its goroutine holds.
type ownHold struct {
	op   int32
	path uint32 // of the hold
}

// release notes that op was released, if it never ended.
func (m *Matcher) release(op int32, sent bool) {
	if o := &m.ops[op]; o.Open {
		m.released = append(m.released, release{op, sent})
	}
}

// noOp is the index of an operation that is not in the trace.
const noOp = int32(-1)

// Match simulates one object of the given kind and size and tells emit the synch points, up to [toldAtOnce] in a call and good only for it.
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
// synch points is defined by ops alone. Renumbering locations changes results only where ties were
// resolved by it.
func (m *Matcher) Match(kind wire.ObjectKind, size uint64, ops []Op, emit func([]SynchPoint)) Counts {
	m.ops, m.emit, m.order.store = ops, emit, m.store
	m.count, m.released, m.timer = Counts{}, m.released[:0], kind == wire.TimerChannel
	m.own = m.own[:0]
	switch kind {
	case wire.Channel, wire.TimerChannel, wire.SignalChannel:
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
	case wire.Stream:
		m.stream(ops)
	case wire.Waits:
		m.told(ops)
	case wire.MessagesObject:
		m.calls(ops)
	case wire.Group:
		m.group(ops)
	case wire.OrderedLock:
		m.ordered(ops)
	case wire.Idleness:
		m.without(ops)
	case wire.WindowLock:
		m.window(ops)
	case wire.Device:
		m.device(ops)
	}
	m.tell()
	m.ops, m.emit = nil, nil
	return m.count
}

// free gives memory back that was kept for the next object.
func (m *Matcher) free() {
	c, l := &m.chans, &m.locks
	spill.Free(m.store, c.elements)
	for _, v := range [][]stamped{c.sent, c.received, c.waiting, l.orphans} {
		spill.Free(m.store, v)
	}
	spill.Free(m.store, c.part)
	for _, v := range [][]hold{l.exclusive, l.shared, l.sorted} {
		spill.Free(m.store, v)
	}
	spill.Free(m.store, l.since)
	spill.Free(m.store, l.convoy.total)
	spill.Free(m.store, l.convoy.longest)
	*m = Matcher{All: m.All, store: m.store, gathered: m.gathered}
}

// point emits a synch point of op with the operation causer (noOp: of nobody). It is clipped to the operation. What is empty then is no
// wait, nor is one for an operation of the same location, which equal times in damaged traces may suggest, nor one of a
// channel operation that succeeded at once: it found its partner there, even if time stamps suggest otherwise because the goroutine lost
// its processor between them.
func (m *Matcher) point(kind PointKind, op, causer int32, begin, release, from int64) {
	by, path := NoCauser, NoCauser
	if causer != noOp {
		by, path = m.ops[causer].Loc, m.ops[causer].Path
	}
	m.pointBy(kind, op, by, path, begin, release, from)
}

// pointBy is point with location and call path of the operation causer: it lies elsewhere in memory.
func (m *Matcher) pointBy(kind PointKind, op int32, by, path uint32, begin, release, from int64) {
	o := &m.ops[op]
	begin, release = max(begin, o.Begin), min(release, o.End)
	waits := begin < release && (kind > Closed || o.mayWait()) && by != o.Loc
	if !waits && !m.All {
		return
	}
	if len(m.found) == cap(m.found) {
		m.store.Pace()
		m.tell()
	}
	m.found = append(m.found, SynchPoint{begin, release, min(max(from, begin), release), op, by, path, kind, waits})
	if waits && by != NoCauser && m.gathered != nil {
		m.attendTwo(kind, o, by, path, begin, release)
	}
}

// toldAtOnce is the number of synch points that emit is told at once: those of the usual object.
const toldAtOnce = 1024

// tell tells emit what was found.
func (m *Matcher) tell() {
	if m.found == nil {
		m.found = make([]SynchPoint, 0, toldAtOnce)
	} else if len(m.found) > 0 {
		m.emit(m.found)
		m.found = m.found[:0]
	}
}

// meet emits the synch point of op with an operation that lets it go on as soon as it begins.
func (m *Matcher) meet(kind PointKind, op, causer int32) {
	begin := m.ops[op].Begin
	m.point(kind, op, causer, begin, m.ops[causer].Begin, begin)
}

// mayWait says whether o blocked, or may have: a select does not say whether it did, and a condition
// variable always blocks.
func (o *Op) mayWait() bool {
	return o.Blocked != NotBlocked || o.Kind == wire.SelectBegin || o.Kind == wire.CondBegin
}

// unmatched reports op as without partner, if it blocked or never ended.
func (m *Matcher) unmatched(op int32) {
	if o := &m.ops[op]; o.mayWait() || o.Open {
		m.count.Unmatched++
		kind := DidNotCome
		if m.timer {
			kind = RanDown
		}
		m.point(kind, op, noOp, o.Blocked, o.End, o.Blocked) // NotBlocked lies before every begin
	}
}

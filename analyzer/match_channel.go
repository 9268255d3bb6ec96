package analyzer

import (
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// channelState is the simulated channel, of which no value has a number (see [Matcher.numbered]). Send and receive operations are taken in the order of their commit
// stamps: Blocked if the operation blocked, else End (so a select commits at its end). Operations that
// panicked and receives that saw the channel closed take no part; operations that never ended do.
//
// The queue is the committed sends in buffer, followed by the blocked ones in senders. An operation that
// did not block cannot have waited, so its partner has been there or its commit stamp is still to come: it
// goes ahead of all blocked ones. An operation cannot have met its partner before its attempt: Blocked if
// it blocked, else Begin.
//
// A send S
//   - is taken by the first R in early with S.attempt ≤ R.End;
//   - else by the oldest R in receivers. If S.attempt > R.End, R had been served by a send whose commit stamp
//     is still to come or that is not recorded: R goes to early, and the next is tried;
//   - else joins senders if it blocked;
//   - else joins buffer, after those at the front of senders that ended before S.Begin have moved to buffer.
//
// A receive R that blocked
//   - knows that the queue was empty: those at the front of the queue that ended before R.Begin were
//     received meanwhile, by receives whose commit stamp is still to come or that are not recorded; they go
//     to taken;
//   - then takes the front of the queue, else joins receivers.
//
// A receive R that did not block
//   - takes the first in taken that was put there by a receive with a commit stamp not before R.Begin;
//   - else, while the send one capacity behind the front of the queue (on a channel without buffer the front
//     itself) ended before R.Begin, the front goes to taken for the same reason as above;
//   - then takes the front of the queue, else joins early.
//
// Whenever the front leaves the queue, senders move to buffer as long as buffer is shorter than the
// capacity. Early and taken hold at most maxExpected elements each; one more pushes the oldest out, which
// then stays without partner. "Before" is strict: equal times prove nothing.
//
// Elements are numbered in the order in which they leave the queue, join early, or are handed to a receive
// in receivers; at the end come those left in receivers, then those left in the queue. Those that went from
// receivers to early or from the queue to taken and got no partner count as Impossible.
type channelState struct {
	capacity  uint64
	buffer    fifo       // sends whose element is in the buffer
	senders   fifo       // blocked sends
	receivers fifo       // blocked receives
	early     []expected // elements whose send is still to come
	taken     []expected // elements whose receive is still to come
	moved     []int32    // numbers of the elements that moved to early from receivers, or to taken
	elements  []element  // by number
	left      uint64     // elements that nobody received

	sent, received []stamped // see Matcher.numbered: operations by number
	waiting        []stamped // operations that never ended, by the time at which they came
	part           []bool    // by operation: it is one of those
}

// maxExpected bounds early and taken: how many goroutines may have lost their processor just before a
// commit stamp. What is never claimed, because events are missing, must not be looked at for ever.
const maxExpected = 64

// element is a value that went through the channel. Either end may be noOp.
type element struct{ send, recv int32 }

// expected is an element of which one end is still to come.
type expected struct {
	number int32
	until  int64 // in taken: the commit stamp of the receive that put it there
}

func (s *channelState) reset(capacity uint64) {
	s.capacity, s.left = capacity, 0
	for _, f := range []*fifo{&s.buffer, &s.senders, &s.receivers} {
		f.reset()
	}
	s.early, s.taken, s.moved, s.elements = s.early[:0], s.taken[:0], s.moved[:0], s.elements[:0]
}

// channelRole is the part an operation plays in the simulation of its channel.
type channelRole uint8

const (
	noPart channelRole = iota
	sends
	receives
	seesClosed
)

// channelRole takes an operation whose end is lost (Failed) for one that went well: most did.
func (o *Op) channelRole() channelRole {
	well := o.Outcome == wire.OK || o.Outcome == wire.Failed
	switch {
	case o.Kind == wire.SendBegin && well, o.Kind == wire.SelectBegin && o.Outcome == wire.Sent:
		return sends
	case o.Kind == wire.RecvBegin && well, o.Kind == wire.SelectBegin && o.Outcome == wire.Received:
		return receives
	case (o.Kind == wire.RecvBegin || o.Kind == wire.SelectBegin) && o.Outcome == wire.Closed:
		return seesClosed
	}
	return noPart
}

// commit is the time at which o takes part in the simulation of its channel.
func (o *Op) commit() int64 {
	if o.Blocked != NotBlocked {
		return o.Blocked
	}
	return o.End
}

// channel matches sends with receives and receives with the close, see [channelState] and [Matcher.numbered]. The synch points are, in this
// order: for every element by number that it was sent, for its receive, and that there was room for it, for its send, or that its receive or send is
// unmatched; then by operation that the channel was closed, for receives that saw it so (by the first Close, if that is not later than their
// end, else they are unmatched), and that operations which panicked are unmatched.
//
// Room for element number k makes the receive of element k - capacity; if it began after the end of the
// send the pair is impossible and there is none. A send without room is unmatched if it blocked, never
// ended, or is a select and k ≥ capacity.
//
// Of operations that never ended, released are receives whose send went through, sends for which a receive that did made room, whose value was
// taken so, sends that needed no room and whose value was received, and all that blocked no later than the first Close; of these a receive without send waited for the Close.
func (m *Matcher) channel(ops []Op, capacity uint64) {
	s := &m.chans
	s.reset(capacity)
	closed, sent, received, numbers := noOp, 0, 0, false
	for i := range ops {
		o := &ops[i]
		if i%paced == 0 {
			m.store.Pace()
		}
		role := o.channelRole()
		numbers = numbers || o.numbered(role)
		switch role {
		case sends:
			sent++
		case receives:
			received++
		default:
			if o.Kind == wire.Close && (closed == noOp || o.Begin < ops[closed].Begin) {
				closed = int32(i)
			}
		}
	}
	if numbers {
		m.numbered(ops, closed, sent, received)
	} else {
		s.elements = spill.Grow(m.store, s.elements, sent+received) // no more are expected or pushed out
		m.order.start(len(ops), func(i int32) (int64, bool) {
			r := ops[i].channelRole()
			return ops[i].commit(), r == sends || r == receives
		})
		for e, ok := m.order.next(); ok; e, ok = m.order.next() {
			if ops[e.op].channelRole() == sends {
				m.send(ops, e.op)
			} else {
				m.receive(ops, e.op)
			}
		}
		m.drain()
		m.messages(ops, closed)
	}
	if sent+received < len(ops) {
		m.closings(ops, closed)
	}
}

// send simulates the commit of a send.
func (m *Matcher) send(ops []Op, op int32) {
	s, o := &m.chans, &ops[op]
	for i, x := range s.early {
		if e := &s.elements[x.number]; o.attempt() <= ops[e.recv].End {
			e.send = op
			s.early = slices.Delete(s.early, i, i+1)
			return
		}
	}
	for s.receivers.len() > 0 {
		r := s.receivers.pop()
		if o.attempt() <= ops[r].End {
			s.elements = append(s.elements, element{send: op, recv: r})
			return
		}
		s.moved = append(s.moved, s.expect(&s.early, element{noOp, r}, 0))
	}
	if o.Blocked != NotBlocked {
		s.senders.push(op)
		return
	}
	for s.senders.len() > 0 && ops[s.senders.at(0)].End < o.Begin {
		s.buffer.push(s.senders.pop())
	}
	s.buffer.push(op)
}

// receive simulates the commit of a receive.
func (m *Matcher) receive(ops []Op, op int32) {
	s, o := &m.chans, &ops[op]
	blocked := o.Blocked != NotBlocked
	if blocked {
		for s.queued() > 0 && ops[s.front(0)].End < o.Begin {
			s.take(o.commit())
		}
	} else {
		for i, x := range s.taken {
			if o.Begin <= x.until {
				s.elements[x.number].recv = op
				s.taken = slices.Delete(s.taken, i, i+1)
				return
			}
		}
		for s.queued() > s.capacity && ops[s.front(s.capacity)].End < o.Begin {
			s.take(o.commit())
		}
	}
	switch {
	case s.queued() > 0:
		s.elements = append(s.elements, element{send: s.leave(), recv: op})
	case blocked:
		s.receivers.push(op)
	default:
		s.expect(&s.early, element{noOp, op}, 0)
	}
}

// attempt is the earliest time at which o can have met its partner.
func (o *Op) attempt() int64 {
	if o.Blocked != NotBlocked {
		return o.Blocked
	}
	return o.Begin
}

// expect numbers an element of which one end is still to come.
func (s *channelState) expect(list *[]expected, e element, until int64) (number int32) {
	if len(*list) == maxExpected {
		*list = slices.Delete(*list, 0, 1)
	}
	number = int32(len(s.elements))
	*list = append(*list, expected{number, until})
	s.elements = append(s.elements, e)
	return number
}

// queued is the length of the queue: buffer and senders.
func (s *channelState) queued() uint64 { return uint64(s.buffer.len() + s.senders.len()) }

// front returns the send i places behind the front of the queue.
func (s *channelState) front(i uint64) int32 {
	if n := uint64(s.buffer.len()); i >= n {
		return s.senders.at(int(i - n))
	}
	return s.buffer.at(int(i))
}

// leave removes the front of the queue and fills the buffer up.
func (s *channelState) leave() (send int32) {
	if s.buffer.len() > 0 {
		send = s.buffer.pop()
	} else {
		send = s.senders.pop()
	}
	for s.senders.len() > 0 && uint64(s.buffer.len()) < s.capacity {
		s.buffer.push(s.senders.pop())
	}
	return send
}

// take moves the front of the queue to taken.
func (s *channelState) take(until int64) {
	send := s.leave()
	s.moved = append(s.moved, s.expect(&s.taken, element{send, noOp}, until))
}

// drain numbers what found no partner.
func (m *Matcher) drain() {
	s := &m.chans
	for s.receivers.len() > 0 {
		s.elements = append(s.elements, element{send: noOp, recv: s.receivers.pop()})
	}
	for s.queued() > 0 {
		s.elements = append(s.elements, element{send: s.leave(), recv: noOp})
	}
}

// messages emits the synch points of the numbered elements.
func (m *Matcher) messages(ops []Op, closed int32) {
	elements, capacity := m.chans.elements, m.chans.capacity
	for _, k := range m.chans.moved {
		if e := elements[k]; e.send == noOp || e.recv == noOp {
			m.count.Impossible++
		}
	}
	for k, e := range elements {
		if k%paced == 0 {
			m.store.Pace()
		}
		room := noOp
		later := uint64(k) >= capacity
		if later {
			room = elements[uint64(k)-capacity].recv
		}
		m.message(ops, e, later, room, closed)
	}
}

// message emits the synch points of an element. One that came later than the buffer was full for the first time needed the room that a receive made.
func (m *Matcher) message(ops []Op, e element, later bool, room, closed int32) {
	s := &m.chans
	if e.send == noOp {
		if ops[e.recv].transferred() {
			m.count.Strange++
		}
		m.unsent(ops, e.recv, closed)
		return
	}
	if e.recv == noOp && ops[e.send].transferred() {
		if s.left++; s.left > s.capacity {
			m.count.Strange++
		}
	}
	if e.recv != noOp {
		m.count.Messages++
		if ops[e.send].transferred() || ops[e.recv].closedOn(ops, closed) {
			m.release(e.recv, false)
		}
	}
	o := &ops[e.send]
	if room != noOp && ops[room].Begin > o.End {
		m.count.Impossible++
		room = noOp
	}
	if e.recv != noOp {
		m.meet(Sent, e.recv, e.send)
	}
	if room != noOp {
		made := MadeRoom
		if s.capacity == 0 {
			made = Received
		}
		m.meet(made, e.send, room)
	}
	if o.Open && !later && e.recv != noOp && ops[e.recv].transferred() {
		m.release(e.send, true)
		return
	}
	if room == noOp && (later || o.Kind != wire.SelectBegin) {
		m.unmatched(e.send)
	}
	if sent := room != noOp && ops[room].transferred(); sent || o.closedOn(ops, closed) {
		m.release(e.send, sent)
	}
}

// unsent says what became of a receive that nobody sent to.
func (m *Matcher) unsent(ops []Op, op, closed int32) {
	if o := &ops[op]; !o.Open || !o.closedOn(ops, closed) {
		m.unmatched(op)
		return
	}
	m.meet(Closed, op, closed)
	m.release(op, false)
}

// closedOn says whether o had blocked when the channel was closed.
func (o *Op) closedOn(ops []Op, closed int32) bool {
	return closed != noOp && o.Blocked != NotBlocked && o.Blocked <= ops[closed].Begin
}

// transferred says whether a value went through the channel in an operation.
func (o *Op) transferred() bool {
	return !o.Open && o.Outcome != wire.Failed && o.Outcome != wire.Panicked && o.Outcome != wire.Closed
}

// closings emits the synch points of what the close released. An operation that panicked has no partner.
func (m *Matcher) closings(ops []Op, closed int32) {
	for i := range ops {
		o, op := &ops[i], int32(i)
		if i%paced == 0 {
			m.store.Pace()
		}
		switch {
		case o.channelRole() == seesClosed && closed != noOp && ops[closed].Begin <= o.End:
			m.meet(Closed, op, closed)
		case o.channelRole() == seesClosed, o.Outcome == wire.Panicked && o.Kind != wire.Close:
			m.unmatched(op)
		}
	}
}

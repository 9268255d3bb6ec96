package naive

import (
	"slices"

	"tracerec/trace/wire"
)

// element is a value that went through a channel; either end may be unknown.
type element struct{ send, recv *op }

// channel is the simulated channel.
type channel struct {
	size            int
	buffer, senders []*op      // the queue: committed sends, then blocked ones
	receivers       []*op      // blocked receives
	early           []*element // whose send is still to come
	taken           []taken    // whose receive is still to come
	elements        []*element // in the order in which they went through
}

// taken is an element that had left the queue when by came.
type taken struct {
	*element
	by *op
}

// most is how many elements with an end to come are kept in mind.
const most = 64

// isSend and isRecv say whether o went through, or may have: events that tell its end may be lost.
func isSend(o *op) bool {
	return o.kind == wire.SendBegin && ended(o) || o.kind == wire.SelectBegin && o.outcome == wire.Sent
}

func isRecv(o *op) bool {
	return o.kind == wire.RecvBegin && ended(o) || o.kind == wire.SelectBegin && o.outcome == wire.Received
}

func ended(o *op) bool { return o.outcome == wire.OK || o.outcome == wire.Failed }

// commit is when o takes part.
func commit(o *op) int64 {
	if o.blocked >= 0 {
		return o.blocked
	}
	return o.end
}

// attempt is when o can have met its partner at the earliest.
func attempt(o *op) int64 { return max(o.blocked, o.begin) }

func (n *analysis) channel(ops []*op, size int) {
	closes := sorted(ops, func(o *op) bool { return o.kind == wire.Close }, (*op).start)
	part := func(o *op) bool { return isSend(o) || isRecv(o) }
	if slices.ContainsFunc(ops, func(o *op) bool { return part(o) && o.mode > 0 }) {
		n.numbered(ops, size, closes)
	} else {
		n.simulated(sorted(ops, part, commit), size, closes)
	}
	n.closings(ops, closes)
}

func (n *analysis) simulated(ops []*op, size int, closes []*op) {
	ch := &channel{size: size}
	for _, o := range ops {
		if isSend(o) {
			ch.send(o)
		} else {
			ch.receive(o)
		}
	}
	for _, r := range ch.receivers {
		ch.number(nil, r)
	}
	for ch.front(0) != nil {
		ch.leave()
	}
	for k, e := range ch.elements {
		var room *op
		if k >= size {
			room = ch.elements[k-size].recv
		}
		n.message(*e, k >= size, room, size, closes)
	}
}

func (ch *channel) number(send, recv *op) *element {
	e := &element{send, recv}
	ch.elements = append(ch.elements, e)
	return e
}

func pop(q *[]*op) *op {
	o := (*q)[0]
	*q = (*q)[1:]
	return o
}

func (ch *channel) send(s *op) {
	for i, e := range ch.early {
		if attempt(s) <= e.recv.end {
			e.send = s
			ch.early = slices.Delete(ch.early, i, i+1)
			return
		}
	}
	for len(ch.receivers) > 0 {
		r := pop(&ch.receivers)
		if attempt(s) <= r.end {
			ch.number(s, r)
			return
		}
		ch.expectSend(r)
	}
	if s.blocked >= 0 {
		ch.senders = append(ch.senders, s)
		return
	}
	for len(ch.senders) > 0 && ch.senders[0].end < s.begin {
		ch.buffer = append(ch.buffer, pop(&ch.senders))
	}
	ch.buffer = append(ch.buffer, s)
}

// expectSend notes that the send of r's element is still to come.
func (ch *channel) expectSend(r *op) {
	if len(ch.early) == most {
		ch.early = ch.early[1:]
	}
	ch.early = append(ch.early, ch.number(nil, r))
}

// expectReceive notes that the receive of the front of the queue is still to come.
func (ch *channel) expectReceive(by *op) {
	if len(ch.taken) == most {
		ch.taken = ch.taken[1:]
	}
	ch.taken = append(ch.taken, taken{ch.leave(), by})
}

// front is the i-th of the queue, nil if there is none.
func (ch *channel) front(i int) *op {
	if q := slices.Concat(ch.buffer, ch.senders); i < len(q) {
		return q[i]
	}
	return nil
}

// leave takes the front out of the queue, and lets blocked sends into the room.
func (ch *channel) leave() *element {
	e := ch.number(ch.front(0), nil)
	if len(ch.buffer) > 0 {
		pop(&ch.buffer)
	} else {
		pop(&ch.senders)
	}
	for len(ch.buffer) < ch.size && len(ch.senders) > 0 {
		ch.buffer = append(ch.buffer, pop(&ch.senders))
	}
	return e
}

func (ch *channel) receive(r *op) {
	behind := 0
	if r.blocked < 0 {
		for i, t := range ch.taken {
			if r.begin <= commit(t.by) {
				t.recv = r
				ch.taken = slices.Delete(ch.taken, i, i+1)
				return
			}
		}
		behind = ch.size
	}
	for s := ch.front(behind); s != nil && s.end < r.begin; s = ch.front(behind) {
		ch.expectReceive(r)
	}
	switch {
	case ch.front(0) != nil:
		ch.leave().recv = r
	case r.blocked >= 0:
		ch.receivers = append(ch.receivers, r)
	default:
		ch.expectSend(r)
	}
}

// exchange records that o waited for partner. An operation that did not block found its partner there.
func (n *analysis) exchange(o *op, metric string, partner *op) {
	if o.mayWait() {
		n.wait(o, metric, o.begin, partner.begin, partner)
	}
}

// message derives the waits of an element's sender and receiver. It needed room if it was late.
func (n *analysis) message(e element, late bool, room *op, size int, closes []*op) {
	full := "full_buffer"
	if size == 0 {
		full = "late_receiver"
	}
	switch {
	case e.recv == nil:
	case e.send != nil:
		n.exchange(e.recv, "late_sender", e.send)
		if passed(e.send) || shut(e.recv, closes) {
			e.recv.release()
		}
	case e.recv.open && shut(e.recv, closes):
		n.exchange(e.recv, "late_close", closes[0])
		e.recv.release()
	default:
		n.unmatched(e.recv)
	}
	if e.send == nil {
		return
	}
	if shut(e.send, closes) {
		e.send.release()
	}
	switch {
	case e.send.open && !late && e.recv != nil && passed(e.recv):
		e.send.release()
		e.send.sent = true
	case room != nil && room.begin <= e.send.end:
		n.exchange(e.send, full, room)
		if passed(room) {
			e.send.release()
			e.send.sent = e.send.released
		}
	case e.send.kind != wire.SelectBegin || late:
		n.unmatched(e.send)
	}
}

// passed says whether a value certainly went through in o.
func passed(o *op) bool {
	return !o.open && (o.outcome == wire.OK || o.outcome == wire.Sent || o.outcome == wire.Received)
}

// shut says whether o was blocked when the channel was closed.
func shut(o *op, closes []*op) bool {
	return len(closes) > 0 && o.blocked >= 0 && o.blocked <= closes[0].begin
}

// closings derives the waits of receives that saw the channel closed.
func (n *analysis) closings(ops, closes []*op) {
	for _, r := range ops {
		switch {
		case r.kind == wire.Close:
		case r.outcome == wire.Panicked:
			n.unmatched(r)
		case r.outcome != wire.Closed || r.kind == wire.SendBegin:
		case len(closes) > 0 && closes[0].begin <= r.end:
			n.exchange(r, "late_close", closes[0])
		default:
			n.unmatched(r)
		}
	}
}

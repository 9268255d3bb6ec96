package analyzer

import "tracerec/internal/spill"

// numbered says whether o, which has this role on its channel, tells the number of its value.
func (o *Op) numbered(role channelRole) bool {
	return o.Mode != 0 && (role == sends || role == receives)
}

// numbered matches the sends and receives of a channel of which any has a number: those with the same number belong together. Nothing is
// simulated, and times prove nothing. Values with a number above the capacity needed room, which the receive made whose number is less by the capacity.
//
// Of operations in the same direction with the same number, which only damage suggests, the first counts. The others are Impossible and take no part. Nor do
// operations without a number: they are unmatched, and if a value went through they count as Strange. But one that never ended may have been served,
// and its goroutine not have run again, or it did not block and its goroutine was interrupted before it could tell. So these take numbers that nobody has, in ascending order,
// and the one that came first is next. It came when it blocked, or else began:
//   - a send, if it came no later than the end of the receive that made room for this number, or if that is not known, of the receive with it;
//   - a receive, if it came no later than the end of the send with this number.
//
// The synch points are in the order of the numbers, then come the operations that take no part.
func (m *Matcher) numbered(ops []Op, closed int32, sent, received int) {
	s := &m.chans
	s.sent = m.byNumber(ops, sends, spill.Grow(m.store, s.sent, sent))
	s.received = m.byNumber(ops, receives, spill.Grow(m.store, s.received, received))
	all := len(s.sent)+len(s.received) == sent+received
	if !all {
		if waiting := m.waiting(ops, sends); len(waiting) > 0 {
			s.sent = m.merged(s.sent, served(ops, waiting, m.roomy()))
		}
		if waiting := m.waiting(ops, receives); len(waiting) > 0 {
			s.received = m.merged(s.received, served(ops, waiting, m.missing(s.sent, s.received)))
		}
	}
	m.passed(ops, closed)
	if !all {
		m.withoutPart(ops, closed)
	}
}

// byNumber returns the operations in a direction that have a number, by it, in the memory of a list.
func (m *Matcher) byNumber(ops []Op, role channelRole, to []stamped) []stamped {
	number := func(i int32) (int64, bool) {
		return int64(ops[i].Mode), ops[i].Mode != 0 && ops[i].channelRole() == role
	}
	last := int64(0)
	for i := range int32(len(ops)) {
		if i%paced == 0 {
			m.store.Pace()
		}
		n, ok := number(i)
		if !ok {
			continue
		}
		if n <= last { // others, or damage
			return m.mergedByNumber(len(ops), number, to[:0])
		}
		to, last = append(to, stamped{n, i}), n
	}
	return to
}

// mergedByNumber is byNumber where several goroutines have a part in one direction.
func (m *Matcher) mergedByNumber(n int, number func(i int32) (int64, bool), to []stamped) []stamped {
	m.order.start(n, number)
	for e, ok := m.order.next(); ok; e, ok = m.order.next() {
		if n := len(to); n > 0 && to[n-1].time == e.time {
			m.count.Impossible++
		} else {
			to = append(to, e)
		}
	}
	return to
}

// waiting returns the operations in a direction that never ended and have no number, by the time at which they came.
func (m *Matcher) waiting(ops []Op, role channelRole) []stamped {
	list := m.chans.waiting[:0]
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		if o := &ops[i]; o.Open && o.Mode == 0 && o.channelRole() == role {
			list = spill.Append(m.store, list, stamped{o.attempt(), int32(i)})
		}
	}
	sortStamped(m.store, list)
	m.chans.waiting = list
	return list
}

// served gives numbers, with the operations that prove them, to operations that wait.
func served(ops []Op, waiting, numbers []stamped) (given []stamped) {
	for _, n := range numbers { // few
		if len(waiting) > 0 && waiting[0].time <= ops[n.op].End {
			given = append(given, stamped{n.time, waiting[0].op})
			waiting = waiting[1:]
		}
	}
	return given
}

// missing returns those of the numbers that others do not have.
func (m *Matcher) missing(numbers, others []stamped) (list []stamped) {
	for i, n := range numbers {
		if i%paced == 0 {
			m.store.Pace()
		}
		for len(others) > 0 && others[0].time < n.time {
			others = others[1:]
		}
		if len(others) == 0 || others[0].time != n.time {
			list = append(list, n)
		}
	}
	return list
}

// roomy returns the numbers that no send has but a receive, or for which a receive made room: with the receive that made room if it is known.
func (m *Matcher) roomy() []stamped {
	s := &m.chans
	made := spill.Make[stamped](m.store, len(s.received))[:0]
	for i, r := range s.received {
		if i%paced == 0 {
			m.store.Pace()
		}
		r.time += int64(min(s.capacity, 1<<32)) // above all numbers
		made = append(made, r)
	}
	made = m.merged(made, m.missing(s.received, made))
	defer spill.Free(m.store, made)
	return m.missing(made, s.sent)
}

// merged returns all numbers of two lists that have none in common, the first of which is used up.
func (m *Matcher) merged(a, b []stamped) []stamped {
	if len(b) == 0 {
		return a
	}
	list := append(spill.Extend(m.store, a, len(a)+len(b)), b...)
	sortStamped(m.store, list)
	return list
}

// passed emits the synch points of the values by number.
func (m *Matcher) passed(ops []Op, closed int32) {
	s := &m.chans
	sent, received, made := s.sent, s.received, s.received
	for len(sent)+len(received) > 0 {
		if (len(sent)+len(received))%paced == 0 {
			m.store.Pace()
		}
		e, number := element{noOp, noOp}, int64(0)
		if len(received) == 0 || len(sent) > 0 && sent[0].time <= received[0].time {
			e.send, number = sent[0].op, sent[0].time
			sent = sent[1:]
		}
		if e.send == noOp || len(received) > 0 && received[0].time == number {
			e.recv, number = received[0].op, received[0].time
			received = received[1:]
		}
		room, before := noOp, number-int64(min(s.capacity, 1<<32))
		for len(made) > 0 && made[0].time < before {
			made = made[1:]
		}
		if len(made) > 0 && made[0].time == before {
			room = made[0].op
		}
		m.message(ops, e, before > 0, room, closed)
	}
}

// withoutPart says what became of the sends and receives that take no part.
func (m *Matcher) withoutPart(ops []Op, closed int32) {
	s := &m.chans
	s.part = spill.Grow(m.store, s.part, len(ops))[:len(ops)]
	spill.Clear(m.store, s.part)
	for _, list := range [...][]stamped{s.sent, s.received} {
		for i, x := range list {
			if i%paced == 0 {
				m.store.Pace()
			}
			s.part[x.op] = true
		}
	}
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		o, op := &ops[i], int32(i)
		role := o.channelRole()
		if s.part[i] || role != sends && role != receives {
			continue
		}
		if o.transferred() && o.Mode == 0 {
			m.count.Strange++
		}
		if role == receives {
			m.unsent(ops, op, closed)
			continue
		}
		m.unmatched(op)
		if o.closedOn(ops, closed) {
			m.release(op, false)
		}
	}
}

package analyzer

import "tracerec/trace/wire"

// generation is one use of a WaitGroup, from the first Done to the one that releases the waiters.
type generation struct {
	last  int32 // latest Done
	first int64 // time of the first Done, ns
	sum   int64 // of the Dones' times since first
	count int64
}

// mean is the mean time of the Dones.
func (g *generation) mean() int64 { return g.first + g.sum/g.count }

// counting is the simulated counter of a WaitGroup.
type counting struct {
	counter     int64
	now, before generation
}

// join simulates the counter of a WaitGroup with its Adds, Dones (each by its delta, the counter never
// falls below 0) and ends of Waits in order of time.
//
// A Done that releases a Wait is not later than the Wait's end, and equal times are common. So a Wait that finds
// the counter not 0 comes behind what other locations did at the time of its end, together with what its own
// location did later at that time. One that never ended comes behind all at the time of its end.
//
// A Done belongs to the current generation. The generation ends when a Done makes the counter 0, or when a
// Wait ends although the counter is not 0, which then is set to 0: events are missing. A Wait was released
// by the latest Done before its end: the last one of the current generation so far, else of the previous
// one. That gives a synch point, critical from the mean time of the Dones of that generation so far (each counts once,
// rounded down) on. What has no Done is no generation. A Wait without such a Done is unmatched, and so is one
// that never ended while the counter is not 0, which changes nothing. That Done releases.
func (m *Matcher) join(ops []Op) {
	m.order.start(len(ops), func(i int32) (int64, bool) {
		if ops[i].Kind == wire.JoinBegin {
			return ops[i].End, true
		}
		return ops[i].Begin, true
	})
	var c counting
	for now := m.order.same(); len(now) > 0; now = m.order.same() {
		late := m.late[:0]
		for _, e := range now {
			o := &ops[e.op]
			if k := len(late); k > 0 && ops[late[k-1].op].Loc == o.Loc || o.Kind == wire.JoinBegin && (c.counter > 0 || o.Open) {
				late = append(late, e)
			} else {
				m.joins(ops, &c, e)
			}
		}
		for _, open := range []bool{false, true} {
			for _, e := range late {
				if ops[e.op].Open == open {
					m.joins(ops, &c, e)
				}
			}
		}
		m.late = late
	}
}

// joins applies one operation to the counter.
func (m *Matcher) joins(ops []Op, c *counting, e stamped) {
	switch o := &ops[e.op]; o.Kind {
	case wire.Add:
		c.counter += int64(o.Mode)
	case wire.Done:
		g := &c.now
		if c.counter = max(c.counter-int64(o.Mode), 0); g.count == 0 {
			g.first = e.time
		}
		g.last, g.sum, g.count = e.op, g.sum+e.time-g.first, g.count+1
		if c.counter == 0 {
			c.before, c.now = c.now, generation{}
		}
	case wire.JoinBegin:
		if c.counter > 0 && o.Open {
			m.unmatched(e.op)
			return
		}
		if c.counter > 0 {
			m.count.Impossible++
			c.counter = 0
		}
		if c.now.count > 0 {
			c.before, c.now = c.now, generation{}
		}
		if c.before.count == 0 {
			m.unmatched(e.op)
			return
		}
		m.point(WasDone, e.op, c.before.last, o.Begin, ops[c.before.last].Begin, c.before.mean())
		m.release(e.op, false)
	}
}

// cond simulates the waiters of a Cond with the begins of its Waits, Signals and Broadcasts in order of
// time.
//
// A Signal wakes the oldest waiter, a Broadcast all of them; with no waiter they are lost, as in Go. A
// waiter that ended before the signal had been woken by one that is not recorded: it leaves unmatched, and
// the next takes its place. It releases. Waiters left at the end are unmatched.
func (m *Matcher) cond(ops []Op) {
	m.order.start(len(ops), func(i int32) (int64, bool) { return ops[i].Begin, true })
	waiters := &m.conds
	waiters.reset()
	for e, ok := m.order.next(); ok; e, ok = m.order.next() {
		switch ops[e.op].Kind {
		case wire.CondBegin:
			waiters.push(e.op)
		case wire.Signal, wire.Broadcast:
			for waiters.len() > 0 {
				w := waiters.pop()
				if ops[w].End < e.time {
					m.unmatched(w)
					continue
				}
				m.meet(Signalled, w, e.op)
				m.release(w, false)
				if ops[e.op].Kind == wire.Signal {
					break // the loop: one waiter only
				}
			}
		}
	}
	for waiters.len() > 0 {
		m.unmatched(waiters.pop())
	}
}

// once finds the call that ran the function of a Once: the latest one with Mode 1, by index, of the
// location of the first OnceRun (by time, then index) that began no later. Every call of another location
// that began before its end and did not end before the OnceRun waited for it, by index, and is released at that end. Any other call,
// except the one that ran, is unmatched, if it blocked or never ended: such as one from within the function.
func (m *Matcher) once(ops []Op) {
	first, run := noOp, noOp
	for i := range ops {
		if ops[i].Kind == wire.OnceRun && (first == noOp || ops[i].Begin < ops[first].Begin) {
			first = int32(i)
		}
	}
	for i := range ops {
		if first != noOp && ops[i].Kind == wire.OnceBegin && ops[i].Mode == 1 &&
			ops[i].Loc == ops[first].Loc && ops[i].Begin <= ops[first].Begin {
			run = int32(i)
		}
	}
	for i := range ops {
		o, op := &ops[i], int32(i)
		switch {
		case o.Kind != wire.OnceBegin || op == run:
		case run != noOp && o.Loc != ops[run].Loc && o.Begin < ops[run].End && o.End >= ops[first].Begin:
			m.point(RanOnce, op, run, o.Begin, ops[run].End, o.Begin)
			if !ops[run].Open {
				m.release(op, false)
			}
		default:
			m.unmatched(op)
		}
	}
}

// barrier groups the participants of a barrier of the given size by generation; each waits for the latest, and leaves after the first, by generation
// and index. The latest is the last to begin (of several the last index); the first end
// is that of those that ended: it releases the others. Where fewer than size arrived, those that never ended are unmatched: they
// wait for somebody who did not come.
func (m *Matcher) barrier(ops []Op, size uint64) {
	m.order.start(len(ops), func(i int32) (int64, bool) {
		return int64(ops[i].Mode), ops[i].Kind == wire.BarrierBegin
	})
	for group := m.order.same(); len(group) > 0; group = m.order.same() {
		m.arrivals(ops, group, uint64(len(group)) >= size)
	}
}

// arrivals emits the synch points of one generation.
func (m *Matcher) arrivals(ops []Op, group []stamped, complete bool) {
	latest, firstEnd := group[0].op, int64(held)
	for _, e := range group {
		o := &ops[e.op]
		if o.Begin >= ops[latest].Begin {
			latest = e.op
		}
		if !o.Open {
			firstEnd = min(firstEnd, o.End)
		}
	}
	m.attendBarrier(group, latest)
	for _, e := range group {
		if ops[e.op].Open && !complete {
			m.unmatched(e.op)
			continue
		}
		m.meet(ArrivedLast, e.op, latest)
		if o := &ops[e.op]; !o.Open {
			left := max(firstEnd, ops[latest].Begin)
			m.point(LeftFirst, e.op, noOp, left, o.End, left)
		}
		if firstEnd != held {
			m.release(e.op, false)
		}
	}
}

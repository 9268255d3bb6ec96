package random

import (
	"fmt"
	"slices"
)

// What a parked goroutine can be woken with.
const (
	served = iota
	closed
	panicked
	outside // by something that the trace does not show
)

// channel behaves as Go's do.
type channel struct {
	name     string
	size     int
	timer    bool // it is recorded as that of one
	used     int
	taken    int // values that were received
	isClosed bool
	senders  []*waiter
	receiver []*waiter
}

// waiter is a goroutine in a channel's queue; a select stands in several with the same turn.
type waiter struct {
	p    *proc
	turn *turn
	send bool
}

type turn struct {
	gone bool
	ch   *channel
	send bool
}

// first takes the oldest waiter that still waits out of a queue.
func first(queue *[]*waiter) *waiter {
	for len(*queue) > 0 {
		w := (*queue)[0]
		*queue = (*queue)[1:]
		if !w.turn.gone {
			return w
		}
	}
	return nil
}

// serve wakes a waiter. If a value went through, its number is given.
func (w *waiter) serve(ch *channel, result, number int) {
	*w.turn = turn{gone: true, ch: ch, send: w.send}
	w.p.number = number
	w.p.wake(result)
}

func (p *proc) trySend(ch *channel) (result int, ok bool) {
	if ch.isClosed {
		return panicked, true
	}
	if w := first(&ch.receiver); w != nil {
		ch.taken++
		p.number = ch.taken
		w.serve(ch, served, ch.taken)
		return served, true
	}
	if ch.used < ch.size {
		ch.used++
		p.number = ch.taken + ch.used
		return served, true
	}
	return 0, false
}

func (p *proc) tryRecv(ch *channel) (result int, ok bool) {
	w := first(&ch.senders)
	if ch.used == 0 && w == nil {
		return closed, ch.isClosed
	}
	ch.taken++
	p.number = ch.taken
	if w == nil {
		ch.used--
	} else { // who takes the place in the buffer, if there is one
		w.serve(ch, served, ch.taken+ch.used)
	}
	return served, true
}

func (p *proc) try(ch *channel, send bool) (int, bool) {
	if send {
		return p.trySend(ch)
	}
	return p.tryRecv(ch)
}

func (ch *channel) enqueue(w *waiter) {
	if w.send {
		ch.senders = append(ch.senders, w)
	} else {
		ch.receiver = append(ch.receiver, w)
	}
}

var channelOutcome = map[int]string{served: "", closed: " closed", panicked: " panicked", outside: ""}

// communicate sends to or receives from ch.
func (p *proc) communicate(ch *channel, send bool) {
	name := "recv"
	if send {
		name = "send"
	}
	site := p.site()
	p.quiet = p.w.numbers(20)
	defer func() { p.quiet = false }()
	p.open("%s %s %s", name, ch.name, site)
	p.lag()
	result, ok := p.try(ch, send)
	if !ok {
		p.emit(0, "blocked")
		p.lag()
		if result, ok = p.try(ch, send); !ok {
			mine := new(turn)
			ch.enqueue(&waiter{p, mine, send})
			result = p.parkUnless(func() { mine.gone = true })
		}
	}
	p.lag()
	if result == served && p.w.numbering != nil && !p.w.numbers(50) {
		p.emit(-1, "passed %d", p.number)
	} else {
		p.leave(channelOutcome[result])
	}
}

func (p *proc) closeChannel(ch *channel) {
	if ch.isClosed {
		return
	}
	p.emit(0, "close %s %s", ch.name, p.site())
	p.lag()
	if ch.isClosed {
		return
	}
	ch.isClosed = true
	for w := first(&ch.receiver); w != nil; w = first(&ch.receiver) {
		w.serve(ch, closed, 0)
	}
	for w := first(&ch.senders); w != nil; w = first(&ch.senders) {
		w.serve(ch, panicked, 0)
	}
}

// choose is a select over some channels, each to send to or to receive from. The recorder sees that it blocks only if one of them is that of a timer.
func (p *proc) choose(channels []*channel, send []bool, orElse, mute bool) {
	site := p.site()
	p.open("select %s", site)
	p.lag()
	got, result, ok := p.tryAny(channels, send)
	for !ok && orElse && !mute && p.again() {
		p.emit(-1, "chose none %d", p.w.IntN(3))
		p.open("select %s", site)
		p.lag()
		got, result, ok = p.tryAny(channels, send)
	}
	if !ok && !orElse {
		if !mute && slices.ContainsFunc(channels, func(ch *channel) bool { return ch.timer }) {
			p.emit(0, "blocked timer")
		}
		mine := new(turn)
		for i, ch := range channels {
			ch.enqueue(&waiter{p, mine, send[i]})
		}
		result = p.parkUnless(func() { mine.gone = true })
		got, ok = *mine, true
	}
	p.lag()
	number := ""
	if result == served && p.w.numbering != nil && !p.w.numbers(50) {
		number = fmt.Sprintf(" %d", p.number)
	}
	switch {
	case mute:
		p.forgotten++
	case !ok, got.ch == nil:
		p.emit(-1, "chose none")
	case result == panicked:
		p.leave(" panicked")
	case result == closed:
		p.emit(-1, "chose %s closed", got.ch.name)
	case got.send:
		p.emit(-1, "chose %s sent%s", got.ch.name, number)
	default:
		p.emit(-1, "chose %s received%s", got.ch.name, number)
	}
}

// again tells whether a try that failed is repeated, soon or later.
func (p *proc) again() bool {
	switch {
	case p.w.chance(50):
		return false
	case p.w.chance(90):
		p.pass(p.w.IntN(3))
	default:
		p.pass(95 + p.w.IntN(10))
	}
	return true
}

// tryAny takes one of the cases that can go on at once.
func (p *proc) tryAny(channels []*channel, send []bool) (got turn, result int, ok bool) {
	for _, i := range p.w.Perm(len(channels)) {
		if result, ok := p.try(channels[i], send[i]); ok {
			return turn{true, channels[i], send[i]}, result, true
		}
	}
	return turn{}, 0, false
}

// lock is a mutex, or an RWMutex of which a pending writer keeps new readers out.
type lock struct {
	name    string
	writer  bool
	readers int
	waiting []*lockWaiter
}

type lockWaiter struct {
	p      *proc
	shared bool
}

func (l *lock) free(shared bool) bool {
	if shared {
		return !l.writer
	}
	return !l.writer && l.readers == 0
}

func (l *lock) take(shared bool) {
	if shared {
		l.readers++
	} else {
		l.writer = true
	}
}

func (l *lock) writerWaits() bool {
	for _, w := range l.waiting {
		if !w.shared {
			return true
		}
	}
	return false
}

// grant gives a free lock to the oldest waiter, and to all readers if that is one.
func (l *lock) grant() {
	for len(l.waiting) > 0 && l.free(l.waiting[0].shared) {
		w := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.take(w.shared)
		w.p.wake(served)
	}
}

func mode(shared bool) string {
	if shared {
		return " shared"
	}
	return ""
}

// acquire locks l; a mere attempt may fail, and be repeated.
func (p *proc) acquire(l *lock, shared, attempt bool) bool {
	site := p.site()
	p.open("lock %s%s %s", l.name, mode(shared), site)
	p.lag()
	free := func() bool { return l.free(shared) && !(shared && l.writerWaits()) }
	for !free() && attempt {
		p.leave(" failed")
		if !p.again() {
			return false
		}
		p.open("lock %s%s %s", l.name, mode(shared), site)
		p.lag()
	}
	if free() {
		l.take(shared)
	} else {
		p.emit(0, "blocked")
		p.lag()
		if free() {
			l.take(shared)
		} else {
			l.waiting = append(l.waiting, &lockWaiter{p, shared})
			p.park()
		}
	}
	p.lag()
	p.leave("")
	p.locks++
	return true
}

func (p *proc) release(l *lock, shared bool) {
	p.emit(0, "unlock %s%s", l.name, mode(shared))
	p.lag()
	if shared {
		l.readers--
	} else {
		l.writer = false
	}
	p.locks--
	l.grant()
}

// group is a WaitGroup.
type group struct {
	name    string
	count   int
	waiting []*proc
}

func (p *proc) add(g *group, n int) {
	p.emit(0, "add %s %d", g.name, n)
	g.count += n
}

func (p *proc) done(g *group) {
	p.emit(0, "done %s", g.name)
	p.lag()
	if g.count--; g.count == 0 {
		for _, q := range g.waiting {
			q.wake(served)
		}
		g.waiting = nil
	}
}

func (p *proc) join(g *group) {
	p.open("wait %s %s", g.name, p.site())
	p.lag()
	if g.count > 0 {
		p.emit(0, "blocked")
		p.lag()
		if g.count > 0 {
			g.waiting = append(g.waiting, p)
			p.parkUnless(func() { g.waiting = remove(g.waiting, p) })
		}
	}
	p.lag()
	p.leave("")
}

// cond is a condition with its lock.
type cond struct {
	name    string
	l       *lock
	waiting []*proc
}

func (p *proc) awaitCond(c *cond) {
	p.open("condwait %s %s", c.name, p.site())
	c.waiting = append(c.waiting, p)
	p.release(c.l, false)
	if slices.Contains(c.waiting, p) {
		p.emit(0, "blocked")
		p.parkUnless(func() { c.waiting = remove(c.waiting, p) })
	}
	p.acquire(c.l, false, false)
	p.leave("")
}

func remove(queue []*proc, p *proc) []*proc {
	return slices.DeleteFunc(queue, func(q *proc) bool { return q == p })
}

func (p *proc) notify(c *cond, all bool) {
	if all {
		p.emit(0, "broadcast %s %s", c.name, p.site())
	} else {
		p.emit(0, "signal %s %s", c.name, p.site())
	}
	p.lag()
	for len(c.waiting) > 0 {
		c.waiting[0].wake(served)
		c.waiting = c.waiting[1:]
		if !all {
			return
		}
	}
}

// once is a Once.
type once struct {
	name          string
	running, done bool
	waiting       []*proc
}

func (p *proc) doOnce(o *once, f func()) {
	p.open("once %s %s", o.name, p.site())
	p.lag()
	switch {
	case o.done:
	case o.running:
		o.waiting = append(o.waiting, p)
		p.park()
	default:
		o.running = true
		p.emit(0, "oncerun")
		p.within(f, func(forgotten int) {
			if forgotten > 0 {
				p.emit(-forgotten, "exit %d", forgotten-1)
			}
		})
		o.done = true
		for _, q := range o.waiting {
			q.wake(served)
		}
	}
	p.leave("")
}

// barrier is a cyclic barrier.
type barrier struct {
	name       string
	size       int
	generation int
	waiting    []*proc
}

func (p *proc) meet(b *barrier) {
	p.open("barrier %s %d %s", b.name, b.generation, p.site())
	if len(b.waiting)+1 < b.size {
		b.waiting = append(b.waiting, p)
		p.park()
	} else {
		b.generation++
		for _, q := range b.waiting {
			q.wake(served)
		}
		b.waiting = nil
		p.lag()
	}
	p.leave("")
}

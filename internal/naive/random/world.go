// Package random makes traces of random concurrent programs, in the text form of package tracetext. The
// programs run in virtual time: goroutines are coroutines that take turns, channels and locks behave as
// Go's do, so a trace is what a recorder could have seen. Tests use it to compare two analyzers.
package random

import (
	"fmt"
	"iter"
	"math/rand/v2"
)

// world is one simulated process.
type world struct {
	*rand.Rand
	prefix string // before the names of its locations and objects
	now    int64  // virtual time, ns
	slack  int    // largest time between a stamp and the operation that it stands for
	ties   bool   // goroutines that run at the same time take turns at random, else by location
	procs  []*proc

	numbering *rand.Rand // decides what is told of the numbers of values; nil: nothing
	partly    bool       // numbers, and operations, are missing from the record
}

// proc is a simulated goroutine.
type proc struct {
	w      *world
	name   string
	lines  []line
	ready  int64 // when it runs next; parked, it does not
	result int   // what it was woken with
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	locks  int    // held
	cancel func() // takes a parked goroutine out of its queue, nil if that would not be consistent

	forgotten int // selects in the innermost level whose case told nothing of itself

	number int  // of the last value on its channel
	quiet  bool // what it does is not recorded
}

// line is one event of a location.
type line struct {
	at    int64
	text  string
	level int // how many levels it opens, or closes when negative
}

const parked = int64(-1)

// stopped unwinds a goroutine that is abandoned.
type stopped struct{}

// spawn starts a goroutine with the given body at the present time plus latency.
func (w *world) spawn(name string, latency int64, body func(*proc)) *proc {
	p := &proc{w: w, name: name, ready: w.now + latency}
	w.procs = append(w.procs, p)
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if e := recover(); e != nil && e != any(stopped{}) {
				panic(e)
			}
		}()
		p.yield = yield
		body(p)
	})
	return p
}

// run lets goroutines take turns until none can go on. Then it asks rescue, which may wake some.
func (w *world) run(rescue func() bool) {
	for {
		p := w.pick()
		if p == nil {
			if rescue() {
				continue
			}
			break
		}
		w.now = max(w.now, p.ready)
		p.ready = parked
		if _, alive := p.next(); !alive {
			p.ready = parked
		}
	}
	for _, p := range w.procs {
		p.stop()
	}
}

func (w *world) pick() *proc {
	var best *proc
	for _, p := range w.procs {
		switch {
		case p.ready == parked:
		case best == nil || p.ready < best.ready:
			best = p
		case p.ready == best.ready && w.ties && w.IntN(2) == 0:
			best = p
		}
	}
	return best
}

// chance is true in the given per cent of calls.
func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

// numbers is true in one of n calls if numbers are told, but not everything.
func (w *world) numbers(n int) bool { return w.partly && w.numbering.IntN(n) == 0 }

func (p *proc) swap() {
	if !p.yield(struct{}{}) {
		panic(stopped{})
	}
}

// pass lets d ns pass.
func (p *proc) pass(d int) {
	p.ready = p.w.now + int64(d)
	p.swap()
}

// lag lets a random time up to the world's slack pass.
func (p *proc) lag() {
	if p.w.slack > 0 {
		p.pass(p.w.IntN(p.w.slack + 1))
	}
}

// park waits until another goroutine calls wake, and returns what that one says.
func (p *proc) park() int {
	p.ready = parked
	p.swap()
	return p.result
}

// wake lets a parked goroutine run again after a random latency.
func (p *proc) wake(result int) {
	p.result = result
	p.ready = p.w.now + int64(p.w.IntN(6))
}

// parkUnless parks until another goroutine calls wake or something outside the trace ends the wait;
// cancel then takes the goroutine out of its queue.
func (p *proc) parkUnless(cancel func()) int {
	p.cancel = cancel
	defer func() { p.cancel = nil }()
	return p.park()
}

func (p *proc) emit(level int, format string, args ...any) {
	if p.quiet {
		return
	}
	p.lines = append(p.lines, line{p.w.now, fmt.Sprintf(format, args...), level})
}

func (p *proc) open(format string, args ...any) { p.emit(+1, format, args...) }
func (p *proc) leave(outcome string)            { p.emit(-1, "leave%s", outcome) }

// within does f inside a level, and end with the number of selects that were forgotten there.
func (p *proc) within(f func(), end func(forgotten int)) {
	before := p.forgotten
	p.forgotten = 0
	f()
	end(p.forgotten)
	p.forgotten = before
}

// exit ends a region, and with it the selects forgotten in it.
func (p *proc) exit(forgotten int) {
	if forgotten > 0 {
		p.emit(-1-forgotten, "exit %d", forgotten)
	} else {
		p.emit(-1, "exit")
	}
}

// site is a random call site.
func (p *proc) site() string { return fmt.Sprintf("@f.go:%d", 10+p.w.IntN(3)) }

package gotrace

import (
	"slices"
	"strings"

	exp "golang.org/x/exp/trace"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// converter writes what events say.
type converter struct {
	out        *trace.ProcessWriter
	box        *outbox // writes to it, until that is finished
	err        error   // the first one of it
	damage     error   // the last one of a stack
	start      exp.Time
	part       part
	check      func(Sofar) error // nil: none
	read       int64             // bytes of the trace, of the events up to the next EventSync
	events     int64             // put so far
	now        uint64            // time of the event in progress, since start; goes back at the begin of a generation, but not for a goroutine
	latest     uint64            // of all events so far
	goroutines map[exp.GoID]*goroutine
	stacks     map[exp.Stack]*stack   // of the generation
	recent     [recentStacks]struct { // of these
		of    exp.Stack
		known *stack
	}
	frames     []exp.StackFrame // scratch
	functions  map[place]uint32
	operations map[operation]uint32
	regions    uint32 // defined so far
	objects    uint32
	stream     uint32 // the object of waits for the network that the program interrupts, 0 for none yet
	interrupts uint32
	locations  uint64
	ready      []*goroutine         // those that could run
	stopping   bool                 // the runtime has stopped all goroutines
	processors int                  // on which goroutines can run at once by now, 0 unknown
	tasks      map[exp.TaskID]*user // that have begun, and not ended
	fired      map[uint32]firing    // the last of each function
}

func newConverter(out *trace.ProcessWriter, early []step, of part) *converter {
	c := &converter{out: out, part: of, box: newOutbox(out), goroutines: map[exp.GoID]*goroutine{}, stacks: map[exp.Stack]*stack{}, functions: map[place]uint32{}, operations: map[operation]uint32{}, tasks: map[exp.TaskID]*user{}, fired: map[uint32]firing{}}
	if len(early) > 0 {
		c.start = early[0].Time()
	}
	return c
}

// note keeps the first error.
func (c *converter) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// lastTime is the latest time that an archive can store, ns.
const lastTime = 1 << 59

// timed goes on to the time of the next event.
func (c *converter) timed(e *step) {
	c.now = uint64(min(max(e.Time()-c.start, 0), lastTime))
	c.latest = max(c.latest, c.now)
}

// event takes the next event.
func (c *converter) event(e *step) {
	switch e.Kind() {
	case exp.EventSync:
		clear(c.stacks)
		clear(c.recent[:])
		c.sync(e.about.(int64))
	case exp.EventStateTransition:
		if e.transition.Resource.Kind == exp.ResourceGoroutine {
			c.transition(e)
		}
	case exp.EventRangeBegin, exp.EventRangeActive, exp.EventRangeEnd:
		c.during(e)
	case exp.EventRegionBegin, exp.EventRegionEnd:
		c.region(e)
	case exp.EventTaskBegin, exp.EventTaskEnd:
		c.task(e)
	case exp.EventMetric:
		if n, is := e.about.(int); is {
			c.processors = n
		}
	case exp.EventStackSample:
		if g := c.goroutines[e.Goroutine()]; g != nil {
			c.sampled(g, c.stack(e.Stack()))
		}
	}
}

// sync has what was converted so far checked, and takes how many bytes have been read.
func (c *converter) sync(bytes int64) {
	if c.check != nil && c.read > 0 {
		c.note(c.check(Sofar{c.read, c.events, int64(c.locations), int64(c.objects)}))
	}
	c.read = bytes
}

// transition takes a change of a goroutine's state.
func (c *converter) transition(e *step) {
	t := &e.transition
	from, to := t.Goroutine()
	id := t.Resource.Goroutine()
	g := c.goroutines[id]
	if g == nil {
		g = &goroutine{id: uint64(id), loose: true, queued: -1}
		c.goroutines[id] = g
	}
	switch {
	case from == exp.GoNotExist:
		c.create(e, g, to)
	case from == exp.GoUndetermined:
		c.found(e, g, to)
	case from == to:
	case to == exp.GoNotExist:
		c.end(g)
	case to == exp.GoWaiting:
		c.block(g, c.stack(t.Stack), t.Reason)
	case to == exp.GoSyscall:
		if s := c.stack(t.Stack); s != nil {
			c.settle(g, s)
			g.loose = false
		}
		c.tell(g, wire.Syscall, 0)
	case to == exp.GoRunning:
		c.run(g, e)
	case to == exp.GoRunnable && from == exp.GoWaiting:
		c.wake(e, g)
	case to == exp.GoRunnable:
		c.stop(g, t, from)
	}
}

// actor returns the goroutine that did an event, with its stack there, where it goes on; nil if it is not known, or is g.
func (c *converter) actor(e *step, g *goroutine) (*goroutine, *stack) {
	by := c.goroutines[e.Goroutine()]
	if by == g {
		return nil, nil
	}
	return c.at(e, by)
}

// create takes the begin of a goroutine.
func (c *converter) create(e *step, g *goroutine, to exp.GoState) {
	by, s := c.actor(e, g)
	if start := c.stack(e.transition.Stack); start != nil && to != exp.GoWaiting { // what coroutines are started with is the same for all
		c.name(g, start)
	}
	if g.system {
		return
	}
	if by != nil {
		g.number = c.number(g)
		g.creator = by.number
		c.tell(by, wire.Create, c.operation("go", s), g.number)
	}
	switch to {
	case exp.GoWaiting:
		g.turns = true
		c.waits(g, yieldWait, nil, false)
	case exp.GoSyscall: // a thread that is not of Go called Go
		c.tell(g, wire.Syscall, 0)
	default:
		if e.Goroutine() == exp.NoGoroutine {
			g.timed, g.earlier, g.wait, g.outcome = true, c.fired[g.start], wire.SleepBegin, wire.OK
			c.tell(g, wire.Ready, uint32(wire.Woken), 0)
		}
		c.queue(g)
	}
}

// found takes the first that is told of a goroutine that is older than the trace. It has been so since the trace began.
func (c *converter) found(e *step, g *goroutine, to exp.GoState) {
	now := c.now
	c.now = 0
	s := c.stack(e.transition.Stack)
	switch to {
	case exp.GoWaiting:
		if s == nil {
			g.unknown = true // until somebody wakes it
		} else {
			c.block(g, s, e.transition.Reason)
		}
	case exp.GoRunnable:
		c.tell(g, wire.Ready, uint32(wire.Preempted), 0)
		c.queue(g)
	case exp.GoRunning:
		c.tell(g, wire.Running, processor(e))
	case exp.GoSyscall:
		if s != nil {
			c.settle(g, s)
			g.loose = false
		}
		c.tell(g, wire.Syscall, 0)
	}
	c.now = now
}

// block takes the begin of a wait.
func (c *converter) block(g *goroutine, s *stack, reason string) {
	what := waitsFor[reason]
	switch {
	case g.turned && g.turns:
		what = yieldWait
	case g.turned:
		what = pullWait
	}
	g.turned = false
	if s != nil {
		c.settle(g, s)
		g.loose = false
		if s.wait.kind != wire.None && what != assistWait && what != runnableWait {
			what = s.wait
		}
		if what == networkWait {
			what.name = s.awaits
		}
	}
	c.waits(g, what, s, reason == "forever")
}

// waits begins a wait of a goroutine at the time of the event, in an operation or a state. A channel for which it waits forever is nil.
func (c *converter) waits(g *goroutine, what wait, s *stack, forever bool) {
	switch what.kind {
	case wire.None:
		c.tell(g, wire.Parked, 0)
		return
	case wire.Ready:
		c.tell(g, wire.Ready, uint32(wire.Preempted), 0)
		return
	case wire.Assist:
		c.tell(g, wire.Assist, 0)
		return
	case wire.SelectBegin, wire.SleepBegin, wire.NetworkBegin:
		c.tell(g, what.kind, c.operation(what.name, s))
	default:
		object := uint32(0)
		if !forever {
			object = c.object(g)
		}
		c.tell(g, what.kind, c.operation(what.name, s), wire.ObjectWord(object, what.mode))
	}
	c.tell(g, wire.Blocked, 0)
	g.wait, g.outcome, g.blocked = what.kind, wire.OK, c.now
}

// wake takes the end of a wait: the goroutine is ready to run.
func (c *converter) wake(e *step, g *goroutine) {
	by, s := c.actor(e, g)
	if g.system {
		return
	}
	if g.unknown {
		g.unknown = false
		now := c.now
		c.now = 0
		if by != nil {
			c.waits(g, s.deed.endedWith(), nil, false)
		} else {
			c.waits(g, wait{}, nil, false)
		}
		c.now = now
	}
	number := uint64(0)
	if by != nil {
		number = by.number
		c.slept(by, g)
		switch g.wait {
		case wire.RecvBegin, wire.SendBegin, wire.SelectBegin, wire.JoinBegin, wire.CondBegin, wire.OnceBegin:
			g.meets, by.meets = true, true
		}
		c.lets(by, g, s)
	} else if by = c.turn(e, g); by != nil {
		number = c.number(by)
	}
	c.tell(g, wire.Ready, uint32(wire.Woken), number)
	c.queue(g)
}

// mostTurns is how many events of turns wait for a stack at most.
const mostTurns = 1 << 12

// turn writes that a goroutine lets the one go on that it takes turns with, and returns it, if it does so: one of the two is a coroutine. Such an event has no stack.
func (c *converter) turn(e *step, g *goroutine) *goroutine {
	if g.wait != wire.RecvBegin || e.Stack() != exp.NoStack {
		return nil // as most are: before anything is looked up
	}
	by := c.goroutines[e.Goroutine()]
	if by == nil || by == g || by.system || !by.turns && !g.turns {
		return nil
	}
	if by.turns && by.named || len(by.waiting) > mostTurns { // a sequence yields in the function that it is, not in what it called last
		c.leave(by)
	}
	does := pullWait.name
	if by.turns {
		does = yieldWait.name
	}
	c.tell(by, wire.SendBegin, c.operation(does, nil), uint64(c.object(g)))
	c.tell(by, wire.Leave, uint32(wire.OK))
	by.turned = true
	return by
}

// lets writes what a goroutine does to end the wait of another one, and notes how that ends.
func (c *converter) lets(by, g *goroutine, s *stack) {
	object := uint64(0)
	if g.wait != wire.None && g.wait != wire.SleepBegin && g.wait != wire.NetworkBegin {
		object = uint64(c.object(g))
	}
	acts := func(kind wire.Kind, name string) { c.tell(by, kind, c.operation(name, s), object) }
	does := func(kind wire.Kind, name string, chosen wire.Outcome) {
		if s.deed == selects || s.deed == takes {
			c.tell(by, wire.SelectBegin, c.operation("select", s))
			c.tell(by, wire.Chose, uint32(chosen), object)
			return
		}
		acts(kind, name)
		c.tell(by, wire.Leave, uint32(wire.OK))
	}
	point := func(kind wire.Kind, name string, mode uint32) { // an event without a place of its own
		c.tell(by, wire.Enter, c.operation(name, s))
		c.tell(by, kind, 0, wire.ObjectWord(uint32(object), mode))
		c.tell(by, wire.Exit, 0)
	}
	switch g.wait {
	case wire.NetworkBegin:
		if s.deed == interrupts {
			object = c.interrupt()
			acts(wire.Interrupt, "interrupt")
		}
	case wire.RecvBegin, wire.SendBegin, wire.SelectBegin:
		switch {
		case s.deed == unknownDeed:
			acts(wire.Close, "close")
			if g.outcome = wire.Closed; g.wait == wire.SendBegin {
				g.outcome = wire.Panicked
			}
		case g.wait == wire.SendBegin, g.wait == wire.SelectBegin && (s.deed == receives || s.deed == takes):
			does(wire.RecvBegin, "recv", wire.Received)
			g.outcome = wire.Sent
		default:
			does(wire.SendBegin, "send", wire.Sent)
			g.outcome = wire.Received
		}
		if g.wait != wire.SelectBegin && g.outcome >= wire.Sent {
			g.outcome = wire.OK
		}
	case wire.LockBegin:
		mode := wire.Exclusive
		if s.deed == unlocksShared {
			mode = wire.Shared
		}
		point(wire.Release, "unlock", mode)
	case wire.OnceBegin:
		point(wire.Done, "once", 1)
	case wire.JoinBegin:
		point(wire.Done, "done", 1)
	case wire.CondBegin:
		if s.deed == broadcasts {
			acts(wire.Broadcast, "broadcast")
		} else {
			acts(wire.Signal, "signal")
		}
	}
	g.chosen = object
}

// run takes that a goroutine runs.
func (c *converter) run(g *goroutine, e *step) {
	c.dequeue(g)
	c.tell(g, wire.Running, processor(e))
	switch {
	case g.wait == wire.None:
	case g.wait == wire.SelectBegin:
		if g.outcome == wire.OK { // of a timer
			g.outcome = wire.Received
		}
		c.tell(g, wire.Chose, uint32(g.outcome), g.chosen)
	case g.wait == wire.NetworkBegin && g.chosen != 0:
		c.tell(g, wire.Reached, uint32(wire.Closed), g.chosen)
	default:
		c.tell(g, wire.Leave, uint32(g.outcome))
	}
	g.wait, g.chosen = wire.None, 0
	if !g.loose {
		c.loosen(g)
	}
	if g.interrupted {
		g.interrupted = false
		g.until += halfPeriod
	}
	if g.assists {
		c.tell(g, wire.Assist, 0)
	}
}

// processor returns the id of a Running event.
func processor(e *step) uint32 {
	if p := e.Proc(); p >= 0 && p < wire.MaxID {
		return uint32(p) + 1
	}
	return 0
}

// stop takes that a goroutine lost its processor.
func (c *converter) stop(g *goroutine, t *exp.StateTransition, from exp.GoState) {
	cause := wire.Preempted
	switch {
	case from == exp.GoSyscall:
		cause = wire.Returned
	case t.Reason == "runtime.Gosched":
		cause = wire.Yielded
	}
	if s := c.stack(t.Stack); s != nil {
		if g.interrupted = cause == wire.Preempted && c.sampled(g, s); !g.interrupted {
			c.settle(g, s)
		}
		g.loose = false
	}
	c.tell(g, wire.Ready, uint32(cause), 0)
	c.queue(g)
}

// end takes the end of a goroutine.
func (c *converter) end(g *goroutine) {
	c.dequeue(g)
	c.leave(g)
	if g.started {
		c.put(g, c.now, wire.End, 0)
		c.flush(g)
		if g.timed {
			c.fired[g.start] = firing{g.number, c.now, g.meets}
		}
	}
	delete(c.goroutines, exp.GoID(g.id))
}

// during takes the begin or the end of a time in which something goes on.
func (c *converter) during(e *step) {
	r := e.about.(exp.Range)
	ends := e.Kind() == exp.EventRangeEnd
	switch {
	case strings.HasPrefix(r.Name, "stop-the-world"):
		if c.stopping == !ends {
			return
		}
		c.stopping = !ends
		for _, g := range c.ready {
			switch {
			case !g.started:
			case c.stopping:
				c.tell(g, wire.Stopped, 0)
			default:
				c.tell(g, wire.Ready, uint32(wire.Preempted), 0)
			}
		}
	case r.Name == "GC mark assist" && r.Scope.Kind == exp.ResourceGoroutine:
		g := c.goroutines[r.Scope.Goroutine()]
		if g == nil || g.assists == !ends {
			return
		}
		if g.assists = !ends; ends {
			c.tell(g, wire.Running, processor(e))
			return
		}
		if s := c.stack(e.Stack()); s != nil && e.Goroutine() == r.Scope.Goroutine() {
			c.settle(g, s)
			c.loosen(g)
		}
		c.tell(g, wire.Assist, 0)
	}
}

// halfPeriod is half of what a CPU profile samples after, ns of processor time.
const halfPeriod = 5_000_000

// sampled takes a stack of a goroutine that runs, and says whether it is of use: those of other stacks than its own are not. It stands for the time around it, as in a profile:
// half a period before and after, but no more than half the way to another sample. So does the stack at which a goroutine was interrupted.
func (c *converter) sampled(g *goroutine, s *stack) bool {
	if s == nil || !g.named || g.system || len(s.path) == 0 {
		return false
	}
	if !g.started && s.path[0].region == g.outer {
		c.begin(g)
	}
	if !g.loose || len(g.levels) == 0 || s.path[0].region != g.levels[0].region {
		return false
	}
	from := max(g.since, c.now-min(c.now, halfPeriod))
	if g.until > g.since && c.now > g.since { // by a sample
		from = max(from, g.since+(c.now-g.since)/2)
	}
	if n := len(g.waiting); n > 0 { // when it began to run, for instance
		from = max(from, g.waiting[n-1].time)
	}
	path := s.brief
	if slices.ContainsFunc(g.levels, func(f frame) bool { return f.user != nil }) { // which may have been begun in what that leaves out
		path = s.path
	}
	c.goes(g, path, from)
	c.loosen(g)
	g.until += halfPeriod
	return true
}

// finish ends all locations with the trace.
func (c *converter) finish() {
	for _, id := range c.left() {
		g := c.goroutines[id]
		if c.leave(g); g.started {
			c.leaves(g, c.latest, g.over())
			if g.before != nil {
				c.resume(g)
			}
			c.flush(g)
		}
	}
	c.note(c.box.close())
	c.note(c.out.Processors(c.processors))
	end := c.latest - min(c.latest, c.part.from)
	c.note(c.out.Exited(-1, trace.Stamp{Ticks: end, Mono: int64(end)}))
}

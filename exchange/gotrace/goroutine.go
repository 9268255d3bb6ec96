package gotrace

import (
	"maps"
	"slices"

	exp "golang.org/x/exp/trace"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// goroutine is a location in the making.
type goroutine struct {
	id, number, creator uint64
	object              uint32 // of its waits, 0 for none yet
	start, outer        uint32 // regions of the function that it was started with, and of the outermost level; 0 for none
	named               bool   // that is known
	started             bool   // its Begin is written
	system              bool   // it is left out

	levels  []frame // that are open
	loose   bool    // it ran since its last stack: at which levels, the next one will tell
	since   uint64  // when it began to
	until   uint64  // the levels are taken for those of its last stack until then; since, unless that was sampled
	waiting []event // what it did since then

	wait        wire.Kind // the operation in which it is blocked
	outcome     wire.Outcome
	chosen      uint64 // object word of the select, or of what interrupted it
	unknown     bool   // it waits for something that is not known yet
	assists     bool   // it is in a GC assist
	blocked     uint64 // when its last wait began
	timed       bool   // a timer started it
	earlier     firing // of its function, before it was started
	meets       bool   // it let somebody go on, or waited for somebody, other than for a lock
	turns       bool   // it is a coroutine
	interrupted bool   // it lost its processor where its levels say
	turned      bool   // it has just let the one go on that it takes turns with, for which it waits next
	asleep      bool   // words still hold that it began asleep, waiting for that, in their second
	queued      int    // place among those that are ready, -1 if it is not

	before *situation // what it did before the part that is converted; nil once it is written
	words  []uint64   // events that are not written yet
	seq    uint64     // of the next piece
	last   uint64     // time of the last event
}

// event is an event that waits for levels.
type event struct {
	time uint64
	kind wire.Kind
	id   uint32
	n    int // words
	word uint64
}

// tell adds an event of a goroutine at the time of the event in progress.
func (c *converter) tell(g *goroutine, kind wire.Kind, id uint32, word ...uint64) {
	switch {
	case g.system:
	case !g.loose, c.now == g.since && len(g.waiting) == 0 && g.started: // the levels of its last stack are open
		c.put(g, c.now, kind, id, word...)
	default:
		e := event{time: c.now, kind: kind, id: id, n: len(word)}
		if e.n > 0 {
			e.word = word[0]
		}
		g.waiting = append(g.waiting, e)
	}
}

// loosen says that a goroutine goes on from here, nobody knows to where.
func (c *converter) loosen(g *goroutine) { g.loose, g.since, g.until = true, c.now, c.now }

// name takes a stack of a goroutine, or the one it was started with, as what it is called by.
func (c *converter) name(g *goroutine, s *stack) {
	if g.named || g.system {
		return
	}
	if s.system {
		c.dequeue(g)
		g.system, g.waiting, g.words = true, nil, nil
		return
	}
	g.named, g.start = true, s.start
	if len(s.path) > 0 {
		g.outer = s.path[0].region
	}
}

// number returns the number of a goroutine's location.
func (c *converter) number(g *goroutine) uint64 {
	if g.number == 0 {
		c.locations++
		g.number = c.locations
	}
	return g.number
}

// settle takes a stack at which a goroutine is now. Where it was since its last one is what both have in common.
func (c *converter) settle(g *goroutine, s *stack) {
	if c.name(g, s); g.system {
		return
	}
	c.begin(g)
	c.goes(g, s.path, c.now)
}

// goes takes that a goroutine is at a path from a time on, at the latest until which it was where that does not lead to.
func (c *converter) goes(g *goroutine, path []frame, from uint64) {
	n, k := g.common(path)
	c.back(g, n, from)
	for _, f := range path[k:] {
		c.put(g, from, wire.Enter, f.region)
	}
	g.levels = append(g.levels, path[k:]...)
}

// common returns how many levels are still open at a path, and how many functions of that they are, which go on from where they are there.
// What the program calls regions is open for as long as the function that began it.
func (g *goroutine) common(path []frame) (n, k int) {
	for moved := false; ; k++ {
		for n < len(g.levels) && g.levels[n].user != nil {
			if g.levels[n].user.over {
				return n, k
			}
			n++
		}
		if moved || n == len(g.levels) || k == len(path) || g.levels[n].region != path[k].region {
			return n, k
		}
		moved, g.levels[n].line = g.levels[n].line != path[k].line, path[k].line
		n++
	}
}

// begin begins the stream of a goroutine with the first that it did: it is in the function that it was started with.
func (c *converter) begin(g *goroutine) {
	if g.started {
		return
	}
	g.started = true
	t := c.now
	if len(g.waiting) > 0 {
		t = g.waiting[0].time
	}
	c.number(g)
	c.put(g, t, wire.Begin, g.start, g.creator)
	if g.outer != 0 {
		c.put(g, t, wire.Enter, g.outer)
		g.levels = append(g.levels, frame{region: g.outer})
	}
	if g.timed {
		c.put(g, t, wire.SleepBegin, c.operation(wire.Timer, nil))
		c.put(g, t, wire.Blocked, 0)
		if g.asleep = g.before == nil; g.asleep {
			g.words = append(g.words, wire.Head(wire.Time, 0, 0), t-c.part.from)
			if last := &g.earlier; last.end >= c.part.from && last.number != 0 && !last.meets {
				g.words[beginTime], g.words[beginCreator] = last.end-c.part.from, last.number
			}
		}
	}
}

// firing is the end of a goroutine that a timer started.
type firing struct {
	number, end uint64
	meets       bool
}

// What a goroutine begins with that a timer started: a time, and the begin, with who created it.
const (
	beginTime    = 1
	beginCreator = 3
)

// slept lets a goroutine that a timer started have slept since the wait of another one began at least, which it ends now. When the timer was set, and by whom, is not in the trace.
// But what is to be done again and again sets its timer each time: the last one of the same function that ended is taken to have done so, if that let nobody go on, as a deadline does,
// nor waited for anybody; or if whoever waits now is to be let go by all.
func (c *converter) slept(g, waiter *goroutine) {
	if !g.asleep || waiter.wait == wire.None {
		return
	}
	since, by := max(waiter.blocked, c.part.from), uint64(0)
	if last := &g.earlier; last.end > since && waiter.wait != wire.LockBegin && (waiter.wait == wire.JoinBegin || !last.meets) {
		since, by = last.end, last.number
	}
	if since -= c.part.from; since < g.words[beginTime] {
		g.words[beginTime], g.words[beginCreator] = since, by
	}
}

// back closes all but n levels when the time is over for which they stand, at the latest at a given one, and writes what waits.
func (c *converter) back(g *goroutine, n int, latest uint64) {
	over := max(min(g.until, latest), g.since)
	k := 0
	for ; k < len(g.waiting) && g.waiting[k].time < over; k++ {
		c.putEvent(g, &g.waiting[k])
	}
	c.close(g, over, n, n)
	for ; k < len(g.waiting); k++ {
		c.putEvent(g, &g.waiting[k])
	}
	g.waiting = g.waiting[:0]
}

func (c *converter) putEvent(g *goroutine, e *event) {
	if e.n > 0 {
		c.put(g, e.time, e.kind, e.id, e.word)
	} else {
		c.put(g, e.time, e.kind, e.id)
	}
}

// leave writes what waits of a goroutine of which no other stack comes: it is back in the function that it was started with.
func (c *converter) leave(g *goroutine) {
	if g.turns && !g.named && !g.system {
		g.named, g.start = true, c.function(&exp.StackFrame{Func: puller})
	}
	if !g.named || !g.loose || !g.started && len(g.waiting) == 0 {
		return
	}
	c.begin(g)
	c.back(g, min(len(g.levels), 1), c.now)
}

// pieceWords is the length from which on the events of a goroutine are written.
const pieceWords = 1 << 8

// put adds an event to the stream of a goroutine.
func (c *converter) put(g *goroutine, t uint64, kind wire.Kind, id uint32, words ...uint64) {
	if t = max(t, g.last); t < c.part.from {
		if g.before == nil {
			g.before = new(situation)
		}
		g.before.skip(kind, id, words)
		g.last = t
		return
	}
	if g.before != nil {
		c.resume(g)
	}
	c.events++
	delta := t - g.last
	if len(g.words) == 0 || delta > wire.MaxDelta {
		g.words = append(g.words, wire.Head(wire.Time, 0, 0), t-c.part.from)
		delta = 0
	}
	if g.words = append(g.words, wire.Head(kind, id, delta)); len(words) > 0 { // which appending nothing is not free of
		g.words = append(g.words, words[0])
	}
	if g.last = t; len(g.words) >= pieceWords {
		c.flush(g)
	}
}

// flush writes the events of a goroutine.
func (c *converter) flush(g *goroutine) {
	if len(g.words) > 0 {
		c.note(c.box.chunk(trace.RawChunk{Location: g.number, GoID: g.id, Seq: g.seq, Words: g.words}))
		g.words, g.asleep = g.words[:0], false
		g.seq++
	}
}

// object returns the object on which the waits of a goroutine are.
func (c *converter) object(g *goroutine) uint32 {
	if g.object == 0 {
		g.object = c.newObject(wire.Waits)
	}
	return g.object
}

func (c *converter) newObject(kind wire.ObjectKind) uint32 {
	c.objects++
	c.note(c.box.define(wire.Def{Type: wire.DefObject, ID: c.objects, Object: kind}))
	return c.objects
}

// interrupt returns what tells of the next wait for the network that the program interrupts.
func (c *converter) interrupt() uint64 {
	if c.stream == 0 {
		c.stream = c.newObject(wire.Stream)
	}
	c.interrupts++
	return wire.ObjectWord(c.stream, c.interrupts)
}

// queue notes that a goroutine is ready to run.
func (c *converter) queue(g *goroutine) {
	if g.system || g.queued >= 0 {
		return
	}
	g.queued = len(c.ready)
	c.ready = append(c.ready, g)
	if c.stopping && g.started {
		c.tell(g, wire.Stopped, 0)
	}
}

// dequeue notes that it is not.
func (c *converter) dequeue(g *goroutine) {
	if i := g.queued; i >= 0 {
		last := c.ready[len(c.ready)-1]
		c.ready[i], last.queued = last, i
		c.ready = c.ready[:len(c.ready)-1]
		g.queued = -1
	}
}

// left returns the goroutines that have not ended, in their order.
func (c *converter) left() []exp.GoID { return slices.Sorted(maps.Keys(c.goroutines)) }

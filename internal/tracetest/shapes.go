package tracetest

import (
	"tracerec/trace"
	"tracerec/trace/wire"
)

// A Shape is a kind of program whose archives cost an analysis much of one thing.
type Shape struct {
	Name string
	// Write adds a process with at least the given number of events, as Synthetic does. Memory does not depend on their number, but where goroutines
	// are short-lived on that of these.
	Write func(w *trace.Writer, events int, seed uint64) error
}

// Shapes are all of them.
var Shapes = []Shape{
	{"stencil", Synthetic},
	{"regions", shape(nestedRegions)},
	{"lock", shape(lockLoop)},
	{"locks", shape(contendedLock)},
	{"pingpong", shape(pingPong)},
	{"fanin", shape(fanIn)},
	{"select", shape(selects)},
	{"pipeline", shape(pipeline)},
}

// shape makes the function that adds a process of what write writes, and a main goroutine that waits for the others.
func shape(write func(g *generator, events int)) func(w *trace.Writer, events int, seed uint64) error {
	return func(w *trace.Writer, events int, seed uint64) error {
		g, err := newGenerator(w, "./shape", seed)
		if err != nil {
			return err
		}
		g.main = g.newStream(1)
		g.main.put(us, wire.Enter, regionMain)
		write(g, events)
		if g.started > 0 {
			g.main.put(us, wire.JoinBegin, regionWait, objectGroup)
			g.main.wait(g.ended, us)
		}
		g.main.put(us, wire.Exit, 0)
		g.main.put(us, wire.End, 0)
		g.main.flush()
		return g.close()
	}
}

// start starts n goroutines.
func (g *generator) start(n int) []*stream {
	list := make([]*stream, n)
	g.main.put(us/8, wire.Add, 0, wire.ObjectWord(objectGroup, uint32(n)))
	for i := range list {
		g.started++
		g.main.put(us/8, wire.Create, regionGo, g.started+1)
		list[i] = g.newStream(g.started + 1)
		list[i].now = g.main.now
		list[i].put(us/4, wire.Begin, regionWorker, 1)
	}
	return list
}

// end ends goroutines, for which main waits.
func (g *generator) end(list []*stream) {
	for _, s := range list {
		s.put(us/8, wire.Done, 0, wire.ObjectWord(objectGroup, 1))
		g.ended = max(g.ended, s.now)
		s.put(us/8, wire.End, 0)
		s.flush()
	}
}

// nestedRegions is goroutines that compute.
func nestedRegions(g *generator, events int) {
	all := g.start(8)
	for g.events < events {
		for _, s := range all {
			s.put(g.random(us/8), wire.Enter, regionStep)
			for i := range uint32(4) {
				s.put(g.random(us/8), wire.Enter, regionFlux+i)
				s.put(g.random(us), wire.Exit, 0)
			}
			s.put(g.random(us/8), wire.Exit, 0)
		}
	}
	g.end(all)
}

// lockLoop is one goroutine that locks and unlocks.
func lockLoop(g *generator, events int) {
	for g.events < events {
		g.main.put(g.random(us/8), wire.LockBegin, regionLock, objectLock)
		g.main.put(g.random(us/16), wire.Leave, 0)
		g.main.put(g.random(us/8), wire.Release, 0, objectLock)
	}
}

// contendedLock is goroutines that want the same lock.
func contendedLock(g *generator, events int) {
	all := g.start(8)
	for g.events < events {
		g.handOver(all)
	}
	g.end(all)
}

// passed ends the channel operation in progress as wait does; its value has a number.
func (s *stream) passed(ready, wakeup, number uint64) {
	const try = us / 10
	if ready > s.now+try {
		s.put(try, wire.Blocked, 0)
		s.put(ready+wakeup-s.now, wire.Passed, 0, number)
		return
	}
	s.put(try+us/20, wire.Passed, 0, number)
}

// pingPong is two goroutines that hand a value to each other over channels without buffers.
func pingPong(g *generator, events int) {
	all := g.start(2)
	for number := uint64(1); g.events < events; number++ {
		for i, from := range all {
			to, object := all[1-i], uint64(objectPair+i)
			to.put(us/8, wire.RecvBegin, regionTake, object)
			from.put(g.random(us/4), wire.SendBegin, regionHandOver, object)
			sent, asked := from.now, to.now
			from.passed(asked, g.random(us/8), number)
			to.passed(sent, g.random(us), number)
		}
	}
	g.end(all)
}

// fanIn is many goroutines that send to one, which is the slowest.
func fanIn(g *generator, events int) {
	all := g.start(workers)
	to, number := g.start(1)[0], uint64(0)
	for g.events < events {
		for _, s := range all {
			number++
			s.put(g.random(2*us), wire.SendBegin, regionSend, objectHalo)
			sent := s.now
			s.passed(to.now, g.random(us/4), number)
			to.put(g.random(us/8), wire.RecvBegin, regionRecv, objectHalo)
			to.passed(sent, g.random(us/4), number)
		}
	}
	g.end(append(all, to))
}

// selects is goroutines that take from whichever of two channels has something.
func selects(g *generator, events int) {
	all := g.start(8)
	var numbers, room [2]uint64
	for g.events < events {
		for i, s := range all[:4] {
			to, which := all[4+i], g.rng.IntN(2)
			numbers[which]++
			object := uint64(objectHalo + which)
			s.put(g.random(us), wire.SendBegin, regionSend, object)
			sent := s.now
			s.passed(room[which], g.random(us/4), numbers[which])
			to.put(g.random(us/8), wire.SelectBegin, regionRecv)
			room[which] = to.now
			if sent > to.now {
				to.put(us/10, wire.Blocked, 0)
			}
			to.now = max(to.now, sent)
			to.put(g.random(us/4), wire.Chose, uint32(wire.Received), wire.ObjectWord(uint32(object), uint32(numbers[which])))
		}
	}
	g.end(all)
}

// pipeline is a goroutine for every value, which takes it from the one before and hands it to the next: up to a million, which then have more to do with it.
func pipeline(g *generator, events int) {
	const most, handing = 1e6, 12 // events of a goroutine that visits its region once
	var before uint64
	visits := 1 + max(0, events/most-handing)/2
	for number := uint64(1); g.events < events; number++ {
		one := g.start(1)
		s, in, out := one[0], uint64(objectHalo+number%2), uint64(objectHalo+(number+1)%2)
		if number > 1 {
			s.put(us/8, wire.RecvBegin, regionRecv, in)
			s.passed(before, g.random(us/4), (number-2)/2+1)
		}
		for range visits {
			s.put(g.random(us/8), wire.Enter, regionStep)
			s.put(g.random(us), wire.Exit, 0)
		}
		s.put(us/8, wire.SendBegin, regionSend, out)
		before = s.now
		s.put(us/8, wire.Passed, 0, (number-1)/2+1)
		g.end(one)
	}
}

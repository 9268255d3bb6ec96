package gotrace

import (
	"tracerec/trace/wire"
)

// part is the time of a trace that is converted, from its start, ns. What goroutines did before it is not written but followed, so that each begins where it is.
type part struct{ from, to uint64 }

// situation is where a goroutine is when the part begins: what is open, and what it does there.
type situation struct {
	start     uint32   // region of its Begin
	levels    []uint32 // regions that are open
	operation event    // that is open within them; kind None: none
	blocked   bool     // in it
	does      event    // the state that it is in
}

// skip follows an event before the part.
func (s *situation) skip(kind wire.Kind, id uint32, words []uint64) {
	e := event{kind: kind, id: id, n: len(words)}
	if e.n > 0 {
		e.word = words[0]
	}
	switch kind {
	case wire.Begin:
		s.start = id
	case wire.Enter:
		s.levels = append(s.levels, id)
	case wire.Exit:
		s.levels = s.levels[:max(0, len(s.levels)-int(id)-1)]
	case wire.Blocked:
		s.blocked = true
	case wire.Leave, wire.Chose, wire.Reached:
		s.operation, s.blocked = event{}, false
	case wire.Ready:
		e.word = 0 // who woke it may be nobody by now
		s.does = e
	case wire.Running, wire.Syscall, wire.Assist, wire.Stopped, wire.Parked:
		s.does = e
	default:
		if kind.Does() == wire.Opens {
			s.operation = e
		}
	}
}

// resume begins the stream of a goroutine that was there when the part began.
func (c *converter) resume(g *goroutine) {
	s := g.before
	g.before = nil
	put := func(e event) {
		e.time = c.part.from
		c.putEvent(g, &e)
	}
	put(event{kind: wire.Begin, id: s.start, n: 1})
	for _, region := range s.levels {
		put(event{kind: wire.Enter, id: region})
	}
	if s.operation.kind != wire.None {
		put(s.operation)
	}
	if s.blocked {
		put(event{kind: wire.Blocked})
	}
	if s.does.kind != wire.None && s.does.kind != wire.Running {
		put(s.does)
	}
}

package trace

import (
	"fmt"

	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// Check verifies everything there is to verify and returns what is wrong, damage seen by Open included:
// besides what Open and Decode find, that the times of a location ascend, that no level of its call path
// is closed that is not open, that Leave closes an operation and Exit regions, that a select ends before anything
// else happens, that Blocked and OnceRun lie in an operation, and that objects are defined and of the kind that the operation needs.
func (a *Archive) Check() []Problem {
	c := checker{a: a, problems: append([]Problem(nil), a.problems...), locations: make([]checked, len(a.defs.Locations))}
	for _, l := range a.gaps {
		c.locations[l].lost = true
	}
	d := a.NewDecoder()
	var buf Buffer
	for _, chunk := range a.chunks {
		c.chunk = chunk
		batches, err := d.Decode(chunk, &buf)
		if err != nil {
			c.problems = append(c.problems, err.(Problem))
			for _, l := range chunk.Locations {
				c.locations[l].lost = true
			}
			continue
		}
		for i := range batches {
			c.batch(&batches[i])
		}
	}
	return c.problems
}

// checked is what was seen of a location.
type checked struct {
	open    levels.Stack[struct{}]
	last    int64
	started bool
	lost    bool // a part of the stream is missing: levels are not known any more
}

type checker struct {
	a         *Archive
	chunk     *Chunk
	problems  []Problem
	locations []checked
	reported  int
}

func (c *checker) report(b *Batch, e *Event, format string, args ...any) {
	const most = 1000
	if c.reported++; c.reported > most {
		return
	}
	l := c.a.defs.Locations[b.Location]
	what := fmt.Sprintf("location %d of process %d at %d ns: %s: ", l.Number, l.Process, e.Time, e.Kind)
	c.problems = append(c.problems, Problem{c.chunk.segment.name, c.chunk.offset, what + fmt.Sprintf(format, args...)})
}

func (c *checker) batch(b *Batch) {
	l := &c.locations[b.Location]
	for i := range b.Events {
		e := &b.Events[i]
		if l.started && e.Time < l.last {
			c.report(b, e, "is %d ns earlier than the previous event", l.last-e.Time)
		}
		l.started, l.last = true, e.Time
		c.nesting(b, l, e)
		c.object(b, e)
	}
}

// nesting follows the call path.
func (c *checker) nesting(b *Batch, l *checked, e *Event) {
	report := func(wrong bool, format string, args ...any) {
		if wrong && !l.lost {
			c.report(b, e, format, args...)
		}
	}
	if l.open.Forgets(e.Kind) {
		l.open.Forget()
		report(true, "the previous select ended without sel.Received, sel.Sent or sel.Default")
	}
	top := wire.None
	if l := l.open.Top(); l != nil {
		top = l.Kind
	}
	within := top != wire.None && top != wire.Enter
	switch does := e.Kind.Does(); does {
	case wire.Opens:
		report(within && e.Kind != wire.Enter && !nests(top), "is inside a %s", top)
		l.open.Open(e.Kind)
	case wire.Tells:
		report(e.Kind == wire.Blocked && !within, "no operation is open")
		report(e.Kind == wire.Blocked && e.ID == wire.Timed && within && top != wire.SelectBegin, "a %s has no case of a timer", top)
		report(e.Kind == wire.TaskLeft && l.open.Region(e.ID) < 0, "no region has so many in it: %d", e.ID)
		report(e.Kind == wire.OnceRun && top != wire.OnceBegin, "no once is open")
	case wire.Exits, wire.Loses, wire.Leaves, wire.Ends:
		closed, missing := l.open.Close(e.Kind, e.ID)
		if does == wire.Leaves {
			ends := len(closed) == 1 && closed[0].Operation()
			report(!ends || (e.Kind == wire.Chose) != (top == wire.SelectBegin) && e.ID != uint32(wire.Failed) && e.ID != uint32(wire.Panicked),
				"does not end an open operation")
			report(ends && (e.Kind == wire.Passed && top != wire.SendBegin && top != wire.RecvBegin || e.Kind == wire.Reached && top != wire.NetworkBegin), "ends a %s", top)
			return
		}
		report(does == wire.Exits && e.ID == 0 && len(closed) == 1 && closed[0].Operation(), "closes a %s", top)
		n := uint64(e.ID)
		if does == wire.Exits {
			n++
		}
		report(missing > 0, "levels to close: %d, open: %d", n, n-missing)
	}
}

// nests says whether other operations may happen within one of kind k: the function of a Once, and the
// lock of a Cond.
func nests(k wire.Kind) bool { return k == wire.OnceBegin || k == wire.CondBegin }

// object checks the object of an event.
func (c *checker) object(b *Batch, e *Event) {
	if !classOf[e.Kind].hasObject() {
		return
	}
	index, _ := e.Object()
	if index == NoObject {
		return
	}
	spec, _ := wire.SpecOf(e.Kind)
	kind, want := c.a.defs.Objects[index].Kind, spec.Object
	switch {
	case kind == 0:
		c.report(b, e, "the object is not defined")
	case kind != want && kind != wire.Waits && !(want == wire.Mutex && kind == wire.RWMutex) && !(want == wire.Channel && kind.IsChannel()):
		c.report(b, e, "the object is of the wrong kind (%d, not %d)", kind, want)
	}
}

package otf2

import (
	"fmt"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Words for outcomes and kinds of objects.
var (
	outcomeNames = [...]string{wire.OK: "ok", wire.Closed: "closed", wire.Panicked: "panicked", wire.Failed: "failed", wire.Sent: "sent", wire.Received: "received"}
	objectNames  = [...]string{0: "object", wire.Channel: "channel", wire.Mutex: "mutex", wire.RWMutex: "RWMutex", wire.WaitGroup: "WaitGroup", wire.Cond: "condition variable",
		wire.Once: "Once", wire.Barrier: "barrier", wire.Stream: "connection", wire.Waits: "waits", wire.TimerChannel: "timer", wire.SignalChannel: "signals"}
)

// pass writes an event of a location.
func (x *exporter) pass(t *thread, l trace.LocationID, e *trace.Event, values []uint64) {
	if t.open.Forgets(e.Kind) {
		x.leave(t, t.open.Forget().Of.region)
	}
	self, process := uint64(l)+1, uint64(x.defs.Locations[l].Process)
	switch {
	case e.Kind.Does() == wire.Opens:
		region := x.known(e.ID)
		level := t.open.Open(e.Kind)
		if level.region = region; e.Kind == wire.LockBegin && locks(e) {
			level.lock = uint32(e.Word)
		}
		x.say(e, true)
		x.put(t, idEnter, uint64(region))
	case e.Kind == wire.Begin:
		x.put(t, idThreadBegin, process, self)
		if t.own == 0 && t.open.Top() == nil {
			region := x.known(e.ID)
			t.own = region + 1
			x.put(t, idEnter, uint64(region))
		}
	case e.Kind == wire.Create:
		x.say(e, true)
		x.put(t, idThreadCreate, process, e.Word)
	case e.Kind == wire.Sample && int(e.ID) < len(x.metrics):
		x.put(t, idMetric, x.metrics[e.ID], 1, typeInt64, e.Word)
	case e.Kind == wire.Counters && x.counters[process] != none && len(values) == len(x.defs.Processes[process].Counters)+1:
		list := []uint64{x.counters[process], uint64(len(values))}
		for _, v := range values {
			list = append(list, asNumber, v)
		}
		x.put(t, idMetric, list...)
	case e.Kind == wire.Release && locks(e):
		x.say(e, true)
		object, _ := e.Object()
		x.put(t, idThreadReleaseLock, goroutines, uint64(object), x.orders[object])
	case e.Kind.Does() >= wire.Exits:
		x.closes(t, e)
	default:
		x.tell(t, e)
	}
	if e.Kind == wire.End {
		x.shut(t)
		t.ended = true
		x.put(t, idThreadEnd, process, self)
	}
}

// locks says whether an event is about an exclusive lock.
func locks(e *trace.Event) bool {
	object, mode := e.Object()
	return object != trace.NoObject && mode == wire.Exclusive
}

// closes writes what an event ends.
func (x *exporter) closes(t *thread, e *trace.Event) {
	if e.Kind == wire.Lost {
		x.tell(t, e)
	}
	if op := t.open.Operation(); op != nil && op.Of.lock > 0 && e.Kind == wire.Leave && wire.Outcome(e.ID) == wire.OK {
		object := op.Of.lock - 1
		x.orders[object]++
		x.put(t, idThreadAcquireLock, goroutines, uint64(object), x.orders[object])
	}
	closed, _ := t.open.Close(e.Kind, e.ID)
	for i := len(closed) - 1; i >= 0; i-- {
		if i == 0 && e.Kind.Does() == wire.Leaves {
			x.say(e, true)
		}
		x.leave(t, closed[i].Of.region)
	}
}

// shut writes the end of all that is open.
func (x *exporter) shut(t *thread) {
	closed, _ := t.open.Close(wire.End, 0)
	for i := len(closed) - 1; i >= 0; i-- {
		x.leave(t, closed[i].Of.region)
	}
	if t.own > 0 {
		x.leave(t, t.own-1)
	}
	t.own = 0
}

// leave writes the end of a region.
func (x *exporter) leave(t *thread, region uint32) { x.put(t, idLeave, uint64(region)) }

// tell writes an event as a parameter: its object, its word, or what it says by its id.
func (x *exporter) tell(t *thread, e *trace.Event) {
	const asText, asUnsigned = 0, 2
	spec, _ := wire.SpecOf(e.Kind)
	id, known := x.parameters[e.Kind]
	if !known {
		id = uint64(len(x.parameters))
		x.parameters[e.Kind] = id
		kind := uint64(asUnsigned)
		if spec.Object != 0 {
			kind = asText
		}
		x.w.define("Parameter", nil, id, x.text(spec.Name), kind)
	}
	x.say(e, false)
	switch {
	case spec.Object != 0:
		object, _ := e.Object()
		x.put(t, idParameterString, id, x.object(object))
	case len(spec.Words) > 0:
		x.put(t, idParameterUnsignedInt, id, e.Word)
	default:
		x.put(t, idParameterUnsignedInt, id, uint64(e.ID))
	}
}

// say adds attributes that tell what an event of package trace says beyond the one that is put next, with or without the object.
func (x *exporter) say(e *trace.Event, named bool) {
	spec, _ := wire.SpecOf(e.Kind)
	add := func(id, kind, value uint64) {
		x.event.Attributes = append(x.event.Attributes, Attribute{id, kind, value})
	}
	object, extra := e.Object()
	if spec.Object != 0 && object != trace.NoObject {
		if named {
			add(attributeObject, asString, x.object(object))
		}
		if extra != 0 {
			add(attributeNumber, asNumber, uint64(extra))
		}
	}
	if e.Kind == wire.Passed {
		add(attributeNumber, asNumber, e.Word)
	}
	switch {
	case spec.ID == wire.OutcomeID && e.ID != 0 && int(e.ID) < len(outcomeNames):
		add(attributeOutcome, asString, x.text(outcomeNames[e.ID]))
	case spec.ID == wire.RegionID && e.Kind.Does() != wire.Opens:
		add(attributeRegion, asRegion, uint64(x.known(e.ID)))
	case spec.ID == wire.CauseID:
		add(attributeNumber, asNumber, uint64(e.ID))
	}
}

// put writes an event, with the attributes that were added.
func (x *exporter) put(t *thread, id uint8, values ...uint64) {
	e := &x.event
	e.Spec, e.Values = SpecOf(Events, id), append(e.Values[:0], values...)
	t.to.Write(e)
	t.last = e.Time
	e.Attributes = e.Attributes[:0]
}

// known returns a region that is defined.
func (x *exporter) known(region uint32) uint32 { return min(region, uint32(len(x.defs.Regions))) }

// object returns the name of an object.
func (x *exporter) object(index uint32) uint64 {
	switch {
	case index == trace.NoObject:
		return x.text("nil")
	case int(index) >= len(x.objects):
		return x.text("unknown object")
	}
	if n := x.objects[index]; n > 0 {
		return n - 1
	}
	o := &x.defs.Objects[index]
	kind := objectNames[0]
	if int(o.Kind) < len(objectNames) && objectNames[o.Kind] != "" {
		kind = objectNames[o.Kind]
	}
	name := fmt.Sprintf("%s %d", kind, index+1)
	if r := o.Region; int(r) < len(x.defs.Regions) && x.defs.Regions[r].File != "" {
		name += fmt.Sprintf(" first used at %s:%d", x.defs.Regions[r].File, x.defs.Regions[r].Line)
	}
	x.objects[index] = x.text(name) + 1
	return x.objects[index] - 1
}

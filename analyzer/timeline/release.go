package timeline

import (
	"cmp"
	"slices"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// maxActs is how many events are looked at to find who ended the waits of a window.
const maxActs = 4 << 20

// ended is an operation that blocked and ended in the window.
type ended struct {
	row          *row
	kind         wire.Kind // of a select: what the chosen case did
	object, mode uint32
	begin, leave int64
}

// act is something that may end waits for an object.
type act struct {
	time     int64
	location trace.LocationID
	kind     wire.Kind
	mode     uint32 // or generation of a barrier
}

// object is what was done to an object in the window, and who alone did it, trace.NoLocation if it was several.
type object struct {
	acts []act
	by   map[wire.Kind]trace.LocationID
}

func (o *object) add(a act) {
	if by, done := o.by[a.kind]; !done {
		o.by[a.kind] = a.location
	} else if by != a.location {
		o.by[a.kind] = trace.NoLocation
	}
	o.acts = append(o.acts, a)
}

// releases finds who ended the waits of the rows, as far as that follows from the window alone. Where several might have, as among
// senders and receivers that share a channel, nobody is named: the analysis knows, and names those of the longest waits.
func (w *window) releases() {
	if len(w.ended) == 0 {
		return
	}
	objects := map[uint32]*object{}
	for _, e := range w.ended {
		objects[e.object] = &object{by: map[wire.Kind]trace.LocationID{}}
	}
	if !w.acts(objects) {
		return
	}
	for _, o := range objects {
		slices.SortStableFunc(o.acts, func(a, b act) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.location, b.location)) })
	}
	for i := range w.ended {
		e := &w.ended[i]
		a := e.release(objects[e.object], w.out.Begin)
		if a == nil {
			continue
		}
		from := w.place(a.location)
		if from == none {
			continue
		}
		w.out.Arrows = append(w.out.Arrows, report.Arrow{From: from, FromTime: a.time, To: e.row.out.Location, ToTime: max(a.time, e.leave),
			Kind: arrowKind[a.kind]})
	}
}

// place returns the location of the experiment that a goroutine is, none if it is not alone and another one is shown.
func (w *window) place(id trace.LocationID) uint32 {
	if x := w.rows[id]; x != nil {
		return x.out.Location
	}
	l := w.r.locations[id]
	if l != none && w.r.e.Locations[l].Count > 1 {
		return none
	}
	return l
}

// arrowKind names what somebody did that let another one go on.
var arrowKind = map[wire.Kind]string{wire.Release: "unlock", wire.Done: "done", wire.BarrierBegin: "barrier", wire.Signal: "signal",
	wire.Broadcast: "broadcast", wire.SendBegin: "send", wire.RecvBegin: "receive", wire.Close: "close"}

// acts collects what all locations did to some objects in the window; false if that is too much.
func (w *window) acts(of map[uint32]*object) bool {
	var chunks []*trace.Chunk
	events := 0
	for _, c := range w.r.archive.Chunks() {
		if c.Last >= w.out.Begin && c.First <= w.out.End {
			chunks = append(chunks, c)
			events += c.Events
		}
	}
	if events > maxActs {
		return false
	}
	d := w.r.decoders.Get().(*decoder)
	defer w.r.decoders.Put(d)
	for _, c := range chunks {
		batches, err := d.Decode(c, &d.buf)
		if err != nil {
			w.truncate("%v", err)
		}
		for i := range batches {
			b := &batches[i]
			for j := range b.Events {
				if a := actOf(&b.Events[j]); a.kind != wire.None {
					index, _ := b.Events[j].Object()
					if o := of[index]; o != nil {
						a.location = b.Location
						o.add(a)
					}
				}
			}
		}
	}
	return true
}

// actOf returns what an event does to its object, with kind None if it ends nobody's wait.
func actOf(e *trace.Event) act {
	_, mode := e.Object()
	a := act{time: e.Time, kind: e.Kind, mode: mode}
	switch e.Kind {
	case wire.Release, wire.Done, wire.BarrierBegin, wire.Signal, wire.Broadcast, wire.SendBegin, wire.RecvBegin, wire.Close:
	case wire.Chose:
		a.kind = caseOf(wire.Outcome(e.ID))
	default:
		a.kind = wire.None
	}
	return a
}

// caseOf returns what the chosen case of a select did.
func caseOf(o wire.Outcome) wire.Kind {
	switch o {
	case wire.Sent:
		return wire.SendBegin
	case wire.Received, wire.Closed:
		return wire.RecvBegin
	}
	return wire.None
}

// release returns the act that ended a wait, nil if that is not certain. Acts ascend in time; all from a time on are known.
func (e *ended) release(o *object, known int64) *act {
	var first, last *act
	n := 0
	from, _ := slices.BinarySearchFunc(o.acts, e.begin, func(a act, t int64) int { return cmp.Compare(a.time, t) })
	for i := from; i < len(o.acts) && o.acts[i].time <= e.leave; i++ {
		a := &o.acts[i]
		if e.kind == wire.BarrierBegin && a.kind == e.kind && a.mode == e.mode {
			last = a // who came last, be it the one that waited
		}
		if a.location == e.row.id || !e.releasedBy(a) {
			continue
		}
		if n++; first == nil {
			first = a
		}
		last = a
	}
	switch {
	case last == nil || last.location == e.row.id:
		return nil
	case e.kind == wire.LockBegin || e.kind == wire.JoinBegin || e.kind == wire.BarrierBegin: // whoever came last opened the way
		return last
	case e.begin >= known && (n == 1 || o.alone(e.kind, e.row.id)): // nobody else waits there, so the first one served it
		return first
	}
	return nil
}

// alone says whether only one location did something to an object.
func (o *object) alone(kind wire.Kind, location trace.LocationID) bool {
	by, done := o.by[kind]
	return !done || by == location
}

// releasedBy says whether an act can end a wait of this kind.
func (e *ended) releasedBy(a *act) bool {
	switch e.kind {
	case wire.LockBegin:
		return a.kind == wire.Release && (e.mode == wire.Exclusive || a.mode == wire.Exclusive)
	case wire.JoinBegin:
		return a.kind == wire.Done
	case wire.CondBegin:
		return a.kind == wire.Signal || a.kind == wire.Broadcast
	case wire.SendBegin:
		return a.kind == wire.RecvBegin
	case wire.RecvBegin:
		return a.kind == wire.SendBegin || a.kind == wire.Close
	}
	return false
}

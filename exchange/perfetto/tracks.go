package perfetto

import (
	"fmt"
	"sort"

	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// track is a location on its way through time.
type track struct {
	name      string // in the experiment, "" unknown
	open      levels.Stack[struct{}]
	inner     []inner // open slices within operations, in the order in which they began
	own       bool    // the slice of its function is open, around all levels
	begun     uint32  // 1 + region of its function, 0 unknown
	described bool
	state     bool // the slice of a state is open, within all others
	seen      bool // has had events
	ended     bool
	created   uint64   // flow from its creation that has not arrived yet, 0 none
	createdAt int64    // time of it
	leads     []uint64 // flows that begin here, now
	arrives   []uint64 // flows that end here, now
	counters  *counterState
}

// inner is an open slice within an operation: a wait, or the wake-up.
type inner struct {
	level int   // of the operation: the innermost of so many
	wait  int32 // index of the wait, wakeUp if it is none
}

const wakeUp = -1

// innermost returns the innermost open slice within the innermost level, nil if there is none.
func (k *track) innermost() *inner {
	if n := len(k.inner) - 1; n >= 0 && k.inner[n].level == len(k.open.Levels) {
		return &k.inner[n]
	}
	return nil
}

// inOperation says whether the innermost level is an operation.
func (k *track) inOperation() bool {
	top := k.open.Top()
	return top != nil && top.Operation()
}

// beginSlice begins a slice.
func (x *exporter) beginSlice(l trace.LocationID, category string, e event) {
	e.kind, e.category = sliceBegin, x.categoryID(category)
	e.track = x.uuid(l)
	x.packets.event(x.now, &e)
}

// endSlice ends the innermost slice.
func (x *exporter) endSlice(l trace.LocationID) {
	x.packets.event(x.now, &event{kind: sliceEnd, track: x.uuid(l)})
}

// endInner ends the innermost slice within an operation.
func (x *exporter) endInner(l trace.LocationID) {
	k := &x.tracks[l]
	k.inner = k.inner[:len(k.inner)-1]
	x.endSlice(l)
}

// shut ends the slice of a level that is not open any more, the innermost of n, and those within it.
func (x *exporter) shut(l trace.LocationID, n int) {
	for k := &x.tracks[l]; len(k.inner) > 0 && k.inner[len(k.inner)-1].level >= n; {
		x.endInner(l)
	}
	x.endSlice(l)
}

// close ends what an event closes.
func (x *exporter) close(l trace.LocationID, kind wire.Kind, id uint32) {
	k := &x.tracks[l]
	x.endState(l)
	closed, _ := k.open.Close(kind, id)
	for n := len(k.open.Levels) + len(closed); n > len(k.open.Levels); n-- {
		x.shut(l, n)
	}
	if kind == wire.End && k.own {
		k.own = false
		x.endSlice(l)
	}
}

// event shows an event of a location.
func (x *exporter) event(l trace.LocationID, e *trace.Event, values []uint64) {
	k := &x.tracks[l]
	if k.ended {
		return
	}
	if !k.seen {
		x.appear(l)
	}
	x.endState(l)
	if k.open.Forgets(e.Kind) { // it went on without telling which case it took
		k.open.Forget()
		x.shut(l, len(k.open.Levels)+1)
	}
	switch {
	case e.Kind.Does() == wire.Opens:
		x.opens(l, e)
	case e.Kind == wire.Begin:
		x.begins(l, e)
	case e.Kind == wire.Create:
		x.create(l, e)
	case e.Kind == wire.Sample:
		x.sample(l, e)
	case e.Kind == wire.Counters:
		x.count(l, values)
	case x.states[e.Kind] != "":
		x.does(l, e.Kind)
	case e.Kind.Does() == wire.Acts:
		spec, _ := wire.SpecOf(e.Kind)
		x.point(l, e, spec.ID == wire.RegionID)
	default:
		x.close(l, e.Kind, e.ID)
		k.ended = e.Kind == wire.End
		if e.Kind == wire.Lost {
			x.instant(l, "events lost", regionNames{}, nil, nil)
		}
	}
}

// opens shows an event that opens a level.
func (x *exporter) opens(l trace.LocationID, e *trace.Event) {
	k := &x.tracks[l]
	for v := k.innermost(); v != nil && v.wait != wakeUp; v = k.innermost() { // something else happens in the operation
		x.endInner(l)
	}
	k.open.Open(e.Kind)
	r := x.region(e.ID)
	if e.Kind == wire.Enter {
		x.beginSlice(l, "region", event{name: r.name, source: r.source})
		return
	}
	x.beginSlice(l, "operation", event{name: r.name, source: r.source, flows: k.leads, ends: k.arrives})
	k.leads, k.arrives = k.leads[:0], k.arrives[:0]
}

// begins shows that the function of a location begins.
func (x *exporter) begins(l trace.LocationID, e *trace.Event) {
	k := &x.tracks[l]
	if k.begun = e.ID + 1; k.own || k.open.Top() != nil {
		return // damage: a location begins once, before all else
	}
	k.own = true
	r := x.region(e.ID)
	x.beginSlice(l, "goroutine", event{name: r.name, source: r.source, ends: k.arrives})
	k.arrives = k.arrives[:0]
}

// point shows an event without duration.
func (x *exporter) point(l trace.LocationID, e *trace.Event, hasRegion bool) {
	k := &x.tracks[l]
	if hasRegion {
		x.instant(l, "", x.region(e.ID), k.leads, nil)
	} else {
		x.instant(l, e.Kind.String(), regionNames{}, k.leads, nil)
	}
	k.leads = k.leads[:0]
}

// endWait ends a wait, and those within it, if it is open.
func (x *exporter) endWait(l trace.LocationID, wait int32) {
	k := &x.tracks[l]
	n := len(k.inner) - 1
	for n >= 0 && k.inner[n].level == len(k.open.Levels) && k.inner[n].wait != wakeUp && k.inner[n].wait != wait {
		n--
	}
	if n < 0 || k.inner[n].level != len(k.open.Levels) || k.inner[n].wait != wait {
		return
	}
	for len(k.inner) > n {
		x.endInner(l)
	}
}

// flow returns a new flow.
func (x *exporter) flow() uint64 {
	x.flows++
	return x.flows
}

// create shows that a location starts another one.
func (x *exporter) create(l trace.LocationID, e *trace.Event) {
	k := &x.tracks[l]
	if child := e.Other(); int(child) < len(x.tracks) {
		if c := &x.tracks[child]; !c.seen && c.created == 0 && x.defs.Locations[child].Events > 0 {
			c.created, c.createdAt = x.flow(), x.now
			k.leads = append(k.leads, c.created)
		}
	}
	x.point(l, e, true)
}

// appear lets the flow from the creation of a location arrive, at its first event.
func (x *exporter) appear(l trace.LocationID) {
	k := &x.tracks[l]
	k.seen = true
	switch {
	case k.created == 0:
	case k.createdAt < x.now:
		k.arrives = append(k.arrives, k.created)
		x.pending = append(x.pending, l)
	default:
		x.agenda.add(entry{time: x.now + 1, what: arrives, loc: l, arg: k.created})
	}
}

// plan puts a message on the agenda.
func (x *exporter) plan(m *message) {
	if !x.known(m.from) || !x.known(m.to) {
		return
	}
	flow := x.flow()
	x.agenda.add(entry{time: m.sent, what: leads, loc: m.from, arg: flow})
	if m.sent == m.received {
		x.agenda.add(entry{time: m.sent + 1, what: arrives, loc: m.to, arg: flow})
		return
	}
	x.agenda.add(entry{time: m.received, what: leadsTo, loc: m.to, arg: flow})
}

func (x *exporter) known(l trace.LocationID) bool { return int(l) < len(x.tracks) }

// do does what the agenda says.
func (x *exporter) do(e *entry) {
	switch e.what {
	case waitBegins:
		x.beginWait(int32(e.arg))
		return
	case processEnds:
		x.endProcess(int(e.arg))
		return
	}
	k := &x.tracks[e.loc]
	switch e.what {
	case waitEnds:
		x.endWait(e.loc, int32(e.arg))
	case wakes:
		x.wake(e.loc, e.arg)
	case leads:
		k.leads = append(k.leads, e.arg)
		x.pending = append(x.pending, e.loc)
	case leadsTo:
		k.arrives = append(k.arrives, e.arg)
		x.pending = append(x.pending, e.loc)
	case arrives:
		x.instant(e.loc, "goes on", regionNames{}, nil, []uint64{e.arg})
	}
}

// endProcess ends everything that is open when a process ends.
func (x *exporter) endProcess(process int) {
	list := x.defs.Locations // ascending by process
	first := sort.Search(len(list), func(i int) bool { return list[i].Process >= process })
	for l := first; l < len(list) && list[l].Process == process; l++ {
		x.close(trace.LocationID(l), wire.End, 0)
	}
}

// beginWait begins the slice of a wait, if the location is in an operation, and puts its end on the agenda. It is drawn within waits that
// last as long or longer; others of the operation end here.
func (x *exporter) beginWait(i int32) {
	w := &x.links.waits[i]
	if !x.known(w.location) {
		return
	}
	k := &x.tracks[w.location]
	for v := k.innermost(); v != nil && (v.wait == wakeUp || x.links.waits[v.wait].end < w.end); v = k.innermost() {
		x.endInner(w.location)
	}
	caused := x.known(w.causer)
	if k.inOperation() {
		causer := ""
		if caused {
			causer = x.trackName(w.causer)
		}
		k.inner = append(k.inner, inner{len(k.open.Levels), i})
		x.beginSlice(w.location, "wait", event{name: x.intern(x.metrics[w.metric].Title), causer: causer,
			notes: x.shares(w)})
		x.agenda.add(entry{time: w.end, what: waitEnds, loc: w.location, arg: uint64(i)})
	}
	if w.end >= w.until {
		return // nothing is left of the operation in which an arrow could end
	}
	flow := uint64(0)
	if caused && w.causer != w.location {
		flow = x.flow()
		x.agenda.add(entry{time: w.end, what: leads, loc: w.causer, arg: flow})
	}
	x.agenda.add(entry{time: w.end + 1, what: wakes, loc: w.location, arg: flow})
}

// shares returns how long a wait lasted that was merged, by wait state: moments in between are not counted.
func (x *exporter) shares(w *wait) []note {
	x.notes = x.notes[:0]
	for _, p := range x.links.parts[w.first:][:w.count] {
		x.notes = append(x.notes, note{x.metrics[p.metric].Title + " (ns)", uint64(p.time)})
	}
	return x.notes
}

// wake shows that a location was let go.
func (x *exporter) wake(l trace.LocationID, flow uint64) {
	var ends []uint64
	if flow != 0 {
		ends = []uint64{flow}
	}
	if k := &x.tracks[l]; k.inOperation() && k.innermost() == nil {
		k.inner = append(k.inner, inner{len(k.open.Levels), wakeUp})
		x.beginSlice(l, "wait", event{name: x.intern(x.wakeup), ends: ends})
	} else if flow != 0 {
		x.instant(l, "goes on", regionNames{}, nil, ends)
	}
}

// trackName returns the name of a location.
func (x *exporter) trackName(l trace.LocationID) string {
	k, id := &x.tracks[l], x.defs.Locations[l].GoID
	switch {
	case k.name != "":
		return k.name
	case k.begun != 0 && int(k.begun) <= len(x.defs.Regions):
		return fmt.Sprintf("%s (goroutine %d)", x.defs.Regions[k.begun-1].Name, id)
	}
	return fmt.Sprintf("goroutine %d", id)
}

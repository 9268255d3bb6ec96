package perfetto

import (
	"fmt"
	"sort"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// track is a location on its way through time.
type track struct {
	name      string // in the experiment, "" unknown
	stack     []level
	begun     uint32 // 1 + region of its function, 0 unknown
	described bool
	seen      bool // has had events
	ended     bool
	created   uint64   // flow from its creation that has not arrived yet, 0 none
	createdAt int64    // time of it
	leads     []uint64 // flows that begin here, now
	arrives   []uint64 // flows that end here, now
	counters  *counterState
}

// level is an open slice, or one that is not shown.
type level struct {
	what    levelKind
	wait    int32 // index of the wait
	selects bool
}

type levelKind uint8

const (
	inRegion levelKind = iota
	inOperation
	inWait
	inWakeup
	inNothing // a select that was left without a word: later events count it, but nobody is in it
)

// within says whether the slice is a part of an operation: events do not count it.
func (l *level) within() bool { return l.what == inWait || l.what == inWakeup }

func (k *track) top() *level {
	if n := len(k.stack); n > 0 {
		return &k.stack[n-1]
	}
	return nil
}

// operation returns the index of the innermost operation, -1 if there is none.
func (k *track) operation() int {
	n := len(k.stack) - 1
	for n >= 0 && k.stack[n].what != inOperation && k.stack[n].what != inNothing {
		n--
	}
	return n
}

// open begins a slice.
func (x *exporter) open(l trace.LocationID, v level, category string, e event) {
	e.kind, e.category = sliceBegin, x.categoryID(category)
	e.track = x.uuid(l)
	x.packets.event(x.now, &e)
	k := &x.tracks[l]
	k.stack = append(k.stack, v)
}

// pop ends the innermost slice.
func (x *exporter) pop(l trace.LocationID) {
	k := &x.tracks[l]
	v := *k.top()
	k.stack = k.stack[:len(k.stack)-1]
	if v.what != inNothing {
		x.packets.event(x.now, &event{kind: sliceEnd, track: x.uuid(l)})
	}
}

// drop ends n levels as events count them.
func (x *exporter) drop(l trace.LocationID, n uint64) {
	k := &x.tracks[l]
	for len(k.stack) > 0 && n > 0 {
		if !k.top().within() {
			n--
		}
		x.pop(l)
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
	if v := k.top(); v != nil && v.selects && v.what == inOperation {
		switch e.Kind {
		case wire.Leave, wire.Chose, wire.Blocked, wire.Overhead, wire.Counters, wire.Lost:
		default: // it went on without telling which case it took
			x.pop(l)
			k.stack = append(k.stack, level{what: inNothing, selects: true})
		}
	}
	spec, _ := wire.SpecOf(e.Kind)
	switch {
	case e.Kind == wire.Enter:
		x.leaveWait(l)
		r := x.region(e.ID)
		x.open(l, level{what: inRegion}, "region", event{name: r.name, source: r.source})
	case e.Kind.Does() == wire.Opens:
		x.leaveWait(l)
		r := x.region(e.ID)
		x.open(l, level{what: inOperation, selects: e.Kind == wire.SelectBegin}, "operation",
			event{name: r.name, source: r.source, flows: k.leads, ends: k.arrives})
		k.leads, k.arrives = k.leads[:0], k.arrives[:0]
	case e.Kind == wire.Exit:
		x.drop(l, uint64(e.ID)+1)
	case e.Kind == wire.Lost:
		x.drop(l, uint64(e.ID))
		x.instant(l, "events lost", regionNames{}, nil, nil)
	case e.Kind == wire.Leave || e.Kind == wire.Chose:
		for n := k.operation(); n >= 0 && len(k.stack) > n; {
			x.pop(l)
		}
	case e.Kind == wire.Begin:
		k.begun = e.ID + 1
		r := x.region(e.ID)
		x.open(l, level{what: inRegion}, "goroutine", event{name: r.name, source: r.source, ends: k.arrives})
		k.arrives = k.arrives[:0]
	case e.Kind == wire.End:
		x.drop(l, uint64(len(k.stack)))
		k.stack, k.ended = nil, true
	case e.Kind == wire.Create:
		x.create(l, e)
	case e.Kind == wire.Sample:
		x.sample(l, e)
	case e.Kind == wire.Counters:
		x.count(l, values)
	case e.Kind >= wire.Close && e.Kind.Does() != wire.Opens && e.Kind != wire.OnceRun:
		x.point(l, e, spec.ID == wire.RegionID)
	}
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

// leaveWait ends the waits because something else happens in their operation.
func (x *exporter) leaveWait(l trace.LocationID) {
	for k := &x.tracks[l]; k.top() != nil && k.top().what == inWait; {
		x.pop(l)
	}
}

// endWait ends a wait, and those within it, if it is open.
func (x *exporter) endWait(l trace.LocationID, wait int32) {
	k := &x.tracks[l]
	n := len(k.stack)
	for n > 0 && k.stack[n-1].what == inWait && k.stack[n-1].wait != wait {
		n--
	}
	if n == 0 || k.stack[n-1].what != inWait {
		return
	}
	for len(k.stack) >= n {
		x.pop(l)
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
		x.drop(trace.LocationID(l), uint64(len(x.tracks[l].stack)))
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
	around := func(v *level) bool { return v.what == inWait && x.links.waits[v.wait].end >= w.end }
	for k.top() != nil && k.top().within() && !around(k.top()) {
		x.pop(w.location)
	}
	caused := x.known(w.causer)
	if v := k.top(); v != nil && (v.what == inOperation || around(v)) {
		causer := ""
		if caused {
			causer = x.trackName(w.causer)
		}
		x.open(w.location, level{what: inWait, wait: i}, "wait", event{name: x.intern(x.metrics[w.metric].Title), causer: causer,
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
	if v := x.tracks[l].top(); v != nil && v.what == inOperation {
		x.open(l, level{what: inWakeup}, "wait", event{name: x.intern(x.wakeup), ends: ends})
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

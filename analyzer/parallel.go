package analyzer

import (
	"tracerec/metric"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// passing is what events of MPI and OpenMP are counted in; unnamed where no such events are.
type passing struct {
	syncsSent, commsSent, bytesSent             uint16
	syncsReceived, commsReceived, bytesReceived uint16
	syncs, exchanges, asSource, asDestination   uint16
	bytes                                       [4]uint16                          // by the id of Transferred
	late                                        [tallies]struct{ of, from uint16 } // what a tally is part of
}

// Tally is something that matchers count.
type Tally uint8

// What matchers count.
const (
	LateCommSender Tally = iota
	LateSyncSender
	LateCommSenderWrongOrder
	LateSyncSenderWrongOrder
	LateCommReceiver
	LateSyncReceiver
	Queued // ns that kernels waited for their stream
	PairSyncs
	PairSyncsUnneeded
	tallies
)

// tallied is where something was counted.
type tallied struct {
	what      Tally
	path, loc uint32
}

func (m *metrics) newParallel() passing {
	at := m.named
	p := passing{
		at(metric.SyncsSent), at(metric.CommsSent), at(metric.BytesSent), at(metric.SyncsReceived), at(metric.CommsReceived), at(metric.BytesReceived),
		at(metric.SyncsCollective), at(metric.CommsExchange), at(metric.CommsSource), at(metric.CommsDestination), [...]uint16{at(metric.BytesOut), at(metric.BytesIn), at(metric.BytesPut), at(metric.BytesGot)}, [tallies]struct{ of, from uint16 }{},
	}
	for i, name := range []string{metric.LateSenderComms, metric.LateSenderSyncs, metric.WrongOrderComms, metric.WrongOrderSyncs, metric.LateReceiverComms, metric.LateReceiverSyncs, metric.Queued, metric.PairSyncs, metric.PairSyncsUnneeded} {
		if p.late[i].of, p.late[i].from = at(name), unnamed; p.late[i].of != unnamed {
			p.late[i].from = at(m.list[p.late[i].of].Parent)
		}
	}
	return p
}

// classify says to which metrics the time and the visits of each region go that has a class.
func (r *regions) classify(m *metrics) {
	r.class, r.counts = make([]uint16, len(r.list)), make([]uint16, len(r.list))
	for i := range r.list {
		r.class[i], r.counts[i] = m.named(r.list[i].Class), m.named(r.list[i].Counts)
	}
}

// timeOf returns the metric to which time of a call path goes, whose last level was opened by an event of a kind.
func (s *scan) timeOf(path uint32, kind wire.Kind) uint16 {
	if c := s.regions.class[s.paths.nodes[path].region]; c != unnamed && kind == s.paths.nodes[path].kind {
		return c
	}
	return s.metrics.timeOf[kind]
}

// does applies an event that says what the innermost region does.
func (w *scanner) does(l *location, e *trace.Event, t int64) {
	top := l.open.Top()
	if top == nil || w.path != nil {
		return
	}
	v, m := &top.Of, &w.s.metrics.parallel
	o := Op{Begin: v.begin, Blocked: NotBlocked, End: t, Loc: w.loc, Path: v.path, Mode: e.ID, Kind: e.Kind}
	in := inOp{nested: t - v.begin - v.own}
	switch object := w.s.messages; e.Kind {
	case wire.Dispatched:
		w.passed(&o, e.Word, m.syncsSent, m.commsSent, m.bytesSent)
		w.ops.add(w.chunk, object, &o, inOp{})
	case wire.Arrived:
		w.passed(&o, e.Word, m.syncsReceived, m.commsReceived, m.bytesReceived)
		w.ops.add(w.chunk, object, &o, inOp{})
	case wire.Requested, wire.Finished, wire.Pending:
		w.ops.add(w.chunk, object, &o, inOp{})
	case wire.Called:
		w.ops.add(w.chunk, object, &o, in)
		v.begin, v.own = t, 0 // what else it does is another call
	case wire.Acquired, wire.Freed:
		if o.Outcome = wire.Outcome(e.Word >> 32); e.Kind == wire.Freed {
			o.Begin, in = t, inOp{}
		}
		if object := uint32(e.Word); object > 0 && int(object) <= len(w.s.defs.Objects) {
			w.ops.add(w.chunk, object-1, &o, in)
		}
	case wire.Commanded:
		if o.Outcome = wire.Outcome(e.Word >> 32); o.Outcome <= wire.Outcome(wire.Names) {
			o.Begin, in = t, inOp{}
		}
		if object := uint32(e.Word); object > 0 && int(object) <= len(w.s.defs.Objects) {
			w.ops.add(w.chunk, object-1, &o, in)
		}
	case wire.Held:
		if object := uint32(e.Word); object > 0 && int(object) <= len(w.s.defs.Objects) {
			w.ops.add(w.chunk, object-1, &o, in)
		}
		v.begin, v.own = t, 0
	case wire.Accessed, wire.Within, wire.Present:
		if object := uint32(e.Word); object > 0 && int(object) <= len(w.s.defs.Objects) {
			w.ops.add(w.chunk, object-1, &o, inOp{})
		}
	case wire.Met:
		if fork := wire.Meeting(e.ID) == wire.TeamFork|wire.Root; fork {
			o.Begin, in = t, inOp{}
		}
		if object := uint32(e.Word); object > 0 && int(object) <= len(w.s.defs.Objects) {
			w.ops.add(w.chunk, object-1, &o, in)
		}
		if wire.Meeting(e.ID).Operation() == wire.TeamFork {
			return // the region goes on
		}
		v.begin, v.own = t, 0
		w.met(&o)
	case wire.MetLater:
		among := o
		among.Kind, among.Mode = wire.Met, uint32(e.Word)
		w.ops.add(w.chunk, object, &among, inOp{})
		w.ops.add(w.chunk, object, &o, inOp{})
		w.met(&o)
	case wire.Transferred:
		w.counts(m.bytes[e.ID&3], &o, int64(min(e.Word, mostBytes)))
	}
}

// mostBytes is the most that one message is believed to have.
const mostBytes = 1 << 48

// passed counts a message.
func (w *scanner) passed(o *Op, size uint64, sync, comm, bytes uint16) {
	if size == wire.NoMessage {
		return
	}
	if o.Mode&1 != 0 {
		w.counts(sync, o, 1)
		return
	}
	w.counts(comm, o, 1)
	w.counts(bytes, o, int64(min(size, mostBytes)))
}

// met counts a collective operation.
func (w *scanner) met(o *Op) {
	m, what := &w.s.metrics.parallel, wire.Meeting(o.Mode)
	sends, receives := what&wire.Sends != 0, what&wire.Receives != 0
	switch {
	case what.Operation() > wire.LowerSend && what.Operation() < wire.BetweenArrive:
	case sends && receives:
		w.counts(m.exchanges, o, 1)
	case sends:
		w.counts(m.asSource, o, 1)
	case receives:
		w.counts(m.asDestination, o, 1)
	default:
		w.counts(m.syncs, o, 1)
	}
}

// counts adds to what is counted in an operation.
func (w *scanner) counts(m uint16, o *Op, n int64) {
	if m != unnamed && n != 0 {
		w.other[cellKey{m, o.Path, o.Loc}] += n
	}
}

// tally takes over what the matcher counted.
func (w *matchWorker) tally() {
	for k, n := range w.matcher.tallies {
		if to := w.m.s.metrics.parallel.late[k.what]; to.of != unnamed {
			loc := w.m.places.reported[k.loc]
			w.cells.add(cellHash(to.of, k.path, loc), cellKey{to.of, k.path, loc}, n)
			if to.from != unnamed {
				w.cells.add(cellHash(to.from, k.path, loc), cellKey{to.from, k.path, loc}, -n)
			}
		}
	}
	clear(w.matcher.tallies)
	w.bounds, w.matcher.bounds = append(w.bounds, w.matcher.bounds...), w.matcher.bounds[:0]
}

package analyzer

import (
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// events applies a batch of events to their location.
func (w *scanner) events(l *location, events []trace.Event) {
	for i := range events {
		e := &events[i]
		t := e.Time
		if t < l.last {
			t = l.last
			w.backwards++
		}
		if l.end != unknownTime {
			w.afterEnd++
			continue
		}
		l.cut = false
		switch e.Kind {
		case wire.Overhead:
			w.overhead(l, e, t)
			continue
		case wire.Lost:
			w.loses(l, e, t)
		}
		if w.path == nil || !w.path.skips(l, events[i:], t) {
			w.charge(l, t, 0)
		}
		if e.Kind == wire.Lost {
			l.does = wire.None
		}
		if l.sample != nil && (e.Kind == wire.Blocked || e.Kind == wire.SelectBegin) {
			l.sample.waits = true
		}
		if e.Kind == wire.Exit && l.open.Exit(e.ID) {
			l.failed.is = false
			continue
		}
		if l.open.Forgets(e.Kind) {
			w.forgot(l.open.Forget(), t)
		}
		switch e.Kind.Does() {
		case wire.Opens:
			w.opens(l, e, t)
		case wire.Acts:
			w.acts(l, e, t)
		case wire.Tells:
			w.tells(l, e, t)
		default:
			w.closes(l, e, t)
		}
	}
}

// acts applies an event that neither opens nor closes levels.
func (w *scanner) acts(l *location, e *trace.Event, t int64) {
	l.failed.is = false
	switch e.Kind {
	case wire.Create:
		path := w.child(below(l), w.s.regions.id(e.ID), e.Kind)
		w.at(path).visits++
		if e.Word > 0 && e.Word <= uint64(len(w.s.locations)) && w.path == nil {
			w.creates.add(creation{uint32(e.Word - 1), w.loc, path, t})
		}
	case wire.Sample:
		if w.path == nil && int(e.ID) < len(w.s.defs.Metrics) {
			if user := w.s.metrics.user[e.ID]; user != unnamed {
				w.other[cellKey{user, w.current(l), w.loc}] += int64(e.Word)
			}
			w.sample(e.ID, int64(e.Word))
		}
	default:
		w.point(l, e, t)
	}
}

// tells applies an event that says something of the innermost operation, or of the recording.
func (w *scanner) tells(l *location, e *trace.Event, t int64) {
	if e.Kind.Parallel() {
		w.does(l, e, t)
		return
	}
	switch e.Kind {
	case wire.Blocked, wire.OnceRun:
		w.progress(l, e, t)
	case wire.Running:
		l.does = wire.None
	case wire.Forking, wire.Joining:
		if w.s.metrics.stateOf[e.Kind] != unnamed {
			l.does = e.Kind
		}
	case wire.Ready, wire.Syscall, wire.Assist, wire.Stopped, wire.Parked:
		if w.s.metrics.ready != unnamed {
			l.does = stateAt(e)
			l.several = wire.Cause(e.ID) == wire.Preempted && e.Other() != trace.NoLocation
		}
	case wire.Counters:
		if n := uint64(len(w.batch.Values)); e.Word <= n && uint64(e.ID) <= n-e.Word {
			w.counters(l, t, w.batch.Values[e.Word:e.Word+uint64(e.ID)])
		}
	}
}

// yielded is the state of a location that is ready to run since it gave up its processor. It is the kind of no event: a Ready event says why.
const yielded = ^wire.Kind(0)

// stateAt returns the state that an event begins.
func stateAt(e *trace.Event) wire.Kind {
	if e.Kind == wire.Ready && wire.Cause(e.ID) == wire.Yielded {
		return yielded
	}
	return e.Kind
}

// progress applies an event inside the innermost operation.
func (w *scanner) progress(l *location, e *trace.Event, t int64) {
	o := l.open.Operation()
	if o == nil || e.Kind == wire.OnceRun && o.Kind != wire.OnceBegin {
		w.unopened++
		return
	}
	v := &o.Of
	if e.Kind == wire.Blocked {
		if v.resumed = false; v.blocked == NotBlocked {
			v.blocked = t
		}
		if e.ID == wire.Timed && o.Kind == wire.SelectBegin {
			v.mode = wire.Timed
		}
		return
	}
	v.mode = 1
	if w.path == nil && v.object != 0 && int(v.object) <= len(w.s.defs.Objects) {
		w.ops.add(w.chunk, v.object-1, &Op{Begin: t, Blocked: NotBlocked, End: t, Loc: w.loc, Path: v.path, Kind: e.Kind}, inOp{})
	}
}

// overhead applies an Overhead event: the recorder held the location up until t.
func (w *scanner) overhead(l *location, e *trace.Event, t int64) {
	d := int64(min(e.Word, uint64(t-l.last)))
	if w.path == nil && d > 0 {
		w.other[cellKey{w.s.metrics.overhead, w.current(l), w.loc}] += d
	}
	w.charge(l, t, d)
}

// counterSample is the last sample of a location's event set.
type counterSample struct {
	time   int64
	values []uint64 // where it was taken, and the values; empty when they could not be read
	waits  bool     // it belongs to the begin of a wait
}

// sampled returns the call path in which was done what the next sample ends: of an operation that is about to wait, it is that
// around it, for its begin had no sample.
func (w *scanner) sampled(l *location) uint32 {
	top := l.open.Top()
	if top == nil || top.Of.blocked != NotBlocked {
		return w.current(l)
	}
	switch top.Kind {
	case wire.Enter, wire.SelectBegin, wire.OnceBegin: // the first two begin with a sample, and a Once may run its function
		return top.Of.path
	}
	if n := len(l.open.Levels); n > 1 {
		return l.open.Levels[n-2].Of.path
	}
	return l.own
}

// counters charges what was counted since the location's sample before. The sample may have bounds behind its values. A second look
// tells the critical path of it instead.
func (w *scanner) counters(l *location, t int64, values []uint64) {
	names := w.s.defs.Processes[w.s.defs.Locations[w.loc].Process].Counters
	size := 1 + len(names)
	first := l.sample == nil
	if first {
		l.sample = &counterSample{time: w.s.locations[w.loc].begin}
	}
	s, path := l.sample, w.sampled(l)
	readable := len(values) == size || len(values) == size+len(names)
	for i, name := range names {
		what := tally{open: true}
		if readable {
			what = s.until(values, i, size, strings.HasPrefix(name, wire.ProcessCounter))
		}
		m := w.s.metrics.counter[name]
		switch {
		case first && what.open: // nothing is known of what was before the first sample
		case w.path != nil:
			w.path.counted(s.time, t, m, what)
		case what.open:
			w.values++
		case what.least > 0:
			w.other[cellKey{m, path, w.loc}] += what.least
		case what.most > 0:
			w.other[cellKey{m + 1, path, w.loc}] += what.most
		}
	}
	s.time, s.waits, s.values = t, false, s.values[:0]
	if readable {
		s.values = append(s.values, values[:size]...)
	}
}

// until returns what counter i counted from sample s to the one with these values.
func (s *counterSample) until(values []uint64, i, size int, process bool) tally {
	d, known, sure := int64(0), len(s.values) == size, false
	if known {
		d = int64(values[1+i] - s.values[1+i])
	}
	switch {
	case process && known:
	case process:
		d = -1
	case len(values) > size:
		d = int64(values[size+i]) // no bound is negative
	case !known:
		d = -1
	case values[0] != 0 && values[0] == s.values[0]:
		sure = true
	case s.waits:
		d = 0
	default:
		d = -1
	}
	switch {
	case d < 0:
		return tally{open: true}
	case sure:
		return tally{least: d, most: d}
	}
	return tally{most: d}
}

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
		switch e.Kind {
		case wire.Overhead:
			w.overhead(l, e, t)
			continue
		case wire.Lost:
			if w.path == nil {
				w.gaps.add(gap{w.loc, l.last, t})
				w.lost[w.s.defs.Locations[w.loc].Process] += e.Word
			}
		}
		w.charge(l, t, 0)
		if l.sample != nil && (e.Kind == wire.Blocked || e.Kind == wire.SelectBegin) {
			l.sample.waits = true
		}
		switch e.Kind {
		case wire.Enter, wire.SelectBegin, wire.SleepBegin:
			w.open(l, e.Kind, e.ID, 0, t)
		case wire.Exit:
			if n := len(l.stack); e.ID == 0 && n > 0 && l.stack[n-1].kind == wire.Enter && l.stack[n-1].forgotten == 0 {
				l.stack = l.stack[:n-1]
			} else {
				w.forget(l, t)
				w.drop(l, uint64(e.ID)+1, wire.Panicked, t)
			}
		case wire.SendBegin, wire.RecvBegin, wire.LockBegin, wire.JoinBegin, wire.CondBegin, wire.BarrierBegin:
			w.open(l, e.Kind, e.ID, e.Word, t)
		case wire.OnceBegin:
			w.open(l, e.Kind, e.ID, uint64(uint32(e.Word)), t)
		case wire.Leave:
			w.leave(l, wire.Outcome(e.ID), t)
		case wire.Close, wire.Release, wire.Add, wire.Done, wire.Signal, wire.Broadcast:
			w.point(l, e, t)
		default:
			w.rare(l, e, t)
		}
	}
}

// rare applies an event of one of the less frequent kinds.
func (w *scanner) rare(l *location, e *trace.Event, t int64) {
	switch e.Kind {
	case wire.Blocked, wire.Chose, wire.OnceRun:
		w.progress(l, e, t)
	case wire.Lost:
		w.drop(l, uint64(e.ID), wire.Failed, t)
	case wire.Create:
		w.forget(l, t)
		path := w.child(below(l), w.s.regions.id(e.ID), e.Kind)
		w.at(path).visits++
		if e.Word > 0 && e.Word <= uint64(len(w.s.locations)) && w.path == nil {
			w.creates.add(creation{uint32(e.Word - 1), w.loc, path, t})
		}
	case wire.End:
		w.forget(l, t)
		w.shut(l, 0, wire.Panicked, t)
		l.end = t
	case wire.Sample:
		w.forget(l, t)
		if w.path == nil && int(e.ID) < len(w.s.defs.Metrics) {
			if user := w.s.metrics.user[e.ID]; user != unnamed {
				w.other[cellKey{user, w.current(l), w.loc}] += int64(e.Word)
			}
			w.samples[e.ID] = append(w.samples[e.ID], int64(e.Word))
		}
	case wire.Counters:
		if n := uint64(len(w.batch.Values)); e.Word <= n && uint64(e.ID) <= n-e.Word {
			w.counters(l, t, w.batch.Values[e.Word:e.Word+uint64(e.ID)])
		}
	}
}

// progress applies an event inside the innermost operation.
func (w *scanner) progress(l *location, e *trace.Event, t int64) {
	n, isForgotten := innermost(l)
	if isForgotten && e.Kind == wire.Chose {
		w.leave(l, wire.Outcome(e.ID), t)
		return
	}
	if n < 0 || isForgotten {
		w.unopened++
		return
	}
	v := &l.stack[n]
	switch e.Kind {
	case wire.Blocked:
		if v.blocked == NotBlocked {
			v.blocked = t
		}
	case wire.Chose:
		v.object, v.mode = uint32(e.Word), uint32(e.Word>>32)
		w.leave(l, wire.Outcome(e.ID), t)
	case wire.OnceRun:
		if v.kind != wire.OnceBegin {
			w.unopened++
			return
		}
		v.mode = 1
		o := Op{Begin: t, Blocked: NotBlocked, End: t, Loc: w.loc, Path: v.path, Kind: e.Kind}
		if w.path == nil && v.object != 0 && int(v.object) <= len(w.s.defs.Objects) {
			w.ops.add(w.chunk, v.object-1, &o, 0)
		}
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
	n := len(l.stack)
	if n == 0 || l.stack[n-1].blocked != NotBlocked {
		return w.current(l)
	}
	switch l.stack[n-1].kind {
	case wire.SendBegin, wire.RecvBegin, wire.LockBegin, wire.JoinBegin, wire.CondBegin, wire.BarrierBegin, wire.SleepBegin:
		if n == 1 {
			return l.own
		}
		return l.stack[n-2].path
	}
	return l.stack[n-1].path
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

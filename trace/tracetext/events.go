package tracetext

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// event parses a time and the event behind it.
func (p *parser) event() error {
	t, err := p.time()
	if err != nil {
		return err
	}
	l := p.stream
	if n := len(l.events); n > 0 && t < l.events[n-1].time {
		return p.errorf("is earlier than the previous event, at %d", l.events[n-1].time)
	}
	name, err := p.word("an event")
	if err != nil {
		return err
	}
	spec, ok := kinds[name]
	if !ok {
		return p.errorf("unknown event")
	}
	e := rawEvent{time: t, kind: spec.Kind}
	if err := p.arguments(&e, spec); err != nil {
		return err
	}
	l.events = append(l.events, e)
	return nil
}

// arguments parses what stands behind the name of an event.
func (p *parser) arguments(e *rawEvent, spec wire.Spec) (err error) {
	switch e.kind {
	case wire.Enter, wire.Begin:
		return p.named(e)
	case wire.Create:
		if err = p.other(e); err != nil {
			return err
		}
	case wire.Chose, wire.Reached:
		return p.chose(e)
	case wire.Blocked:
		if p.accept("timer") {
			e.id = wire.Timed
		}
	case wire.Leave:
		for i, name := range outcomes {
			if name != "" && p.accept(name) {
				e.id = uint32(i)
			}
		}
	case wire.Ready:
		return p.ready(e)
	case wire.Running:
		if p.accept("on") {
			e.id, err = p.small("a processor", wire.MaxID-1)
			e.id++
		}
		return err
	case wire.Exit:
		if p.more() {
			e.id, err = p.small("a number of levels", wire.MaxID)
		}
		return err
	case wire.Lost:
		e.words = make([]uint64, 1)
		if e.words[0], err = p.number("a number of events"); err == nil {
			e.id, err = p.small("a number of levels", wire.MaxID)
		}
		return err
	case wire.Overhead:
		e.words = make([]uint64, 1)
		e.words[0], err = p.number("a duration")
		return err
	case wire.Passed, wire.TaskLeft, wire.TaskEnd:
		e.words = make([]uint64, 1)
		if e.words[0], err = p.number("a number"); err == nil && e.kind == wire.TaskLeft && p.more() {
			e.id, err = p.small("a number of regions", wire.MaxID)
		}
		return err
	case wire.Sample:
		return p.sample(e)
	case wire.Counters:
		return p.counters(e)
	default:
		if len(spec.Words) > 0 {
			if err = p.objectWord(e, spec.Words[0]); err != nil {
				return err
			}
		}
	}
	if spec.ID == wire.RegionID {
		e.id, err = p.region(spec.Name, "")
	}
	return err
}

// named parses the region of enter and begin, and the creator.
func (p *parser) named(e *rawEvent) error {
	name, err := p.word("a name")
	if err != nil {
		return err
	}
	fn := ""
	if e.kind == wire.Begin {
		fn = name
		if err := p.by(e); err != nil {
			return err
		}
	}
	e.id, err = p.region(name, fn)
	return err
}

// by parses the location that is named behind "by", if there is one.
func (p *parser) by(e *rawEvent) error {
	e.words = []uint64{0}
	if !p.accept("by") {
		return nil
	}
	if len(p.tokens) == 0 {
		return p.errorf("a location is missing after it")
	}
	return p.other(e)
}

// ready parses why a location is ready to run, and by whom it is.
func (p *parser) ready(e *rawEvent) error {
	for i, name := range causes {
		if name != "" && p.accept(name) {
			e.id = uint32(i)
		}
	}
	return p.by(e)
}

// other parses the name of a location, if there is one.
func (p *parser) other(e *rawEvent) error {
	e.words = []uint64{0}
	if len(p.tokens) == 0 || strings.HasPrefix(p.tokens[0].text, "@") {
		return nil
	}
	if _, ok := parseNumber(p.tokens[0].text); ok && !p.tokens[0].quoted && p.locations[p.tokens[0].text] == nil {
		return nil // the time of the next event
	}
	name, _ := p.word("a location")
	if e.other = p.locations[name]; e.other == nil {
		return p.errorf("there is no such location")
	}
	p.refs = append(p.refs, reference{p.last, p.stream, e.other})
	return nil
}

// opening returns where the parenthesis opens that a text ends with, -1 if there is none. Names of methods have some, too.
func opening(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0 && (depth > 0 || i == len(text)-1); i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// region parses the optional @file:line(function) and returns the number of the region.
func (p *parser) region(name, fn string) (uint32, error) {
	r := region{name: name, fn: fn}
	if len(p.tokens) > 0 && strings.HasPrefix(p.tokens[0].text, "@") {
		text, _ := p.word("")
		r.file = text[1:]
		if open := opening(r.file); open >= 0 {
			r.file, r.fn = r.file[:open], r.file[open+1:len(r.file)-1]
		}
		if colon := strings.LastIndexByte(r.file, ':'); colon >= 0 {
			line, err := strconv.ParseUint(r.file[colon+1:], 10, 32)
			if err != nil {
				return 0, p.errorf("a call site is @file:line or @file:line(function)")
			}
			r.file, r.line = r.file[:colon], uint32(line)
		}
	}
	q := p.current
	id := q.regions[r]
	if id == 0 {
		id = uint32(len(q.regions) + 1)
		if id > wire.MaxID {
			return 0, p.errorf("too many regions")
		}
		q.regions[r] = id
		q.defs = append(q.defs, wire.Def{Type: wire.DefRegion, ID: id, Name: r.name, Func: r.fn, File: r.file, Line: r.line})
	}
	return id, nil
}

// findObject parses the name of an object.
func (p *parser) findObject() (uint32, error) {
	if p.accept("nil") {
		return 0, nil
	}
	name, err := p.word("an object")
	if err != nil {
		return 0, err
	}
	o := p.objects[name]
	if o == nil {
		return 0, p.errorf("there is no such object")
	}
	if o.process != p.current {
		return 0, p.errorf("the object belongs to another process")
	}
	return o.id, nil
}

// objectWord parses an object and what goes with it; layout is as in wire.Specs.
func (p *parser) objectWord(e *rawEvent, layout string) error {
	id, err := p.findObject()
	if err != nil {
		return err
	}
	extra := uint32(0)
	switch {
	case layout == "object/mode":
		if p.accept("shared") {
			extra = wire.Shared
		}
	case layout == "object/generation":
		extra, err = p.small("a generation", 1<<32-1)
	case layout == "object/number":
		extra, err = p.small("a number", 1<<32-1)
	case layout == "object/delta" && e.kind == wire.Done && !p.more():
		extra = 1
	case layout == "object/delta":
		extra, err = p.small("a difference", 1<<32-1)
	}
	e.words = []uint64{wire.ObjectWord(id, extra)}
	return err
}

func (p *parser) chose(e *rawEvent) error {
	e.words = []uint64{0}
	if p.accept("none") {
		e.id = uint32(wire.Failed)
		if p.more() {
			tries, err := p.small("a number of tries", 1<<32-1)
			e.words[0] = wire.ObjectWord(0, tries)
			return err
		}
		return nil
	}
	id, err := p.findObject()
	if err != nil {
		return err
	}
	e.words[0] = uint64(id)
	for _, o := range []wire.Outcome{wire.Sent, wire.Received, wire.Closed, wire.Panicked} {
		if p.accept(outcomes[o]) {
			e.id = uint32(o)
			if p.more() {
				number, err := p.small("a number", 1<<32-1)
				e.words[0] = wire.ObjectWord(id, number)
				return err
			}
			return nil
		}
	}
	return p.errorf("sent, received or closed is missing after it")
}

// metric defines a metric.
func (q *process) metric(name, unit string) uint32 {
	id := uint32(len(q.metrics) + 1)
	q.metrics[name] = id
	q.defs = append(q.defs, wire.Def{Type: wire.DefMetric, ID: id, Name: name, Unit: unit})
	return id
}

func (p *parser) sample(e *rawEvent) error {
	name, err := p.word("a metric")
	if err != nil {
		return err
	}
	if e.id = p.current.metrics[name]; e.id == 0 {
		e.id = p.current.metric(name, "")
	}
	v, err := p.number("a value")
	e.words = []uint64{v}
	return err
}

// counters parses where the sample was taken and the values: numbers up to the end of the line or the
// time of the next event.
func (p *parser) counters(e *rawEvent) error {
	for p.more() {
		v, err := p.number("a value")
		if err != nil {
			return err
		}
		e.words = append(e.words, v)
	}
	e.id = uint32(len(e.words))
	return nil
}

// write writes everything.
func (p *parser) write(w *trace.Writer, pieceEvents int) error {
	for _, q := range p.order {
		pw, err := w.AddProcess(q.info)
		if err != nil {
			return err
		}
		for _, d := range q.defs {
			if err := pw.Define(d); err != nil {
				return err
			}
		}
		for _, c := range q.pieces(pieceEvents) {
			if err := pw.Chunk(c.RawChunk); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if q.warnings != nil {
			if err := pw.Warnings(q.warnings); err != nil {
				return err
			}
		}
		pw.CPUTime(q.cpu)
		if q.cpu > 0 && !q.exited {
			if err := pw.Clock(q.info.Start); err != nil {
				return err
			}
		}
		if q.exited {
			if err := pw.Exited(q.status, trace.Stamp{Ticks: q.end, Mono: int64(q.end), Wall: int64(q.end)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// timedChunk is a piece with the time at which it is complete.
type timedChunk struct {
	trace.RawChunk
	end uint64
}

// pieces cuts the streams of q into raw chunks of n events (0: one each), in the order in which they
// would be complete.
func (q *process) pieces(n int) (out []timedChunk) {
	for _, l := range q.locations {
		events, seq := l.events, uint64(0)
		for len(events) > 0 {
			k := len(events)
			if n > 0 {
				k = min(n, k)
			}
			c := trace.RawChunk{Location: l.number, GoID: l.number, Seq: seq, Base: events[0].time}
			now := c.Base
			for _, e := range events[:k] {
				if e.time-now > wire.MaxDelta {
					c.Words = append(c.Words, wire.Head(wire.Time, 0, 0), e.time)
					now = e.time
				}
				if e.other != nil {
					e.words[0] = e.other.number
				}
				c.Words = append(append(c.Words, wire.Head(e.kind, e.id, e.time-now)), e.words...)
				now = e.time
			}
			out = append(out, timedChunk{c, now})
			events = events[k:]
			seq++
		}
	}
	slices.SortStableFunc(out, func(a, b timedChunk) int { return cmp.Compare(a.end, b.end) })
	return out
}

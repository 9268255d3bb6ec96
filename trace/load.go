package trace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tracerec/trace/wire"
)

// process is what was read about one process, and how its numbers translate.
type process struct {
	number   uint32
	known    bool // its process frame was read
	info     ProcessInfo
	unit     uint64
	stamps   []Stamp
	exit     int
	ended    *Stamp // nil if unknown
	cpu      int64  // processor time used, ns; 0 unknown
	warnings map[string]uint64
	counters []string
	lastUnit int64
	chunks   int
	states   bool
	timers   bool
	base     *timebase
	index    int // in Definitions.Processes

	regions   table[regionDef]
	objects   table[objectDef]
	metrics   table[metricDef]
	locations table[locationDef] // while loading only
	numbers   table[LocationID]  // of locations
	maxObject uint32
	noObject  uint32 // index of the object that stands for undefined ones
}

type regionDef struct {
	def     Region
	defined bool
	index   uint32
}

type objectDef struct {
	kind   wire.ObjectKind
	size   uint64
	region uint32
	index  uint32
}

type metricDef struct {
	def     Metric
	defined bool
	index   uint32
}

type locationDef struct {
	goid, events uint64
	next         uint64     // sequence number of the next raw chunk
	gap          bool       // one is missing
	ordinal      LocationID // order of appearance
}

// take takes in the frame whose payload is in s.stored.
func (s *scanner) take(seg *segment, off int64, f *frame) error {
	if f.Type == chunkFrame {
		return s.chunk(seg, off, f)
	}
	s.raw = resize(s.raw, int(f.Raw))
	payload, err := inflate(s.dec, s.raw, s.stored, int(f.Raw))
	if err != nil {
		return err
	}
	r := newRecordReader(payload)
	p, _ := s.a.processes.get(uint64(f.Process))
	p.number = f.Process
	switch f.Type {
	case experimentFrame:
		s.a.experimentRecord(r)
	case processFrame:
		p.record(r)
	case definitionsFrame:
		for r.more() {
			p.define(r.definition())
		}
	case clockFrame:
		for r.more() {
			if st, cpu := r.stamp(); r.err == nil {
				p.stamps, p.cpu = append(p.stamps, st), max(p.cpu, cpu)
			}
		}
	case warningsFrame:
		p.warnings = map[string]uint64{}
		for r.more() {
			r.array(2)
			if name, n := r.string(), r.uint(1<<64-1); r.err == nil {
				p.warnings[name] = n
			}
		}
	case exitFrame:
		var status int64
		if at, cpu := r.stamp(&status); r.err == nil {
			p.exit, p.ended = int(status), &at
			p.stamps, p.cpu = append(p.stamps, at), max(p.cpu, cpu)
		}
	case endFrame:
		r.array(2)
		if events, present := r.uint(1<<64-1), s.a.events(); r.err == nil && events != present {
			s.a.problem(seg, off, "events written: %d, present: %d", events, present)
			s.a.header.Damaged = max(events, present) - present
		}
	}
	return r.err
}

func (a *Archive) events() (n uint64) {
	for _, c := range a.chunks {
		n += uint64(c.Events)
	}
	return n
}

func (a *Archive) experimentRecord(r *recordReader) {
	r.array(4)
	r.int()
	if res, mono, wall := r.int(), r.int(), r.int(); r.err == nil && res > 0 {
		a.header.Resolution, a.header.Mono, a.header.Start = res, mono, wall
	}
}

func (p *process) record(r *recordReader) {
	const fields, processor, processors, cost = 10, 7, 1, 1 // the second may be missing, and the rest from the end on
	n := r.length()
	rest := n - fields
	if rest >= processor {
		rest -= processor
	}
	if rest < 0 || rest > processors+cost {
		r.err = errRecord
	}
	i := ProcessInfo{PID: int(r.int()), Parent: int(r.int()), Args: r.strings()}
	i.Start = Stamp{r.uint(1<<64 - 1), r.int(), r.int()}
	i.Clock, i.Frequency = r.string(), r.uint(maxFrequency)
	unit := r.uint(1 << 32)
	i.EventCost = r.uint(maxEventCost)
	if n >= fields+processor {
		i.Processor, i.Hertz = r.processor(), r.uint(maxFrequency)
	}
	if rest >= processors {
		i.Processors = int(r.uint(maxProcessors))
	}
	if rest >= processors+cost {
		i.Cost = int64(r.uint(maxNS))
	}
	if r.err == nil && (i.Frequency < minFrequency || unit == 0) {
		r.err = errors.New("impossible clock")
	}
	switch {
	case r.err != nil:
	case !p.known:
		p.info, p.unit, p.known, p.exit = i, unit, true, -1
	default:
		if i.Processors > 0 {
			p.info.Processors = i.Processors
		}
		p.info.Cost = max(p.info.Cost, i.Cost)
	}
}

// define takes in a definition; of several for one id the first counts.
func (p *process) define(d wire.Def) {
	switch d.Type {
	case wire.DefRegion:
		if r, _ := p.regions.get(uint64(d.ID)); !r.defined {
			*r = regionDef{def: Region{Name: d.Name, Func: d.Func, File: d.File, Line: int(d.Line)}, defined: true}
		}
	case wire.DefObject:
		if o, made := p.objects.get(uint64(d.ID)); made && d.ID != 0 {
			*o = objectDef{kind: d.Object, size: d.Size, region: d.Region}
		}
	case wire.DefMetric:
		if m, _ := p.metrics.get(uint64(d.ID)); !m.defined {
			*m = metricDef{def: Metric{Name: d.Name, Unit: d.Unit}, defined: true}
		}
	case wire.DefCounters:
		p.counters = d.Names
	}
}

// chunk takes in the directory of a chunk.
func (s *scanner) chunk(seg *segment, off int64, f *frame) error {
	s.raw = resize(s.raw, int(f.DirRaw))
	dir, err := inflate(s.dec, s.raw, s.stored[:f.DirStored], int(f.DirRaw))
	if err != nil {
		return err
	}
	if err := s.dir.parse(f, dir); err != nil {
		return err
	}
	p := s.a.processes.find(uint64(f.Process))
	if p == nil || !p.known {
		return fmt.Errorf("events of unknown process %[2]d: %[1]d", f.Events, f.Process)
	}
	for _, y := range s.dir.symbols {
		switch spec, _ := wire.SpecOf(y.kind); spec.ID {
		case wire.RegionID:
			p.regions.get(uint64(y.id))
		case wire.MetricID:
			p.metrics.get(uint64(y.id))
		case wire.ProcessorID:
			p.states = true
		case wire.TimerID:
			p.timers = p.timers || y.id == wire.Timed
		}
	}
	p.maxObject = max(p.maxObject, s.dir.maxObject)
	if p.chunks == 0 {
		p.lastUnit = f.Last
	}
	p.lastUnit = max(p.lastUnit, f.Last)
	p.chunks++
	c := &Chunk{Events: int(f.Events), f: *f, segment: seg, offset: off, bytes: f.size(), index: len(s.a.chunks),
		Locations: make([]LocationID, 0, f.Entries)}
	for _, r := range s.dir.runs {
		l, made := p.locations.get(r.location)
		if made {
			l.ordinal = LocationID(p.locations.count - 1)
		}
		if r.seq != l.next {
			s.a.problem(seg, off, "location %d of process %d continues with piece %d instead of %d", r.location, f.Process, r.seq, l.next)
			l.gap = true
		}
		l.next = r.seq + r.pieces
		l.goid = r.goid
		l.events += uint64(r.events)
		c.Locations = append(c.Locations, l.ordinal)
	}
	s.a.chunks = append(s.a.chunks, c)
	return nil
}

// build numbers everything densely, once all of it is known.
func (a *Archive) build() {
	a.processes.each(func(n uint64, p *process) {
		if p.known {
			p.index = len(a.order)
			a.order = append(a.order, p)
			a.defineProcess(p)
		}
	})
	first := int64(0)
	for i, p := range a.defs.Processes {
		if i == 0 || p.Start < first {
			a.header.Root, first = i, p.Start
		}
	}
	total := 0
	for _, p := range a.order {
		total += p.locations.count
	}
	a.defs.Locations = make([]Location, 0, total)
	ids := make([][]LocationID, len(a.order)) // by process and ordinal
	for i, p := range a.order {
		ids[i] = make([]LocationID, p.locations.count)
		p.locations.each(func(n uint64, l *locationDef) {
			id, _ := p.numbers.get(n)
			*id = LocationID(len(a.defs.Locations))
			ids[i][l.ordinal] = *id
			if l.gap {
				a.gaps = append(a.gaps, *id)
			}
			a.defs.Locations = append(a.defs.Locations, Location{Process: i, Number: n, GoID: l.goid, Events: l.events})
		})
	}
	for _, c := range a.chunks {
		c.process = a.processes.find(uint64(c.f.Process))
		c.First, c.Last = c.process.base.ns(c.f.First), c.process.base.ns(c.f.Last)
		for i, ordinal := range c.Locations {
			c.Locations[i] = ids[c.process.index][ordinal]
		}
	}
}

// defineProcess appends p and its regions, objects and metrics to the definitions.
func (a *Archive) defineProcess(p *process) {
	a.defs.Processes = append(a.defs.Processes, a.timeProcess(p))
	a.defineRegions(p)
	a.defineObjects(p)
}

// timeProcess makes the time base of p and returns its definition.
func (a *Archive) timeProcess(p *process) Process {
	start := Stamp{p.info.Start.Ticks, min(max(p.info.Start.Mono-a.header.Mono, -maxNS), maxNS), 0}
	rest := slices.Clone(p.stamps)
	for i := range rest {
		rest[i].Mono -= a.header.Mono
	}
	slices.SortStableFunc(rest, func(a, b Stamp) int { return cmp.Compare(a.Ticks-start.Ticks, b.Ticks-start.Ticks) })
	base, wrong := newTimebase(p.unit, p.info.Frequency, append([]Stamp{start}, rest...))
	p.base = base
	if wrong > 0 {
		a.problem(&a.segments[0], 0, "clock stamps of process %[2]d left out because they contradict the others: %[1]d", wrong, p.number)
	}
	q := Process{PID: p.info.PID, Parent: p.info.Parent, Args: p.info.Args, Start: start.Mono, End: start.Mono,
		Counters: p.counters, Exit: p.exit, Warnings: p.warnings, EventCost: p.info.EventCost, Cost: p.info.Cost, CPUTime: p.cpu,
		Processor: p.info.Processor, Hertz: p.info.Hertz, Processors: p.info.Processors, States: p.states, Timers: p.timers}
	if p.ended != nil {
		rest = []Stamp{{Mono: p.ended.Mono - a.header.Mono}} // stamps may have been taken later
	}
	for _, s := range rest {
		if s.Mono <= maxNS {
			q.End = max(q.End, s.Mono)
		}
	}
	if p.chunks > 0 {
		q.End = max(q.End, base.ns(p.lastUnit))
	}
	return q
}

// defineRegions appends the regions and metrics of p, those too that are used without being defined.
func (a *Archive) defineRegions(p *process) {
	d := &a.defs
	p.regions.each(func(n uint64, r *regionDef) {
		if !r.defined {
			r.def.Name = unknownName("region", n)
			if n != 0 {
				a.problem(&a.segments[0], 0, "region %d of process %d is not defined", n, p.number)
			}
		}
		r.index, r.def.Process = uint32(len(d.Regions)), p.index
		d.Regions = append(d.Regions, r.def)
	})
	p.metrics.each(func(n uint64, m *metricDef) {
		if !m.defined {
			m.def.Name = unknownName("metric", n)
			a.problem(&a.segments[0], 0, "metric %d of process %d is not defined", n, p.number)
		}
		m.index, m.def.Process = uint32(len(d.Metrics)), p.index
		d.Metrics = append(d.Metrics, m.def)
	})
}

// defineObjects appends the objects of p, with one for all that are used without being defined.
func (a *Archive) defineObjects(p *process) {
	d := &a.defs
	defined := uint32(0)
	p.objects.each(func(n uint64, o *objectDef) {
		if n > 0 && n <= uint64(p.maxObject) {
			defined++
		}
		o.index = uint32(len(d.Objects))
		region := NoRegion
		if r := p.regions.find(uint64(o.region)); r != nil && o.region != 0 {
			region = r.index
		}
		d.Objects = append(d.Objects, Object{Kind: o.kind, Size: o.size, Region: region, Process: p.index})
	})
	if defined < p.maxObject {
		p.noObject = uint32(len(d.Objects))
		d.Objects = append(d.Objects, Object{Region: NoRegion, Process: p.index})
	}
}

func unknownName(what string, n uint64) string {
	if n == 0 {
		return "unknown " + what
	}
	return fmt.Sprintf("unknown %s %d", what, n)
}

//go:build linux

package simulated

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// process is a process on its way to the archive. What it did is written when there is enough of it, and at its end.
type process struct {
	r          *recording
	id, parent int
	image      *image
	args       []string
	loading    bool // has a program, and has executed nothing of it
	inherited  bool // executes the program of its parent, still
	begin, end int64
	over       bool
	status     int

	threads    map[int]*thread
	goroutines map[uint64]*location
	natives    map[int]*location    // of a program that is not Go's: its threads
	apart      map[string]*location // what is no goroutine of the program
	open       map[uint64]*location // that have not ended, by number
	locations  uint64               // ever made
	regions    map[place]uint32
	functions  map[*function]uint32 // their regions
	sites      map[siteKey]uint32   // regions of operations
	objects    map[objectKey]uint32
	used       map[uint64]int64     // when channels and WaitGroups were used last, by their addresses
	made       uint32               // objects
	defs       []wire.Def           // not written yet
	out        *trace.ProcessWriter // nil until something is written
	remarks    map[string]uint64
}

// processOf returns what is known of a process.
func (r *recording) processOf(id int) *process {
	p := r.live[id]
	if p == nil {
		p = &process{r: r, id: id, begin: r.clock(), status: -1, threads: map[int]*thread{}, goroutines: map[uint64]*location{}, open: map[uint64]*location{},
			natives: map[int]*location{}, apart: map[string]*location{}, regions: map[place]uint32{}, functions: map[*function]uint32{}, sites: map[siteKey]uint32{},
			objects: map[objectKey]uint32{}, used: map[uint64]int64{},
			remarks: map[string]uint64{}}
		r.live[id] = p
		r.all = append(r.all, p)
	}
	return p
}

func (p *process) threadOf(id int) *thread {
	t := p.threads[id]
	if t == nil {
		t = new(thread)
		p.threads[id] = t
	}
	return t
}

// newLocation makes a location for a goroutine, or a thread, of that number.
func (p *process) newLocation(id uint64) *location {
	p.locations++
	l := &location{p: p, number: p.locations, id: id, counted: make([]uint64, len(p.r.readings.names)), last: p.r.clock()}
	p.open[l.number] = l
	return l
}

// countsOnly returns a location that only has counts: it lives for no time, at the end of the process.
func (p *process) countsOnly(name string) *location {
	l := p.apart[name]
	if l == nil {
		l = &location{p: p, countsOnly: true, counted: make([]uint64, len(p.r.readings.names))}
		p.apart[name] = l
	}
	return l
}

// place is what a region is: a function, or what is done in one.
type place struct {
	name, function, file string
	line                 int
}

// region returns the number of a region.
func (p *process) region(at place) uint32 {
	id, ok := p.regions[at]
	if !ok {
		id = uint32(min(len(p.regions)+1, wire.MaxID))
		p.regions[at] = id
		p.defs = append(p.defs, wire.Def{Type: wire.DefRegion, ID: id, Name: at.name, Func: at.function, File: p.r.o.source(at.file), Line: uint32(at.line)})
	}
	return id
}

// regionOf returns the region of a function.
func (p *process) regionOf(f *function) uint32 {
	id, ok := p.functions[f]
	if !ok {
		file, line := p.image.line(f.begin)
		id = p.region(place{short(f.name), f.name, file, line})
		p.functions[f] = id
	}
	return id
}

// siteOf returns the region of an operation that is done at an address of a function.
func (p *process) siteOf(name string, f *function, pc uint64) uint32 {
	at := place{name: name}
	if f != nil {
		at.function = f.name
		if at.file, at.line = p.image.caller(f, pc); at.line == 0 {
			at.file, at.line = p.image.line(pc)
		}
	}
	return p.region(at)
}

// startOf returns the region of the function with which a goroutine begins; if that is recorded, it is entered, and what comes before it has
// no name.
func (p *process) startOf(pc uint64) uint32 {
	switch f := p.image.at(pc); {
	case f == nil:
		return p.region(place{name: "(thread)"})
	case f.recorded && !f.frequent:
		return p.region(place{name: "(goroutine)"})
	default:
		return p.regionOf(f)
	}
}

// short returns a function's name without the path of its package.
func short(name string) string {
	return name[strings.LastIndexByte(name, '/')+1:]
}

// write hands over what a location has collected.
func (p *process) write(l *location) {
	if len(l.words) == 0 {
		return
	}
	p.define()
	p.r.note(p.out.Chunk(trace.RawChunk{Location: l.number, GoID: l.id, Seq: l.pieces, Base: l.base, Words: l.words}))
	l.pieces++
	l.words = l.words[:0]
}

// define writes the definitions that are new.
func (p *process) define() {
	r := p.r
	if p.out == nil {
		if parent := r.live[p.parent]; parent != nil {
			parent.define() // comes first
		}
		info := trace.ProcessInfo{PID: p.id, Parent: p.parent, Args: p.args, Start: stamp(p.begin), Clock: "virtual", Frequency: 1e9,
			Processor: processorOf(r.o.Machine)}
		var err error
		p.out, err = r.out.AddProcess(info)
		r.note(err)
		r.note(p.out.Define(wire.Def{Type: wire.DefCounters, Names: r.readings.names}))
	}
	for _, d := range p.defs {
		r.note(p.out.Define(d))
	}
	p.defs = p.defs[:0]
}

// stamp is a time for the archive.
func stamp(t int64) trace.Stamp { return trace.Stamp{Ticks: uint64(t), Mono: t, Wall: epoch + t} }

// endAll writes all locations of the program that the process executes, which ends.
func (p *process) endAll(t int64) {
	for _, n := range slices.Sorted(maps.Keys(p.open)) {
		p.open[n].stop(t)
	}
	clear(p.open)
}

// finish writes what there is of the process, which ended.
func (p *process) finish(t int64) {
	p.endAll(t)
	p.end = max(p.end, t)
	if l := p.apart["(start)"]; p.locations == 0 && l != nil {
		p.remarks["goroutines are not told apart: the program has no debugging information"] = 1
		delete(p.apart, "(start)")
		p.apart["(program)"] = l
	}
	for _, name := range slices.Sorted(maps.Keys(p.apart)) {
		l := p.apart[name]
		if slices.ContainsFunc(l.counted, func(v uint64) bool { return v != 0 }) {
			p.locations++
			l.number, l.last = p.locations, p.end
			l.once(p.region(place{name: name}))
		}
	}
}

// exited writes how the process ended.
func (p *process) exited() error {
	p.define()
	for _, f := range p.image.functions {
		if f.skipped > 0 && p.functions[f] != 0 {
			p.remarks[fmt.Sprintf("calls of %s, short and frequent, counted in their callers", f.name)] = f.skipped
		}
	}
	p.r.note(p.out.Warnings(p.remarks))
	p.out.CPUTime(p.end - p.begin) // all time is the program's, see getrusage in simulator/linux
	return p.out.Exited(p.status, stamp(p.end))
}

package otf2

import (
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Trace returns the archive as one of package trace: a process for each location group that has locations with events, its locations in the order of their definitions, and of
// the events those that enter and leave regions, pass messages, and meet in collective operations and barriers; a program is a region, too. A thread that works in a team of others is below the call path in which the team was forked. Times are the clock's own,
// corrected if messages arrive before they are sent, unless KeepClocks says otherwise.
func (a *Archive) Trace() *trace.Archive {
	s, all := a.survey()
	if r := a.correction; r == nil {
		if r = s.correct(all); r != nil {
			return a.withClocks(r).Trace()
		}
	} else if r.Before > 0 {
		s.Header.Notes = append(s.Header.Notes, r.said(&a.Clock))
	}
	if r := a.streams; r == nil {
		if r = s.device.corrected(s, all); r != nil {
			return a.withStreamClocks(r).Trace()
		}
	} else if r.before > 0 {
		s.Header.Notes = append(s.Header.Notes, r.said(a.Clock.Resolution))
	}
	s.Decoder = s.decoder
	return trace.FromSource(&s.Source)
}

// survey makes the definitions, and looks at all events.
func (a *Archive) survey() (*source, []survey) {
	s := &source{a: a, programs: map[uint64]uint32{}}
	s.Header = trace.Header{Resolution: 1, Complete: true}
	s.Ticks = trace.Ticks(min(s.a.Clock.Resolution, math.MaxInt64))
	if t := a.Clock.Realtime; t != 0 && t != 1<<64-1 {
		s.Header.Start = int64(t)
	}
	s.define()
	s.topologies()
	s.findCounters()
	s.classify()
	all := s.unties(s.look())
	s.gather(all)
	s.Problems = append(s.Problems, a.problems...)
	return s, all
}

type source struct {
	trace.Source
	a           *Archive
	latest      uint64      // no time is later than so many ticks, or so much earlier than the begin
	of          []*Location // by LocationID
	regions     numbered
	undefined   uint32            // the region that stands for those that are not defined
	off         uint32            // the region in which nothing is measured
	idle        uint32            // the region of threads that are in no team
	without     uint32            // the region of those meanwhile others are in one
	flush       uint32            // the region in which the recorder writes events
	working     [][]stretch       // by process: when teams work, if threads are left out of any
	workers     []bool            // by LocationID: it is one of these threads
	programs    map[uint64]uint32 // regions that stand for programs, by their names
	chunks      []Chunk
	starts      []*walk // by chunk
	parts       []part  // by chunk of package trace
	forks       forks
	forked      [][]instance     // by LocationID, what it forked; each unknown at first
	untied      []map[int32]kept // by LocationID, what is open when it resumes a task the how manieth time; nil if each task is executed by one location
	passing     passing
	counters    counters
	device      devices
	metricsOnly uint64       // events of locations with values of metrics only
	noted       atomic.Int64 // events that surveys were told to keep to correct clocks
}

// define makes processes, locations and regions of the definitions.
func (s *source) define() {
	d := &s.Definitions
	s.latest = latest(len(s.a.Locations), s.a.Clock.Resolution)
	end := s.since(s.a.Clock.Offset + s.a.Clock.Length)
	var groups []uint64
	members := map[uint64][]*Location{}
	for _, l := range s.a.Locations {
		if l.Events == 0 && s.a.Find(Locations, l.ID) != nil {
			continue
		}
		if l.Kind == metricsOnly {
			s.metricsOnly += l.Events
			continue
		}
		g := s.a.owner(l.Group)
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], l)
	}
	for i, g := range groups {
		name := s.a.NameOf(LocationGroups, g)
		if name == "" {
			name = "unknown process"
		}
		d.Processes = append(d.Processes, trace.Process{PID: i, Args: []string{name}, End: end, Exit: -1})
		for k, l := range members[g] {
			s.of = append(s.of, l)
			d.Locations = append(d.Locations, trace.Location{Process: i, Number: uint64(k + 1), GoID: uint64(k + 1), Events: l.Events, Name: s.device.add(l), Stream: l.isStream()})
		}
	}
	for i := range s.a.records {
		r := &s.a.records[i]
		if r.Spec.Self == Regions && s.a.Find(Regions, r.Values[0]) == r {
			s.regions.add(r.Values[0], uint32(len(d.Regions)))
			d.Regions = append(d.Regions, trace.Region{Name: s.a.Text(r.Get("name")), File: s.a.Text(r.Get("sourceFile")), Line: int(r.Get("beginLineNumber"))})
		}
	}
	s.undefined, s.off = uint32(len(d.Regions)), uint32(len(d.Regions)+1)
	d.Regions = append(d.Regions, trace.Region{Name: "unknown region"}, trace.Region{Name: "MEASUREMENT OFF"})
	s.device.define(s.a, d)
}

// survey is what is known of a location before its events are read for good.
type survey struct {
	chunks    []Chunk
	starts    []*walk // by chunk
	last      int64   // when its last event ends
	forks     forks
	forked    []instance // by fork of the location
	programs  []uint64
	queues    map[queue]int // their places in queued, from 1 on
	queued    []queue       // the same, in order
	locks     map[lock]bool
	windows   map[windowLock]bool
	contacts  []contact
	began     int64  // the collective operation that goes on
	unused    uint64 // events that tell nothing of counters, but of other metrics
	launches  []launched
	kernels   []kernel
	executed  map[uint32]bool   // regions, of a stream
	flushes   bool              // the recorder wrote its events meanwhile
	begun     map[team]int      // how often it was in each team
	inTeams   bool              // it began to work in a team when nothing else was open
	alone     bool              // likewise without a team
	segments  map[int32]segment // by how often it had begun or resumed a task, in archives with untied tasks
	suspended int               // in others so many tasks, and regions that were open in them
	untied    bool              // it left what it had not entered in a task
	lost      bool              // of tasks more was open than is kept
	problems  []trace.Problem
}

// look looks at all events.
func (s *source) look() []survey {
	all := make([]survey, len(s.of))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.of)) {
		wg.Go(func() {
			r := s.a.NewReader()
			defer r.Close()
			for i := next.Add(1) - 1; i < int64(len(s.of)); i = next.Add(1) - 1 {
				all[i].location(s, r, trace.LocationID(i))
			}
		})
	}
	wg.Wait()
	return all
}

// gather puts together what is known of all locations.
func (s *source) gather(all []survey) {
	s.forks.of = map[team][]forked{}
	begins, ends := make([]int64, len(s.Definitions.Processes)), make([]int64, len(s.Definitions.Processes))
	for i := range begins {
		begins[i] = math.MaxInt64
	}
	for i := range all {
		if p := s.Definitions.Locations[i].Process; len(all[i].chunks) > 0 {
			begins[p] = min(begins[p], s.since(all[i].chunks[0].Time))
			ends[p] = max(ends[p], all[i].last)
		}
	}
	for i := range all {
		v := &all[i]
		s.Problems = append(s.Problems, v.problems...)
		for k, steps := range v.forks.paths {
			steps = withoutTasks(s.resumed(trace.LocationID(i), steps))
			v.forks.paths[k] = steps[:min(len(steps), mostBelow)]
		}
		s.forks.merge(&v.forks)
		s.workers = append(s.workers, v.inTeams && !v.alone)
		s.forked = append(s.forked, v.forked)
		for r := range v.executed {
			s.Definitions.Regions[r].Class = kernelClass
		}
		for _, p := range v.programs {
			if _, known := s.programs[p]; !known {
				s.programs[p] = uint32(len(s.Definitions.Regions))
				s.Definitions.Regions = append(s.Definitions.Regions, trace.Region{Name: path.Base(s.a.Text(p))})
			}
		}
		for k, c := range v.chunks {
			// What a team executes may begin and end as much earlier and later as the thread did nothing else.
			p := s.Definitions.Locations[i].Process
			first, last := begins[p], ends[p]
			if k > 0 {
				first = v.starts[k].last
			}
			if k+1 < len(v.chunks) {
				last = s.since(v.chunks[k+1].Time)
			}
			s.chunks, s.starts = append(s.chunks, c), append(s.starts, v.starts[k])
			s.Chunks = append(s.Chunks, trace.SourceChunk{Location: trace.LocationID(i), First: first, Last: max(first, last), Events: int(c.Events), Bytes: c.bytes()})
		}
	}
	if slices.Contains(s.workers, true) {
		s.idle = uint32(len(s.Definitions.Regions))
		s.Definitions.Regions = append(s.Definitions.Regions, trace.Region{Name: "(idle)", Class: "omp_idle_threads"})
	}
	if slices.ContainsFunc(all, func(v survey) bool { return v.lost }) {
		s.Header.Notes = append(s.Header.Notes, fmt.Sprintf("tasks are within more than %d others, or more than %d suspended at once, or more than %d regions open in them then: what is beyond that is missing", mostNested, mostSuspended, mostKept))
	}
	s.unused(all)
	s.lacks(all)
	s.flushes(all)
	s.divide()
	s.number(all)
	for _, p := range s.forks.paths {
		for i := range p {
			if p[i].region == programRegion {
				p[i] = step{region: s.programs[uint64(p[i].levels)]}
			}
		}
	}
	for i := range s.parts {
		if p := &s.parts[i]; i == 0 || s.parts[i-1].chunk != p.chunk {
			s.forks.know(s.starts[p.chunk].stack, s.forked[s.Chunks[i].Location])
		}
	}
}

// startsAtFirst is how large the walks with which chunks begin may be together, in addition to the number of events before them. Chunks that are too small for theirs are read with those before them.
const startsAtFirst = 1 << 10

// location looks at the events of a location.
func (v *survey) location(s *source, r *Reader, at trace.LocationID) {
	var chunks []Chunk
	chunks, v.problems = s.a.Chunks(s.of[at])
	v.last = math.MinInt64
	v.forks.of = map[team][]forked{}
	w := newWalk(s.Definitions.Locations[at].Process)
	w.location = at
	stream := s.device.number[at] != 0
	copied := -startsAtFirst
	for k, c := range chunks {
		_ = r.Open(c) // what is wrong is told when it is read for good
		c.Time = r.corrected(&c)
		if k == 0 || copied+w.size() <= 0 {
			v.chunks, v.starts = append(v.chunks, c), append(v.starts, w.clone())
			copied += w.size()
		} else {
			v.chunks[len(v.chunks)-1].join(c)
		}
		if k == 0 {
			w.last = s.since(c.Time)
		}
		for r.Next() {
			copied--
			if does, _ := s.plainly(&r.Event, w); does != wire.None {
				w.last = max(w.last, s.since(r.Event.Time))
				continue
			}
			if id := r.Event.Spec.ID; id == idMetric {
				if stream || !s.counts(&r.Event, w) {
					v.unused++
				}
			} else if stream {
				v.kernel(s, w, &r.Event)
			} else if id == idMpiSend || id == idMpiIsend || id == idMpiRecv || id == idMpiIrecv {
				v.message(s, s.of[at], &r.Event)
			} else if id == idMpiCollectiveBegin || id == idMpiCollectiveEnd {
				v.contact(s, s.of[at], &r.Event)
			} else if id == idRmaGroupSync {
				v.epoch(s, s.of[at], w, &r.Event)
			} else {
				v.access(s, s.of[at], w, &r.Event)
				v.event(s, w, &r.Event)
			}
			w.passes(&r.Event, s.since(r.Event.Time))
			v.last = max(v.last, s.since(r.Event.Time))
			if r.Event.Spec.ID == idBufferFlush { // which lasts, but not longer than the trace, as damage may say
				v.last = max(v.last, min(s.since(r.local.corrected(r.Event.Values[0])), s.since(s.a.Clock.Offset+s.a.Clock.Length)))
			}
		}
	}
	v.ended(s, w)
	v.last, v.begun, v.lost = max(v.last, w.last), w.begun, w.lost
}

// event applies an event to what is known of its location.
func (v *survey) event(s *source, w *walk, e *Event) {
	if id := e.Spec.ID; len(w.stack) == 0 {
		v.inTeams = v.inTeams || id == idThreadTeamBegin
		v.alone = v.alone || id == idEnter || id == idProgramBegin || id == idThreadFork || id == idMeasurementOnOff
	}
	switch e.Spec.ID {
	case idEnter:
		v.launch(s, e)
		region := s.region(e.Values[0])
		v.untied = v.untied || w.strange() && !s.passing.classes[region].task
		w.enter(region, func(top *step) uint32 {
			if x := v.forks.at(top); x != nil && top.master {
				x.region = region
			}
			return region
		})
	case idLeave, idProgramEnd:
		if e.Spec.ID == idLeave && w.knows() {
			s.device.records(s, w, e)
			s.releases(s.region(e.Values[0]), w, func(*held, wire.Hold) {})
			w.accesses = false
		}
		v.untied = v.untied || w.strange()
		w.leave()
	case idThreadTaskSwitch, idThreadTaskComplete:
		v.switched(s, w, e)
	case idProgramBegin:
		v.programs = append(v.programs, e.Values[0])
		w.push(step{region: programRegion, levels: int(e.Values[0])})
	case idThreadFork:
		w.fork(s.since(e.Time))
		v.forked = append(v.forked, unknown)
	case idThreadTeamBegin:
		if top := w.begin(e.Values[0]); top.master {
			path := slices.Clone(w.stack[:min(len(w.stack)-1, mostBelow)])
			if s.untied == nil {
				path = withoutTasks(path)
			}
			v.forks.add(top.team, path, top.from)
			v.forked[top.fork-1] = top.instance
		}
	case idThreadTeamEnd:
		w.end(false)
	case idThreadJoin:
		top := w.end(true)
		if x := v.forks.at(&top); x != nil {
			x.to = s.since(e.Time)
		}
	case idMeasurementOnOff:
		s.measurement(w, e)
	case idBufferFlush:
		v.flushes = true
	case idThreadAcquireLock, idThreadReleaseLock, idOmpAcquireLock, idOmpReleaseLock:
		v.lock(w, e)
	case idRmaRequestLock, idRmaReleaseLock, idRmaPut, idRmaGet, idRmaAtomic:
		v.hold(s, w, e)
	}
}

// measurement applies that the measurement was switched, and says whether it begins or ends a region.
func (s *source) measurement(w *walk, e *Event) (begins, ends bool) {
	const on, off = 1, 2
	switch e.Values[0] {
	case off:
		w.enter(s.off, func(*step) uint32 { return noRegion })
		return true, false
	case on:
		ends, _ = w.leave()
		return false, ends
	}
	return false, false
}

// programRegion stands for the region of a program, which is not known before all events were looked at.
const programRegion = 1<<32 - 1

// region returns the region with a number.
func (s *source) region(number uint64) uint32 {
	if id, defined := s.regions.of(number); defined {
		return id
	}
	return s.undefined
}

// numbered is regions by their numbers in the archive. Most are small, and looked up for each event.
type numbered struct {
	small []uint32 // noRegion: there is none
	large map[uint64]uint32
}

// smallNumbers are those below: as many as Score-P gives to the largest programs.
const smallNumbers = 1 << 20

func (n *numbered) add(number uint64, region uint32) {
	if number >= smallNumbers {
		if n.large == nil {
			n.large = map[uint64]uint32{}
		}
		n.large[number] = region
		return
	}
	for uint64(len(n.small)) <= number {
		n.small = append(n.small, noRegion)
	}
	n.small[number] = region
}

func (n *numbered) of(number uint64) (region uint32, defined bool) {
	if number < uint64(len(n.small)) {
		return n.small[number], n.small[number] != noRegion
	}
	region, defined = n.large[number]
	return region, defined
}

// latest returns the most ticks that all locations together can spend without their sums, in ticks and in ns, being too large: years, even for millions of locations.
func latest(locations int, resolution uint64) uint64 {
	most := uint64(math.MaxInt64/4) / uint64(locations+1)
	if resolution < uint64(trace.Nanoseconds) {
		most /= uint64(trace.Nanoseconds)/max(resolution, 1) + 1
	}
	return most
}

// since returns the ticks since the begin of the trace. Damage may say anything.
func (s *source) since(t uint64) int64 {
	if begin := s.a.Clock.Offset; t < begin {
		return -int64(min(begin-t, s.latest))
	}
	return int64(min(t-s.a.Clock.Offset, s.latest))
}

// event appends what an event is in package trace.
func (s *source) event(e *Event, w *walk, forked []instance, to []trace.Event) []trace.Event {
	t, levels, idles := s.since(e.Time), 0, false
	open := func(region uint32, word uint64) {
		w.last = max(w.last, t)
		to = append(to, trace.Event{Time: w.last, Kind: wire.Enter, ID: region, Word: word})
	}
	state := func(kind wire.Kind) {
		w.last = max(w.last, t)
		to = append(to, trace.Event{Time: w.last, Kind: kind})
	}
	meet := func(at *step, as wire.Meeting) {
		if object := s.passing.teams[at.team]; s.forks.at(at) != nil && object != 0 {
			to = append(to, trace.Event{Time: max(w.last, t), Kind: wire.Met, ID: uint32(wire.TeamFork | as), Word: uint64(object)})
		}
	}
	switch e.Spec.ID {
	case idEnter:
		region := s.region(e.Values[0])
		if n := len(w.stack); n > 0 && w.stack[n-1].work {
			state(wire.Running)
		}
		if !w.enter(region, func(top *step) uint32 { return s.forks.executes(top) }) {
			open(region, 0)
		}
	case idProgramBegin:
		w.push(step{region: programRegion})
		open(s.programs[e.Values[0]], 0)
	case idMeasurementOnOff:
		begins, ends := s.measurement(w, e)
		if begins {
			open(s.off, 0)
		} else if ends {
			levels = 1
		}
	case idLeave, idProgramEnd:
		if e.Spec.ID == idLeave && w.knows() {
			to = s.ends(s.region(e.Values[0]), t, w, to)
			to = s.holding(s.region(e.Values[0]), t, w, to)
			to = s.device.awaits(s, w, e, to)
			s.device.records(s, w, e)
		}
		if ends, hidden := w.leave(); ends {
			levels = 1
		} else if hidden {
			state(wire.Joining)
		}
	case idThreadTaskSwitch, idThreadTaskComplete:
		to = s.switched(w, e, to)
	case idThreadFork:
		if top := w.fork(t); w.forks <= len(forked) {
			top.is(forked[w.forks-1])
			meet(top, wire.Root)
			if s.work(top, open) {
				state(wire.Forking)
			}
		}
	case idThreadTeamBegin:
		if top := w.begin(e.Values[0]); !top.master {
			if x := s.forks.at(top); x != nil {
				t = min(t, x.from) // it is later only in damaged archives
			}
			idle := w.idle(1)
			if idle {
				to = s.leftOut(w, t, to)
				meet(top, 0)
				state(wire.Exit)
			}
			if s.work(top, open) {
				state(wire.Forking)
			}
			if !idle {
				meet(top, 0)
			}
		}
	case idThreadTeamEnd:
		ended := w.end(false)
		if x := s.forks.at(&ended); x != nil && x.to > 0 {
			t = min(x.to, w.latest)
		}
		levels, idles = ended.levels, ended.work && w.idle(0)
	case idThreadJoin:
		if levels = w.end(true).levels; levels > 0 {
			to = s.joins(w, t, to)
		}
	}
	if levels > 0 {
		if e.Spec.ID == idThreadTeamEnd || e.Spec.ID == idThreadJoin {
			state(wire.Running)
		}
		w.last = max(w.last, t)
		to = append(to, trace.Event{Time: w.last, Kind: wire.Exit, ID: uint32(levels - 1)})
	}
	if idles {
		w.last = max(w.last, t)
		to = append(to, s.idles(w.last))
	}
	return to
}

// idles is the begin of being in no team.
func (s *source) idles(t int64) trace.Event {
	return trace.Event{Time: t, Kind: wire.Enter, ID: s.idle, Word: trace.Elsewhere}
}

// work opens the levels in which a thread works for a team, and says whether it is known what the team executes.
func (s *source) work(at *step, open func(region uint32, word uint64)) bool {
	if !at.master {
		for _, region := range s.forks.below(nil, at) {
			open(region, trace.Elsewhere)
			at.levels++
		}
	}
	region := s.forks.executes(at)
	if region != noRegion {
		open(region, 0)
		at.levels++
	}
	return region != noRegion
}

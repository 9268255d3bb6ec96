// Package score says what recording each region of a trace cost, and which regions cost more than they tell.
//
// The cost of a visit is that of its two events, as the process measured it when it began; what events of other kinds cost is given in one sum. The
// archive's bytes are shared out by the number of events in each of its chunks.
package score

import (
	"cmp"
	"fmt"
	"slices"

	"tracerec/internal/regionfilter"
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// Region is what recording a region cost. Regions of several processes are one if they have the same name and place.
type Region struct {
	Name     string `json:"name"`
	Func     string `json:"func"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Visits   int64  `json:"visits"`
	Time     int64  `json:"time_ns"` // of all visits, with what they call
	Own      int64  `json:"own_ns"`  // without regions and operations in them
	Cost     int64  `json:"cost_ns"`
	Bytes    int64  `json:"bytes"` // in the archive
	Filtered bool   `json:"filtered"`
}

// Score is the cost of a recording.
type Score struct {
	Span       int64    `json:"span_ns"` // from the first event to the last
	Bytes      int64    `json:"bytes"`   // of the archive
	Time       int64    `json:"time_ns"` // of all goroutines, from first event to last
	Events     int64    `json:"events"`
	Operations int64    `json:"operation_events"` // events that are not of regions
	Cost       int64    `json:"cost_ns"`
	OtherCost  int64    `json:"operation_cost_ns"`
	OtherBytes int64    `json:"operation_bytes"`
	Regions    []Region `json:"regions"` // the costliest first
	Warnings   []string `json:"warnings"`
}

// Limits say when a region costs more than it tells.
type Limits struct {
	Cost  float64 // part of its time that recording it takes
	Share float64 // part of the cost of all regions, below which it does not matter
}

// Default are the limits if nobody says otherwise.
var Default = Limits{Cost: 0.05, Share: 0.005}

// open is what is kept of an open level.
type open struct {
	region uint32
	since  int64
	inside int64 // time in levels directly in it
}

// location is one on the way.
type location struct {
	stack       levels.Stack[open]
	first, last int64
	any         bool
}

type scorer struct {
	a         *trace.Archive
	defs      *trace.Definitions
	locations []location
	regions   []Region  // by index in the definitions
	bytes     []float64 // of each
	picos     []float64 // cost of each
	score     Score
	other     float64 // bytes
	otherCost float64 // picoseconds
}

// Of reads an archive. Chunks that cannot be read are left out; the archive's problems name them.
func Of(a *trace.Archive, limits Limits) *Score {
	defs := a.Definitions()
	s := &scorer{a: a, defs: defs, locations: make([]location, len(defs.Locations)), regions: make([]Region, len(defs.Regions)),
		bytes: make([]float64, len(defs.Regions)), picos: make([]float64, len(defs.Regions))}
	var buf trace.Buffer
	d := a.NewDecoder()
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, &buf)
		if err != nil {
			continue
		}
		each := float64(c.Bytes()) / float64(max(c.Events, 1))
		for i := range batches {
			s.batch(&batches[i], each)
		}
	}
	s.finish(limits)
	return &s.score
}

func (s *scorer) batch(b *trace.Batch, bytes float64) {
	l := &s.locations[b.Location]
	picos := float64(s.defs.Processes[s.defs.Locations[b.Location].Process].EventCost)
	for _, e := range b.Events {
		if !l.any {
			l.first, l.any = e.Time, true
		}
		l.last = max(l.last, e.Time)
		s.score.Events++
		region, is := s.event(l, e)
		if is {
			s.bytes[region] += bytes
			s.picos[region] += picos
		} else {
			s.score.Operations++
			s.other += bytes
			s.otherCost += picos
		}
	}
}

// event follows an event, and returns the region that it opens or closes, if it does.
func (s *scorer) event(l *location, e trace.Event) (region uint32, is bool) {
	if l.stack.Forgets(e.Kind) {
		l.stack.Forget()
	}
	switch e.Kind.Does() {
	case wire.Exits, wire.Loses, wire.Leaves, wire.Ends:
		closed, _ := l.stack.Close(e.Kind, e.ID)
		for i := len(closed) - 1; i >= 0; i-- {
			of := closed[i].Of
			took := e.Time - of.since
			if i > 0 {
				closed[i-1].Of.inside += took
			} else if top := l.stack.Top(); top != nil {
				top.Of.inside += took
			}
			if closed[i].Kind == wire.Enter {
				r := &s.regions[of.region]
				r.Time += took
				r.Own += took - of.inside
				region, is = of.region, e.Kind == wire.Exit
			}
		}
	case wire.Opens:
		*l.stack.Open(e.Kind) = open{region: e.ID, since: e.Time}
		if e.Kind == wire.Enter {
			s.regions[e.ID].Visits++
			return e.ID, true
		}
	}
	return region, is
}

// finish makes the score of the sums.
func (s *scorer) finish(limits Limits) {
	first, last := int64(0), int64(0)
	any := false
	for i := range s.locations {
		l := &s.locations[i]
		if !l.any {
			continue
		}
		s.event(l, trace.Event{Time: l.last, Kind: wire.End})
		if !any || l.first < first {
			first = l.first
		}
		any = true
		last = max(last, l.last)
		s.score.Time += l.last - l.first
	}
	s.score.Span = last - first
	for _, c := range s.a.Chunks() {
		s.score.Bytes += c.Bytes()
	}
	s.score.OtherBytes, s.score.OtherCost = int64(s.other), int64(s.otherCost/1000)
	for i, n := range s.defs.EventsOf() { // what was measured beyond that of regions is that of operations
		p := &s.defs.Processes[i]
		s.score.OtherCost += max(0, p.RecordingCost(n)-trace.RecordingCost(n, p.EventCost))
	}
	s.score.Cost = s.score.OtherCost
	s.merge()
	total := s.score.Cost - s.score.OtherCost
	for i := range s.score.Regions {
		r := &s.score.Regions[i]
		tooMuch := float64(r.Cost) > limits.Cost*float64(r.Time) && float64(r.Cost) >= limits.Share*float64(total)
		r.Filtered = r.Function() && (tooMuch || s.unrecorded(r.Name))
	}
	slices.SortStableFunc(s.score.Regions, func(a, b Region) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	s.score.Warnings = s.warnings()
}

// merge puts the regions of all processes together.
func (s *scorer) merge() {
	type key struct {
		name, function, file string
		line                 int
	}
	s.score.Regions = []Region{}
	at := map[key]int{}
	for i, r := range s.regions {
		if r.Visits == 0 {
			continue
		}
		d := s.defs.Regions[i]
		k := key{d.Name, d.Func, d.File, d.Line}
		n, ok := at[k]
		if !ok {
			n = len(s.score.Regions)
			at[k] = n
			s.score.Regions = append(s.score.Regions, Region{Name: d.Name, Func: d.Func, File: d.File, Line: d.Line})
		}
		to := &s.score.Regions[n]
		to.Visits += r.Visits
		to.Time += r.Time
		to.Own += r.Own
		to.Bytes += int64(s.bytes[i])
		cost := int64(s.picos[i] / 1000)
		to.Cost += cost
		s.score.Cost += cost
	}
}

// unrecorded tells whether a process did not record all visits of a region, as they cost too much.
func (s *scorer) unrecorded(name string) bool {
	return slices.ContainsFunc(s.defs.Processes, func(p trace.Process) bool {
		return p.Warnings[wire.UnrecordedVisits(name, false)] > 0 || p.Warnings[wire.UnrecordedVisits(name, true)] > 0
	})
}

// warnings says what processes did not record, or not as it was.
func (s *scorer) warnings() (said []string) {
	said = []string{}
	for _, p := range s.defs.Processes {
		for _, text := range trace.Said(p.Warnings) {
			said = append(said, fmt.Sprintf("process %d: %s", p.PID, text))
		}
	}
	return said
}

// Function tells whether the region is a function, which a filter can leave out: it bears the name of one.
func (r *Region) Function() bool { return r.Func != "" && r.Name == wire.ShortName(r.Func) }

// Kept returns what the costs, and the bytes in the archive, would be with the filter.
func (s *Score) Kept() (cost, bytes int64) {
	cost, bytes = s.Cost, s.Bytes
	for _, r := range s.Regions {
		if r.Filtered {
			cost -= r.Cost
			bytes -= r.Bytes
		}
	}
	return cost, bytes
}

// Filter returns the filter that leaves out what costs more than it tells, by names with the path of their packages.
func (s *Score) Filter() *regionfilter.Filter {
	f := &regionfilter.Filter{}
	for _, r := range s.Regions {
		rule := regionfilter.Rule{Exclude: true, Mangled: true, Pattern: regionfilter.Literal(r.Func)}
		if r.Filtered && !slices.Contains(f.Regions, rule) {
			f.Regions = append(f.Regions, rule)
		}
	}
	return f
}

// PerSecond is how much of a sum over the recording there was in each second of it.
func (s *Score) PerSecond(n int64) int64 {
	if s.Span <= 0 {
		return 0
	}
	return int64(float64(n) * 1e9 / float64(s.Span))
}

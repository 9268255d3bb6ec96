package otf2

import (
	"fmt"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Score-P samples counters with regions: a Metric event before that of the region tells what each has counted since the recording began on its thread. Other metrics, such as those of locations
// that record nothing else, are of no call path.

// counters are those of an archive.
type counters struct {
	names []string
	more  bool             // there are others, which are left out
	of    map[uint64][]int // by metric class: where its values belong in a sample, -1 nowhere. The first value of a sample is where it was taken
}

// mostCounters is how many there are at most: each sample has a value of each.
const mostCounters = 16

// Numbers of MetricMode, MetricOccurrence and LocationType, as in words.go.
const (
	accumulatedStart  = 0
	synchronousStrict = 0
	metricsOnly       = 3
)

// placeMember is the metric by which archives that were exported here tell where a sample was taken.
const placeMember = "read"

// findCounters finds out which metrics are counters.
func (s *source) findCounters() {
	known := map[string]int{}
	s.counters.of = map[uint64][]int{}
	for i := range s.a.records {
		r := &s.a.records[i]
		if r.Spec.Name != "MetricClass" || r.Get("metricOccurrence") != synchronousStrict || s.a.Find(MetricClasses, r.Values[0]) != r {
			continue
		}
		var at []int
		for i, m := range r.Each() {
			at = append(at, -1)
			member := s.a.Find(MetricMembers, m)
			if member == nil || member.Get("metricMode") != accumulatedStart || !countsWhole(member.Get("valueType")) {
				continue
			}
			name := s.a.Text(member.Get("name"))
			if name == "" {
				continue
			}
			if i == 0 && name == placeMember {
				at[i] = 0
				continue
			}
			if known[name] == 0 && len(s.counters.names) == mostCounters {
				s.counters.more = true
				continue
			}
			if known[name] == 0 {
				s.counters.names = append(s.counters.names, name)
				known[name] = len(s.counters.names)
			}
			at[i] = known[name]
		}
		s.counters.of[r.Values[0]] = at
	}
	if len(s.counters.names) == 0 {
		s.counters.of = nil
		return
	}
	for i := range s.Definitions.Processes {
		s.Definitions.Processes[i].Counters = s.counters.names
	}
}

// countsWhole says whether values of a type are whole numbers.
func countsWhole(kind uint64) bool { return kind > 0 && kind < typeFloat }

// counts applies an event that tells values of metrics, and says whether any is of a counter.
func (s *source) counts(e *Event, w *walk) (any bool) {
	of := s.counters.of[e.Values[0]]
	for i, each := 0, e.Each(); i < len(of) && 2*i+1 < len(each); i++ {
		if of[i] < 0 || !countsWhole(each[2*i]) {
			continue
		}
		if w.counts == nil {
			w.counts = make([]count, 1+len(s.counters.names))
			w.counts[0] = count{now: 1, known: true} // a thread stays what it is
		}
		c, v := &w.counts[of[i]], each[2*i+1]
		if !c.known && of[i] > 0 {
			*c = count{first: v, known: true}
		}
		c.now, any = v, true
	}
	return any
}

// count is what a counter says, and what it said at first: it counts from then on, as what is before is of no call path that is known.
type count struct {
	first, now uint64
	known      bool
}

// sampled appends what counters have counted, if that is of the time that is wanted.
func (s *source) sampled(w *walk, b *trace.Batch) {
	if w.last < w.wanted.from || w.last >= w.wanted.to {
		return
	}
	b.Events = append(b.Events, trace.Event{Time: w.last, Kind: wire.Counters, ID: uint32(len(w.counts)), Word: uint64(len(b.Values))})
	for _, c := range w.counts {
		b.Values = append(b.Values, c.now-c.first)
	}
}

// unused notes values of metrics that are no counters.
func (s *source) unused(all []survey) {
	if s.counters.more {
		s.Header.Notes = append(s.Header.Notes, fmt.Sprintf("there are more than %d counters: the others are not used", mostCounters))
	}
	n := s.metricsOnly
	for i := range all {
		n += all[i].unused
	}
	if n > 0 {
		s.Header.Notes = append(s.Header.Notes, fmt.Sprintf("%d events tell values of metrics that belong to no call path: they are not used", n))
	}
}

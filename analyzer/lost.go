package analyzer

import (
	"cmp"
	"fmt"
	"slices"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// gap is a stretch of a location, from its event before to the record of the loss, of which events are missing.
type gap struct {
	loc      uint32
	from, to int64
}

// lostEvents is the count of a process that says how many events it dropped, those included whose loss no location could record.
const lostEvents = "events lost"

// gatherGaps brings the gaps of all workers together, by location and ascending.
func (s *scan) gatherGaps() {
	s.gaps = map[uint32][]gap{}
	var all list[gap]
	for _, w := range s.workers {
		all.blocks = append(all.blocks, w.gaps.blocks...)
	}
	for g := range all.all() {
		s.gaps[g.loc] = append(s.gaps[g.loc], *g)
	}
	for _, v := range s.gaps {
		slices.SortFunc(v, func(a, b gap) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
}

// loses applies a Lost event: it is not known what the location did from its event before on.
func (w *scanner) loses(l *location, e *trace.Event, t int64) {
	if w.path == nil {
		w.gaps.add(gap{w.loc, l.last, t})
		w.lost[w.s.defs.Locations[w.loc].Process] += e.Word
	}
	l.cut = true
	if w.s.metrics.stateOf[wire.Lost] != unnamed {
		l.does = wire.Lost
	}
}

// untold says of which processes more events were lost than their locations tell: each that has no end may have lost it.
func (s *scan) untold() []bool {
	untold := make([]bool, len(s.defs.Processes))
	for p := range untold {
		told := uint64(0)
		for _, w := range s.workers {
			told += w.lost[p]
		}
		untold[p] = s.defs.Processes[p].Warnings[lostEvents] > told
	}
	return untold
}

// beforeBegin returns the metric of the time from when a location was created to its first event.
func (s *scan) beforeBegin(l *location) uint16 {
	if m := s.metrics.stateOf[wire.Lost]; l.late && m != unnamed {
		return m
	}
	return s.metrics.startLatency
}

// touches says whether something of a location is missing in [from, to].
func (s *scan) touches(loc uint32, from, to int64) bool {
	v := s.gaps[loc]
	i, _ := slices.BinarySearchFunc(v, from, func(g gap, from int64) int { return cmp.Compare(g.to, from) })
	return i < len(v) && v[i].from <= to
}

// missing notes the waits of an operation that touch what is missing, of the waiter or the causer.
func (w *matchWorker) missing(o *Op, x *Wait, d int64) {
	s := w.m.s
	if len(s.gaps) == 0 || !s.touches(o.Loc, o.Begin, o.End) && (x.Causer == NoCauser || !s.touches(x.Causer, x.Begin, x.Release)) {
		return
	}
	w.touched[w.line(o, x)] += d
}

// losses adds up what is missing, by process and in all.
func (b *builder) losses() {
	defs := b.s.defs
	n := len(defs.Processes)
	lost, events, missing, life := make([]uint64, n), make([]uint64, n), make([]int64, n), make([]int64, n)
	for _, w := range b.s.workers {
		for p, e := range w.lost {
			lost[p] += e
		}
	}
	for i := range b.s.locations {
		l, p := &b.s.locations[i], defs.Locations[i].Process
		events[p] += defs.Locations[i].Events
		if l.seen {
			life[p] += l.end - l.begin
		}
		for _, g := range b.s.gaps[uint32(i)] {
			missing[p] += g.to - g.from
		}
	}
	var all, allEvents uint64
	var allMissing int64
	for p := range lost {
		lost[p] = max(lost[p], defs.Processes[p].Warnings[lostEvents])
		b.out.Origin.Processes[p].Lost = lossOf(lost[p], events[p], missing[p], life[p])
		all, allEvents, allMissing = all+lost[p], allEvents+events[p], allMissing+missing[p]
	}
	b.out.Lost = lossOf(all, allEvents, allMissing, b.out.Header.Time)
	b.out.Header.Lost = all
}

// lossOf relates what is lost to what is there.
func lossOf(lost, events uint64, missing, life int64) (l report.Lost) {
	l.Events = lost
	if lost > 0 {
		l.EventsShare = float64(lost) / (float64(lost) + float64(events))
	}
	if life > 0 {
		l.TimeShare = float64(missing) / float64(life)
	}
	return l
}

// lostWarning says what is missing.
func lostWarning(l *report.Lost) string {
	text := fmt.Sprintf("%d events were lost while recording", l.Events)
	if l.Events == 1 {
		text = "1 event was lost while recording"
	}
	return text + fmt.Sprintf(": %.2g %% of the events and at least %.2g %% of the time; nothing is concluded from the stretches in which they are missing",
		100*l.EventsShare, 100*l.TimeShare)
}

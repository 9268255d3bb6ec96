package analyzer

import (
	"cmp"
	"maps"
	"slices"

	"tracerec/internal/spill"
	"tracerec/metric"
	"tracerec/report"
)

// maxSpans is how many waits at all places are compared with each other at most: they are in memory, whatever its limit.
const maxSpans = 1 << 18

// span is when a location waited in an operation for another one.
type span struct {
	interval
	loc, causer uint32
}

// facing is two places at which goroutines wait for each other: who is ahead in one waits for one of those who are behind in the other.
type facing struct {
	ahead, behind     *collector
	finding, findings int // that they belong to
}

// headOfLine finds, for the first findings, who waits for one of several goroutines while the others wait for him: he serves them in turn, so that one that is not ready holds up
// all whose turn comes later. That nobody waits for him and is waited for by him at once follows from the time, not from the channel: of one channel, either senders or receivers wait.
func (b *builder) headOfLine() {
	var pairs []facing
	spans, room := map[lineKey][]span{}, uint64(maxSpans)
	lines := b.linesAt()
	for i := range min(explained, len(b.collected)) {
		for _, ahead := range b.collected[i].lines {
			for _, behind := range lines.of(&ahead.line) {
				if !b.faces(&ahead.line, &behind.line) {
					continue
				}
				more := uint64(0)
				for _, l := range []*collector{ahead, behind.collector} {
					if _, known := spans[l.key]; !known {
						more += l.line.Instances
					}
				}
				if more <= room {
					room -= more
					pairs = append(pairs, facing{ahead, behind.collector, i, behind.finding})
					spans[ahead.key], spans[behind.key] = nil, nil
				}
			}
		}
	}
	if len(pairs) == 0 {
		return
	}
	b.gatherSpans(spans)
	sortSpans(spans)
	for _, p := range pairs {
		held, kept := b.inTurn(spans[p.ahead.key], spans[p.behind.key], p.behind.line.Group)
		for i, d := range map[int]int64{p.finding: held, p.findings: kept} {
			f := &b.out.Findings[i]
			f.HeadOfLine = min(f.HeadOfLine+d, f.Severity) // a place that faces two others counts for both
		}
	}
}

// findingLine is a line, with the number of its finding and its own among all.
type findingLine struct {
	*collector
	finding, number int
}

type linesAt map[causerKey][]findingLine

// linesAt returns the lines of all findings by place.
func (b *builder) linesAt() linesAt {
	lines, n := linesAt{}, 0
	for i, c := range b.collected {
		for _, l := range c.lines {
			at := causerKey{l.line.Group, int32(l.line.Path)}
			lines[at] = append(lines[at], findingLine{l, i, n})
			n++
		}
	}
	return lines
}

// of returns the lines at the places of those who caused the waiting in one, in order.
func (x linesAt) of(l *report.Line) (list []findingLine) {
	for _, c := range l.Causers {
		list = append(list, x[causerKey{c.Group, c.Path}]...)
	}
	slices.SortFunc(list, func(x, y findingLine) int { return cmp.Compare(x.number, y.number) })
	return list
}

// faces says whether goroutines of two groups wait for each other at two places, to send at one and to receive at the other: those at y are causers of the waits at x.
func (b *builder) faces(x, y *report.Line) bool {
	to := func(l *report.Line) (send, receive bool) {
		name := b.out.Metrics[l.Metric].Name
		return name == metric.LateReceiver || name == metric.FullBuffer, name == metric.LateSender
	}
	yWaitsForX := slices.ContainsFunc(y.Causers, func(c report.Causer) bool { return c.Group == x.Group && c.Path == int32(x.Path) })
	xs, xr := to(x)
	ys, yr := to(y)
	return (xs && yr || xr && ys) && x.Group != y.Group && yWaitsForX
}

// spanWorker is one worker that gathers waits at some places.
type spanWorker struct {
	found  map[lineKey]*[]span
	recent [1 << meterBits]struct { // of a hash of the line: the last one used
		line  keptLine
		known bool
		at    *[]span // nil if it is at none of them
	}
}

// gatherSpans reads when somebody waited at some places, in no order.
func (b *builder) gatherSpans(of map[lineKey][]span) {
	workers := make([]*spanWorker, len(b.matchWorkers))
	for i := range workers {
		workers[i] = &spanWorker{found: map[lineKey]*[]span{}}
		for k := range of {
			workers[i].found[k] = new([]span)
		}
	}
	each(workers, b.waits.jumps, func(w *spanWorker, block []byte) {
		b.s.store.Pace()
		for r := newWaitReader(block); r.next(); {
			recent := &w.recent[cellHash(r.metric, r.path, r.loc)>>(32-meterBits)]
			if !recent.known || recent.line != r.keptLine {
				recent.line, recent.known, recent.at = r.keptLine, true, w.found[lineKey{r.metric, r.path, b.places.group[r.loc], r.class}]
			}
			if recent.at != nil {
				*recent.at = spill.Append(b.s.store, *recent.at, span{interval{r.begin, r.end}, r.loc, r.causer})
			}
		}
	})
	for _, w := range workers {
		for k, v := range w.found {
			if len(of[k]) == 0 {
				of[k] = *v
				continue
			}
			for _, x := range *v {
				of[k] = spill.Append(b.s.store, of[k], x)
			}
			spill.Free(b.s.store, *v)
		}
	}
}

// sortSpans puts those at each place in order.
func sortSpans(of map[lineKey][]span) {
	for _, v := range of {
		slices.SortFunc(v, func(x, y span) int {
			return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.loc, y.loc), cmp.Compare(x.causer, y.causer), cmp.Compare(x.to, y.to))
		})
	}
}

// inTurn returns for how long those ahead waited for one of a group while others of it waited for them, and for how long these waited then, all together: both 0 unless they
// are half of the waiting on their side or more. Else it is something else that is slow.
func (b *builder) inTurn(ahead, behind []span, group int32) (held, kept int64) {
	waiting := map[uint32][]interval{}
	var all, others int64
	for _, s := range ahead {
		all += s.to - s.from
		if b.places.group[s.causer] == group {
			waiting[s.loc] = append(waiting[s.loc], s.interval)
		}
	}
	byWhom := map[uint32][]interval{}
	for _, s := range behind {
		others += s.to - s.from
		byWhom[s.causer] = append(byWhom[s.causer], s.interval)
	}
	for _, loc := range slices.Sorted(maps.Keys(waiting)) {
		turns, waits := &union{store: b.s.store}, trailOf(waiting[loc])
		for _, x := range byWhom[loc] {
			turns.add(x)
			kept += waits.within(x.from, x.to)
		}
		turns.merge()
		for _, x := range turns.list {
			held += waits.within(x.from, x.to)
		}
		spill.Free(b.s.store, turns.list)
		spill.Free(b.s.store, turns.late)
	}
	if 2*held < all || 2*kept < others {
		return 0, 0
	}
	return held, kept
}

// trailOf returns ascending disjoint intervals as a trail.
func trailOf(list []interval) trail {
	v, sum := make(trail, 0, len(list)+1), int64(0)
	for _, x := range list {
		v = append(v, segment{from: x.from, before: sum})
		sum += x.to - x.from
	}
	return append(v, segment{from: endOfTime, before: sum})
}

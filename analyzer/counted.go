package analyzer

import (
	"math"
	"slices"

	"tracerec/report"
)

// tally is what was counted in something: at least and at most, and whether it may have been anything more.
type tally struct {
	least, most int64
	open        bool
}

// add adds what the other tally has.
func (t *tally) add(o tally) {
	t.least, t.most, t.open = limitedSum(t.least, o.least), limitedSum(t.most, o.most), t.open || o.open
}

// limitedSum adds numbers that are not negative; the sum stays at the largest that there is.
func limitedSum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }

// tallyKey is a counter in a part of the critical path, or in all of it.
type tallyKey struct {
	part   int
	metric uint16
}

// wholePath is the part that is the whole critical path.
const wholePath = -1

// counted notes what the location counted from one sample to the next in the parts of the path that have to do with the time between. A
// part has it for certain if the location is in it all the time; else it may have as little as nothing.
func (f *follower) counted(from, to int64, metric uint16, what tally) {
	if f.laps != nil {
		return
	}
	if from == to { // it was at one of both sides of that time
		from, to = from-1, to+1
	}
	a := f.on.until(from)
	b := f.on.until(to)
	if a == b {
		return
	}
	note := func(part int, covered int64) {
		if covered == 0 {
			return
		}
		x := what
		if covered < to-from {
			x.least = 0
		}
		k := tallyKey{part, metric}
		t := f.tallies[k]
		t.add(x)
		f.tallies[k] = t
	}
	note(wholePath, b-a)
	for i, of := range f.of {
		p := pathPart{i, behind(of[f.loc], a)}
		note(i, p.within(a, b))
	}
}

// counts tells the report what was counted on the critical path, and meanwhile for the first findings.
func (b *builder) counts(tallies map[tallyKey]tally) {
	for part, list := range byPart(tallies) {
		if part == wholePath {
			b.out.PathCounts = list
		} else {
			b.out.Findings[part].Counted = list
		}
	}
}

// byPart makes the report of the tallies of each part, in the order of the metrics.
func byPart(tallies map[tallyKey]tally) map[int][]report.Count {
	parts := map[int][]report.Count{}
	for k, t := range tallies {
		c := report.Count{Metric: int(k.metric), AtLeast: t.least}
		if !t.open {
			c.AtMost = &t.most
		}
		parts[k.part] = append(parts[k.part], c)
	}
	for _, list := range parts {
		slices.SortFunc(list, func(x, y report.Count) int { return x.Metric - y.Metric })
	}
	return parts
}

// clone returns a sample that later ones do not change; of none it is none.
func (s *counterSample) clone() *counterSample {
	if s == nil {
		return nil
	}
	return &counterSample{s.time, slices.Clone(s.values), s.waits}
}

package analyzer

import (
	"slices"

	"tracerec/metric"
	"tracerec/report"
)

// fewWorkers is how many workers no pool is too large of.
const fewWorkers = 3

// spare finds pools, for the first findings in which their workers wait for work, of which half of the workers or more were never busy at once.
// Whose channel it was must be known: goroutines that wait at one place, each for its own, are no pool; nor are those that give back what they take, such as
// one of few connections.
func (b *builder) spare() {
	for i, c := range b.collected[:min(explained, len(b.collected))] {
		f, g := &b.out.Findings[i], c.line.Group
		if f.Busy != (report.Busy{}) || b.out.Metrics[f.Metric].Name != metric.LateSender || c.class == noClass || b.classes.list[c.class].count > 1 || bothWays(f) ||
			slices.ContainsFunc(c.lines, func(l *collector) bool { return l.line.Group != g }) {
			continue
		}
		workers := b.workers(g)
		if workers <= fewWorkers || f.Instances < 2*uint64(workers) {
			continue
		}
		idle, room := map[lineKey][]span{}, uint64(maxSpans)
		for _, d := range b.collected { // until the channel is closed, too
			for _, l := range d.lines {
				if l.line.Group == g && d.class == c.class {
					idle[l.key] = nil
					room -= min(room, l.line.Instances)
				}
			}
		}
		if room == 0 {
			continue
		}
		b.gatherSpans(idle)
		sortSpans(idle)
		if n := b.busyAtOnce(g, idle); 2*n <= workers {
			f.Busy = report.Busy{Of: workers, AtOnce: n}
		}
	}
}

// workers returns how many goroutines of a group there are: all, or as many as there were at the same time, if they are far fewer. It returns 0 if there were many more at some
// times than at others, as where each has a part of the work and most are done early: they are no pool then of which all could be busy.
func (b *builder) workers(group int32) int {
	sum, any := b.lived(group)
	if 4*sum < 3*any*int64(b.busyAtOnce(group, nil)) {
		return 0
	}
	n := onAverage(sum, any)
	if n > 1 && 2*n >= b.out.Groups[group].Count { // a pool, some of which came or went
		n = b.out.Groups[group].Count
	}
	return n
}

// busyAtOnce returns how many goroutines of a group were not in given waits at once, nor in one that never ended; more were for no more than a hundredth of the time in which any was.
func (b *builder) busyAtOnce(group int32, idle map[lineKey][]span) int {
	var begins, ends []int64 // of times in which somebody was busy: waits end what their goroutines' lives begin
	n := 0
	for loc := range b.s.locations {
		if l := &b.s.locations[loc]; l.seen && b.places.group[loc] == group {
			begins, ends = append(begins, l.first), append(ends, max(l.first, b.lives.active(l.end, uint32(loc))))
			n++
		}
	}
	if n == 0 {
		return 0
	}
	from := slices.Min(begins)
	for _, v := range idle {
		for _, s := range v {
			begins, ends = append(begins, s.to), append(ends, s.from)
		}
	}
	slices.Sort(begins)
	slices.Sort(ends)
	times, busy, now := make([]int64, n+1), 0, from // by how many were busy
	for len(begins) > 0 || len(ends) > 0 {
		t, more := int64(0), 0
		if len(ends) == 0 || len(begins) > 0 && begins[0] < ends[0] {
			t, more, begins = begins[0], 1, begins[1:]
		} else {
			t, more, ends = ends[0], -1, ends[1:]
		}
		times[min(max(busy, 0), n)] += t - now
		busy, now = busy+more, t
	}
	some := int64(0)
	for _, d := range times[1:] {
		some += d
	}
	for k, above := 1, some; ; k++ {
		if above -= times[k]; 100*above <= some || k == n {
			return k
		}
	}
}

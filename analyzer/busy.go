package analyzer

import (
	"cmp"
	"slices"

	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// Goroutines are busy if they wait for others for no more than one part in so many of their lives.
const busyParts = 10

// workload is the time of a group but that in which its goroutines were ready to run and did not, how much of it they waited for others, and for what comes from outside, and how much they slept; and
// whether anybody may give them work.
type workload struct {
	time, waited, outside, slept int64
	takes                        bool
}

// givers are the operations by which goroutines get work from others: from a channel, or out of what a lock guards.
var givers = []wire.Kind{wire.RecvBegin, wire.SelectBegin, wire.LockBegin, wire.CondBegin}

// paced says whether they bring what nobody gives them, at times at which they wake up: more of them would not have less to do.
func (w *workload) paced() bool { return !w.takes && 2*w.slept > w.time }

// idle is the part of it in which they had nothing to do. Who waits for the network may be at work there. But who brings others what comes from there may as well have nothing to bring.
func (w *workload) idle(bring bool) int64 {
	if bring {
		return w.waited + w.outside
	}
	return w.waited
}

// unprocessed are the metrics of time in which goroutines are ready to run, and do not: they are neither busy then, nor idle.
var unprocessed = []string{metric.Wakeup, metric.ReadyAfterWait, metric.Ready, metric.Yielded, metric.StartLatency, metric.Stopped}

// workloads adds the time of the locations up by group. Who waits for a reader of what it asked for waits for what comes from outside, not for others of the program.
func (b *builder) workloads() []workload {
	list := b.s.metrics.list
	busy := b.timeMetrics()
	of := make([]workload, len(b.out.Groups))
	for k, v := range b.cells {
		g := &of[b.out.Locations[k.loc].Group]
		g.takes = g.takes || slices.Contains(givers, b.s.paths.nodes[k.path].kind)
		if k.metric == b.s.metrics.sleep {
			g.slept += v
		}
		switch wait := list[k.metric].Kind == metric.WaitState; {
		case wait && !outside(list[k.metric].Name):
			g.waited += v
			g.time += v
		case wait:
			g.outside += v
			g.time += v
		case busy[k.metric] && !slices.Contains(unprocessed, list[k.metric].Name):
			g.time += v
		}
	}
	for _, c := range b.collected {
		for _, l := range c.lines {
			for _, shares := range l.causers {
				for causer, v := range shares {
					if causer != NoCauser && b.s.reads(b.places.locs[causer].first) {
						of[l.line.Group].waited -= v
						of[l.line.Group].outside += v
					}
				}
			}
		}
	}
	for loc, n := range b.lives.never {
		g, never := &of[b.places.group[loc]], n.forever(b.s, loc)
		g.time -= never
		g.outside = max(0, g.outside-never)
	}
	return of
}

// bothWays tells whether somebody who waited has let others go on, too.
func bothWays(f *report.Finding) bool {
	for _, c := range f.Causers {
		if slices.ContainsFunc(c.Locations, func(l uint32) bool { return slices.Contains(f.Locations, l) }) {
			return true
		}
	}
	return false
}

// manyTakers is how many goroutines for each place of a channel are many.
const manyTakers = 8

// giveBack tells whether those who wait to receive from a channel send to it as often: at least nine of ten exactly so, each twice on average or more, or many more than it has
// places, as where each request has a goroutine. Workers who take work from it, and put new work there, do not.
func (b *builder) giveBack(f *report.Finding, places int) bool {
	from, to := map[uint32]bool{}, map[uint32]bool{} // call paths in which it is received from, and sent to
	for _, l := range f.Lines {
		from[l.Path] = true
	}
	for _, c := range f.Causers {
		if c.Path >= 0 {
			to[uint32(c.Path)] = true
		}
	}
	took, gave, all := map[uint32]int64{}, map[uint32]int64{}, int64(0)
	for k, v := range b.cells {
		switch path := b.rank[k.path]; {
		case k.metric != b.s.metrics.visits:
		case from[path]:
			took[k.loc] += v
			all += v
		case to[path]:
			gave[k.loc] += v
		}
	}
	unlike := 0
	for _, loc := range f.Locations {
		if took[loc] != gave[loc] {
			unlike++
		}
	}
	return 10*unlike <= len(f.Locations) && (all >= 2*int64(len(took)) || len(took) >= manyTakers*places) && bothWays(f)
}

// atOnce returns how many goroutines of a group lived at the same time, on average while there were any. A goroutine for each task makes
// a group of many, but a pool of few.
func (b *builder) atOnce(group int32) int {
	return onAverage(b.lived(group))
}

// onAverage returns how many live at the same time, while any does, of those that live so long all together.
func onAverage(sum, any int64) int { return int((sum + any/2) / max(any, 1)) }

// lived returns how long the goroutines of a group lived, all together, and for how long there were any.
func (b *builder) lived(group int32) (sum, any int64) {
	var lives []interval
	for loc := range b.s.locations {
		if l := &b.s.locations[loc]; l.seen && b.places.group[loc] == group {
			lives = append(lives, interval{l.begin, b.lives.active(l.end, uint32(loc))})
		}
	}
	slices.SortFunc(lives, func(x, y interval) int { return cmp.Compare(x.from, y.from) })
	var until int64
	for i, l := range lives {
		if i == 0 || l.from > until {
			until = l.from
		}
		sum += l.to - l.from
		any += max(0, l.to-until)
		until = max(until, l.to)
	}
	return sum, any
}

// pooled tells whether a finding's causers are half of so many workers or more, and some of them were waited for more than once: who is waited for once each, such as
// goroutines that bring one result to who started them, is no pool.
func (b *builder) pooled(f *report.Finding, workers int) bool {
	seen := map[uint32]bool{}
	n := 0
	for _, c := range f.Causers {
		for _, l := range c.Locations {
			if !seen[l] {
				seen[l] = true
				n += b.out.Locations[l].Count
			}
		}
	}
	return 2*n >= workers && f.Instances > uint64(n)
}

// isSemaphore tells whether all who let those go on that wait for room in a channel wait for it, too, some of them the very same; or were started by those who wait,
// which gave them the place that they give back.
func (b *builder) isSemaphore(f *report.Finding, places int, look bool) bool {
	handed := false
	for _, c := range f.Causers {
		if slices.ContainsFunc(f.Lines, func(l report.Line) bool { return l.Group == c.Group }) {
			continue
		}
		if !look || c.Group < 0 || c.Path < 0 || !b.handedPlaces(f, &c, places) {
			return false
		}
		handed = true
	}
	return handed || bothWays(f)
}

// handedPlaces tells whether goroutines that make room in a channel have places of it that who waits took for them: who started nine of ten or more of them waits, each makes
// room once, and there are no more of them at once than places, as workers would be that wait for work.
func (b *builder) handedPlaces(f *report.Finding, c *report.Causer, places int) bool {
	waiting := map[uint32]bool{}
	for _, l := range f.Locations {
		waiting[l] = true
	}
	all, others := 0, 0
	for loc := range b.s.locations {
		if l := &b.s.locations[loc]; l.seen && b.places.group[loc] == c.Group {
			all++
			if l.creator == uint32(trace.NoLocation) || !waiting[b.places.reported[l.creator]] {
				others++
			}
		}
	}
	room := int64(0)
	for k, v := range b.cells {
		if k.metric == b.s.metrics.visits && b.rank[k.path] == uint32(c.Path) && b.out.Locations[k.loc].Group == c.Group {
			room += v
		}
	}
	return 10*others <= all && room <= int64(all) && b.atOnce(c.Group) <= places
}

// busy tells of findings that everybody who could have ended the waiting was occupied: all workers of a pool, or all places of a
// semaphore, which is a channel that those who wait for one place take out of again; or all that is taken from a channel and given back, such as connections.
func (b *builder) busy() {
	load := b.workloads()
	workers := map[int32]int{} // by group
	var pools []int
	shared := 0 // findings that may be of what is given back: services wait off the critical path
	for i := range b.out.Findings {
		f := &b.out.Findings[i]
		pattern := b.s.metrics.patterns[f.Metric]
		g, class := f.Causers[0].Group, &b.classes.list[b.collected[i].class]
		if pattern.ForRoom && class.count == 1 && class.size > 0 && b.isSemaphore(f, int(class.size), i < explained) {
			f.Busy = report.Busy{Places: int(class.size)} // what to do is that of the problem: here a larger buffer does help
			continue
		}
		if pattern.BusyAdvice == "" || g < 0 || b.s.reads(b.places.locs[b.places.first[g]].first) || slices.ContainsFunc(f.Causers, func(c report.Causer) bool { return c.Group != g }) {
			continue
		}
		if _, ok := workers[g]; !ok {
			workers[g] = b.workers(g)
		}
		same := slices.ContainsFunc(f.Lines, func(l report.Line) bool { return l.Group == g })
		switch {
		case same && pattern.Point == Sent && class.count == 1 && class.size > 0 && shared < explained:
			shared++
			f.Busy.Taken = b.giveBack(f, int(class.size))
		case pattern.Point == Sent && load[g].paced():
		case !same && workers[g] > 1 && b.pooled(f, workers[g]) && load[g].idle(pattern.Point == Sent)*busyParts <= load[g].time:
			pools = append(pools, i)
		}
	}
	one := b.onePools(pools)
	for i, finding := range pools {
		if f := &b.out.Findings[finding]; one[i] {
			f.Busy, f.Advice = report.Busy{Workers: workers[f.Causers[0].Group]}, b.s.metrics.patterns[f.Metric].BusyAdvice
		}
	}
}

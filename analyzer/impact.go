package analyzer

import (
	"cmp"
	"slices"

	"tracerec/metric"
	"tracerec/trace/wire"
)

// bounds are a part of the critical path.
type bounds struct{ from, to int64 }

// bounds returns the time from where the location that the path is on when the last process begins began itself, to where the last process begins to end; all of the path where processes do not meet so.
func (m *matching) bounds(p *criticalPath, workers []*matchWorker) *bounds {
	last := [2]int64{unknownTime, unknownTime}
	begin := map[uint32]int64{} // by location
	for _, w := range workers {
		for _, o := range w.bounds {
			i := 1
			if wire.Meeting(o.Mode).Operation() == wire.AllBegin {
				i = 0
				if t, known := begin[o.Loc]; !known || o.Begin > t { // damage may let it begin with several groups
					begin[o.Loc] = o.Begin
				}
			}
			last[i] = max(last[i], o.Begin)
		}
	}
	x := &bounds{p.begin, p.end}
	for loc, t := range begin { // one at most
		if p.trail(loc).within(last[0], last[0]+1) > 0 {
			x.from = max(x.from, t)
		}
	}
	if last[1] > x.from {
		x.to = min(x.to, last[1])
	}
	return x
}

// outside returns for how long the critical path was on the location in [from, to), but not between the bounds.
func (f *follower) outside(from, to int64) (d int64) {
	if b := f.bounds; from < b.from || to > b.to {
		d = f.on.until(to) - f.on.until(from)
		if from, to = max(from, b.from), min(to, b.to); from < to {
			d -= f.on.until(to) - f.on.until(from)
		}
	}
	return d
}

// worked is how long a location was in a call path without waiting.
type worked struct {
	path, loc uint32
	time      int64
}

// impact is what call paths of the critical path cost.
type impact struct {
	b        *builder
	total    int64            // length of the path
	critical map[uint32]int64 // its time by call path
	work     []worked         // ascending by (loc, path)
}

// impacts says of each call path what its time on the critical path costs all locations together: what they spend in it, and, of what they lack of the whole
// path because they wait, the part that they have less of it than the path.
func (b *builder) impacts() {
	m := b.s.metrics
	of := [...]uint16{m.named(metric.CriticalActivities), m.named(metric.NonCriticalActivities), m.named(metric.IntraPartition), m.named(metric.InterPartition)}
	if slices.Contains(of[:], unnamed) {
		return
	}
	x := &impact{b: b, critical: map[uint32]int64{}}
	x.measure()
	add := func(metric uint16, path, loc uint32, v int64) {
		if v > 0 {
			b.cells[cellKey{metric, path, loc}] = v
		}
	}
	for _, w := range x.work {
		n := x.count(w.loc)
		both := n * min(w.time/n, x.critical[w.path])
		add(of[0], w.path, w.loc, both)
		add(of[1], w.path, w.loc, w.time-both)
	}
	all, elsewhere := x.costs()
	for k, v := range b.cells {
		if k.metric != m.criticalPath {
			continue
		}
		v -= b.outside[cellKey{path: k.path, loc: k.loc}]
		if on := x.critical[k.path]; v > 0 && on > 0 {
			cost := share64(all[k.path], v, on)
			inter := min(share64(elsewhere[k.path], v, on), cost)
			add(of[2], k.path, k.loc, cost-max(inter, 0))
			add(of[3], k.path, k.loc, inter)
		}
	}
}

// share64 returns the part of a cost that v is of all, rounded.
func share64(cost float64, v, all int64) int64 {
	x := float64(cost * float64(v))
	return int64(float64(x/float64(all)) + 0.5)
}

// count returns how many locations one of the report stands for.
func (x *impact) count(loc uint32) int64 { return int64(x.b.places.locs[loc].count) }

// measure adds up what the critical path and the locations spend in call paths.
func (x *impact) measure() {
	b, m := x.b, x.b.s.metrics
	works := b.timeMetrics()
	type place struct{ path, loc uint32 }
	own := map[place]int64{}
	for k, v := range b.cells {
		switch {
		case k.metric == m.criticalPath:
			if b.s.paths.nodes[k.path].region != b.s.regions.unrecorded {
				v -= b.outside[cellKey{path: k.path, loc: k.loc}]
				x.critical[k.path] += v
				x.total += v
			}
		case works[k.metric]:
			own[place{k.path, k.loc}] += v
		}
	}
	for k, v := range own {
		if v > 0 {
			x.work = append(x.work, worked{k.path, k.loc, v})
		}
	}
	slices.SortFunc(x.work, func(a, b worked) int { return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(a.path, b.path)) })
}

// costs returns what all locations wait, divided among the call paths of which they have less than the critical path; and likewise, where they have none of them,
// what they would wait if they had as much of the others as the path.
func (x *impact) costs() (all, elsewhere map[uint32]float64) {
	all, elsewhere = map[uint32]float64{}, map[uint32]float64{}
	var sum, sumElsewhere float64
	work := x.work
	for loc := range uint32(len(x.b.places.locs)) {
		n := 0
		for n < len(work) && work[n].loc == loc {
			n++
		}
		mine, times := work[:n], x.count(loc)
		work = work[n:]
		var spent, has, known int64 // in all; of what the path has; on call paths that the path has
		for i := range mine {
			on, own := x.critical[mine[i].path], mine[i].time/times
			spent += own
			has += min(on, own)
			known += on
		}
		lacks, part, partElsewhere := float64(times*(x.total-spent)), 0.0, 0.0
		if x.total > has {
			part = lacks / float64(x.total-has)
		}
		if x.total > known {
			partElsewhere = float64(times*(x.total-known-spent+has)) / float64(x.total-known)
		}
		sum += part
		sumElsewhere += partElsewhere
		for i := range mine {
			if on := x.critical[mine[i].path]; on > 0 {
				all[mine[i].path] -= float64(part * float64(min(on, mine[i].time/times)))
				elsewhere[mine[i].path] -= float64(partElsewhere * float64(on))
			}
		}
	}
	for path, on := range x.critical {
		all[path] += float64(sum * float64(on))
		elsewhere[path] += float64(sumElsewhere * float64(on))
	}
	return all, elsewhere
}

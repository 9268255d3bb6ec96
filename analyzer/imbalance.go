package analyzer

import (
	"cmp"
	"slices"
)

// part is what those who are compared do in one call path.
type part struct {
	sum     int64
	members int // that came to it
}

// comparison says whose work is compared: that of the goroutines of a group that live at the same time. Of threads, all that are compared in parallel regions, and elsewhere the first one of each process with the others;
// only the rest with their group. This is Scalasca's definition (metric imbalance of 2.6), which has nothing for the rest.
type comparison struct {
	group    []int32 // by location: with whom it is compared outside of parallel regions, number in sides; alone
	sides    []side  // the groups, or what lived of them first; behind them who did later, or, of threads, the first one of each process, and all
	streams  []bool  // by location: it is one of a device, and compared with its group
	parallel []bool  // by call path: it is in a parallel region; nil if none is
	threads  bool
}

// alone is the number of the side of who is compared with nobody.
const alone = -1

// few is how many goroutines of a group there are for one that comes to a call path, at most: where fewer come, they do other work than the rest. So the number of those that
// do not come is bounded by the number of those that do.
const few = 256

// side is who is compared with each other.
type side struct {
	count   int
	members []uint32 // nil of a collapsed group
	first   uint32   // of that: its place in the report
}

// side returns the number of the side with which a location is compared in a call path.
func (c *comparison) side(path, loc uint32) int32 {
	if c.in(path) && !c.streams[loc] {
		return int32(len(c.sides) - 1)
	}
	return c.group[loc]
}

// in says whether a call path is in a parallel region.
func (c *comparison) in(path uint32) bool { return c.parallel != nil && c.parallel[path] }

// tells says whether it is told who does not come to a call path: where there are parallel regions, only in these.
func (c *comparison) tells(path uint32) bool { return c.parallel == nil || c.parallel[path] }

// compares says whether those of a side are compared in a call path. Threads always are.
func (c *comparison) compares(p *part, s *side) bool { return c.threads || p.members*few >= s.count }

// comparison returns who is compared.
func (b *builder) comparison() *comparison {
	c := &comparison{threads: b.threads, group: slices.Clone(b.places.group), streams: make([]bool, len(b.s.locations)), sides: make([]side, len(b.places.groups), len(b.places.groups)+2)}
	for i, g := range b.places.groups {
		c.sides[i] = side{count: g.count, first: b.places.first[i]}
	}
	if !b.threads {
		c.rounds(b.s)
	}
	var first, all side
	seen := make([]bool, len(b.s.defs.Processes))
	for i := range b.s.locations {
		if !b.s.locations[i].seen {
			continue
		}
		g, l := b.places.group[i], uint32(i)
		if b.places.groups[g].tested != "" {
			c.group[i] = alone // tests are different work
		} else if count := b.places.groups[g].count; b.places.locs[b.places.reported[i]].count < count || count == 1 {
			x := &c.sides[c.group[i]]
			x.members = append(x.members, l)
		}
		def := &b.s.defs.Locations[i]
		if c.streams[i] = def.Stream; b.threads && !def.Stream {
			all.members = append(all.members, l)
			if !seen[def.Process] {
				seen[def.Process] = true
				first.members = append(first.members, l)
				c.group[i] = int32(len(c.sides))
			}
		}
	}
	if b.threads {
		first.count, all.count = len(first.members), len(all.members)
		c.sides = append(c.sides, first, all)
		c.parallel = b.s.inParallel()
	}
	return c
}

// rounds divides groups by when their goroutines lived: who lived for less than half of his life with those before does the same work in a later round, which may be a larger one. Of those
// who begin together, the longest life is first.
func (c *comparison) rounds(s *scan) {
	var order []uint32
	for i := range s.locations {
		if s.locations[i].seen {
			order = append(order, uint32(i))
		}
	}
	slices.SortFunc(order, func(x, y uint32) int {
		l, m := &s.locations[x], &s.locations[y]
		return cmp.Or(cmp.Compare(c.group[x], c.group[y]), cmp.Compare(l.begin, m.begin), cmp.Compare(m.end, l.end), cmp.Compare(x, y))
	})
	group, round, until := int32(alone), int32(alone), int64(0)
	for _, i := range order {
		l := &s.locations[i]
		if g := c.group[i]; g != group {
			group, round, until = g, g, l.end
			c.sides[g].count = 0
		} else if 2*(min(until, l.end)-l.begin) < l.end-l.begin {
			round, until = int32(len(c.sides)), l.end
			c.sides = append(c.sides, side{first: c.sides[g].first})
		}
		until = max(until, l.end)
		c.group[i] = round
		c.sides[round].count++
	}
}

// inParallel says of each call path whether it is in a parallel region, nil if none is.
func (s *scan) inParallel() (parallel []bool) {
	some := false
	parallel = make([]bool, len(s.paths.nodes))
	for i, n := range s.paths.nodes { // parents have lower numbers
		parallel[i] = s.regions.list[n.region].Parallel || n.parent != noPath && parallel[n.parent]
		some = some || parallel[i]
	}
	if !some {
		return nil
	}
	return parallel
}

// imbalances compares locations in the call paths that they execute.
func (b *builder) imbalances() {
	c := b.comparison()
	parts := make([]part, len(c.sides))
	seen := make([]uint32, len(b.s.locations)) // last call path to which a location came, + 1
	for path, cells := range b.scanned {
		path := uint32(path)
		if b.s.timeOf(path, b.s.paths.nodes[path].kind) != b.s.metrics.execution {
			continue
		}
		var sides []int32
		for i := range cells {
			if i%paced == 0 {
				b.s.store.Pace()
			}
			x := &cells[i]
			s := c.side(path, x.loc)
			if s == alone {
				continue
			}
			if parts[s].members == 0 {
				sides = append(sides, s)
			}
			parts[s].sum += x.time
			parts[s].members++
			seen[x.loc] = path + 1
		}
		for i := range cells {
			if i%paced == 0 {
				b.s.store.Pace()
			}
			x := &cells[i]
			if s := c.side(path, x.loc); s != alone && c.compares(&parts[s], &c.sides[s]) {
				b.imbalance(path, b.places.reported[x.loc], x.time, &parts[s], &c.sides[s], c.tells(path))
			}
		}
		for _, s := range sides {
			if side := &c.sides[s]; c.compares(&parts[s], side) {
				b.absentees(path, &parts[s], side, c.tells(path), seen)
			}
			parts[s] = part{}
		}
	}
}

// imbalance charges a location, one of a side, that spends own time in a call path.
func (b *builder) imbalance(path, loc uint32, own int64, p *part, s *side, tells bool) {
	m, d := b.s.metrics, own-floorDiv(p.sum, int64(s.count))
	switch {
	case d <= 0:
		b.charge(m.underload, path, loc, -d)
	case tells && p.members == 1:
		b.charge(m.single, path, loc, d)
	default:
		b.charge(m.overload, path, loc, d)
	}
}

// absentees charges those of a side that do not come to a call path. Seen are the last call path of every location, + 1.
func (b *builder) absentees(path uint32, p *part, s *side, tells bool, seen []uint32) {
	if s.members == nil { // all at once
		b.absent(path, s.first, p, s, tells, int64(s.count-p.members))
	}
	for _, l := range s.members {
		if seen[l] != path+1 {
			b.absent(path, b.places.reported[l], p, s, tells, 1)
		}
	}
}

// absent charges some locations of a side that do not come to a call path.
func (b *builder) absent(path, loc uint32, p *part, s *side, tells bool, times int64) {
	m := b.s.metrics
	below := m.underload
	switch {
	case tells && p.members == 1:
		below = m.singularity
	case tells:
		below = m.bypass
	}
	b.charge(below, path, loc, floorDiv(p.sum, int64(s.count))*times)
}

package analyzer

import (
	"cmp"
	"slices"

	"tracerec/report"
)

// findingKey is a wait state at a call path, over a group.
type findingKey struct {
	metric uint16
	path   uint32
	group  int32
}

// collector gathers one finding.
type collector struct {
	report.Finding
	locations []share
	causers   map[causerKey][]share
}

type causerKey struct{ group, path int32 }

// share is a location's part of a severity.
type share struct {
	loc   uint32
	value int64
}

// largestFirst orders shares by value, then location, and returns the locations.
func largestFirst(v []share) []uint32 {
	slices.SortFunc(v, func(a, b share) int { return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.loc, b.loc)) })
	var out []uint32
	for _, s := range v {
		out = append(out, s.loc)
	}
	return out
}

// findings makes the list of findings, ranked.
func (b *builder) findings() {
	all := map[findingKey]*collector{}
	at := func(k findingKey) *collector {
		c := all[k]
		if c == nil {
			c = &collector{causers: map[causerKey][]share{}}
			c.Metric, c.Path, c.Group = int(k.metric), b.rank[k.path], k.group
			all[k] = c
		}
		return c
	}
	causes := map[causeKey]int64{}
	for _, w := range b.settlers {
		for k, v := range w.causes.all() {
			causes[k] += v
		}
	}
	for k, v := range causes {
		c := at(findingKey{k.metric, k.path, k.group})
		c.Severity += v
		who := causerKey{-1, b.rankOf(k.causerPath)}
		if k.causer != NoCauser {
			who.group = b.out.Locations[k.causer].Group
		}
		c.causers[who] = append(c.causers[who], share{k.causer, v})
	}
	for k, v := range b.cells {
		if b.s.metrics.list[k.metric].Wait && v != 0 {
			if c := all[findingKey{k.metric, k.path, b.out.Locations[k.loc].Group}]; c != nil {
				c.locations = append(c.locations, share{k.loc, v})
			}
		}
	}
	for i := range b.stats {
		for k, n := range b.stats[i].counts {
			at(findingKey{uint16(i), k.path, k.group}).Instances += n
		}
	}
	b.criticalTimes(all)
	for _, c := range all {
		if c.Severity > 0 {
			b.out.Findings = append(b.out.Findings, c.finish())
		}
	}
	slices.SortFunc(b.out.Findings, func(x, y report.Finding) int {
		return cmp.Or(-cmp.Compare(x.Critical, y.Critical), -cmp.Compare(x.Severity, y.Severity),
			cmp.Compare(x.Metric, y.Metric), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Group, y.Group))
	})
}

// criticalTimes adds the critical times of the findings: of the instances' union over time.
func (b *builder) criticalTimes(all map[findingKey]*collector) {
	for k, v := range b.waits.unions {
		if c := all[k.finding]; c != nil {
			c.Critical += length(v)
		}
	}
}

// finish puts the parts of a finding in order.
func (c *collector) finish() report.Finding {
	f := c.Finding
	f.Locations = largestFirst(c.locations)
	for who, v := range c.causers {
		x := report.Causer{Group: who.group, Path: who.path}
		for _, s := range v {
			x.Severity += s.value
		}
		if who.group >= 0 {
			x.Locations = largestFirst(v)
		}
		f.Causers = append(f.Causers, x)
	}
	slices.SortFunc(f.Causers, func(x, y report.Causer) int {
		return cmp.Or(-cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Group, y.Group), cmp.Compare(x.Path, y.Path))
	})
	return f
}

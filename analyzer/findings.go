package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/trace"
)

// lineKey is a wait state at a call path, over a group, for objects of a class.
type lineKey struct {
	metric uint16
	path   uint32
	group  int32
	class  uint32
}

// cause returns what all lines of a finding have in common: what is waited for, and why. A lock is one cause, for
// whatever access to it anybody waits. Without an object it is the place, for all who have the same function: who
// started them may differ, or not be known of those who are older than the trace.
func (m *matching) cause(k lineKey) lineKey {
	switch c := &m.classes.list[k.class]; {
	case k.class == noClass && m.threads:
		return lineKey{metric: k.metric, path: k.path, group: -1}
	case k.class == noClass:
		k.group = m.places.kin[k.group]
		return k
	case c.isLock() && k.metric != m.s.metrics.externalWait:
		return lineKey{class: k.class}
	}
	return lineKey{metric: k.metric, class: k.class}
}

// collector gathers a line, or a finding of several.
type collector struct {
	line      report.Line
	class     uint32
	key       lineKey // of a line
	locations map[uint32]int64
	causers   map[causerKey]map[uint32]int64
	critical  causerTimes
	lines     []*collector // of a finding
	store     *spill.Store
}

type causerKey struct{ group, path int32 }

// causerTimes is when the critical path was on causers: by location, ascending and disjoint, in lengths of its trail.
type causerTimes map[uint32][]interval

func newCollector(class uint32, store *spill.Store) *collector {
	return &collector{class: class, store: store, locations: map[uint32]int64{}, causers: map[causerKey]map[uint32]int64{}, critical: causerTimes{}}
}

// charge adds time that was waited for a causer.
func (c *collector) charge(who causerKey, causer uint32, v int64) {
	if c.causers[who] == nil {
		c.causers[who] = map[uint32]int64{}
	}
	c.causers[who][causer] += v
}

// add adds a line to a finding.
func (c *collector) add(l *collector) {
	c.lines = append(c.lines, l)
	c.line.Severity += l.line.Severity
	c.line.Touched += l.line.Touched
	c.line.Instances += l.line.Instances
	for loc, v := range l.locations {
		c.locations[loc] += v
	}
	for who, shares := range l.causers {
		for causer, v := range shares {
			c.charge(who, causer, v)
		}
	}
	for causer, v := range l.critical {
		c.critical[causer] = unite(c.store, c.critical[causer], v)
	}
}

// share is a location's part of a severity.
type share struct {
	loc   uint32
	value int64
}

// largestFirst returns the locations with shares by value, then location.
func largestFirst(of map[uint32]int64) []uint32 {
	v := make([]share, 0, len(of))
	for loc, value := range of {
		v = append(v, share{loc, value})
	}
	slices.SortFunc(v, func(a, b share) int { return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.loc, b.loc)) })
	out := make([]uint32, len(v))
	for i := range v {
		out[i] = v[i].loc
	}
	return out
}

// findings makes the list of findings, ranked: the waiting lines by what they have in common.
func (b *builder) findings() {
	all := map[lineKey]*collector{}
	for k, l := range b.lines() {
		if l.line.Severity == 0 {
			continue
		}
		cause := b.cause(k)
		if all[cause] == nil {
			all[cause] = newCollector(k.class, b.s.store)
		}
		all[cause].add(l)
	}
	for _, c := range all {
		b.collected = append(b.collected, c)
	}
	for _, c := range b.collected {
		b.finish(c)
	}
	slices.SortFunc(b.collected, func(x, y *collector) int {
		return cmp.Or(-cmp.Compare(x.line.Critical, y.line.Critical), b.ofTesting(x)-b.ofTesting(y), compareLines(&x.line, &y.line), cmp.Compare(x.class, y.class))
	})
	causesFirst(b.collected[:min(explained, len(b.collected))])
	for _, c := range b.collected {
		f := report.Finding{Line: c.line, Object: b.object(c)}
		for _, l := range c.lines {
			f.Lines = append(f.Lines, l.line)
		}
		b.out.Findings = append(b.out.Findings, f)
	}
}

// likewise is the part of a critical time by which another one may differ and count as the same.
const likewise = 20

// causesFirst puts findings with about the same critical time in order: one that waits for goroutines that wait themselves comes behind that for
// which these wait, since it is the other end of the same chain.
func causesFirst(list []*collector) {
	ranked, put := make([]*collector, 0, len(list)), map[*collector]bool{}
	var add func(c *collector)
	add = func(c *collector) {
		if put[c] {
			return
		}
		put[c] = true
		for _, x := range list {
			if a, b := c.line.Critical, x.line.Critical; max(a, b)-min(a, b) <= max(a, b)/likewise && c.waitsFor(x) && !x.waitsFor(c) {
				add(x)
			}
		}
		ranked = append(ranked, c)
	}
	for _, c := range list {
		add(c)
	}
	copy(list, ranked)
}

// waitsFor tells whether most of a finding's waiting is for goroutines of which some wait in another finding.
func (c *collector) waitsFor(x *collector) bool {
	g := c.line.Causers[0].Group
	return g >= 0 && slices.ContainsFunc(x.lines, func(l *collector) bool { return l.line.Group == g })
}

// lines gathers the waiting lines.
func (b *builder) lines() map[lineKey]*collector {
	all := map[lineKey]*collector{}
	at := func(k lineKey) *collector {
		c := all[k]
		if c == nil {
			c = newCollector(k.class, b.s.store)
			c.key, c.line.Metric, c.line.Path, c.line.Group = k, int(k.metric), b.rank[k.path], k.group
			all[k] = c
		}
		return c
	}
	for _, w := range b.matchWorkers {
		for k, v := range w.touched {
			at(k).line.Touched += v
		}
		for k, v := range w.causes.all() {
			who := causerKey{-1, b.rankOf(k.causerPath)}
			if k.causer != NoCauser {
				who.group = b.out.Locations[k.causer].Group
			}
			c := at(k.lineKey)
			c.line.Severity += v
			c.charge(who, k.causer, v)
		}
		for k, v := range w.waited.all() {
			at(lineKey{k.metric, k.path, b.out.Locations[k.loc].Group, k.class}).locations[k.loc] += v
		}
	}
	for i := range b.stats {
		for k, n := range b.stats[i].counts {
			at(k).line.Instances += n
		}
	}
	for k, v := range b.waits.unions {
		at(k.line).critical[k.causer] = v
	}
	for k, c := range all {
		if !outside(b.s.metrics.list[k.metric].Name) && slices.ContainsFunc(b.matchWorkers, func(w *matchWorker) bool { return w.strange[k.class] }) {
			c.line.Touched = c.line.Severity
		}
		c.finish(b.s.store)
	}
	return all
}

// compareLines orders lines and findings, ranked by cost.
func compareLines(x, y *report.Line) int {
	return cmp.Or(-cmp.Compare(x.Critical, y.Critical), -cmp.Compare(x.Severity, y.Severity),
		cmp.Compare(x.Metric, y.Metric), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Group, y.Group))
}

// ofTesting is 1 for waits in package testing, which waits for its tests as it is meant to do; else 0.
func (b *builder) ofTesting(c *collector) int {
	if strings.HasPrefix(b.out.Regions[b.out.Paths[c.line.Path].Region].Func, "testing.") {
		return 1
	}
	return 0
}

// finish puts the parts of a finding in order. Its own place is that of the line that costs most.
func (b *builder) finish(c *collector) {
	slices.SortFunc(c.lines, func(x, y *collector) int { return compareLines(&x.line, &y.line) })
	first := &c.lines[0].line
	c.line.Metric, c.line.Path, c.line.Group = first.Metric, first.Path, first.Group
	c.finish(b.s.store)
}

// finish puts the parts of a line in order.
func (c *collector) finish(store *spill.Store) {
	f := &c.line
	f.Locations = largestFirst(c.locations)
	for _, v := range c.critical { // at no time is the path on two causers
		f.Critical += length(store, v)
	}
	for who, v := range c.causers {
		x := report.Causer{Group: who.group, Path: who.path}
		for _, value := range v {
			x.Severity += value
		}
		if who.group >= 0 {
			x.Locations = largestFirst(v)
			x.Mattering = mattering(x.Locations, v, x.Severity)
		}
		f.Causers = append(f.Causers, x)
	}
	slices.SortFunc(f.Causers, func(x, y report.Causer) int {
		return cmp.Or(-cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Group, y.Group), cmp.Compare(x.Path, y.Path))
	})
}

// mattering returns how many of a causer's locations, the first ones, have 99 % of its severity, 0 for all.
func mattering(ranked []uint32, severity map[uint32]int64, all int64) int {
	left := all
	for i, l := range ranked[:len(ranked)-1] {
		if left -= severity[l]; 100*left <= all {
			return i + 1
		}
	}
	return 0
}

// object tells what a finding is about.
func (b *builder) object(c *collector) report.Object {
	if c.class == noClass {
		return report.Object{}
	}
	x := &b.classes.list[c.class]
	o := report.Object{Type: b.typeOf(x.kind, x.site), Name: x.name.Text, Count: x.count}
	if x.count > 1 {
		h := hottest{}
		for _, w := range b.matchWorkers {
			h = h.with(w.shared[b.cause(lineKey{metric: uint16(c.line.Metric), class: c.class})])
		}
		o.Waited, o.Most = h.objects, h.most
	}
	if x.site != trace.NoRegion {
		r := &b.s.regions.list[x.site]
		o.File, o.Line = r.File, r.Line
	}
	if b.name == nil || x.name.Unique {
		return o
	}
	// Where it was used first it may have a name of that place only. If it is one of several that were, a name in one line may be that of another.
	all := x.count > 1
	for i, l := range c.lines {
		name := b.name(&b.out.Regions[b.out.Paths[l.line.Path].Region])
		switch {
		case all && (!name.Unique || i > 0 && name.Text != o.Name):
			o.Name = x.name.Text
			return o
		case name.Unique:
			o.Name = name.Text
			if !all {
				return o
			}
		case o.Name == "":
			o.Name = name.Text
		}
	}
	return o
}

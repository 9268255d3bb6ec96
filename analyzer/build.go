package analyzer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// builder makes the report: it puts everything in order.
type builder struct {
	*matching
	path         *criticalPath
	index        report.WaitIndex
	matchWorkers []*matchWorker
	waits        *criticalWaits

	rank      []uint32     // by number of a call path: its place in the report
	entered   []bool       // by region
	scanned   [][]scanCell // by call path; ascending by location, each once
	sums      sums[cellKey]
	cells     map[cellKey]int64
	critical  map[cellKey]int64
	bounds    *bounds
	outside   map[cellKey]int64 // of the critical path, without metric
	stats     []durations
	beyond    map[uint16]bool // metrics of the program whose samples add up to too much
	sampled   []string        // warnings about samples
	collected []*collector    // the findings, in their order
	out       *report.Experiment
}

func (b *builder) build() (*report.Experiment, error) {
	b.out = new(report.Experiment)
	b.out.Metrics = b.s.metrics.list
	if len(b.index) > 0 {
		b.out.Waits = b.index.Member()
	}
	b.paths()
	b.locations()
	b.collect()
	b.findings()
	b.busy()
	b.followPath()
	b.headOfLine()
	b.convoys()
	b.spare()
	b.onward()
	b.cells = b.sums.all()
	b.delays()
	b.criticalImbalances()
	b.impacts()
	b.statistics()
	b.onPath()
	b.neverEnded()
	b.starts()
	b.header()
	b.inNanoseconds()
	if err := b.out.Fill(b.inOrder(b.cells), b.inOrder(b.critical)); err != nil {
		return nil, err
	}
	b.topologies()
	b.out.MarkExecution()
	b.warnings()
	b.out.Judge()
	return b.out, nil
}

// paths puts regions and call paths in order.
func (b *builder) paths() {
	s := b.s
	order, rank := s.paths.canonical()
	b.rank = rank
	used := make([][2]bool, len(s.regions.list)) // as region, as operation
	b.entered = make([]bool, len(used))
	operation := func(n *node) int {
		if n.kind == wire.Enter || n.kind == wire.Begin {
			return 0
		}
		return 1
	}
	for i := range s.paths.nodes {
		n := &s.paths.nodes[i]
		used[n.region][operation(n)] = true
		b.entered[n.region] = b.entered[n.region] || n.kind == wire.Enter
	}
	place := make([][2]uint32, len(used))
	for i := range used {
		for o, is := range used[i] {
			if is {
				r := &s.regions.list[i]
				place[i][o] = uint32(len(b.out.Regions))
				b.out.Regions = append(b.out.Regions, report.Region{Name: r.Name, Func: r.Func, File: r.File, Line: r.Line, Operation: o == 1})
			}
		}
	}
	b.out.Paths = make([]report.CallPath, len(order))
	for i, id := range order {
		n := &s.paths.nodes[id]
		parent := int32(-1)
		if n.parent != noPath {
			parent = int32(rank[n.parent])
		}
		b.out.Paths[i] = report.CallPath{Parent: parent, Region: place[n.region][operation(n)]}
	}
}

// locations makes the locations and groups of the report.
func (b *builder) locations() {
	p := b.places
	for _, g := range p.groups {
		b.out.Groups = append(b.out.Groups, report.Group{Name: g.name, Begun: g.tested, Creator: b.rankOf(g.creatorPath), Count: g.count})
	}
	for _, l := range p.locs {
		def := &b.s.defs.Locations[l.first]
		name := l.name
		if l.index >= 0 {
			name = fmt.Sprintf("%s[%d]", name, l.index)
		}
		b.out.Locations = append(b.out.Locations, report.Location{Process: def.Process, Group: p.group[l.first], Name: name, GoID: def.GoID, Count: l.count, Trace: l.first, Stream: def.Stream})
	}
}

// topologies lays the locations out on the grids of the trace. Those that share a location of the report are left out: what they have together would stand in each of their places.
func (b *builder) topologies() {
	p := b.places
	for _, t := range b.s.defs.Topologies {
		var dims []report.Dim
		for _, d := range t.Dims {
			dims = append(dims, report.Dim(d))
		}
		var places []report.Place
		for _, place := range t.Places {
			if l := p.reported[place.Location]; l != uint32(trace.NoLocation) && p.locs[l].count == 1 {
				places = append(places, report.Place{Location: l, At: place.At})
			}
		}
		b.out.LayOut(t.Name, dims, places)
	}
}

// rankOf returns the place of a call path in the report, -1 for none.
func (b *builder) rankOf(path uint32) int32 {
	if path == noPath {
		return -1
	}
	return int32(b.rank[path])
}

// collect adds up what the workers found. Places are those of the scan for call paths, of the report for locations.
func (b *builder) collect() {
	b.sums, b.critical = newSums[cellKey](), b.waits.cells
	b.scanned = b.s.gather()
	for _, w := range b.matchWorkers {
		for k, v := range w.cells.all() {
			b.charge(k.metric, k.path, k.loc, v)
		}
		for k, v := range w.waited.all() {
			b.charge(k.metric, k.path, k.loc, v)
		}
	}
	b.samples()
	for _, w := range b.s.workers {
		for k, v := range w.other {
			if !b.beyond[k.metric] {
				b.charge(k.metric, k.path, b.places.reported[k.loc], v)
			}
		}
	}
	for _, w := range b.s.workers {
		for k, v := range w.states.all() {
			b.charge(k.metric, k.path, b.places.reported[k.loc], v)
		}
	}
	for i := range b.s.locations {
		if l := &b.s.locations[i]; l.seen {
			b.charge(b.s.beforeBegin(l), l.own, b.places.reported[i], l.first-l.begin)
		}
	}
	for _, cells := range b.scanned {
		for i := range cells {
			if i%paced == 0 {
				b.s.store.Pace()
			}
			b.add(&cells[i])
		}
	}
	b.imbalances()
	b.cells = b.sums.all()
}

// charge adds to a cell of the report.
func (b *builder) charge(metric uint16, path, loc uint32, v int64) {
	if v != 0 {
		b.sums.add(cellHash(metric, path, loc), cellKey{metric, path, loc}, v)
	}
}

// add adds what the scan found for a call path and location.
func (b *builder) add(c *scanCell) {
	m, loc := b.s.metrics, b.places.reported[c.loc]
	kind := b.s.paths.nodes[c.path].kind
	b.charge(b.s.timeOf(c.path, kind), c.path, loc, c.time)
	if kind != wire.Begin || !b.entered[b.s.paths.nodes[c.path].region] { // else the goroutine enters that next
		b.charge(m.visits, c.path, loc, int64(c.visits))
	}
	if counts := b.s.regions.counts[b.s.paths.nodes[c.path].region]; counts != unnamed {
		b.charge(counts, c.path, loc, int64(c.visits))
	}
	good := m.messages
	if kind == wire.LockBegin {
		good = m.acquisitions
	}
	b.charge(good, c.path, loc, int64(c.good))
}

// criticalImbalances compares, for each call path, its part of the critical path with what a goroutine
// spends in it on average, waits apart.
func (b *builder) criticalImbalances() {
	m := b.s.metrics
	n, works := len(b.rank), b.timeMetrics()
	busy, goroutines, sum := make([]int64, n), make([]int64, n), make([]int64, n)
	most := make([]share, n) // location with most of the critical path
	for k, v := range b.cells {
		switch {
		case k.metric == m.criticalPath:
			sum[k.path] += v
			if x := &most[k.path]; v > x.value || v == x.value && k.loc < x.loc {
				*x = share{k.loc, v}
			}
		case works[k.metric]:
			busy[k.path] += v
		}
	}
	b.countVisitors(goroutines)
	for p := range n {
		if sum[p] == 0 || b.s.paths.nodes[p].region == b.s.regions.unrecorded {
			continue // nobody is known to have had too much of it
		}
		d := sum[p]
		if goroutines[p] > 0 {
			d -= floorDiv(busy[p], goroutines[p])
		}
		if d <= 0 {
			continue
		}
		b.cells[cellKey{m.criticalImbalance, uint32(p), most[p].loc}] = d
	}
}

// timeMetrics says for each metric whether it lies below time and is no wait state.
func (b *builder) timeMetrics() []bool {
	list := b.s.metrics.list
	below, index := make([]bool, len(list)), map[string]int{}
	for i := range list {
		index[list[i].Name] = i
		below[i] = list[i].Name == metric.Time || list[i].Parent != "" && below[index[list[i].Parent]]
	}
	for i := range list {
		below[i] = below[i] && list[i].Kind != metric.WaitState
	}
	return below
}

// countVisitors counts the locations that visited each call path.
func (b *builder) countVisitors(count []int64) {
	for p, cells := range b.scanned {
		for i := range cells {
			if i%paced == 0 {
				b.s.store.Pace()
			}
			if cells[i].visits != 0 {
				count[p]++
			}
		}
	}
}

// inOrder turns cells into the severities of each metric, in order.
func (b *builder) inOrder(cells map[cellKey]int64) [][]report.Cell {
	out := make([][]report.Cell, len(b.out.Metrics))
	for k, v := range cells {
		if v != 0 {
			out[k.metric] = append(out[k.metric], report.Cell{Path: b.rank[k.path], Location: k.loc, Value: v})
		}
	}
	for i := range out {
		slices.SortFunc(out[i], func(x, y report.Cell) int {
			return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Location, y.Location))
		})
	}
	return out
}

// statistics makes the statistics of the instances of each metric.
func (b *builder) statistics() {
	b.out.Stats = make([]report.Stats, len(b.stats))
	var next atomic.Int64
	parallel(b.matchWorkers, func(*matchWorker) {
		for i := next.Add(1) - 1; i < int64(len(b.stats)); i = next.Add(1) - 1 {
			b.stats[i].report(&b.out.Stats[i])
			b.stats[i].trim()
		}
	})
	for i := range b.stats {
		s := &b.out.Stats[i]
		for _, in := range b.stats[i].worst {
			s.Worst = append(s.Worst, report.Instance{Path: b.rank[in.path], Location: in.loc, Begin: in.begin, End: in.end, Waited: in.duration,
				Causer: int32(in.causer), CauserPath: b.rankOf(in.causerPath), Trace: in.order, CauserTrace: int32(in.causing)})
		}
	}
}

// neverEnded lists the goroutines that ended blocked.
func (b *builder) neverEnded() {
	for _, w := range b.matchWorkers {
		for loc, h := range w.never {
			if n := b.lives.never[loc]; n != nil {
				n.holder, n.path, n.released = h.holder, h.path, h.released
			}
		}
	}
	for loc, n := range b.lives.never {
		if n.released {
			b.lives.awake[b.s.defs.Locations[loc].Process] = true
			continue
		}
		if len(b.s.gaps[loc]) > 0 {
			continue // perhaps it only seems so
		}
		e := report.NeverEnded{Path: b.rank[n.op.Of.path], Location: b.places.reported[loc], Since: n.op.Of.begin, Holder: -1, HolderPath: -1}
		switch e.Object = b.describe(n.op.Of.object, n.op.Kind); {
		case n.op.Kind == wire.SelectBegin && n.op.Of.mode == wire.Timed:
			e.Object = objectNames[wire.TimerChannel] + " of one of its cases"
		case n.op.Kind == wire.SelectBegin && b.s.regions.list[b.s.paths.nodes[n.op.Of.path].region].Name != wire.Forever:
			e.Object = "channels of its cases"
		}
		if n.holder != NoCauser {
			e.Holder, e.HolderPath = int32(b.places.reported[n.holder]), b.rankOf(n.path)
		}
		b.out.NeverEnded = append(b.out.NeverEnded, e)
	}
	slices.SortFunc(b.out.NeverEnded, func(x, y report.NeverEnded) int {
		return cmp.Or(cmp.Compare(x.Since, y.Since), cmp.Compare(x.Location, y.Location), cmp.Compare(x.Path, y.Path),
			strings.Compare(x.Object, y.Object), cmp.Compare(x.Holder, y.Holder), cmp.Compare(x.HolderPath, y.HolderPath))
	})
}

var objectNames = map[wire.ObjectKind]string{
	wire.Channel: "channel", wire.Mutex: "mutex", wire.RWMutex: "RWMutex", wire.WaitGroup: "WaitGroup",
	wire.Cond: "condition variable", wire.Once: "Once", wire.Barrier: "barrier", wire.Stream: "connection",
	wire.TimerChannel: "timer", wire.SignalChannel: "signal channel",
}

// typeOf names what an object is of that kind that was first used there. A channel may stand for a coroutine.
func (b *builder) typeOf(kind wire.ObjectKind, site uint32) string {
	if int(site) < len(b.s.regions.list) && kind == wire.Channel {
		if name := b.s.regions.list[site].Name; name == wire.Pull || name == wire.Yield {
			return "coroutine"
		}
	}
	return objectNames[kind]
}

// describe says in words what an object is, on which somebody is in an operation of the given kind.
func (b *builder) describe(object uint32, operation wire.Kind) string {
	if object == 0 || int(object) > len(b.s.defs.Objects) {
		return ""
	}
	o := &b.s.defs.Objects[object-1]
	if spec, _ := wire.SpecOf(operation); o.Kind == wire.Waits {
		what := objectNames[spec.Object]
		if spec.Object == wire.Mutex { // which stands for all locks
			what = "lock"
		}
		return what + " that the trace does not name"
	}
	class := &b.classes.list[b.classes.of[object-1]]
	kind := b.typeOf(o.Kind, class.site)
	text := cmp.Or(kind, "unknown object")
	if name := class.name.Text; name != "" {
		text += " " + name
	}
	if o.Region != trace.NoRegion && int(o.Region) < len(b.s.defs.Regions) {
		if r := &b.s.defs.Regions[o.Region]; r.File != "" {
			text += fmt.Sprintf(" first used at %s:%d", r.File, r.Line)
		}
	}
	switch {
	case kind == objectNames[wire.Channel]:
		text += fmt.Sprintf(", capacity %d", o.Size)
	case o.Kind == wire.Barrier:
		text += fmt.Sprintf(", of %d", o.Size)
	}
	return text
}

// warnings lists whatever makes the numbers less than exact.
func (b *builder) warnings() {
	add := func(format string, args ...any) {
		b.out.Warnings = append(b.out.Warnings, fmt.Sprintf(format, args...))
	}
	if b.out.Lost.Events > 0 {
		add("%s", lostWarning(&b.out.Lost))
	}
	b.damage()
	b.out.Warnings = append(b.out.Warnings, b.s.archive.Header().Notes...)
	if !b.s.archive.Header().Complete {
		add("the archive was not completed: its end may be missing")
	}
	for i := range b.s.defs.Processes {
		p := &b.s.defs.Processes[i]
		counts := maps.Clone(p.Warnings)
		maps.DeleteFunc(counts, func(name string, n uint64) bool { return n == 0 || name == lostEvents })
		for _, said := range trace.Said(counts) {
			if p.PID != 0 { // else it is not known, and the only one
				said = fmt.Sprintf("process %d: %s", p.PID, said)
			}
			add("%s", said)
		}
	}
	if l := b.lives.focus; b.lives.namesakes {
		at := &b.s.defs.Locations[l]
		add("several processes have a goroutine %d: that of process %d was chosen", at.GoID, b.s.defs.Processes[at.Process].PID)
	}
	b.out.Warnings = append(b.out.Warnings, b.sampled...)
	if parts := b.places.parts; len(parts) > 0 {
		add("%s", report.AddedUp(b.out.Header.Goroutines, parts))
	}
	var total problems
	for _, w := range b.s.workers {
		total.add(&w.problems)
	}
	b.out.Warnings = append(b.out.Warnings, total.warnings()...)
	if total.forgotten.n > 0 {
		add("%s", total.forgotten.warning(b.s.regions))
	}
	b.unmatched(add)
}

// unmatched warns of operations whose waits are not known. Clocks make a few contradictions, timers and networks some waits: they are worth a
// warning when they are many.
func (b *builder) unmatched(add func(format string, args ...any)) {
	var c Counts
	for _, w := range b.matchWorkers {
		c.Add(w.counts)
	}
	m := b.s.metrics
	if all := uint64(b.total(m.messages) + b.total(m.acquisitions)); c.Impossible*1000 > all {
		add("operations whose partner is not recorded, or contradicts them in time, and whose waits are not known: %d, beside %d messages and lock acquisitions that "+
			"are recorded", c.Impossible, all)
	}
	if c.Strange > 0 {
		add("values on channels whose sender or receiver was not found, beside others whose were: %d. It is not recorded, or a goroutine lost its processor within an "+
			"operation, and time stamps tell another order than what happened; who was waited for on these channels is not certain", c.Strange)
	}
	external, forever := b.total(m.externalWait), int64(0)
	for loc, n := range b.lives.never { // which is told by itself
		if !n.timed(b.s) {
			forever += n.forever(b.s, loc)
		}
	}
	if external -= forever; external > b.out.Header.Time/10 {
		beside := ""
		if forever > b.out.Header.Time/100 {
			beside = ", beside that of goroutines that were still waiting when the trace ended"
		}
		add("%d %% of all time was waiting for something that is not in the trace (external_wait)%s", (100*external+b.out.Header.Time/2)/b.out.Header.Time, beside)
	}
}

// damage tells of the archive's problems. The first says most; others often follow from it.
func (b *builder) damage() {
	var all []string
	seen := map[trace.Problem]bool{} // those of a place once, without what
	for _, p := range b.s.archive.Problems() {
		seen[trace.Problem{File: p.File, Offset: p.Offset}] = true
		all = append(all, p.Error())
	}
	for _, err := range b.s.damaged {
		var p trace.Problem
		if !errors.As(err, &p) || !seen[trace.Problem{File: p.File, Offset: p.Offset}] {
			all = append(all, err.Error())
		}
	}
	const most = 3
	if n := len(all) - most; n > 1 {
		all = append(all[:most], fmt.Sprintf("%d more problems in the archive, see tracerec check", n))
	}
	b.out.Warnings = append(b.out.Warnings, all...)
}

// total is the sum of a metric's own severities.
func (b *builder) total(metric uint16) (sum int64) {
	for _, c := range b.out.Cells(int(metric)) {
		sum += c.Value
	}
	return sum
}

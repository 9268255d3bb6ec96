package analyzer

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"tracerec/internal/spill"
	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// matching is the second phase: every object is simulated, and waits are charged.
type matching struct {
	s       *scan
	places  *places
	classes *classes
	lives   *lives
	forced  bool                            // what causes waits is looked for whatever that costs
	causes  bool                            // it is, see decide
	threads bool                            // locations are threads of processes
	name    func(*report.Region) ObjectName // nil: names are not known
	aside   int                             // number of operations on an object from which matching and charging go on side by side

	telling   sync.Mutex
	onWait    func(*Op, *Wait)
	onMessage func(recv *Op, p SynchPoint)
	onQueued  func(location uint32, begin, end int64)
}

// met tells who asked for it that a value was there when it was received.
func (m *matching) met(ops []Op, p *SynchPoint) {
	if p.Kind != Sent {
		return
	}
	m.telling.Lock()
	defer m.telling.Unlock()
	ns := timeScale(m.s.ticks)
	m.onMessage(ns.op(ops[p.Op]), ns.point(*p))
}

// tell tells who asked for it of the waits of an operation.
func (m *matching) tell(o *Op, waits []Wait) {
	if m.onWait == nil {
		return
	}
	m.telling.Lock()
	defer m.telling.Unlock()
	ns := timeScale(m.s.ticks)
	for i := range waits {
		w := waits[i]
		w.SynchPoint = ns.point(w.SynchPoint)
		m.onWait(ns.op(*o), &w)
	}
}

// matchWorker is one worker of the matching. It charges the waits of one operation after the other.
type matchWorker struct {
	m        *matching
	matcher  Matcher
	counts   Counts
	strange  map[uint32]bool // classes with channels on which some are not recorded
	jumps    waitStream      // the last waits of operations, at whose end the critical path goes to the causer
	jumped   []uint32        // by location: how many of these are its
	waits    waitStream      // the others
	idle     waitStream      // what the critical path may stay in: waits for nobody, and wake-ups from where there was none
	readings list[pause]     // waits of readers for the network
	rests    list[pause]     // waits of others for nobody, where states are told
	cells    sums[cellKey]
	causes   sums[causeKey]
	waited   sums[waiterKey]
	class    uint32              // of the object in progress
	here     []int64             // by metric: how long it was waited for
	metrics  []uint16            // those for which that is not 0
	shared   map[lineKey]hottest // by cause, of several objects of a class
	stats    []durations         // by metric
	never    map[uint32]never
	touched  map[lineKey]int64 // waits that touch what is missing
	bounds   []Op              // with which processes begin and end

	gathered *gathering // the meetings of locations, nil if they are not wanted

	ops     []Op   // of the object in progress
	within  []inOp // the same, or empty if none has nested levels or states
	charged []bool // by operation: had waits
	pending []Wait // of the operation in progress
}

// causeKey is the place of a cause: a waiting line, and whose fault it was.
type causeKey struct {
	lineKey
	causer, causerPath uint32 // reported location
}

// waiterKey is who waited at a waiting line.
type waiterKey struct {
	cellKey
	class uint32
}

func newMatchWorker(m *matching) *matchWorker {
	w := &matchWorker{
		m: m, cells: newSums[cellKey](), causes: newSums[causeKey](), waited: newSums[waiterKey](),
		stats: make([]durations, len(m.s.metrics.list)), never: map[uint32]never{}, touched: map[lineKey]int64{},
		strange: map[uint32]bool{}, here: make([]int64, len(m.s.metrics.list)), shared: map[lineKey]hottest{},
	}
	store := m.s.store
	w.gathered = m.gather(store)
	w.matcher.gathered = w.gathered
	w.matcher.store, w.jumps.store, w.waits.store, w.idle.store, w.readings.store, w.rests.store = store, store, store, store, store, store
	for i := range w.stats {
		w.stats[i].values.store = store
	}
	return w
}

// matchWorkers returns n workers.
func (m *matching) matchWorkers(n int) (workers []*matchWorker) {
	for range n {
		workers = append(workers, newMatchWorker(m))
	}
	return workers
}

// run matches all objects.
func (m *matching) run(workers []*matchWorker) {
	order, all := m.s.largestFirst()
	m.aside = max(largeObject, all/len(workers)*5/4)
	handed := m.findHandoffs(workers, order, all)
	m.s.progress.begin("matching operations", 2*uint64(all)) // each is expanded before
	room := newExpanded(m.s)
	var next atomic.Uint32
	parallel(workers, func(w *matchWorker) {
		w.matcher.handoffs, w.matcher.All, w.jumped = handed, m.onMessage != nil, make([]uint32, len(m.s.locations))
		for i := next.Add(1) - 1; i < parts; i = next.Add(1) - 1 {
			w.part(order[i], i, room, nil)
		}
		spill.Free(m.s.store, w.charged)
		w.ops, w.charged = nil, nil
		w.matcher.free()
	})
	for _, x := range room.free {
		x.free(m.s.store)
	}
}

// expanded is the memory for the operations of the parts in progress: where memory has a limit, of all parts that are in progress
// together, unless it is only one, at most limit operations.
type expanded struct {
	mu          sync.Mutex
	change      sync.Cond
	turn        uint32 // whose it is: the parts come in order, so that what the large ones leave fits the others
	used, limit int
	store       *spill.Store
	free        []roomy
}

// roomy is the memory for the operations of a part.
type roomy struct {
	ops    []Op
	within []inOp // the same, or empty
}

func (x *roomy) free(store *spill.Store) {
	spill.Free(store, x.ops)
	spill.Free(store, x.within)
}

// expandedShare is the number of events for each operation that may be expanded where memory has a limit.
const expandedShare = 16

func newExpanded(s *scan) *expanded {
	e := &expanded{limit: math.MaxInt, store: s.store}
	if s.store.Limited() {
		e.limit = max(int(s.events/expandedShare), largeObject)
	}
	e.change.L = &e.mu
	return e
}

// take returns memory for n operations, and for how they were spent if that is wanted, when it is the turn of part number i and there is room.
func (e *expanded) take(i uint32, n int, spent bool) (x roomy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.turn != i || n > 0 && e.used > 0 && e.used+n > e.limit {
		e.change.Wait()
	}
	e.turn++
	e.change.Broadcast()
	e.used += n
	if n == 0 {
		return x
	}
	if k := len(e.free) - 1; k >= 0 {
		x, e.free = e.free[k], e.free[:k]
	}
	x.ops = spill.Grow(e.store, x.ops, n)[:n]
	if x.within = x.within[:0]; spent {
		x.within = spill.Grow(e.store, x.within, n)[:n]
	}
	return x
}

// give returns what take returned.
func (e *expanded) give(x roomy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(x.ops) == 0 {
		return
	}
	e.used -= len(x.ops)
	e.free = append(e.free, x)
	e.change.Broadcast()
}

// largestFirst returns the parts in the order in which they keep workers busy to the end, and the number of all operations.
func (s *scan) largestFirst() (order []uint32, all int) {
	var size [parts]int
	order = make([]uint32, parts)
	for i := range order {
		order[i] = uint32(i)
		for _, w := range s.workers {
			size[i] += w.ops.part[i].n
		}
		all += size[i]
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(-cmp.Compare(size[a], size[b]), cmp.Compare(a, b)) })
	return order, all
}

// glance is what looks at the operations of some objects, on which some waited for a lock, before they are matched.
type glance struct {
	wants func(object int) bool
	at    func(ops []Op)
}

// part expands the operations on the objects of a part, in the order that matching engines expect, and
// matches them, or only has some looked at.
func (w *matchWorker) part(p uint32, turn uint32, room *expanded, look *glance) {
	from := w.m.s
	runs := from.runs(p)
	if len(runs) == 0 || from.store.Err() != nil {
		room.take(turn, 0, false)
		return
	}
	spent := false
	objects := (len(w.m.s.defs.Objects) + parts - int(p)) / parts // one more than there are stands for no object
	ends := make([]int, objects+1)                                // of the operations of each object; before it, their begin
	quiet, locks := slices.Repeat([]bool{true}, objects), make([]bool, objects)
	for _, scanner := range from.workers {
		part := &scanner.ops.part[p]
		spent = spent || part.spent
		for i, c := range part.count {
			ends[i+1] += c.n
			quiet[i] = quiet[i] && !c.busy
			locks[i] = locks[i] || c.locks
		}
	}
	if look == nil {
		quiet = w.quiet(p, runs, quiet)
	} else {
		for i := range quiet {
			quiet[i] = !locks[i] || !look.wants(i*parts+int(p))
		}
	}
	for i := range objects {
		if quiet != nil && quiet[i] {
			from.progress.add(2 * ends[i+1])
			ends[i+1] = 0
		}
		ends[i+1] += ends[i]
	}
	all := room.take(turn, ends[objects], spent)
	w.expand(p, &all, runs, ends, quiet)
	spill.Free(from.store, runs)
	if look == nil {
		from.freePart(p)
	}
	for i := range objects {
		if a, b := ends[i], ends[i+1]; a < b && from.store.Err() == nil {
			if w.within = nil; spent {
				w.within = all.within[a:b]
			}
			if ops := all.ops[a:b:b]; look != nil {
				look.at(ops)
			} else {
				w.match(i*parts+int(p), ops)
			}
			from.progress.add(b - a)
		}
	}
	room.give(all)
}

// freePart gives the memory back in which the operations of a part were before they were expanded.
func (s *scan) freePart(p uint32) {
	for _, scanner := range s.workers {
		scanner.ops.part[p].free()
		scanner.ops.part[p] = opPart{}
	}
}

// runs returns the runs of a part by (location, place in its stream).
func (s *scan) runs(p uint32) []opRun {
	n := 0
	for _, w := range s.workers {
		n += w.ops.part[p].runs.len()
	}
	runs := spill.Make[opRun](s.store, n)[:0]
	for _, w := range s.workers {
		for _, b := range w.ops.part[p].runs.blocks {
			runs = append(runs, b...)
		}
	}
	compared := 0
	slices.SortFunc(runs, func(a, b opRun) int {
		if compared++; compared%paced == 0 {
			s.store.Pace()
		}
		return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(a.chunk, b.chunk))
	})
	return runs
}

// expand puts the operations of the runs of a part into all, by (object, location, place in the stream); those of an object
// begin where begin says. Those of quiet ones are left out.
func (w *matchWorker) expand(p uint32, to *roomy, runs []opRun, begin []int, quiet []bool) {
	at, all, within := slices.Clone(begin), to.ops, to.within
	var left Op // out
	if len(all) == 0 {
		return
	}
	for _, r := range runs {
		w.m.s.store.Pace()
		from := w.m.s.workers[r.worker].ops.part[p].reader(r.at)
		last := int64(0)
		for range r.n {
			i := from.object()
			if quiet != nil && quiet[i] {
				from.op(&left, r.loc, last)
				last = left.Begin
				continue
			}
			k := at[i]
			at[i]++
			in := from.op(&all[k], r.loc, last)
			last = all[k].Begin
			// Operations were written at their end: one with nested operations on the same object comes before them.
			for ; k > begin[i] && encloses(&all[k], &all[k-1]); k-- {
				all[k], all[k-1] = all[k-1], all[k]
				if len(within) > 0 {
					within[k] = within[k-1]
				}
			}
			if len(within) > 0 {
				within[k] = in
			}
		}
	}
	w.m.s.progress.add(begin[len(begin)-1])
}

// encloses says whether o, which ended later, began before q of the same location.
func encloses(o, q *Op) bool {
	return o.Loc == q.Loc && (o.Begin < q.Begin ||
		o.Begin == q.Begin && q.Kind == wire.OnceRun && o.Kind == wire.OnceBegin && o.Mode == 1)
}

// match matches one object and charges the time of all of its operations.
func (w *matchWorker) match(object int, ops []Op) {
	w.ops = ops
	w.charged = spill.Grow(w.m.s.store, w.charged, len(ops))[:len(ops)]
	spill.Clear(w.m.s.store, w.charged)
	w.class = noClass
	if object < len(w.m.s.defs.Objects) {
		w.class = w.m.classes.of[object]
		def := &w.m.s.defs.Objects[object]
		w.matcher.object = uint32(object)
		w.simulate(def, ops)
		w.charge()
		w.release()
		w.tally()
	} else {
		w.alone()
		w.charge()
	}
	w.compareObjects()
	for i := range ops {
		o := &ops[i]
		if i%paced == 0 {
			w.m.s.store.Pace()
		}
		if w.charged[i] {
			continue
		}
		own, ready := w.own(int32(i))
		if o.Blocked != NotBlocked {
			w.wake(o, o.End-o.Blocked, own, ready)
			w.nobody(o, o.Blocked, o.Blocked)
		} else if ready > 0 {
			w.wake(o, 0, own, ready)
		}
	}
}

// largeObject is the least number of operations of which matching and charging may go on side by side. They do if there are not enough others to keep all workers busy.
const largeObject = 1 << 16

// simulate matches an object that is recorded.
func (w *matchWorker) simulate(def *trace.Object, ops []Op) {
	if len(ops) < w.m.aside {
		w.count(w.matcher.Match(def.Kind, def.Size, ops, w.emit))
		return
	}
	full, empty := make(chan []SynchPoint, 2), make(chan []SynchPoint, 4)
	for range 4 {
		empty <- make([]SynchPoint, 0, toldAtOnce)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for list := range full {
			w.emit(list)
			empty <- list[:0]
		}
	}()
	w.count(w.matcher.Match(def.Kind, def.Size, ops, func(points []SynchPoint) {
		full <- append(<-empty, points...)
	}))
	close(full)
	<-done
}

// count takes the counts of an object. A channel on which everybody else is not recorded, as that of a timer, blames nobody.
func (w *matchWorker) count(c Counts) {
	if c.Messages == 0 || c.Strange*1000 <= c.Messages {
		c.Strange = 0
	}
	w.strange[w.class] = w.strange[w.class] || c.Strange > 0
	w.counts.Add(c)
}

// alone gives operations without object the wait that nobody ended.
func (w *matchWorker) alone() {
	for i := range w.ops {
		o := &w.ops[i]
		if b := max(o.Begin, o.Blocked); b < o.End {
			kind := DidNotCome
			switch {
			case o.Kind == wire.NetworkBegin:
				kind = CameOverNetwork
			case o.Kind == wire.SelectBegin && o.Open && o.Mode == wire.Timed:
				kind = RanDown
			}
			w.emit([]SynchPoint{{b, o.End, b, int32(i), NoCauser, NoCauser, kind, true}})
		}
	}
}

// emit charges the waits of one operation after the other.
func (w *matchWorker) emit(points []SynchPoint) {
	of := &w.m.s.metrics.of
	for i := range points {
		p := &points[i]
		if !p.Waits {
			w.m.met(w.ops, p)
			continue
		}
		if of[p.Kind] == unnamed || p.Kind.outside() && w.atOnce(&w.ops[p.Op]) {
			continue
		}
		if len(w.pending) > 0 && w.pending[0].Op != p.Op {
			w.charge()
		}
		w.pending = append(w.pending, Wait{})
		x := &w.pending[len(w.pending)-1]
		x.SynchPoint, x.Metric = *p, of[p.Kind]
	}
}

// atOnce says whether an operation is a select that is known not to have blocked, as its recorder tells of those that did: it found a case ready.
func (w *matchWorker) atOnce(o *Op) bool {
	return o.Kind == wire.SelectBegin && o.Blocked == NotBlocked && !o.Open && w.m.s.told(o.Loc)
}

// own returns the time of an operation outside nested levels, and how much of that it was ready to run.
func (w *matchWorker) own(i int32) (d, ready int64) {
	d = w.ops[i].End - w.ops[i].Begin
	if len(w.within) > 0 {
		in := &w.within[i]
		return d - in.nested, in.ready
	}
	return d, 0
}

// wake takes out of the own time of an operation that is left the wake-up, with its measured part, and what else it was ready.
func (w *matchWorker) wake(o *Op, wakeup, left, ready int64) {
	m := w.m.s.metrics
	if wakeup = min(wakeup, left); ready == 0 {
		w.move(m.wakeup, o, wakeup)
		return
	}
	known := min(ready, max(wakeup, 0))
	w.move(m.readyAfterWait, o, known)
	w.move(m.wakeup, o, wakeup-known)
	w.move(m.ready, o, min(ready-known, left-wakeup))
}

// move takes time of an operation from its kind's metric to another.
func (w *matchWorker) move(to uint16, o *Op, d int64) {
	if d != 0 {
		loc := w.m.places.reported[o.Loc]
		w.cells.add(cellHash(to, o.Path, loc), cellKey{to, o.Path, loc}, d)
		w.take(o, d)
	}
}

// take takes time of an operation from its kind's metric.
func (w *matchWorker) take(o *Op, d int64) {
	kind := o.Kind
	if kind.Parallel() {
		kind = wire.Enter
	}
	from, loc := w.m.s.timeOf(o.Path, kind), w.m.places.reported[o.Loc]
	w.cells.add(cellHash(from, o.Path, loc), cellKey{from, o.Path, loc}, -d)
}

// line returns the waiting line of a wait in an operation on the object in progress.
func (w *matchWorker) line(o *Op, x *Wait) lineKey {
	return lineKey{x.Metric, o.Path, w.m.places.group[o.Loc], w.class}
}

// charge divides the time of an operation with waits.
func (w *matchWorker) charge() {
	waits := w.pending
	if len(waits) == 0 {
		return
	}
	w.pending = waits[:0]
	o := &w.ops[waits[0].Op]
	w.charged[waits[0].Op] = true
	if byBegin := func(a, b Wait) int { return cmp.Compare(a.Begin, b.Begin) }; !slices.IsSortedFunc(waits, byBegin) {
		slices.SortFunc(waits, byBegin)
	}
	for i := range waits {
		if x := &waits[i]; x.Causer != NoCauser && w.m.s.regions.signals[w.m.s.locations[x.Causer].begun] {
			x.Metric, x.Causer, x.CauserPath = w.m.s.metrics.externalWait, NoCauser, noPath
		}
	}
	left, ready := w.own(waits[0].Op)
	if x := &waits[len(waits)-1]; x.Release == o.End && x.Kind.outside() {
		x.Release = max(x.Begin, x.Release-ready) // it is known when it was over, if not by whom
	}
	w.m.tell(o, waits)
	w.keep(o, waits)
	rest := o.End - waits[0].Begin
	loc := w.m.places.reported[o.Loc]
	for i := range waits {
		x := &waits[i]
		rest -= x.Release - x.Begin
		d := min(x.Release-x.Begin, left)
		left -= d
		x.charged = d
		if w.m.s.metrics.list[x.Metric].Kind != metric.WaitState {
			w.move(x.Metric, o, d)
			continue
		}
		if d != 0 {
			w.waited.add(cellHash(x.Metric, o.Path, loc), waiterKey{cellKey{x.Metric, o.Path, loc}, w.class}, d)
			w.take(o, d)
		}
		if d > 0 {
			causer := x.Causer
			if causer != NoCauser {
				causer = w.m.places.reported[causer]
			}
			w.missing(o, x, d)
			w.waitedFor(x.Metric, d)
			w.causes.add(cellHash(x.Metric, o.Path, causer), causeKey{w.line(o, x), causer, x.CauserPath}, d)
		}
	}
	if !o.Kind.Parallel() {
		w.wake(o, rest, left, ready)
	}
	w.instances(o, loc, waits)
	if x := &waits[len(waits)-1]; o.Open && x.Release == o.End && x.Causer != NoCauser {
		if n := w.m.lives.never[o.Loc]; n != nil && n.op.Of.path == o.Path { // not an operation around the innermost one
			w.never[o.Loc] = never{holder: x.Causer, path: x.CauserPath}
		}
	}
}

// keep keeps what the critical path needs of the waits of an operation.
func (w *matchWorker) keep(o *Op, waits []Wait) {
	list := w.m.s.metrics.list
	tests, carries := w.m.s.regions.testing[w.m.s.paths.nodes[o.Path].region], w.m.s.carries(o.Loc)
	for i := range waits { // a test waits for the goroutine that runs it, which is a join of one; a carrier for something to do
		if x := &waits[i]; tests || carries && (x.Kind == Sent || x.Kind == Closed) {
			x.From = x.Release
		}
	}
	first, last := -1, -1 // of those for others
	for i := range waits {
		if x := &waits[i]; x.Causer != NoCauser && x.Causer != o.Loc && list[x.Metric].Kind == metric.WaitState {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	for i := range waits {
		x := &waits[i]
		switch {
		case list[x.Metric].Kind != metric.WaitState:
		case x.Causer != NoCauser:
			k := new(keptWait)
			k.metric, k.path, k.loc, k.class, k.causer = x.Metric, o.Path, o.Loc, w.class, x.Causer
			k.from, k.end, k.begin, k.done = x.From, x.Release, x.From, x.Release
			if i == last { // where the critical path jumps
				k.begin, k.done = waits[first].Begin, o.End
				w.jumps.add(k)
				w.jumped[o.Loc]++
			} else {
				w.waits.add(k)
			}
		case first < 0 || x.Release <= waits[first].Begin || x.Begin >= waits[last].Release:
			w.nobody(o, x.Begin, x.Release)
			switch {
			case x.Begin >= x.Release || o.Open:
			case x.Kind == CameOverNetwork && w.m.s.reads(o.Loc):
				w.readings.add(pause{x.Begin, x.Release, o.Loc})
			case (x.Metric == w.m.s.metrics.externalWait || x.Kind == RanDown) && w.m.s.told(o.Loc):
				w.rests.add(pause{x.Begin, x.Release, o.Loc})
			}
		}
	}
	if first < 0 && list[waits[0].Metric].Kind != metric.WaitState {
		w.nobody(o, waits[0].Begin, waits[0].Begin)
	}
}

// nobody keeps a wait of an operation for nobody, empty for a mere wake-up.
func (w *matchWorker) nobody(o *Op, begin, end int64) {
	w.idle.add(&keptWait{keptLine: keptLine{path: o.Path, loc: o.Loc}, from: begin, end: end, begin: begin, done: o.End})
}

// instances takes the instances of wait states in an operation into the statistics.
func (w *matchWorker) instances(o *Op, loc uint32, waits []Wait) {
	for i := range waits {
		x := &waits[i]
		if w.m.s.metrics.list[x.Metric].Kind != metric.WaitState || slices.ContainsFunc(waits[:i], func(y Wait) bool { return y.Metric == x.Metric }) {
			continue
		}
		in := instance{path: o.Path, loc: loc, begin: x.Begin, causer: x.Causer, causerPath: x.CauserPath, order: o.Loc}
		longest := int64(0)
		for _, y := range waits[i:] {
			if y.Metric != x.Metric {
				continue
			}
			in.duration += y.charged
			in.end = y.Release
			if y.Release-y.Begin >= longest {
				longest, in.causer, in.causerPath = y.Release-y.Begin, y.Causer, y.CauserPath
			}
		}
		if in.causing = in.causer; in.causer != NoCauser {
			in.causer = w.m.places.reported[in.causer]
		}
		if in.duration >= w.stats[x.Metric].floor {
			in.depth = w.m.s.paths.depth(in.path)
		}
		w.stats[x.Metric].add(in, w.line(o, x))
	}
}

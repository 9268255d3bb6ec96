package analyzer

import (
	"math"
	"slices"
	"sync"

	"tracerec/internal/spill"
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// unknownTime stands for a time that was not seen.
const unknownTime = int64(math.MinInt64)

// location is what the scan knows of one location.
type location struct {
	own         uint32    // its own call path
	begun       uint32    // region of its Begin event, regions.goroutine if there is none
	entered     uint32    // first region it entered (begun, if an operation came before), regions.goroutine if there is none
	creator     uint32    // location, trace.NoLocation unknown
	creatorPath uint32    // call path of the Create, noPath unknown
	seen        bool      // has events
	late, cut   bool      // events are missing before the first event; behind the last one
	does        wire.Kind // the state that it is in, by the event that began it; None if it runs
	first, last int64     // times of its first and last event
	doing       int64     // begin of the innermost level at its End event
	begin, end  int64     // its life; begin ≤ first. Before lifetimes: end is the time of its End or unknown
	several     bool      // that is Ready several times, told as one, with running in between before it
	ran         interval  // when it ran last, for loads
	open        levels.Stack[level]
	sample      *counterSample
	failed      failedTry
}

// level is what is kept of an open level of a call path.
type level struct {
	path, object, mode  uint32
	resumed             bool  // a level was opened in it after it blocked; here it takes no room
	begin, blocked, own int64 // own: time spent in it and not in nested levels
	ready               int64 // the part of that in which its operation was ready to run
}

// problems counts what the scan met that should not be.
type problems struct {
	backwards  uint64 // events before the one before
	unopened   uint64 // ends of levels that are not open
	unclosed   uint64 // regions closed by the end of something around them
	afterEnd   uint64 // events behind the End of their location
	values     uint64 // counter differences that could not be charged to anybody
	lateCreate uint64 // creations later than the first event of what they created
	forgotten  forgotten
}

func (p *problems) add(o *problems) {
	p.backwards += o.backwards
	p.unopened += o.unopened
	p.unclosed += o.unclosed
	p.afterEnd += o.afterEnd
	p.values += o.values
	p.lateCreate += o.lateCreate
	p.forgotten.add(&o.forgotten)
}

// creation is a Create event.
type creation struct {
	child, creator, path uint32
	time                 int64
}

// scan is the first look at all events, shared by its workers.
type scan struct {
	archive   *trace.Archive
	ticks     trace.Ticks  // of all times until the report is built
	store     *spill.Store // for all that grows with the number of events
	defs      *trace.Definitions
	chunks    []*trace.Chunk
	regions   *regions
	metrics   *metrics
	messages  uint32 // number of the object of all messages
	paths     *paths
	locations []location
	resume    [][]resume         // by chunk and batch
	keeping   sync.Mutex         // of samples
	samples   [][]*counterSample // by chunk: what its batches go on from
	forgotten forgottenLevels
	gaps      map[uint32][]gap // by location, ascending
	events    uint64
	packed    []packedChunk // by chunk; nil if decoding is cheap
	workers   []*scanner
	damaged   []error // chunks that could not be read, in order
	progress  progress
}

// newScan prepares a scan of a by n workers.
func newScan(a *trace.Archive, m *metrics, n int, store *spill.Store) *scan {
	s := &scan{archive: a, store: store, defs: a.Definitions(), chunks: a.Chunks(), metrics: m}
	s.regions = newRegions(s.defs)
	s.regions.classify(m)
	s.messages = uint32(max(0, slices.IndexFunc(s.defs.Objects, func(o trace.Object) bool { return o.Kind == wire.MessagesObject })))
	s.paths = &paths{index: map[node]uint32{}}
	if a.Converted() {
		s.packed = make([]packedChunk, len(s.chunks))
	}
	s.locations = make([]location, len(s.defs.Locations))
	s.resume, s.samples = make([][]resume, len(s.chunks)), make([][]*counterSample, len(s.chunks))
	for range min(n, max(len(s.chunks), 1)) { // others would have little to do
		w := newScanner(s)
		w.ops.worker = uint32(len(s.workers))
		s.workers = append(s.workers, w)
	}
	return s
}

// run scans everything.
func (s *scan) run() {
	s.progress.begin("reading events", uint64(events(s.archive)))
	errs := s.inOrder(s.workers, func(chunk int, batches []trace.Batch) {
		s.resume[chunk] = make([]resume, len(batches))
		n := 0
		for _, b := range batches {
			n += len(b.Events)
		}
		s.events += uint64(n)
		s.progress.add(n)
	}, (*scanner).scan)
	for _, err := range errs {
		if err != nil {
			s.damaged = append(s.damaged, err)
		}
	}
}

// parallel runs f for every element on a goroutine of its own and waits for all.
func parallel[T any](list []T, f func(T)) {
	var wg sync.WaitGroup
	for _, x := range list {
		wg.Go(func() { f(x) })
	}
	wg.Wait()
}

// scanner is one worker of a scan.
type scanner struct {
	s     *scan
	cache [cacheSize]struct {
		node
		id uint32
	}
	acc     []sum             // by call path, of the batch in progress
	touched []uint32          // call paths with something in acc
	cells   []list[scanCell]  // by call path
	other   map[cellKey]int64 // metrics of less frequent events
	ops     opStore
	creates list[creation]
	states  sums[cellKey]       // true locations
	loads   []*load             // by process; nil where states are not told
	samples map[uint32]*sampled // values of user metrics
	free    [][]levels.Level[level]
	lost    map[int]uint64 // by process: events that the recorder dropped
	gaps    list[gap]
	sleeps  list[pause]
	problems

	chunk uint32
	loc   uint32
	batch *trace.Batch
	path  *follower // second look: charge only the time of the critical path
	brief bool      // call paths that take no time are of no interest; half of the events of execution traces are at the time of the one before
}

const cacheSize = 1 << 12

// sum is what a call path collects on one location.
type sum struct {
	time         int64
	visits, good uint32 // good: operations with outcome OK (messages, acquisitions)
	touched      bool
}

// scanCell is a sum with its place, true location.
type scanCell struct {
	path, loc    uint32
	time         int64
	visits, good uint32
}

func newScanner(s *scan) *scanner {
	w := &scanner{s: s, other: map[cellKey]int64{}, states: newSums[cellKey](), samples: map[uint32]*sampled{}, lost: map[int]uint64{}}
	w.brief = s.packed == nil // in archives of other formats, who was in a construct for no time took part in it
	for i := range w.ops.part {
		w.ops.part[i].store, w.ops.part[i].runs.store = s.store, s.store
	}
	w.loads, w.sleeps.store = w.newLoads(), s.store
	for i := range w.cache {
		w.cache[i].id = noPath
	}
	return w
}

// child returns the call path of a level opened by kind in region below parent, ready to be charged.
func (w *scanner) child(parent, region uint32, kind wire.Kind) uint32 {
	n := node{parent, region, kind}
	c := &w.cache[(parent*0x9e3779b1^region*0x85ebca6b^uint32(kind)*0xc2b2ae35)>>(32-12)]
	if c.node != n || c.id == noPath {
		c.node, c.id = n, w.s.paths.intern(n)
	}
	if int(c.id) >= len(w.acc) {
		w.acc = append(w.acc, make([]sum, int(c.id)+1-len(w.acc)+len(w.acc)/2)...)
	}
	return c.id
}

// at returns the sum of a call path that child returned to this worker.
func (w *scanner) at(path uint32) *sum {
	if int(path) >= len(w.acc) { // the level was opened by another worker
		w.acc = append(w.acc, make([]sum, int(path)+1-len(w.acc)+len(w.acc)/2)...)
	}
	a := &w.acc[path]
	if !a.touched {
		a.touched = true
		w.touched = append(w.touched, path)
	}
	return a
}

// flush turns the sums of a batch into cells.
func (w *scanner) flush() {
	for _, p := range w.touched {
		a := &w.acc[p]
		if int(p) >= len(w.cells) {
			w.cells = append(w.cells, make([]list[scanCell], len(w.acc)-len(w.cells))...)
		}
		w.cells[p].store = w.s.store
		w.cells[p].add(scanCell{p, w.loc, a.time, a.visits, a.good})
		*a = sum{}
	}
	w.touched = w.touched[:0]
}

// scan looks at a batch for the first time.
func (w *scanner) scan(chunk, i int, b *trace.Batch) {
	w.chunk, w.loc, w.batch = uint32(chunk), uint32(b.Location), b
	here := w.s.locations[b.Location] // its neighbours in memory may be with other workers
	l := &here
	if !l.seen && len(b.Events) > 0 {
		w.start(l, b.Events)
	}
	w.s.resume[chunk][i] = resume{w.current(l), w.s.forgotten.save(&l.open), l.last, w.s.keepSample(w.chunk, l.sample), l.does, l.blocked(), l.end != unknownTime}
	w.events(l, b.Events)
	w.flush()
	w.park(l)
	w.s.locations[b.Location] = here
}

// park gives the stack of a location without open levels back.
func (w *scanner) park(l *location) {
	if s := &l.open; len(s.Levels) == 0 && cap(s.Levels) > 0 {
		w.free = append(w.free, s.Levels)
		s.Levels = nil
	}
}

// start prepares a location for its first events. Begin may have a sample of counters before it.
func (w *scanner) start(l *location, events []trace.Event) {
	region := w.s.regions.goroutine
	l.creator, l.creatorPath = uint32(trace.NoLocation), noPath
	i := 0
	for i < len(events)-1 && (events[i].Kind == wire.Counters || events[i].Kind == wire.Overhead) {
		i++
	}
	if e := &events[i]; e.Kind == wire.Begin {
		if e.ID != trace.NoRegion {
			region = w.s.regions.id(e.ID)
		}
		if e.Word > 0 && e.Word <= uint64(len(w.s.locations)) {
			l.creator = uint32(e.Word - 1)
		}
	}
	e := &events[0]
	l.late = e.Kind == wire.Lost
	l.begun, l.entered = region, w.s.regions.goroutine
	l.own = w.child(noPath, region, wire.Begin)
	l.first, l.last, l.end, l.seen = e.Time, e.Time, unknownTime, true
	w.at(l.own).visits++
}

// current returns the call path of the innermost level.
func (w *scanner) current(l *location) uint32 {
	if top := l.open.Top(); top != nil {
		return top.Of.path
	}
	return l.own
}

// blocked says whether the innermost operation has blocked, and nothing was done in it since.
func (l *location) blocked() bool {
	o := l.open.Operation()
	return o != nil && o.Of.blocked != NotBlocked && !o.Of.resumed
}

// below returns the call path below which a new level lies.
func below(l *location) uint32 {
	if top := l.open.Top(); top != nil {
		return top.Of.path
	}
	return noPath
}

// charge gives [l.last, t) but its last part, which is overhead, to the innermost level, or to the state that it is in there.
func (w *scanner) charge(l *location, t, overhead int64) {
	if t == l.last && w.brief {
		return
	}
	d := t - l.last - overhead
	if w.path != nil {
		kind, path := wire.Begin, w.current(l)
		if top := l.open.Top(); top != nil {
			kind = top.Kind
		}
		d = w.path.time(l.last, t-overhead, path, kind, l.does)
		if overhead > 0 {
			d += w.path.time(t-overhead, t, path, wire.Enter, wire.None) // whatever it was in the middle of
		}
	} else {
		if w.loads != nil {
			w.loaded(l, l.last, t-overhead)
		}
		if l.does != wire.None && w.inState(l, d) {
			l.last = t
			return
		}
	}
	top := l.open.Top()
	if top == nil {
		w.at(l.own).time += d
	} else {
		top.Of.own += d
		w.at(top.Of.path).time += d
	}
	if l.failed.is && (top == nil || !top.Operation()) {
		l.failed.gap += d
	}
	l.last = t
}

// inState charges time to the state that a location is in, unless that is part of its innermost operation: what it did while events were lost is not.
func (w *scanner) inState(l *location, d int64) bool {
	top := l.open.Top()
	if top == nil || !top.Operation() || l.does == wire.Lost {
		w.state(w.s.metrics.stateOf[l.does], w.current(l), d)
		return true
	}
	if l.does == wire.Ready || l.does == yielded || l.does == wire.Stopped {
		top.Of.ready += d
	}
	return false
}

// state charges time of a call path to the metric of a state.
func (w *scanner) state(m uint16, path uint32, d int64) {
	w.states.add(cellHash(m, path, w.loc), cellKey{m, path, w.loc}, d)
}

// opens applies an event that opens a level.
func (w *scanner) opens(l *location, e *trace.Event, t int64) {
	if s := &l.open; s.Levels == nil && len(w.free) > 0 {
		s.Levels = w.free[len(w.free)-1]
		w.free = w.free[:len(w.free)-1]
	}
	r := w.s.regions.id(e.ID)
	above := noPath
	if top := l.open.Top(); top != nil {
		above, top.Of.resumed = top.Of.path, true
	}
	path := w.child(above, r, e.Kind)
	w.tries(l.failed, path)
	l.failed.is = false
	if l.entered == w.s.regions.goroutine {
		if e.Kind == wire.Enter {
			l.entered = r
		} else if l.begun != w.s.regions.goroutine {
			l.entered = l.begun // no region is all it does
		}
	}
	v := l.open.Open(e.Kind)
	v.path, v.begin, v.blocked = path, t, NotBlocked
	if v.object = uint32(e.Word); e.Kind != wire.OnceBegin { // whose mode is whether it runs the function
		v.mode = uint32(e.Word >> 32)
	}
	if e.Kind != wire.Enter || e.Word != trace.Elsewhere {
		w.at(path).visits++
	}
}

// closes applies an event that closes levels.
func (w *scanner) closes(l *location, e *trace.Event, t int64) {
	l.failed.is = false
	if e.Kind.Does() == wire.Leaves {
		if v := l.open.Leave(); v != nil {
			if w.path == nil {
				v.Of.left(v.Kind, e)
				w.operation(v, wire.Outcome(e.ID), t, false)
				w.failed(l, v, e)
			}
			return
		}
		if v := l.open.Operation(); v != nil {
			v.Of.left(v.Kind, e)
		}
	}
	if top := l.open.Top(); e.Kind == wire.End && top != nil {
		l.doing = top.Of.begin
	}
	closed, missing := l.open.Close(e.Kind, e.ID)
	w.unopened += missing
	for i := len(closed) - 1; i >= 0; i-- {
		if v := &closed[i]; v.Operation() {
			w.operation(v, outcome(e), t, false)
		} else if e.Kind.Does() == wire.Leaves {
			w.unclosed++
		}
	}
	if e.Kind == wire.End {
		l.end = t
	}
}

// left takes what the event that ends an operation, opened by kind, tells of it.
func (v *level) left(kind wire.Kind, e *trace.Event) {
	switch {
	case e.Kind == wire.Chose, e.Kind == wire.Reached && kind == wire.NetworkBegin:
		v.object, v.mode = uint32(e.Word), uint32(e.Word>>32)
	case e.Kind == wire.Passed && (kind == wire.SendBegin || kind == wire.RecvBegin):
		v.mode = uint32(e.Word)
	}
}

// outcome returns how operations ended that an event closed.
func outcome(e *trace.Event) wire.Outcome {
	switch e.Kind.Does() {
	case wire.Leaves:
		return wire.Outcome(e.ID)
	case wire.Loses:
		return wire.Failed
	}
	return wire.Panicked
}

// operation takes note of an operation that has ended at time t, or, if it is open, never will.
func (w *scanner) operation(v *levels.Level[level], how wire.Outcome, t int64, open bool) {
	if w.path != nil {
		return
	}
	o := new(Op) // set field by field: a copy of what has just been written in smaller pieces takes long
	o.Begin, o.Blocked, o.End = v.Of.begin, v.Of.blocked, t
	o.Loc, o.Path, o.Mode = w.loc, v.Of.path, v.Of.mode
	o.Kind, o.Outcome, o.Open = v.Kind, how, open
	if o.Kind == wire.SleepBegin && o.Begin < o.End && !o.Open {
		w.sleeps.add(pause{o.Begin, o.End, w.loc})
	}
	if o.Outcome == wire.OK && (o.Kind == wire.SendBegin || o.Kind == wire.LockBegin) && !o.Open ||
		o.Outcome == wire.Sent && o.Kind == wire.SelectBegin {
		w.at(o.Path).good++
	}
	object := int(v.Of.object) - 1
	if v.Of.object == 0 || object >= len(w.s.defs.Objects) {
		if !o.waitsAlone() {
			if v.Of.ready > 0 {
				w.state(w.s.metrics.ready, o.Path, v.Of.ready)
				w.at(o.Path).time -= v.Of.ready
			}
			return
		}
		object = len(w.s.defs.Objects)
	}
	w.ops.add(w.chunk, uint32(object), o, inOp{o.End - o.Begin - v.Of.own, v.Of.ready})
}

// waitsAlone says whether an operation without object waited: it blocked, on a nil channel for instance,
// or it is a select that ended in a case which is not recorded.
func (o *Op) waitsAlone() bool {
	if o.Kind == wire.SelectBegin {
		return o.Open || o.Outcome != wire.Failed && o.Outcome != wire.Panicked
	}
	return o.Blocked != NotBlocked && o.Kind != wire.SleepBegin
}

// point takes note of an operation that takes no time.
func (w *scanner) point(l *location, e *trace.Event, t int64) {
	path := w.current(l)
	switch e.Kind {
	case wire.Close, wire.Signal, wire.Broadcast, wire.Write, wire.Interrupt:
		path = w.child(below(l), w.s.regions.id(e.ID), e.Kind)
		w.at(path).visits++
	}
	if object := uint32(e.Word); w.path == nil && object != 0 && int(object) <= len(w.s.defs.Objects) {
		w.ops.add(w.chunk, object-1, &Op{Begin: t, Blocked: NotBlocked, End: t, Loc: w.loc, Path: path,
			Mode: uint32(e.Word >> 32), Kind: e.Kind}, inOp{})
	}
}

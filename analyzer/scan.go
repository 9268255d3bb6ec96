package analyzer

import (
	"fmt"
	"math"
	"sync"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// unknownTime stands for a time that was not seen.
const unknownTime = int64(math.MinInt64)

// location is what the scan knows of one location.
type location struct {
	own         uint32  // its own call path
	begun       uint32  // region of its Begin event, regions.goroutine if there is none
	entered     uint32  // first region it entered (begun, if an operation came before), regions.goroutine if there is none
	creator     uint32  // location, trace.NoLocation unknown
	creatorPath uint32  // call path of the Create, noPath unknown
	forgotten   uint32  // forgotten selects outside any level
	seen        bool    // has events
	first, last int64   // times of its first and last event
	begin, end  int64   // its life; begin ≤ first. Before lifetimes: end is the time of its End or unknown
	stack       []level // open levels; nil when there are none
	sample      *counterSample
}

// level is an open level of a call path: a region or an operation.
type level struct {
	path, object, mode  uint32
	forgotten           uint32 // forgotten selects directly in it
	kind                wire.Kind
	begin, blocked, own int64 // own: time spent in it and not in nested levels
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
	defs      *trace.Definitions
	chunks    []*trace.Chunk
	regions   *regions
	metrics   *metrics
	paths     *paths
	keep      uint64 // parts of which operations are kept
	locations []location
	resume    [][]resume         // by chunk and batch
	samples   [][]*counterSample // by chunk: what its batches go on from
	forgotten forgottenLevels
	gaps      map[uint32][]gap // by location, ascending
	events    uint64
	workers   []*scanner
	damaged   []error // chunks that could not be read, in order
	progress  func(events uint64)
}

// newScan prepares a scan of a by n workers, which keeps the operations of the given parts.
func newScan(a *trace.Archive, m *metrics, n int, keep uint64) *scan {
	s := &scan{archive: a, defs: a.Definitions(), chunks: a.Chunks(), metrics: m, keep: keep}
	s.regions = newRegions(s.defs)
	s.paths = &paths{index: map[node]uint32{}}
	s.prepare(n)
	return s
}

// again returns a scan of the same archive that keeps other parts and finds the same call paths.
func (s *scan) again(keep uint64) *scan {
	t := &scan{archive: s.archive, defs: s.defs, chunks: s.chunks, metrics: s.metrics, regions: s.regions, paths: s.paths, keep: keep}
	t.prepare(len(s.workers))
	return t
}

func (s *scan) prepare(n int) {
	s.locations = make([]location, len(s.defs.Locations))
	s.resume, s.samples = make([][]resume, len(s.chunks)), make([][]*counterSample, len(s.chunks))
	for range min(n, max(len(s.chunks), 1)) { // others would have nothing to do
		s.workers = append(s.workers, newScanner(s))
	}
}

// after returns for every chunk how many chunks must have been scanned before: those up to the last that
// holds an earlier piece of one of its locations.
func (s *scan) after() []int {
	after := make([]int, len(s.chunks))
	last := make([]uint32, len(s.locations))
	for i, c := range s.chunks {
		for _, l := range c.Locations {
			after[i] = max(after[i], int(last[l]))
			last[l] = uint32(i + 1)
		}
	}
	return after
}

// run scans everything. Chunks are decoded by whoever is free, and looked at when it is their turn.
func (s *scan) run() {
	after := s.after()
	done := make([]bool, len(s.chunks))
	errs := make([]error, len(s.chunks))
	var mu sync.Mutex
	turn := sync.NewCond(&mu)
	next, leading := 0, 0 // next chunk to take; number of leading chunks that are done
	parallel(s.workers, func(w *scanner) {
		decoder, buf := s.archive.NewDecoder(), new(trace.Buffer)
		mu.Lock()
		defer mu.Unlock()
		for next < len(s.chunks) {
			i := next
			next++
			mu.Unlock()
			batches, err := decoder.Decode(s.chunks[i], buf)
			mu.Lock()
			for leading < after[i] {
				turn.Wait()
			}
			mu.Unlock()
			w.scan(uint32(i), batches)
			mu.Lock()
			errs[i], done[i] = err, true
			for leading < len(done) && done[leading] {
				leading++
			}
			turn.Broadcast()
			for _, b := range batches {
				s.events += uint64(len(b.Events))
			}
			if s.progress != nil {
				s.progress(s.events)
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			s.damaged = append(s.damaged, fmt.Errorf("%w (chunk skipped)", err))
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
	samples map[uint32][]int64 // values of user metrics
	free    [][]level
	lost    map[int]uint64 // by process: events that the recorder dropped
	gaps    list[gap]
	problems

	chunk uint32
	loc   uint32
	batch *trace.Batch
	path  *follower // second look: charge only the time of the critical path
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
	w := &scanner{s: s, other: map[cellKey]int64{}, samples: map[uint32][]int64{}, lost: map[int]uint64{}}
	w.ops.keep = s.keep
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
		w.cells[p].add(scanCell{p, w.loc, a.time, a.visits, a.good})
		*a = sum{}
	}
	w.touched = w.touched[:0]
}

// scan looks at the batches of a chunk for the first time.
func (w *scanner) scan(chunk uint32, batches []trace.Batch) {
	w.chunk = chunk
	from := make([]resume, len(batches))
	for i := range batches {
		b := &batches[i]
		w.loc, w.batch = uint32(b.Location), b
		l := &w.s.locations[b.Location]
		if !l.seen && len(b.Events) > 0 {
			w.start(l, b.Events)
		}
		from[i] = resume{w.current(l), w.s.forgotten.save(l), l.last, w.s.keepSample(chunk, l.sample), l.blocked(), l.end != unknownTime}
		w.events(l, b.Events)
		w.flush()
		w.park(l)
	}
	w.s.resume[chunk] = from
}

// park gives the stack of a location without open levels back.
func (w *scanner) park(l *location) {
	if len(l.stack) == 0 && cap(l.stack) > 0 {
		w.free = append(w.free, l.stack)
		l.stack = nil
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
	l.begun, l.entered = region, w.s.regions.goroutine
	l.own = w.child(noPath, region, wire.Begin)
	l.first, l.last, l.end, l.seen = e.Time, e.Time, unknownTime, true
	w.at(l.own).visits++
}

// current returns the call path of the innermost level.
func (w *scanner) current(l *location) uint32 {
	if n := len(l.stack); n > 0 {
		return l.stack[n-1].path
	}
	return l.own
}

// blocked says whether the innermost operation has blocked.
func (l *location) blocked() bool {
	for i := len(l.stack) - 1; i >= 0; i-- {
		if l.stack[i].kind != wire.Enter {
			return l.stack[i].blocked != NotBlocked
		}
	}
	return false
}

// below returns the call path below which a new level lies.
func below(l *location) uint32 {
	if n := len(l.stack); n > 0 {
		return l.stack[n-1].path
	}
	return noPath
}

// charge gives [l.last, t) but its last part, which is overhead, to the innermost level.
func (w *scanner) charge(l *location, t, overhead int64) {
	d := t - l.last - overhead
	if w.path != nil {
		kind, path := wire.Begin, w.current(l)
		if n := len(l.stack); n > 0 {
			kind = l.stack[n-1].kind
		}
		d = w.path.time(l.last, t-overhead, path, kind)
		if overhead > 0 {
			d += w.path.time(t-overhead, t, path, wire.Enter) // whatever it was in the middle of
		}
	}
	if n := len(l.stack); n > 0 {
		top := &l.stack[n-1]
		top.own += d
		w.at(top.path).time += d
	} else {
		w.at(l.own).time += d
	}
	l.last = t
}

// open opens a level.
func (w *scanner) open(l *location, kind wire.Kind, region uint32, word uint64, t int64) {
	if l.stack == nil && len(w.free) > 0 {
		l.stack = w.free[len(w.free)-1]
		w.free = w.free[:len(w.free)-1]
	}
	if l.inSelect() {
		w.forget(l, t)
	}
	r := w.s.regions.id(region)
	path := w.child(below(l), r, kind)
	if l.entered == w.s.regions.goroutine {
		if kind == wire.Enter {
			l.entered = r
		} else if l.begun != w.s.regions.goroutine {
			l.entered = l.begun // no region is all it does
		}
	}
	l.stack = append(l.stack, level{path: path, object: uint32(word), mode: uint32(word >> 32), kind: kind, begin: t, blocked: NotBlocked})
	w.at(path).visits++
}

// innermost returns the index of the innermost open operation, -1 if there is none. If it is a forgotten select,
// it is the last one in the innermost of n levels.
func innermost(l *location) (n int, isForgotten bool) {
	for n = len(l.stack); ; n-- {
		switch {
		case *l.forgottenIn(n) > 0:
			return n, true
		case n == 0:
			return -1, false
		case l.stack[n-1].kind != wire.Enter:
			return n - 1, false
		}
	}
}

// shut closes all levels from index n on. The operation at n itself ends with outcome o, those above
// were left behind: they panicked.
func (w *scanner) shut(l *location, n int, o wire.Outcome, t int64) {
	for i := len(l.stack) - 1; i >= n; i-- {
		v := &l.stack[i]
		if v.kind != wire.Enter {
			outcome := wire.Panicked
			if i == n {
				outcome = o
			}
			w.operation(v, Op{Begin: v.begin, Blocked: v.blocked, End: t, Loc: w.loc, Path: v.path,
				Mode: v.mode, Kind: v.kind, Outcome: outcome})
		}
	}
	l.stack = l.stack[:max(n, 0)]
}

// leave ends the innermost operation, and with it regions that were opened in it and not closed.
func (w *scanner) leave(l *location, o wire.Outcome, t int64) {
	n, isForgotten := innermost(l)
	switch {
	case n < 0:
		w.unopened++
	case isForgotten:
		w.unclosed += uint64(len(l.stack) - n)
		w.shut(l, n, o, t)
		*l.forgottenIn(n)--
	default:
		w.unclosed += uint64(len(l.stack) - 1 - n)
		w.shut(l, n, o, t)
	}
}

// drop closes up to n levels; an operation among them ends with outcome o.
func (w *scanner) drop(l *location, n uint64, o wire.Outcome, t int64) {
	for n > 0 {
		if f := l.forgottenIn(len(l.stack)); *f > 0 {
			d := min(n, uint64(*f))
			*f -= uint32(d)
			n -= d
			continue
		}
		if len(l.stack) == 0 {
			w.unopened += n
			return
		}
		w.shut(l, len(l.stack)-1, o, t)
		n--
	}
}

// operation takes note of an operation that has ended, or never will.
func (w *scanner) operation(v *level, o Op) {
	if w.path != nil {
		return
	}
	if o.Outcome == wire.OK && (o.Kind == wire.SendBegin || o.Kind == wire.LockBegin) && !o.Open ||
		o.Outcome == wire.Sent && o.Kind == wire.SelectBegin {
		w.at(o.Path).good++
	}
	object := int(v.object) - 1
	if v.object == 0 || object >= len(w.s.defs.Objects) {
		if !o.waitsAlone() {
			return
		}
		object = len(w.s.defs.Objects)
	}
	w.ops.add(w.chunk, uint32(object), &o, o.End-o.Begin-v.own)
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
	if l.inSelect() {
		w.forget(l, t)
	}
	path := w.current(l)
	switch e.Kind {
	case wire.Close, wire.Signal, wire.Broadcast:
		path = w.child(below(l), w.s.regions.id(e.ID), e.Kind)
		w.at(path).visits++
	}
	if object := uint32(e.Word); w.path == nil && object != 0 && int(object) <= len(w.s.defs.Objects) {
		w.ops.add(w.chunk, object-1, &Op{Begin: t, Blocked: NotBlocked, End: t, Loc: w.loc, Path: path,
			Mode: uint32(e.Word >> 32), Kind: e.Kind}, 0)
	}
}

package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// window is a window being read.
type window struct {
	r       *Reader
	out     report.Window
	pixel   int64 // shorter stays are merged, ns
	spans   int   // in all rows
	full    bool  // spans were left out
	names   map[string]int
	regions []int // by region of the trace: its name's index + 1, 0 if that was not asked for
	rows    map[trace.LocationID]*row
	order   []*row
	created map[trace.LocationID]creation
	begun   map[trace.LocationID]int64
	reasons map[string]bool // said in out.Truncated
}

// creation is the start of a goroutine by another one.
type creation struct {
	by   uint32 // location of the experiment
	time int64
}

// row is one location of the window.
type row struct {
	w       *window
	id      trace.LocationID
	out     report.WindowRow
	open    levels.Stack[level]
	does    wire.Kind // the state that it is in, by the event that began it; None if it runs, or that is not known
	since   int64     // then: when it began
	end     int64     // until when it lives, as far as is known
	ended   bool
	waits   report.WaitReader
	pending []report.Span // by depth: a span that may grow by merging
	longest []int64       // by depth: the longest stay in it
}

// level is what is shown of an open level of the call path.
type level struct {
	begin, blocked int64
	nested         int64 // begin of the first level in it, after which it waits no more
	name           int
}

const notBlocked = int64(-1 << 63)

// truncate says what is left out, once.
func (w *window) truncate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.reasons[text] {
		return
	}
	if w.reasons == nil {
		w.reasons = map[string]bool{}
	}
	w.reasons[text] = true
	if w.out.Truncated != "" {
		text = w.out.Truncated + "; " + text
	}
	w.out.Truncated = text
}

// name returns the index of a name.
func (w *window) name(s string) int {
	i, known := w.names[s]
	if !known {
		i = len(w.out.Names)
		w.names[s] = i
		w.out.Names = append(w.out.Names, s)
	}
	return i
}

// region returns the index of the name of a region of the trace.
func (w *window) region(id uint32) int {
	if int(id) >= len(w.regions) {
		return w.name("") // damage
	}
	i := &w.regions[id]
	if *i == 0 {
		*i = w.name(w.r.archive.Definitions().Regions[id].Name) + 1
	}
	return *i - 1
}

// add adds a row for a location of the experiment, on which one of its goroutines is shown.
func (w *window) add(l uint32, id trace.LocationID) {
	if w.rows[id] != nil {
		return
	}
	defs := w.r.archive.Definitions()
	x := &row{w: w, id: id, out: report.WindowRow{Location: l}, waits: w.r.waits[uint32(id)], end: defs.Processes[defs.Locations[id].Process].End}
	w.rows[id] = x
	w.order = append(w.order, x)
}

// task is a piece to be read, for a row.
type task struct {
	piece
	row   *row
	first bool // of the row: the location's levels are to be restored
}

// read reads the pieces of all rows, each chunk once.
func (w *window) read() {
	var tasks []task
	for _, x := range w.order {
		for i, p := range w.needed(x) {
			tasks = append(tasks, task{p, x, i == 0})
		}
	}
	slices.SortFunc(tasks, func(a, b task) int { return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.batch, b.batch)) })
	if events, work := w.size(tasks); work > w.r.limit {
		w.sample(events)
		return
	}
	chunks := w.r.archive.Chunks()
	d := w.r.decoders.Get().(*decoder)
	defer w.r.decoders.Put(d)
	for len(tasks) > 0 {
		n := 1
		for n < len(tasks) && tasks[n].chunk == tasks[0].chunk {
			n++
		}
		batches, err := d.Decode(chunks[tasks[0].chunk], &d.buf)
		for _, t := range tasks[:n] {
			if int(t.batch) < len(batches) {
				t.row.apply(&t, batches[t.batch].Events)
			}
		}
		if err != nil {
			w.truncate("%v", err)
		}
		tasks = tasks[n:]
	}
}

// size returns about how many events the goroutines have in the window, and how many it is as much work to show: one that is only decoded,
// as it lies in the same chunk, is a third of one that is shown.
func (w *window) size(tasks []task) (events, work int) {
	for i, t := range tasks {
		c := w.r.archive.Chunks()[t.chunk]
		if i == 0 || t.chunk != tasks[i-1].chunk {
			work += c.Events
		}
		events += c.Events / len(c.Locations)
	}
	return events, (work + 2*events) / 3
}

// sample shows samples instead of reading the events.
func (w *window) sample(events int) {
	all := fmt.Sprintf("about %.3g million events are too many to be shown", float64(events)/1e6)
	if w.r.starts == nil {
		w.truncate("%s; zoom in to see what happened", all)
		return
	}
	w.out.Sampled = true
	w.truncate("%s: each stretch says where its goroutine was at one moment of it; zoom in to see what happened", all)
	step := max(1, 2*w.pixel, (w.out.End-w.out.Begin)/maxSamples*int64(len(w.order)))
	for _, x := range w.order {
		x.sample(step)
	}
}

// sample divides the window into stretches, and shows each as one of its moments: that at which a piece began, the events before it done.
func (x *row) sample(step int64) {
	first, last := int64(math.MinInt64), int64(0) // between which the first event of the piece lies, as far as chunks of several locations tell
	next := x.w.out.Begin                         // where a stretch may end, as its moment is over
	for _, p := range x.w.r.pieces[x.id] {
		c := x.w.r.archive.Chunks()[p.chunk]
		first = max(first, c.First)
		begin := max(min(first, last), x.w.out.Begin) // between pieces nothing happens
		last = max(last, c.Last)
		if last > x.w.out.End {
			return
		}
		if first < x.w.out.Begin || begin < next || x.w.r.starts[p.start] == report.Unknown {
			continue
		}
		x.closeAll(begin)
		x.restore(p, begin)
		x.end, next = last, max(begin+step, last)
	}
}

// needed returns the pieces that say what a location did in the window. The first may lie behind it, or before it: then it says where the
// location was all the time.
func (w *window) needed(x *row) []piece {
	pieces, chunks := w.r.pieces[x.id], w.r.archive.Chunks()
	from := 0
	for from < len(pieces) && chunks[pieces[from].chunk].Last < w.out.Begin {
		from++
	}
	to := from
	for to < len(pieces) && chunks[pieces[to].chunk].First <= w.out.End {
		to++
	}
	if w.r.starts == nil {
		return pieces[:to] // levels are only known from the beginning on
	}
	if to == from {
		from, to = min(from, max(0, len(pieces)-1)), min(from+1, len(pieces))
	}
	for from > 0 && w.r.starts[pieces[from].start] == report.Unknown {
		from--
	}
	return pieces[from:to]
}

// apply applies the events of a piece.
func (x *row) apply(t *task, events []trace.Event) {
	if t.first {
		x.restore(t.piece, x.w.out.Begin)
	}
	for i := range events {
		e := &events[i]
		if e.Time > x.w.out.End {
			return
		}
		x.event(e)
		x.end = max(x.end, e.Time)
	}
}

// restore opens the levels in which the location was when a piece began, as if at time t.
func (x *row) restore(p piece, t int64) {
	if x.w.r.starts == nil {
		return
	}
	e := x.w.r.e
	start := x.w.r.starts[p.start]
	var names []uint32
	for path := start.Path(); path >= 0; path = e.Paths[path].Parent {
		names = append(names, e.Paths[path].Region)
	}
	slices.Reverse(names)
	for _, region := range names {
		r := &e.Regions[region]
		kind := wire.Enter
		if r.Operation {
			kind = operations[r.Name]
		}
		x.opens(kind, t, x.w.name(r.Name))
	}
	if o := x.open.Operation(); o != nil && start.Blocked() {
		o.Of.blocked = t
	}
}

// opens opens a level.
func (x *row) opens(kind wire.Kind, t int64, name int) {
	if top := x.open.Top(); top != nil {
		x.blocked(top, len(x.open.Levels)-1, t) // now it does something
		top.Of.nested = min(top.Of.nested, t)
	}
	*x.open.Open(kind) = level{begin: t, blocked: notBlocked, nested: math.MaxInt64, name: name}
}

// event applies one event.
func (x *row) event(e *trace.Event) {
	if x.state(e.Time); e.Kind == wire.Lost {
		x.does = wire.None
	}
	if x.open.Forgets(e.Kind) {
		sel := x.open.Forget() // it went on without telling which case it took
		x.shut(sel, len(x.open.Levels), e.Time)
	}
	switch {
	case e.Kind.Does() == wire.Opens:
		x.opens(e.Kind, e.Time, x.w.region(e.ID))
	case e.Kind == wire.Blocked:
		if o := x.open.Operation(); o != nil && o.Of.blocked == notBlocked {
			o.Of.blocked = e.Time
		}
	case x.w.r.states && (stateNames[e.Kind] != "" || e.Kind == wire.Running):
		x.does, x.since = e.Kind, e.Time
	case e.Kind == wire.Create && e.Time >= x.w.out.Begin:
		x.w.created[e.Other()] = creation{x.out.Location, e.Time}
	case e.Kind == wire.Begin && e.Time >= x.w.out.Begin:
		x.w.begun[x.id] = e.Time
	default:
		x.close(e)
	}
}

// stateNames names the states, by the kind of the event that begins them.
var stateNames = map[wire.Kind]string{wire.Ready: "ready to run", wire.Syscall: "system call", wire.Assist: "garbage collection", wire.Stopped: "world stopped",
	wire.Parked: "waiting"}

// state shows the state that the row has been in up to t. In operations it is part of what these are blocked by.
func (x *row) state(t int64) {
	if name := stateNames[x.does]; name != "" && x.since < min(t, x.w.out.End) && t > x.w.out.Begin {
		if top := x.open.Top(); top == nil || !top.Operation() {
			x.span(x.since, t, len(x.open.Levels), x.w.name(name), report.InBlocked)
		}
	}
	x.since = t
}

// close applies an event that closes levels.
func (x *row) close(e *trace.Event) {
	if o := x.open.Operation(); o != nil && e.Kind.Does() == wire.Leaves {
		x.left(o, e)
	}
	closed, _ := x.open.Close(e.Kind, e.ID)
	for i, l := range slices.Backward(closed) {
		x.shut(&l, len(x.open.Levels)+i, e.Time)
	}
	if e.Kind == wire.End {
		x.ended, x.out.Ended = true, e.Time
	}
}

// shut shows a level that has ended.
func (x *row) shut(l *levels.Level[level], depth int, t int64) {
	kind := report.InRegion
	if l.Operation() {
		kind = report.InOperation
	}
	x.span(l.Of.begin, t, depth, l.Of.name, kind)
	x.blocked(l, depth, t)
}

// blocked shows that a level was blocked until time t, if it was.
func (x *row) blocked(l *levels.Level[level], depth int, t int64) {
	if l.Of.blocked != notBlocked {
		x.span(l.Of.blocked, t, depth+1, l.Of.name, report.InBlocked)
		l.Of.blocked = notBlocked
	}
}

// closeAll closes all levels that are still open.
func (x *row) closeAll(t int64) {
	for depth, l := range slices.Backward(x.open.Levels) {
		x.shut(&l, depth, t)
	}
	x.open = levels.Stack[level]{}
}

// left shows who ended the wait of an operation that was left.
func (x *row) left(o *levels.Level[level], e *trace.Event) {
	begin := max(o.Of.begin, x.w.out.Begin)
	if e.Time-begin < arrowPixels*x.w.pixel {
		return
	}
	v, found := x.waits.Last(min(o.Of.nested, e.Time))
	if !found || v.Release <= begin {
		return
	}
	if from := x.w.place(trace.LocationID(v.Causer)); from != none {
		x.w.out.Arrows = append(x.w.out.Arrows, report.Arrow{From: from, FromTime: v.Release, To: x.out.Location, ToTime: e.Time,
			Kind: released(o.Kind, wire.Outcome(e.ID))})
	}
}

// place returns the location of the experiment that a goroutine is, none if it is not alone and another one is shown.
func (w *window) place(id trace.LocationID) uint32 {
	if x := w.rows[id]; x != nil {
		return x.out.Location
	}
	if int(id) >= len(w.r.locations) {
		return none // damage
	}
	l := w.r.locations[id]
	if l != none && w.r.e.Locations[l].Count > 1 {
		return none
	}
	return l
}

// operations is the kinds of the events that open operations, by the name of their regions.
var operations = func() map[string]wire.Kind {
	kinds := map[string]wire.Kind{"rlock": wire.LockBegin}
	for _, s := range wire.Specs {
		if s.Does == wire.Opens && s.Kind != wire.Enter {
			kinds[s.Name] = s.Kind
		}
	}
	return kinds
}()

// released names what somebody did that let an operation go on.
func released(kind wire.Kind, o wire.Outcome) string {
	switch {
	case kind == wire.NetworkBegin && o == wire.Received:
		return "write"
	case kind == wire.NetworkBegin:
		return "interrupt"
	case o == wire.Closed:
		return "close"
	case kind == wire.SendBegin || o == wire.Sent:
		return "receive"
	case kind == wire.RecvBegin || o == wire.Received:
		return "send"
	}
	return map[wire.Kind]string{wire.None: "release", wire.LockBegin: "unlock", wire.JoinBegin: "done", wire.CondBegin: "signal", wire.OnceBegin: "done",
		wire.BarrierBegin: "barrier"}[kind]
}

// span adds a stay, unless it lies outside the window. Stays of one depth come in the order of time.
func (x *row) span(begin, end int64, depth, name int, kind report.SpanKind) {
	w := x.w
	begin, end = max(begin, w.out.Begin), min(end, w.out.End)
	if end < begin || depth >= maxDepth {
		return
	}
	for len(x.pending) <= depth {
		x.pending, x.longest = append(x.pending, report.Span{Depth: -1}), append(x.longest, 0)
	}
	s := report.Span{Begin: begin, End: end, Depth: depth, Name: name, Kind: kind}
	p := &x.pending[depth]
	if length := end - begin; p.Depth == depth && length < w.pixel && end-p.Begin <= 2*w.pixel {
		p.End = end
		p.Merged = max(p.Merged, 1) + 1
		if length > x.longest[depth] {
			p.Name, p.Kind, x.longest[depth] = name, kind, length
		}
		return
	}
	x.flush(depth)
	*p, x.longest[depth] = s, end-begin
	if end-begin >= w.pixel {
		x.flush(depth)
	}
}

// flush takes the pending span of a depth over.
func (x *row) flush(depth int) {
	p := &x.pending[depth]
	if p.Depth < 0 {
		return
	}
	if len(x.out.Spans) == maxSpans || x.w.spans == maxWindow {
		x.w.full = true
	} else {
		x.out.Spans = append(x.out.Spans, *p)
		x.w.spans++
	}
	p.Depth = -1
}

// finish shows what is still open and puts everything in order.
func (w *window) finish() {
	w.out.Rows = []report.WindowRow{}
	for _, x := range w.order {
		x.state(max(x.end, w.out.Begin))
		x.closeAll(max(x.end, w.out.Begin))
		for depth := range x.pending {
			x.flush(depth)
		}
		slices.SortFunc(x.out.Spans, func(a, b report.Span) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Depth, b.Depth))
		})
		w.out.Rows = append(w.out.Rows, x.out)
	}
	if w.full {
		w.truncate("there are more spans than can be shown; zoom in, or choose fewer goroutines")
	}
	for child, begin := range w.begun {
		if c, ok := w.created[child]; ok {
			w.out.Arrows = append(w.out.Arrows, report.Arrow{From: c.by, FromTime: c.time, To: w.rows[child].out.Location, ToTime: begin, Kind: "create"})
		}
	}
	slices.SortFunc(w.out.Arrows, func(a, b report.Arrow) int {
		return cmp.Or(cmp.Compare(a.FromTime, b.FromTime), cmp.Compare(a.ToTime, b.ToTime), cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
	})
	if len(w.out.Arrows) > maxArrows {
		w.truncate("only the first %d of %d arrows are shown", maxArrows, len(w.out.Arrows))
		w.out.Arrows = w.out.Arrows[:maxArrows]
	}
}

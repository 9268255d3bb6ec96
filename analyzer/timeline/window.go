package timeline

import (
	"cmp"
	"fmt"
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
	names   map[string]int
	rows    map[trace.LocationID]*row
	order   []*row
	created map[trace.LocationID]creation
	begun   map[trace.LocationID]int64
	ended   []ended
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
	end     int64 // until when it lives, as far as is known
	ended   bool
	pending []report.Span // by depth: a span that may grow by merging
	longest []int64       // by depth: the longest stay in it
}

// level is what is shown of an open level of the call path.
type level struct {
	begin, blocked int64
	name           int
	object, mode   uint32
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

// add adds a row for a location of the experiment, on which one of its goroutines is shown.
func (w *window) add(l uint32, id trace.LocationID) {
	if w.rows[id] != nil {
		return
	}
	defs := w.r.archive.Definitions()
	x := &row{w: w, id: id, out: report.WindowRow{Location: l}, end: defs.Processes[defs.Locations[id].Process].End}
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
func (w *window) read() error {
	var tasks []task
	for _, x := range w.order {
		for i, p := range w.needed(x) {
			tasks = append(tasks, task{p, x, i == 0})
		}
	}
	slices.SortFunc(tasks, func(a, b task) int { return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.batch, b.batch)) })
	chunks := w.r.archive.Chunks()
	events := 0
	for i, t := range tasks {
		if i == 0 || t.chunk != tasks[i-1].chunk {
			events += chunks[t.chunk].Events
		}
	}
	if events > maxEvents {
		w.truncate("the window holds about %d million events; zoom in to see what happened", events/1e6)
		return nil
	}
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
	return nil
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
	switch {
	case w.r.starts == nil:
		return pieces[:to] // levels are only known from the beginning on
	case to > from:
		return pieces[from:to]
	case from < len(pieces):
		return pieces[from : from+1]
	}
	return pieces[max(0, from-1):]
}

// apply applies the events of a piece.
func (x *row) apply(t *task, events []trace.Event) {
	if t.first {
		x.restore(t.piece)
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

// restore opens the levels in which the location was when a piece began.
func (x *row) restore(p piece) {
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
			kind = wire.None // which one is not known
		}
		*x.open.Open(kind) = level{begin: x.w.out.Begin, blocked: notBlocked, name: x.w.name(r.Name)}
	}
	if o := x.open.Operation(); o != nil && start.Blocked() {
		o.Of.blocked = x.w.out.Begin
	}
}

// event applies one event.
func (x *row) event(e *trace.Event) {
	if x.open.Forgets(e.Kind) {
		sel := x.open.Forget() // it went on without telling which case it took
		x.shut(sel, len(x.open.Levels), e.Time)
	}
	switch {
	case e.Kind.Does() == wire.Opens:
		l := x.open.Open(e.Kind)
		l.begin, l.blocked, l.name = e.Time, notBlocked, x.w.name(x.w.regionName(e.ID))
		l.object, l.mode = e.Object()
	case e.Kind == wire.Blocked:
		if o := x.open.Operation(); o != nil && o.Of.blocked == notBlocked {
			o.Of.blocked = e.Time
		}
	case e.Kind == wire.Create && e.Time >= x.w.out.Begin:
		x.w.created[e.Other()] = creation{x.out.Location, e.Time}
	case e.Kind == wire.Begin && e.Time >= x.w.out.Begin:
		x.w.begun[x.id] = e.Time
	default:
		x.close(e)
	}
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
	if l.Of.blocked != notBlocked {
		x.span(l.Of.blocked, t, depth+1, l.Of.name, report.InBlocked)
	}
}

// left takes note of an operation that had blocked when it was left.
func (x *row) left(o *levels.Level[level], e *trace.Event) {
	if l := &o.Of; l.blocked != notBlocked && e.Time >= x.w.out.Begin && e.Time-l.blocked >= arrowPixels*x.w.pixel {
		w := ended{row: x, kind: o.Kind, object: l.object, mode: l.mode, begin: l.begin, leave: e.Time}
		if e.Kind == wire.Chose {
			w.kind = caseOf(wire.Outcome(e.ID))
			w.object, w.mode = e.Object()
		}
		if w.kind != wire.None && w.object != trace.NoObject {
			x.w.ended = append(x.w.ended, w)
		}
	}
}

func (w *window) regionName(id uint32) string {
	if list := w.r.archive.Definitions().Regions; int(id) < len(list) {
		return list[id].Name
	}
	return ""
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
		x.w.truncate("there are more spans than can be shown; zoom in, or choose fewer goroutines")
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
		for depth, l := range slices.Backward(x.open.Levels) { // still open
			x.shut(&l, depth, max(x.end, w.out.Begin))
		}
		for depth := range x.pending {
			x.flush(depth)
		}
		slices.SortFunc(x.out.Spans, func(a, b report.Span) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Depth, b.Depth))
		})
		w.out.Rows = append(w.out.Rows, x.out)
	}
	for child, begin := range w.begun {
		if c, ok := w.created[child]; ok {
			w.out.Arrows = append(w.out.Arrows, report.Arrow{From: c.by, FromTime: c.time, To: w.rows[child].out.Location, ToTime: begin, Kind: "create"})
		}
	}
	w.releases()
	slices.SortFunc(w.out.Arrows, func(a, b report.Arrow) int {
		return cmp.Or(cmp.Compare(a.FromTime, b.FromTime), cmp.Compare(a.ToTime, b.ToTime), cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
	})
	if len(w.out.Arrows) > maxArrows {
		w.truncate("only the first %d of %d arrows are shown", maxArrows, len(w.out.Arrows))
		w.out.Arrows = w.out.Arrows[:maxArrows]
	}
}

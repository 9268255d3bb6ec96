package requests

import (
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// reader reads what all locations did.
type reader struct {
	defs       *trace.Definitions
	paths      *paths
	lives      []life
	done       activities
	labels     numbered[label] // of requests
	begin, end int64           // of all events
	left, ends []told          // tasks that end elsewhere than where they began, where that is, and where they end
	rounds     bool            // they are looked for
	part       bool            // what is open when the recording begins began before
	profiling  int             // requests to net/http/pprof, which are left out
}

// life is what a location did.
type life struct {
	seen, ended bool
	created     bool
	server      bool      // it may serve requests of a connection, or one all its life
	creator     uint32    // if it was created by a location
	born, last  int64     // its creation, or else its first event; its last event
	own         int32     // the function that it was started with, as a path
	runs        []run     // of what it did, ascending, without gaps until the last event
	served      []request // its regions that are requests
	names       []named   // when which route was known, ascending
	signs       []signed  // ascending
	pauses      []pause   // ascending; none if rounds are not looked for

	doing   activity // the last of these
	open    levels.Stack[level]
	does    wire.Kind
	fresh   bool // a level was opened or closed since the last activity began
	serving int  // levels around the last one of served, -1 if that has ended
}

// level is what is known of an open level.
type level struct {
	begin   int64
	path    int32
	blocked bool
}

// activity is what a location did from a time until that of the next activity.
type activity struct {
	from    int64
	began   int64 // the innermost operation
	path    int32
	does    wire.Kind // its state, or yielded; None if it ran, or waited in an operation
	blocked bool      // the innermost operation had blocked
}

// named is when the route of a request was known, by a path.
type named struct {
	at   int64
	path int32
}

// signed is when there was a sign of a stream.
type signed struct {
	at int64
	sign
}

// read reads an archive. What is damaged is left out, as the analyzer has said.
func read(a *trace.Archive, store *spill.Store, rounds, part bool) *reader {
	defs := a.Definitions()
	r := &reader{defs: defs, rounds: rounds, part: part, done: activities{pacer: pacer{store: store}}, paths: newPaths(defs), lives: make([]life, len(defs.Locations))}
	decoder, buf := a.NewDecoder(), new(trace.Buffer)
	for i, c := range a.Chunks() {
		if i == 0 {
			r.begin, r.end = c.First, c.Last
		}
		r.begin, r.end = min(r.begin, c.First), max(r.end, c.Last)
	}
	for _, c := range a.Chunks() {
		batches, _ := decoder.Decode(c, buf)
		for i := range batches {
			for j := range batches[i].Events {
				r.event(uint32(batches[i].Location), &batches[i].Events[j])
			}
		}
	}
	for i := range r.lives {
		if l := &r.lives[i]; l.seen {
			r.finish(l)
		}
	}
	return r
}

// event takes an event of a location.
func (r *reader) event(loc uint32, e *trace.Event) {
	l := &r.lives[loc]
	if l.ended {
		return
	}
	if !l.seen {
		l.seen, l.serving, l.last, l.own = true, -1, e.Time, r.paths.start(e)
		l.server = r.paths.list[l.own].part != noPart
		if !l.created || l.born > e.Time {
			l.born = e.Time
		}
	}
	t := max(e.Time, l.last)
	r.pass(l, t)
	if l.open.Forgets(e.Kind) {
		l.open.Forget()
	}
	switch e.Kind.Does() {
	case wire.Opens:
		r.opens(l, loc, e, t)
	case wire.Tells:
		if l.tells(e); e.Kind == wire.TaskLeft || e.Kind == wire.TaskEnd {
			r.task(l, loc, e, t)
		}
	case wire.Acts:
		if e.Kind == wire.Create && e.Word > 0 && e.Word <= uint64(len(r.lives)) {
			r.creates(loc, uint32(e.Other()), t)
		}
	default:
		if e.Kind == wire.Lost {
			l.does = wire.None
		}
		l.resumes(t)
		l.open.Close(e.Kind, e.ID)
		l.fresh = true
		l.ended = e.Kind == wire.End
		r.leaves(l, t)
	}
}

// creates notes who created a location.
func (r *reader) creates(by, loc uint32, t int64) {
	if l := &r.lives[loc]; !l.created && loc != by {
		l.created, l.creator = true, by
		if !l.seen || t < l.born {
			l.born = t
		}
	}
}

// pass lets time pass in what a location does.
func (r *reader) pass(l *life, t int64) {
	if t > l.last {
		a := activity{from: l.last, path: l.path(), does: l.does}
		if top := l.open.Top(); top != nil {
			a.began, a.blocked = top.Of.begin, top.Of.blocked
		}
		if last := &l.doing; len(l.runs) == 0 || l.fresh || last.path != a.path || last.does != a.does || last.blocked != a.blocked {
			r.done.add(l, a)
		}
		l.fresh = false
	}
	l.last = t
}

// path returns the call path where a location is.
func (l *life) path() int32 {
	if top := l.open.Top(); top != nil {
		return top.Of.path
	}
	return l.own
}

// opens takes that a level begins.
func (r *reader) opens(l *life, loc uint32, e *trace.Event, t int64) {
	parent := int32(-1)
	if top := l.open.Top(); top != nil {
		parent = top.Of.path
	}
	path := r.paths.child(parent, e.ID, e.Kind)
	p := &r.paths.list[path]
	l.server = l.server || p.part != noPart
	if l.serving < 0 && p.serves != "" && r.paths.list[l.own].part != wholeLife {
		l.serving = len(l.open.Levels)
		l.served = add(r.done.store, l.served, request{begin: t, loc: loc, label: r.labels.number(label{kind: p.serves}), cut: true})
	}
	if p.route != "" && (parent < 0 || r.paths.list[parent].route != p.route) {
		l.names = add(r.done.store, l.names, named{t, path})
	}
	if p.stream != noSign {
		l.signs = add(r.done.store, l.signs, signed{t, p.stream})
	}
	if r.rounds && r.paths.pauses(path) {
		l.pauses = add(r.done.store, l.pauses, pause{path, t, unknown})
	}
	*l.open.Open(e.Kind) = level{begin: t, path: path}
	l.fresh = true
}

// resumes notes that a pause has ended, if it is the innermost level, which is closed.
func (l *life) resumes(t int64) {
	if n := len(l.pauses); n > 0 && l.pauses[n-1].end == unknown {
		if top := l.open.Top(); top != nil && top.Of.path == l.pauses[n-1].path {
			l.pauses[n-1].end = t
		}
	}
}

// leaves notes that a request has ended, if its level is closed.
func (r *reader) leaves(l *life, t int64) {
	if l.serving >= 0 && len(l.open.Levels) <= l.serving {
		last := &l.served[len(l.served)-1]
		last.end, last.cut = t, r.part && last.begin == r.begin
		l.serving = -1
	}
}

// tells takes what an event says of the operation in progress, or of the state.
func (l *life) tells(e *trace.Event) {
	switch e.Kind {
	case wire.Blocked:
		if o := l.open.Operation(); o != nil {
			o.Of.blocked = true
		}
	case wire.Running:
		l.does = wire.None
	case wire.Ready, wire.Syscall, wire.Assist, wire.Stopped, wire.Parked:
		if l.does = e.Kind; e.Kind == wire.Ready && wire.Cause(e.ID) == wire.Yielded {
			l.does = yielded
		}
	}
}

// yielded is the state of a location that is ready to run since it gave up its processor. It is the kind of no event: a Ready event says why.
const yielded = ^wire.Kind(0)

// finish ends what a location did. One that has not ended and is in something does that until the end.
func (r *reader) finish(l *life) {
	if !l.ended && l.open.Top() != nil {
		r.pass(l, r.end)
	}
	if len(l.runs) == 0 || l.runs[0].from > l.born {
		first := r.done.run(l.born, 1)
		first.count = 1
		r.done.of(&first)[0] = activity{from: l.born, path: l.own, does: wire.Ready}
		l.runs = slices.Insert(l.runs, 0, first)
	}
	if l.serving >= 0 {
		l.served[len(l.served)-1].end = l.last
	}
	l.open = levels.Stack[level]{}
}

// during returns the part of [from, to) in which a location lives.
func (l *life) during(from, to int64) (alive, dead int64) {
	if len(l.runs) == 0 {
		return to, to
	}
	alive = min(max(from, l.runs[0].from), to)
	return alive, max(alive, min(to, l.last))
}

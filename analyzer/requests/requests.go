// Package requests finds the requests that a recorded program served, and what their latency is made of: [Finder].
//
// # What a request is
//
//   - a visit of a region that is one: net/http's handler in recordings of tracerec, a task of runtime/trace; of such regions within each other, the outermost.
//     If a task ends elsewhere than with its region, it lasts until then, and is one of the goroutine that ends it;
//   - likewise, in recordings, of the functions that fasthttp or fiber calls to handle one, and that are the program's: the outermost visit;
//   - on a connection of net/http or fasthttp in a Go execution trace, the time from when the network has data, if the connection waited for the next request, else from
//     when that is read, to the end of the last write of its response; see conn.go;
//   - the life of a goroutine that serves one: a stream of HTTP/2 or gRPC;
//   - in recordings, a visit of a function that protoc made for a method of gRPC, by a worker that serves many;
//   - if they are asked for, the rounds of a goroutine that does its work in a loop, see rounds.go. They are not among all requests.
//
// What goes on as a stream is not among all requests, either: how long that lasts is no latency. It has taken its connection over (a WebSocket), or is a call of a
// streaming method of gRPC, as far as that is seen, or has sent what there was of its response early three times or more, the last time half of its time
// behind the first (server-sent events).
//
// A request that began before the trace, or had not ended with it, is cut: it is only counted. A request of net/http is called after the
// pattern of its route if that is recorded, else after the last function to which it was passed on and that is seen, see way.
//
// # Latency
//
// The latency of a request is divided by what its goroutine did. While that waited for another goroutine, the wait is divided by what the other one did, and so on
// (the critical path of the request); what they waited for on the way is told; never longer than the wait. If it was in nothing but waits for goroutines that wait for it, the
// last of them is what it did. In a Go execution trace, which does not tell who has a lock but by who releases it: while that one
// was between two requests, or in one before that in which it released the lock, or had not been started, others held it. Then the wait is divided by what the goroutine did that last got what is waited for there
// (the same operation of the same function). If it is not known for whom a select waited, and the same one waited for a timer at last before somebody who waits for it
// went on, it waited for that. The parts add up to the latency exactly.
//
// A task that another goroutine ended is followed from its end backwards, from one goroutine that had it to the one before, see [walker.carry].
package requests

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"tracerec/analyzer"
	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// Keeps returns how many bytes of the heap f needs at most: measured, rounded up. All else lies in the store.
func (f *Finder) Keeps() analyzer.Kept { return analyzer.Kept{Event: 1, Location: 400} }

// Finder finds requests. Wait and Queued are given to the analyzer, [Finder.Find] is called when that has finished.
type Finder struct {
	Each func(Request) // called with every request, by location and begin; may be nil
	Selection
	Rounds bool                // those of loops are requests, too
	Part   bool                // of a recording: what is open at its begin began before it
	Path   *report.RequestPath // of the one request that is selected; set by Find, nil if it is not one

	waits waits
	read  *reader
}

// wait is a wait of a location in an operation.
type wait struct {
	operation  int64 // its begin
	begin, end int64
	loc        uint32
	causer     uint32 // location, analyzer.NoCauser for none
	metric     uint16
	kind       wire.Kind
	convoy     bool
}

// compare orders the waits of a location: by operation, ascending in each.
func (x *wait) compare(y *wait) int {
	return cmp.Or(cmp.Compare(x.operation, y.operation), cmp.Compare(x.kind, y.kind), cmp.Compare(x.begin, y.begin), cmp.Compare(x.end, y.end))
}

// Collect takes the store in which what is collected lies. Without it, that is of the heap.
func (f *Finder) Collect(store *spill.Store) { f.waits.store = store }

// Wait takes a wait that the analyzer found.
func (f *Finder) Wait(o *analyzer.Op, w *analyzer.Wait) {
	f.waits.add(wait{o.Begin, w.Begin, w.Release, o.Loc, w.Causer, w.Metric, o.Kind, false})
}

// Queued takes when a location waited for a lock in a convoy, when the analyzer has told of all waits.
func (f *Finder) Queued(location uint32, begin, end int64) {
	f.waits.sort()
	list := f.waits.of(location)
	for i := sort.Search(len(list), func(i int) bool { return list[i].begin >= begin }); i < len(list) && list[i].end <= end; i++ {
		list[i].convoy = true
	}
	f.waits.touch()
}

// Possible says whether an archive may have requests: functions are in it that serve some.
func Possible(a *trace.Archive) bool {
	return slices.ContainsFunc(a.Definitions().Regions, func(r trace.Region) bool {
		return r.Func == connServe || r.Func == fastServe || r.Func == handlerOf || r.Func == taskOf || lifelongOf(r.Func) != "" || grpcMethod(r.Func) != "" || beginsWith(r.Func)
	})
}

// Request is a request that was found.
type Request struct {
	Location   uint32
	Begin, End int64
	Kind, Name string               // Name is "" if it is not known
	Cut        bool                 // it began before the trace, or had not ended with it
	Parts      []report.LatencyPart // of its latency, in no order; none if it is cut
}

// request is a request. There may be very many.
type request struct {
	begin, end int64
	loc        uint32
	label      int32  // number
	by         uint32 // 1 + the number of the location that began it, if that is another one; else 0
	cut        bool
}

// label is what is known of a request that others are, too.
type label struct {
	kind, name string // name: "" unknown
	stream     bool   // it goes on as one
}

// labelOf returns the label of a request.
func (r *reader) labelOf(q *request) *label { return &r.labels.list[q.label] }

// class returns the class of requests that have a label.
func (l *label) class() class {
	c := class{l.kind, l.name}
	if l.stream {
		c.kind = report.KindStream
	}
	c.name = c.title()
	return c
}

// Read reads an archive, after Collect. It may be called while that is analyzed, see [analyzer.Options.Beside]; else Find does so.
func (f *Finder) Read(a *trace.Archive) { f.read = read(a, f.waits.store, f.Rounds, f.Part) }

// Find finds the requests of an archive that has been analyzed, and judges that anew with them. It fails if there are none of those that are selected.
func (f *Finder) Find(a *trace.Archive, e *report.Experiment) error {
	f.waits.sort()
	if f.read == nil {
		f.Read(a)
	}
	r := f.read
	all := r.requests()
	w := newWalker(r, &f.waits, e, all)
	t := &totals{w: w, classes: map[class]*collected{}, each: f.Each}
	list, one, err := r.choose(all, f.Selection)
	if err != nil {
		return err
	}
	if r.profiling > 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("requests for profiles and traces of the program itself (net/http/pprof), which are left out: %d", r.profiling))
	}
	t.add(list)
	if one {
		f.Path = t.path(&list[0])
	}
	span := r.end - r.begin
	if f.Window != (Window{}) {
		span = min(span, f.Window.To) - f.Window.From
	}
	e.Requests = t.report(span)
	e.RankServed()
	e.Judge()
	return nil
}

package report

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"tracerec/trace/wire"
)

// listening are functions of the standard library and of others that wait for what comes from outside, as long as the program lives, or, in net/http/pprof, for as long as a
// trace or a profile of it is to be.
var listening = []string{"http.(*connReader).backgroundRead", "http.(*conn).readRequest", "http.(*persistConn).readLoop", "http.(*persistConn).writeLoop",
	"http2.(*serverConn).readFrames", "http.(*http2serverConn).readFrames", "http2.(*ClientConn).readLoop",
	"http.(*http2ClientConn).readLoop", "transport.(*http2Client).reader", "transport.(*http2Server).HandleStreams", "signal.loop", "signal.NotifyContext.func1", "pprof.sleep", "sql.(*DB).connectionOpener"}

// connection is what the goroutine of a connection of net/http is called, by the function that it was started with.
const connection = "http.(*conn).serve"

// handling are functions in which goroutines are in the middle of something, though they may wait there as often as others do for the next: those that handle requests, and those that write.
var handling = []string{"http.serverHandler.ServeHTTP", "http.(*connReader).abortPendingRead", "http.(*http2serverConn).runHandler", "http2.(*serverConn).runHandler", "grpc.(*Server).handleStream",
	"net.(*netFD).Write", "net.(*netFD).writeTo", "os.(*File).Write", "os.(*File).write"}

// amid says whether goroutines of a group wait at a call path in the middle of something. Requests are regions, in recordings the outermost: where none is open, a connection's goroutine waits for the next.
func (e *Experiment) amid(path uint32, group int32) bool {
	calls := e.pathOf(path)
	return !wire.Profiles(e.leaf(path).Func) && (slices.ContainsFunc(calls, func(name string) bool { return slices.Contains(handling, name) }) ||
		goName(e.Groups[group].Name) == connection && e.Paths[path].Parent >= 0 && calls[0] != connection)
}

// listens says whether goroutines of a group wait at a call path for what comes from outside.
func (e *Experiment) listens(path uint32, group int32) bool {
	name := goName(e.Groups[group].Name)
	return !e.amid(path, group) && (slices.ContainsFunc(append(e.pathOf(path), name), func(name string) bool { return slices.Contains(listening, name) }) ||
		name == connection && (e.Paths[path].Parent < 0 || e.leaf(path).outward()))
}

// meantTo is 0 but for waits that are as they are meant to be: 1 for those of package testing for tests, 2 for those of net/http and the like for a connection or what comes by it, outside of all that the program does, and 3
// if nobody of the program ended them.
func (e *Experiment) meantTo(f *Finding) int {
	r := e.leaf(f.Path)
	if r.accepts() || e.listens(f.Path, f.Group) || r.Operation && e.Paths[f.Path].Parent < 0 && strings.HasPrefix(r.Func, "net/http") {
		if 2*f.external() > f.Severity {
			return 3
		}
		return 2
	}
	return r.forTests()
}

// apart divides findings into those that are told and those that only have a line each, as they are meant to be: but these are told if there are no others, and somebody of the program ended them. Both have the longest first, but waits for tests are last.
func (e *Experiment) apart(list []Finding) (told, meant []Finding) {
	longest := func(x, y Finding) int { return cmp.Compare(y.Severity, x.Severity) }
	slices.SortStableFunc(list, func(x, y Finding) int { return cmp.Or(e.meantTo(&x)-e.meantTo(&y), longest(x, y)) })
	n := sort.Search(len(list), func(i int) bool { return e.meantTo(&list[i]) >= 2 })
	if n == 0 {
		n = sort.Search(len(list), func(i int) bool { return e.meantTo(&list[i]) >= 3 })
	}
	told, meant = list[:n], list[n:]
	slices.SortStableFunc(meant, longest)
	return told, meant
}

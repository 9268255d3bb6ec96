package requests

import (
	"cmp"
	"slices"
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// paths are call paths by number.
type paths struct {
	defs   *trace.Definitions
	stacks bool // regions are those of stacks: where a function is called again and again, that is one visit
	index  map[node]int32
	list   []path
}

// node is a call path: the one above, -1 for none, a region, and what opened it.
type node struct {
	parent int32
	region uint32
	kind   wire.Kind
}

// path is a call path, and what it tells of requests.
type path struct {
	node
	part   part   // of the work of a server
	serves string // the kind of requests that its visits are, "" none
	way    way    // to what handles a request
	route  string // of the request that is served in it, "" unknown
	rank   int    // how near that is to what handles it: of several routes of a request that of the highest rank counts
	stream sign   // that the request goes on as one
	depth  int    // regions that lead to it
	own    int    // those of them that lead to the innermost function of the program itself, 0 if there is none
}

// part is what a server does.
type part uint8

const (
	noPart     part = iota
	connection      // serves the requests of a connection
	awaits          // waits for a request's first bytes
	reads           // reads its head
	handles         // has it handled
	finishes        // writes what is left of the response
	givesUp         // waits until nobody reads the connection
	inside          // something else on a connection
	wholeLife       // the goroutine serves one request
)

// way is where a function is on the way of a request to what handles it.
type way uint8

const (
	noWay  way = iota
	passes     // it passes the request on
	serves     // it handles the request, or does something before another one does
)

// surely is the rank of a route to which the program has given a name.
const surely = 1 << 30

// sign is what a call says of a request that it is in: whether that goes on as a stream.
type sign uint8

const (
	noSign  sign = iota
	flushes      // what there is of the response is sent before that is whole
	streams      // nothing else follows on the connection, or there may be many messages
)

// signs are the functions whose calls are signs.
var signs = map[string]sign{
	"net/http.(*response).FlushError": flushes, "net/http.(*http2responseWriter).FlushError": flushes,
	"net/http/internal/http2.(*responseWriter).FlushError": flushes, "golang.org/x/net/http2.(*responseWriter).FlushError": flushes,
	"net/http.(*response).Hijack": streams, "google.golang.org/grpc.(*Server).processStreamingRPC": streams, "google.golang.org/grpc.StreamServerInterceptor": streams,
}

// In newer versions of gRPC, grpcServes serves calls of all methods, and calls those that do not stream by way of closures of grpcWraps, which may be
// inlined.
const (
	grpcServes = "google.golang.org/grpc.(*Server).processRPC"
	grpcWraps  = ".(*Server).wrapUnaryHandler."
)

// sign says whether a call of a function in a path is a sign.
func (p *paths) sign(n node, function string) sign {
	if grpcMethod(function) == "" {
		return signs[function]
	}
	for at := n.parent; at >= 0; at = p.list[at].parent {
		switch f := p.region(p.list[at].region).Func; {
		case strings.Contains(f, grpcWraps):
			return noSign
		case f == grpcServes:
			return streams
		}
	}
	return noSign
}

// The functions that tell what a goroutine does for requests.
const (
	connServe  = "net/http.(*conn).serve"
	fastServe  = "github.com/valyala/fasthttp.(*Server).serveConn"
	handlerOf  = "net/http.serverHandler.ServeHTTP"
	muxServe   = "net/http.(*ServeMux).ServeHTTP"
	taskOf     = "runtime/trace.NewTask"
	kindHTTP   = "http"
	kindHTTP2  = "http2"
	kindGRPC   = "grpc"
	kindTask   = "task"
	grpcStream = "google.golang.org/grpc.(*Server).handleStream"
	grpcStarts = "google.golang.org/grpc.(*Server).serveStreams." // closures of it, with which goroutines begin that call grpcStream
)

// partsOfServe says what the functions do that serve calls.
var partsOfServe = map[string]part{
	"bufio.(*Reader).Peek": awaits, "net/http.(*conn).readRequest": reads, handlerOf: handles, "net/http.(*response).finishRequest": finishes,
}

// partsOfFast is the same for fasthttp, which calls what handles a request directly. In newer versions, what serves a connection has another one do it.
var partsOfFast = map[string]part{
	"github.com/valyala/fasthttp.(*Server).serveConnCounted": connection,
	"bufio.(*Reader).Peek": awaits, "github.com/valyala/fasthttp.acquireByteReader": awaits,
	"github.com/valyala/fasthttp.(*RequestHeader).Read": reads, "github.com/valyala/fasthttp.(*RequestHeader).readLoop": reads,
	"github.com/valyala/fasthttp.writeResponse": finishes, "bufio.(*Writer).Flush": finishes,
}

// partOf returns what a function does that serves the requests of a connection, or another one that it calls.
func partOf(serves string, r *trace.Region) part {
	if serves == connServe {
		return cmp.Or(partsOfServe[r.Func], inside)
	}
	if ofProgram(r) || !standard(r) && !strings.HasPrefix(r.Func, "github.com/valyala/fasthttp.") {
		return handles
	}
	return cmp.Or(partsOfFast[r.Func], inside)
}

// lifelong are the functions with which goroutines begin that serve one request each, and its kind.
var lifelong = map[string]string{
	"net/http.(*http2serverConn).runHandler": kindHTTP2, "net/http/internal/http2.(*serverConn).runHandler": kindHTTP2,
	"golang.org/x/net/http2.(*serverConn).runHandler": kindHTTP2, grpcStream: kindGRPC,
}

// lifelongOf returns the kind of the requests of goroutines that begin with a function and serve one each, "" if there are none.
func lifelongOf(function string) string {
	if strings.HasPrefix(function, grpcStarts) {
		return kindGRPC
	}
	return lifelong[function]
}

// grpcMethod returns the method of a service, as in SERVICE/METHOD, that a function serves, "" if it is none that protoc-gen-go-grpc made:
// _SERVICE_METHOD_Handler.
func grpcMethod(function string) string {
	_, name, _ := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], "._")
	name, is := strings.CutSuffix(name, "_Handler")
	if at := strings.LastIndexByte(name, '_'); is && at > 0 && at < len(name)-1 {
		return name[:at] + "/" + name[at+1:]
	}
	return ""
}

func newPaths(defs *trace.Definitions) *paths {
	stacks := slices.ContainsFunc(defs.Objects, func(o trace.Object) bool { return o.Kind == wire.Waits })
	return &paths{defs: defs, stacks: stacks, index: map[node]int32{}}
}

// region returns a region, the zero value if there is none.
func (p *paths) region(id uint32) (r trace.Region) {
	if int(id) < len(p.defs.Regions) {
		r = p.defs.Regions[id]
	}
	return r
}

// start returns the path of the function that a goroutine was started with, by its first event.
func (p *paths) start(e *trace.Event) int32 {
	if e.Kind == wire.Begin {
		return p.child(-1, e.ID, wire.Begin)
	}
	return p.child(-1, trace.NoRegion, wire.Begin)
}

// child returns a path.
func (p *paths) child(parent int32, region uint32, kind wire.Kind) int32 {
	n := node{parent, region, kind}
	id, ok := p.index[n]
	if !ok {
		id = int32(len(p.list))
		p.index[n] = id
		p.list = append(p.list, p.learn(n))
	}
	return id
}

// learn finds out what a path tells.
func (p *paths) learn(n node) path {
	x, r := path{node: n}, p.region(n.region)
	above := path{node: node{parent: -1}}
	if n.parent >= 0 {
		above = p.list[n.parent]
	}
	x.part, x.route, x.rank, x.depth, x.own = above.part, above.route, above.rank, above.depth+1, above.own
	if !x.operation() && ofProgram(&r) {
		x.own = x.depth
	}
	switch {
	case n.kind == wire.Begin && lifelongOf(r.Func) == kindGRPC: // recordings show no more of it
		x.part = wholeLife
		return x
	case n.kind != wire.Enter:
		return x
	case above.part == connection:
		x.part = partOf(p.region(above.region).Func, &r)
	case above.part == finishes && r.Func == "net/http.(*connReader).abortPendingRead":
		x.part = givesUp
	case p.stacks && above.part == noPart && (r.Func == connServe || r.Func == fastServe):
		x.part = connection
	case above.part == noPart && lifelongOf(r.Func) != "" && (n.parent < 0 || p.list[n.parent].parent < 0):
		x.part = wholeLife
	}
	x.stream = p.sign(n, r.Func)
	switch {
	case r.Func == taskOf:
		x.serves, x.route, x.rank = kindTask, r.Name, surely
	case r.Func == handlerOf && x.part == noPart, beginsWith(r.Func) && (above.own == 0 || above.way == passes): // else a test, or the like, calls it
		x.serves = kindHTTP
	case !p.stacks && x.part == noPart && grpcMethod(r.Func) != "": // of a worker, which serves many
		x.serves = kindGRPC
	}
	p.leads(&x, &above, &r)
	return x
}

// beginsWith says whether a function is the region of a type of functions with which requests begin, in recordings.
func beginsWith(function string) bool {
	h := wire.HandlerOf(function)
	return h != nil && h.Serves
}

// operation says whether a path ends in an operation, not in a function.
func (p *path) operation() bool { return p.kind != wire.Enter && p.kind != wire.Begin }

// ofProgram says whether a function is one of the program itself, not of a library.
func ofProgram(r *trace.Region) bool { return wire.OfProgram(r.Func, r.File) }

// standard says whether a function is one of Go's own library.
func standard(r *trace.Region) bool { return wire.Standard(r.Func, r.File) }

// lifelong returns the kind of the requests that a goroutine with this call path serves all its life.
func (p *paths) lifelong(path int32) string {
	for ; path >= 0; path = p.list[path].parent {
		if kind := lifelongOf(p.region(p.list[path].region).Func); kind != "" {
			return kind
		}
	}
	return ""
}

// leads finds out where a function, called by that of the path above, is on the way of a request, and what it says of its route: the pattern that
// a mux found, the method of gRPC, or the function to which the request was passed on last.
func (p *paths) leads(x, above *path, r *trace.Region) {
	name, rank, caller := "", above.rank+1, p.region(above.region)
	method := grpcMethod(r.Func)
	if wire.Intercepts(r.Func) {
		method = r.Name
	}
	switch {
	case r.Func == muxServe && !strings.Contains(r.Name, "ServeHTTP"):
		x.way, name, rank = passes, r.Name, surely
	case method != "":
		name, rank = method, surely
	case r.Func == handlerOf, r.Func == fastServe, lifelongOf(r.Func) != "", dispatchers[r.Func], wire.HandlerOf(r.Func) != nil:
		x.way = passes
	case above.way == noWay, r.Func == "", above.way == passes && helps(r) && p.lifelong(x.parent) == kindGRPC, above.part == connection && standard(r):
	case above.way == passes && passesOn(r.Func):
		x.way = passes
	case above.way == passes && (routes(r) || dispatches(r)):
		x.way, name, rank = passes, r.Name, 1 // better than none
	case above.way == passes && standard(r) && passesOn(caller.Func) && caller.Func != handlerFunc && !strings.HasSuffix(r.Func, serveHTTP): // such as path.Clean, which a mux calls
	case above.way == passes:
		x.way, name = serves, r.Name
	case dispatches(r):
		x.way = passes
	case ofProgram(r):
		if strings.HasSuffix(r.Name, serveHTTP) { // not what such a function does
			x.way, name = serves, r.Name
		}
	case !ofProgram(&caller):
		x.way = serves // within a library, which may call what dispatches
	}
	if name != "" && rank > x.rank {
		x.route, x.rank = name, min(rank, surely)
	}
}

// serveHTTP ends the names of handlers of net/http.
const serveHTTP = ".ServeHTTP"

// handlerFunc is what calls functions that handle requests of net/http.
const handlerFunc = "net/http.HandlerFunc.ServeHTTP"

// routers begin the names of functions of libraries that route requests. In recordings for which they were made regions, their files are not
// where those of libraries are.
var routers = []string{
	"github.com/gin-gonic/gin.", "github.com/labstack/echo/v4.", "github.com/labstack/echo/v5.", "github.com/go-chi/chi/v5.", "github.com/gorilla/mux.", "github.com/julienschmidt/httprouter.",
	"github.com/gofiber/fiber/v2.", "github.com/gofiber/fiber/v3.", "github.com/fasthttp/router.",
}

// routes says whether a function is one of a router.
func routes(r *trace.Region) bool {
	return slices.ContainsFunc(routers, func(prefix string) bool { return strings.HasPrefix(r.Func, prefix) })
}

// dispatchers are functions of routers that call what handles a request, and what is before that, whatever called them.
var dispatchers = map[string]bool{
	"github.com/gin-gonic/gin.(*Context).Next": true, "github.com/labstack/echo/v4.(*Echo).add.func1": true, "github.com/labstack/echo/v5.(*Echo).buildRouterChains.func1": true,
	"github.com/gofiber/fiber/v2.(*Ctx).Next": true, "github.com/gofiber/fiber/v3.(*DefaultCtx).Next": true,
}

// dispatches says whether a function, which one of the program may have called, is one of a router, or of net/http, that passes a request on. What other libraries do that
// handle requests, such as a proxy, is theirs.
func dispatches(r *trace.Region) bool {
	return strings.HasSuffix(r.Func, serveHTTP) && (passesOn(r.Func) || routes(r))
}

// inTurn says whether a path is that of a function which a router called after others, if these did not call it.
func (p *paths) inTurn(x *path) bool {
	if x.parent < 0 {
		return false
	}
	above := p.region(p.list[x.parent].region).Func
	return dispatchers[above] || wire.HandlerOf(above) != nil
}

// helps says whether a function only helps grpc to read a request and to write the response, before and behind the one that serves it.
func helps(r *trace.Region) bool {
	return strings.HasPrefix(r.Func, "google.golang.org/grpc/") || standard(r)
}

// outermost returns the name of the outermost function of a path, "" if that only passes requests on, or is the one that the goroutine was started with.
func (p *paths) outermost(path int32) string {
	for p.list[path].parent >= 0 {
		path = p.list[path].parent
	}
	if r := p.region(p.list[path].region); p.list[path].kind == wire.Enter && !passesOn(r.Func) {
		return r.Name
	}
	return ""
}

// passesOn says whether a function only passes requests on.
func passesOn(function string) bool {
	return strings.HasPrefix(function, "net/http.") || strings.HasPrefix(function, "net/http/internal/") ||
		strings.HasPrefix(function, "github.com/valyala/fasthttp.") || strings.HasPrefix(function, "golang.org/x/net/http2.") || strings.HasPrefix(function, "google.golang.org/grpc.")
}

package requests

import (
	"slices"
	"sort"
	"strings"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// requests returns the requests of all locations, ascending by location and begin.
func (r *reader) requests() (all []request) {
	for i := range r.lives {
		l := &r.lives[i]
		list := l.served
		if len(list) == 0 {
			list = r.ofServer(uint32(i), l)
		}
		if len(list) == 0 {
			all = r.roundsOf(uint32(i), l, all)
		}
		for j := range list {
			r.done.touch()
			q := &list[j]
			name, profiles := r.name(q)
			if profiles {
				r.profiling++
				continue
			}
			q.label = r.labels.number(label{r.labelOf(q).kind, name, l.streams(q, r.begin)})
			all = add(r.done.store, all, *q)
		}
	}
	return r.handed(all)
}

// ofServer returns the requests of a goroutine of a server, none if it is none.
func (r *reader) ofServer(loc uint32, l *life) []request {
	if !l.server {
		return nil
	}
	all := r.of(l)
	for a, _, more := all.next(); more; a, _, more = all.next() {
		switch r.paths.list[a.path].part {
		case noPart:
		case wholeLife:
			return []request{{loc: loc, begin: l.runs[0].from, end: l.last, label: r.labels.number(label{kind: r.paths.lifelong(a.path)}), cut: !l.ended || !l.created}}
		default:
			c, all := conn{store: r.done.store, loc: loc, label: r.labels.number(label{kind: kindHTTP}), begin: unknown, end: unknown}, r.of(l)
			for a, end, more := all.next(); more; a, end, more = all.next() {
				c.next(&a, end, r.paths)
			}
			c.last(l.last, l.ended)
			return c.found
		}
	}
	return nil
}

const unknown = int64(-1 << 63)

// conn follows a connection of net/http, or of fasthttp, from one request to the next. It begins
//   - at the end of a wait for the network in which the next one is awaited,
//   - else when the system call begins that reads its first bytes,
//   - else, because they were read with the one before, when nobody else reads the connection any more.
type conn struct {
	store  *spill.Store
	loc    uint32
	label  int32
	begin  int64 // of the next request, unknown if nothing of it came
	fixed  bool  // it is not the begin of a read that finds nothing
	served bool  // the request has come so far that it is one
	over   bool  // nobody reads the connection any more, and nothing of the next request was seen
	end    int64 // of the last write of its response, unknown if there was none
	found  []request
}

// next takes an activity and its end.
func (c *conn) next(a *activity, to int64, p *paths) {
	x := &p.list[a.path]
	waits, calls := x.kind == wire.NetworkBegin && a.does == wire.None, a.does == wire.Syscall
	switch x.part {
	case noPart: // the goroutine goes on to serve another connection
		c.close(a.from)
		c.begin, c.fixed = unknown, false
	case awaits:
		if c.close(a.from); waits {
			c.begin, c.fixed = to, true
		} else if calls {
			c.begin, c.fixed = a.from, true
		}
	case reads: // of the first request, nobody waits before
		if waits && !c.fixed {
			c.begin, c.fixed = to, true
		} else if calls && c.begin == unknown {
			c.begin = a.from
		}
	case handles:
		c.served = true
	case finishes:
		if c.served = c.served || !c.over || calls; calls {
			c.end = to
		}
	case givesUp:
		if !c.over {
			c.served = true
			c.close(a.from)
		}
		if c.begin == unknown || x.kind == wire.CondBegin && a.does == wire.None {
			c.begin, c.fixed = to, true
		}
	}
	c.over = x.part == givesUp || c.over && !c.served && x.part != awaits
}

// close ends the request in progress, at this time if it wrote nothing at the end.
func (c *conn) close(at int64) {
	if c.served {
		if c.end == unknown {
			c.end = at
		}
		c.found = add(c.store, c.found, request{loc: c.loc, begin: c.begin, end: c.end, label: c.label, cut: c.begin == unknown})
		c.begin, c.fixed = unknown, false
	}
	c.served, c.end = false, unknown
}

// last takes the end of the goroutine, or of the trace.
func (c *conn) last(at int64, ended bool) {
	cut := !ended && c.end == unknown
	if c.served {
		c.close(at)
		last := &c.found[len(c.found)-1]
		last.cut = last.cut || cut
	}
}

// leastFlushes is how often what there is of a response is sent early at least, if it is a stream.
const leastFlushes = 3

// streams says whether a request goes on as a stream: it took its connection over, or sent what it had early, again and again, for half of its time or more.
func (l *life) streams(q *request, begin int64) bool {
	from := sort.Search(len(l.signs), func(i int) bool { return l.signs[i].at >= q.begin })
	list := l.signs[from:]
	list = list[:sort.Search(len(list), func(i int) bool { return list[i].at > q.end })]
	if slices.ContainsFunc(list, func(s signed) bool { return s.sign == streams }) {
		return true
	}
	n := len(list)
	return n >= leastFlushes && 2*(list[n-1].at-list[0].at) >= q.end-max(q.begin, begin)
}

// name finds out the route of a request: of those that are known, the first of the highest rank; but a router calls one after the other what was given to it for a request, and what handles
// that is the last, unless the program has said in a task what it is called. It may be one for a profile or a trace of the program itself, which is
// none of its service.
func (r *reader) name(q *request) (name string, profiles bool) {
	l := &r.lives[q.loc]
	rank, by, from := 0, "", sort.Search(len(l.names), func(i int) bool { return l.names[i].at >= q.begin })
	for _, n := range l.names[from:] {
		p := &r.paths.list[n.path]
		if n.at > q.end {
			break
		}
		function := r.paths.region(p.region).Func
		if wire.Profiles(function) || strings.Contains(p.route, "/debug/pprof/") {
			return "", true
		}
		if p.rank > rank || p.rank == rank && by != taskOf && r.paths.inTurn(p) {
			name, rank, by = p.route, p.rank, function
		}
	}
	if name == "" && r.paths.list[l.own].part == wholeLife {
		all := r.of(l)
		for a, _, more := all.next(); more && name == ""; a, _, more = all.next() {
			name = r.paths.outermost(a.path)
		}
	}
	return name, false
}

package requests

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"tracerec/analyzer"
	"tracerec/internal/spill"
	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// key is what a part of a latency was spent with: a metric at a call path of the request's goroutine or, at the end of a chain of waits, of the one that it
// waited for in the end.
type key struct {
	chain  int32 // number of the last link, -1 for none
	metric string
	path   int32 // -1 unknown
}

// portion is how much of a latency is one key's, and for how much of that the request waited for a lock in a convoy.
type portion struct{ time, convoy int64 }

// link is a wait of a chain: of the request's goroutine first, then of the one that this waited for, and so on. A wait like one before it is left out (those
// who wait for a lock wait for each other), and so are those after the longest.
type link struct {
	before int32 // number of the link before it, -1 for none
	metric string
	path   int32
}

// longest is how many links a chain has at most.
const longest = 4

// walker goes along the critical paths of requests.
type walker struct {
	r       *reader
	waits   *waits
	metrics []metric.Metric
	serving map[uint32][]request // of connections: their requests, ascending, and rarely others
	sites   numbered[string]     // functions in which it is waited for what others give back
	passed  parts[handoff]       // by site: who got what is waited for in it, ascending
	holders bool                 // it is recorded who has a lock

	links   numbered[link]
	parts   map[key]portion // of the request in progress
	last    [64]crumb       // what was emitted last, by key, and is not among them yet
	trail   []crumb         // the same in the order of time, if that is not nil
	walking []uint32        // locations that the walk is at
	convoy  bool            // the request waits for a lock in a convoy
	finally final           // what was last asked for

	all     []request
	begins  map[uint32]bool  // locations that begin tasks which others end
	places  map[uint32]int32 // of locations that had such tasks: where they waited for them
	ender   *ender           // what was last asked for
	gathers gathering
}

// handoff is the end of a wait of a location for another one.
type handoff struct {
	at  int64
	loc uint32
}

// cause is why the walk is at another goroutine than the request's: the chain of waits that led there, and the function in which it was last waited, noSite if
// others cannot have been in that one's place.
type cause struct {
	chain int32
	site  int32
	last  *turn
}

// noSite is the number of functions in which a goroutine does not wait for what others give back.
const noSite = -1

func newWalker(r *reader, waits *waits, e *report.Experiment, all []request) *walker {
	w := &walker{r: r, waits: waits, metrics: e.Metrics, parts: map[key]portion{}, all: all, begins: map[uint32]bool{}, places: map[uint32]int32{}}
	for i := range all {
		if by := all[i].by; by != 0 {
			w.begins[by-1] = true
		}
	}
	w.serving = r.connections(all)
	w.holders = !slices.ContainsFunc(r.defs.Objects, func(o trace.Object) bool { return o.Kind == wire.Waits })
	w.handoffs()
	return w
}

// connections returns the requests of connections by location, all of which are in order.
func (r *reader) connections(all []request) map[uint32][]request {
	of := map[uint32][]request{}
	for from := 0; from < len(all); {
		r.done.touch()
		loc, to, http := all[from].loc, from, false
		for ; to < len(all) && all[to].loc == loc; to++ {
			http = http || r.labelOf(&all[to]).kind == kindHTTP
		}
		if http {
			of[loc] = all[from:to]
		}
		from = to
	}
	return of
}

// handoffs finds out who got what is waited for, where.
func (w *walker) handoffs() {
	list, store := w.waits.list, w.r.done.store
	sites := spill.Make[int32](store, len(list))
	for i := range list {
		if sites[i] = w.passing(i); sites[i] != noSite {
			w.passed.count(uint32(sites[i]))
		}
	}
	w.passed.place(store)
	for i, site := range sites {
		if i%atOnce == 0 {
			store.Pace()
		}
		if site != noSite {
			w.passed.put(uint32(site), handoff{list[i].end, list[i].loc})
		}
	}
	spill.Free(store, sites)
	w.passed.order(w.r.done.store, func(x, y handoff) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.loc, y.loc)) })
}

// goesOn says whether an operation waited on behind a wait.
func (x *wait) goesOn(next *wait) bool {
	return next.loc == x.loc && next.operation == x.operation && next.kind == x.kind
}

// passing returns the site of a wait for somebody that ended as that one let it go on, noSite of other waits.
func (w *walker) passing(i int) int32 {
	x := &w.waits.list[i]
	if x.causer == analyzer.NoCauser || i+1 < len(w.waits.list) && x.goesOn(&w.waits.list[i+1]) {
		return noSite
	}
	at := w.r.at(&w.r.lives[x.loc], x.begin)
	if a, _, more := at.next(); more {
		return w.site(a.path)
	}
	return noSite
}

// site returns the number of the function of an operation in which a goroutine waits for what others give back, noSite of other operations. Who waits for a group to be done
// waits for that, and so does who waits for a lock whose holder is recorded.
func (w *walker) site(path int32) int32 {
	if path < 0 {
		return noSite
	}
	x := &w.r.paths.list[path]
	if x.kind != wire.RecvBegin && x.kind != wire.SelectBegin && x.kind != wire.CondBegin && (x.kind != wire.LockBegin || w.holders) {
		return noSite
	}
	function := w.r.paths.region(x.region).Func
	if function == "" {
		return noSite
	}
	return w.sites.number(function)
}

// split divides the latency of a request.
func (w *walker) split(q *request) map[key]portion {
	clear(w.parts)
	if q.by != 0 {
		w.carry(q)
	} else {
		w.walk(q.loc, q.begin, q.end, nil)
	}
	for i := range w.last {
		w.put(&w.last[i])
	}
	return w.parts
}

// emit adds time that a goroutine spent with a metric in a path, as a part of the request.
func (w *walker) emit(c *cause, metric string, path int32, d int64) {
	if d <= 0 {
		return
	}
	k := key{c.number(), metric, path}
	p := portion{time: d}
	if w.convoy {
		p.convoy = d
	}
	last := &w.last[(uint32(k.chain)*31^uint32(path)*7^uint32(len(metric)))%uint32(len(w.last))]
	if last.key != k {
		w.put(last)
		last.key = k
	}
	last.portion = last.and(p)
	if n := len(w.trail); n > 0 && w.trail[n-1].key == k {
		w.trail[n-1].portion = w.trail[n-1].and(p)
	} else if w.trail != nil {
		w.trail = append(w.trail, crumb{k, p})
	}
}

// put puts what was emitted last for a key into the parts of the request.
func (w *walker) put(last *crumb) {
	if last.time > 0 {
		w.parts[last.key] = w.parts[last.key].and(last.portion)
		last.portion = portion{}
	}
}

// and adds parts up.
func (p portion) and(x portion) portion { return portion{p.time + x.time, p.convoy + x.convoy} }

// number returns the number of the last link of the chain.
func (c *cause) number() int32 {
	if c == nil {
		return -1
	}
	return c.chain
}

// extend returns the number of the last link of a chain with one more wait.
func (w *walker) extend(chain int32, metric string, path int32) int32 {
	n := 0
	for at := chain; at >= 0; at = w.links.list[at].before {
		if n++; n == longest || w.links.list[at].metric == metric && w.links.list[at].path == path {
			return chain
		}
	}
	return w.links.number(link{chain, metric, path})
}

// walk divides what a location did in [from, to), in which it lives.
func (w *walker) walk(loc uint32, from, to int64, c *cause) {
	w.walking = append(w.walking, loc)
	all := w.r.at(&w.r.lives[loc], from)
	for from < to {
		a, end, more := all.next()
		if !more {
			break
		}
		if end = min(to, end); end > from {
			w.spend(&a, loc, from, end, to, c)
			from = end
		}
	}
	w.emit(c, metric.UnrecordedWait, -1, to-from)
	w.walking = w.walking[:len(w.walking)-1]
}

// spend divides a time in which a location did one thing, on its way until a time.
func (w *walker) spend(a *activity, loc uint32, from, to, until int64, c *cause) {
	kind := w.r.paths.list[a.path].kind
	if !w.r.paths.list[a.path].operation() || a.does != wire.None && a.does != wire.Parked {
		w.emit(c, stateOf(a.does), a.path, to-from)
		return
	}
	list := w.during(loc, a.began, kind)
	rest := metric.Execution
	switch {
	case kind == wire.SleepBegin:
		rest = metric.Sleep
	case kind == wire.NetworkBegin && a.blocked:
		rest = metric.Network
	case a.blocked:
		rest = metric.ExternalWait
	}
	for i := range list {
		x := &list[i]
		if x.begin >= to {
			break
		}
		begin := min(max(from, x.begin), to)
		w.emit(c, rest, a.path, begin-from)
		from = max(begin, min(to, x.end))
		w.wait(x, a, begin, from, until, c)
		rest = metric.Wakeup
	}
	w.emit(c, rest, a.path, to-from)
}

// during returns the waits of an operation, ascending; they do not overlap.
func (w *walker) during(loc uint32, began int64, kind wire.Kind) []wait {
	w.waits.touch()
	list := w.waits.of(loc)
	from := sort.Search(len(list), func(i int) bool {
		return list[i].operation > began || list[i].operation == began && list[i].kind >= kind
	})
	to := from
	for to < len(list) && list[to].operation == began && list[to].kind == kind {
		to++
	}
	return list[from:to]
}

// stateOf returns the metric of a state.
func stateOf(does wire.Kind) string {
	switch does {
	case wire.Ready:
		return metric.Ready
	case yielded:
		return metric.Yielded
	case wire.Syscall:
		return metric.SystemCall
	case wire.Assist:
		return metric.GCAssist
	case wire.Stopped:
		return metric.Stopped
	case wire.Parked:
		return metric.UnrecordedWait
	}
	return metric.Execution
}

// wait divides the part [from, to) of a wait.
func (w *walker) wait(x *wait, a *activity, from, to, until int64, c *cause) {
	if from >= to {
		return
	}
	if len(w.walking) == 1 {
		w.convoy = x.convoy
		defer func() { w.convoy = false }()
	}
	if len(w.walking) == 1 && w.gathers.metric != "" && w.gathers.path == a.path {
		w.emit(c, w.gathers.metric, a.path, to-from)
		return
	}
	name := w.metrics[x.metric].Name
	if name == metric.ExternalWait && x.kind == wire.NetworkBegin {
		name = metric.Network // also where states are not recorded
	}
	if x.causer == analyzer.NoCauser || len(w.walking) >= deepest || slices.Contains(w.walking, x.causer) {
		w.emit(c, name, a.path, to-from)
		return
	}
	w.follow(x.causer, from, to, x.end, &cause{w.extend(c.number(), name, a.path), w.site(a.path), &turn{x, a.path, until, c}})
}

// deepest is how many goroutines a walk follows that wait for each other.
const deepest = 200

// follow divides [from, to) by what a location did that somebody waited for. It let that one go on at a time, or had got then what is waited for: on a connection,
// the request of that time did so, and no other.
func (w *walker) follow(loc uint32, from, to, at int64, c *cause) {
	alive, dead := w.r.lives[loc].during(from, to)
	if list, serves := w.serving[loc]; serves && c.site != noSite {
		begin, end := w.request(list, at)
		alive = min(max(alive, begin), to)
		dead = max(alive, min(dead, end))
	}
	w.absent(loc, from, alive, c)
	if alive < dead {
		w.walk(loc, alive, dead, c)
	}
	w.absent(loc, dead, to, c)
}

// request returns the begin and the end of the last request of a connection that had begun at a time. If there is none, they are after all.
func (w *walker) request(list []request, at int64) (begin, end int64) {
	for i := sort.Search(len(list), func(i int) bool { return list[i].begin > at }) - 1; i >= 0; i-- {
		if w.r.labelOf(&list[i]).kind == kindHTTP {
			return list[i].begin, list[i].end
		}
	}
	return math.MaxInt64, math.MaxInt64
}

// absent divides [from, to) in which a location cannot have been what others waited for: somebody else was.
func (w *walker) absent(loc uint32, from, to int64, c *cause) {
	if c.site == noSite || from >= to {
		w.emit(c, metric.UnrecordedWait, -1, to-from)
		return
	}
	list := w.passed.of(uint32(c.site))
	for i := sort.Search(len(list), func(i int) bool { return list[i].at > from }) - 1; i >= 0 && i < len(list) && from < to; i++ {
		end := to
		if i+1 < len(list) {
			end = min(to, list[i+1].at)
		}
		if from >= end {
			continue
		}
		if by := list[i].loc; !slices.Contains(w.walking, by) && len(w.walking) < deepest {
			w.walking = append(w.walking, loc)
			w.follow(by, from, end, list[i].at, c)
			w.walking = w.walking[:len(w.walking)-1]
		} else {
			w.unknown(c, end-from)
		}
		from = end
	}
	w.unknown(c, to-from)
}

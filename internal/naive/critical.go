package naive

import (
	"cmp"
	"slices"
	"strings"

	"tracerec/trace/wire"
)

// notRecorded is the region of the time for which nobody is known to have been active.
const notRecorded = "(not recorded)"

// Split divides the critical path up by what its locations did, ns.
type Split struct {
	Execution, Runnable, Waiting, Sleep, External, NotRecorded int64
	ByTime                                                     int // steps that no wait and no creation led to
}

// Inside is a Split of time in operations and states.
type Inside struct {
	Split
	Yielded int64 // the part of Runnable in which processors had been given up
	Taken   int64 // waits that the path was led on by
}

// crossing is a wait for another: all those of an operation, as one.
type crossing struct {
	op         *op
	begin, end int64
	causer     *location
	passed     bool
	joined     bool // the path was there again that it would have been on without it
}

// second is where the critical path was in one ns; l is nil where nobody is known to have been active.
type second struct {
	l     *location
	shown *location // then: on whom it is shown
	path  string    // and where
}

// pathfinder walks backwards along the critical path, one ns after the other.
type pathfinder struct {
	n          *analysis
	members    []*location // of the process
	crossings  []*crossing
	taken      []*crossing
	begin, end int64
	on         []second // by ns since begin
	byTime     int
	needless   map[line]bool // nil until somebody asks
}

// criticalPath walks backwards from the end of the root process.
func (n *analysis) criticalPath() {
	process := n.pathProcess()
	if process < 0 {
		return
	}
	p := &pathfinder{n: n, end: n.ends[process]}
	n.path = p
	p.begin = min(n.defs.Processes[process].Start, p.end)
	for i, l := range n.locations {
		if n.defs.Locations[i].Process == process && len(l.events) > 0 {
			p.members = append(p.members, l)
		}
	}
	for _, o := range n.ops {
		p.cross(o)
	}
	slices.SortStableFunc(p.crossings, func(a, b *crossing) int {
		return cmp.Or(-cmp.Compare(a.end, b.end), -cmp.Compare(a.causer.id, b.causer.id), -cmp.Compare(a.begin, b.begin),
			-cmp.Compare(len(a.op.path), len(b.op.path)))
	})
	p.on = make([]second, p.end-p.begin)
	n.result.Focus = p.end - p.begin
	for l, t := p.start(); t > p.begin; {
		l, t = p.before(l, t)
	}
	n.criticalTime(p)
	n.criticalWaits(p)
	n.onward(p)
	n.criticalImbalance()
	n.split(p)
}

// pathProcess is the root process, or the first one that has events; -1 if none has.
func (n *analysis) pathProcess() int {
	first := -1
	for i, l := range n.locations {
		process := n.defs.Locations[i].Process
		switch {
		case len(l.events) == 0:
		case process == n.rootProcess:
			return process
		case first < 0 || process < first:
			first = process
		}
	}
	return first
}

// cross notes that o waited for another, if it did.
func (p *pathfinder) cross(o *op) {
	c := &crossing{op: o}
	for _, w := range p.n.waitsOf(o) {
		if w.causer == nil || w.causer.loc == o.loc || !slices.Contains(WaitStates, w.metric) {
			continue
		}
		if c.causer == nil {
			c.begin = w.begin
		}
		c.end, c.causer = w.end, w.causer.loc
	}
	if c.causer != nil && c.causer.lives(c.end) {
		p.crossings = append(p.crossings, c)
	}
}

func (l *location) lives(t int64) bool { return len(l.events) > 0 && l.begin <= t && t <= l.end }

// waits says whether l waits for another at t.
func (p *pathfinder) waits(l *location, t int64) bool {
	return slices.ContainsFunc(p.crossings, func(c *crossing) bool {
		return c.op.loc == l && c.begin < t && (t < c.end || t == c.end && c.passed)
	})
}

func (p *pathfinder) open(l *location, t int64) bool {
	return l.begin < t && t <= l.end && !p.waits(l, t)
}

// start is where the path is at the end of the process.
func (p *pathfinder) start() (*location, int64) {
	var best *location
	latest := int64(0)
	for _, l := range p.members {
		active, isMain := l.end, p.n.defs.Locations[l.id].GoID == 1
		for _, o := range p.n.ops {
			if o.loc == l && (p.n.neverEndedIn(o) || p.n.asleep(o) && !isMain) {
				active = o.begin
			}
		}
		if slices.ContainsFunc(l.events, func(e event) bool {
			return e.Kind == wire.Enter && strings.HasPrefix(p.n.defs.Regions[e.ID].Func, "net/http/pprof.")
		}) || slices.Contains(handOnSignals, l.function) || l.function == "runtime/pprof.profileWriter" {
			active = l.begin
		}
		if best == nil || active > latest || active == latest && isMain {
			best, latest = l, active
		}
	}
	p.nobody(best, "", best.end, p.end)
	return best, best.end
}

// onPath puts the path on l.
func (p *pathfinder) onPath(l *location, from, to int64) {
	for t := max(from, p.begin); t < to; t++ {
		p.on[t-p.begin] = second{l: l}
	}
}

// nobody puts the path on nobody.
func (p *pathfinder) nobody(shown *location, path string, from, to int64) {
	for t := max(from, p.begin); t < to; t++ {
		p.on[t-p.begin] = second{shown: shown, path: below(path, notRecorded)}
	}
}

// before says where the path is before it was on l up to t.
func (p *pathfinder) before(l *location, t int64) (*location, int64) {
	for _, c := range p.crossings {
		if c.op.loc != l || c.end > t || c.passed || c.end <= max(l.begin, p.begin) {
			continue
		}
		if asker, at := p.asker(l, c.end, t); asker != nil {
			return asker, at
		}
		if hindered, at := p.hindered(l, c.end, t); hindered != nil {
			return hindered, at
		}
		if waiter, at := p.attended(l, c.end, t); waiter != nil {
			return waiter, at
		}
		c.passed = true
		if !p.waits(c.causer, c.end) {
			p.onPath(l, c.end, t)
			p.taken = append(p.taken, c)
			p.n.took(c)
			return c.causer, c.end
		}
	}
	if asker, at := p.asker(l, max(l.begin, p.begin), t); asker != nil {
		return asker, at
	}
	if hindered, at := p.hindered(l, max(l.begin, p.begin), t); hindered != nil {
		return hindered, at
	}
	if waiter, at := p.attended(l, max(l.begin, p.begin), t); waiter != nil {
		return waiter, at
	}
	p.onPath(l, l.begin, t)
	s := l.begin
	if s <= p.begin {
		return l, p.begin
	}
	if c := l.creator; c != nil && c.lives(s) && (c.begin < s || c.id < l.id) && !p.waits(c, s) {
		return c, s
	}
	return p.back(l, s)
}

// readers are the functions as which goroutines begin that read what others have asked for, or accept connections.
var readers = []string{
	"net/http.(*persistConn).readLoop", "net/http.(*http2ClientConn).readLoop", "net/http/internal/http2.(*ClientConn).readLoop",
	"golang.org/x/net/http2.(*ClientConn).readLoop", "google.golang.org/grpc/internal/transport.(*http2Client).reader", "net/rpc.(*Client).input",
	"github.com/nats-io/nats.go.(*Conn).readLoop", "testing.runExample.func1", "net/http.(*Server).Serve", "net/http.(*Server).ListenAndServe", "net/http.Serve",
	"net/http.ListenAndServe", "net/http/httptest.(*Server).goServe.func1", "google.golang.org/grpc.(*Server).Serve",
}

// handOnSignals are the functions as which goroutines begin that do nothing but hand on signals.
var handOnSignals = []string{"os/signal.loop", "os/signal.NotifyContext.func1"}

// carriers are the functions as which goroutines begin that wait for something to do, which others ask for.
var carriers = []string{
	"net/http.(*persistConn).writeLoop", "database/sql.(*DB).connectionOpener",
}

// asker says where the path goes on that leaves l, a reader, in a wait for the network that ended behind one time and not behind another; nil if it
// does not.
func (p *pathfinder) asker(l *location, behind, t int64) (*location, int64) {
	if !slices.Contains(readers, l.function) {
		return nil, 0
	}
	var reads []*wait
	for _, w := range p.n.waits {
		if w.op.loc == l && w.op.kind == wire.NetworkBegin && w.causer == nil && w.begin < w.end && behind < w.end && w.end <= t {
			reads = append(reads, w)
		}
	}
	slices.SortFunc(reads, func(a, b *wait) int { return cmp.Or(-cmp.Compare(a.end, b.end), -cmp.Compare(a.begin, b.begin)) })
	for _, r := range reads {
		for len(p.taken) > 0 {
			c := p.taken[len(p.taken)-1]
			at, is := p.asked(c, l, r.end)
			if is && at < r.begin {
				break
			}
			if p.taken = p.taken[:len(p.taken)-1]; is {
				p.onPath(l, at, t)
				return c.op.loc, max(at, p.begin)
			}
		}
	}
	return nil, 0
}

// asked says where the path would go on, who waited for a reader, at the end t of one of its waits.
func (p *pathfinder) asked(c *crossing, reader *location, t int64) (int64, bool) {
	if c.begin < t {
		return c.begin, true
	}
	var in *crossing
	for _, x := range p.crossings { // the last one is the first of the order from the earliest to the latest
		if x.op.loc == c.op.loc && x.begin < t && (t < x.end || t == x.end && x.passed) {
			in = x
		}
	}
	if in != nil {
		return in.begin, in.causer == reader
	}
	return t, c.op.loc.begin < t
}

// hindered says where the path goes on that leaves l at the end of a sleep, or of a wait for what comes from outside, behind one time and not behind another, nil if it
// does not: where it would have been without the locks that it was led on by, if these were only in the way.
func (p *pathfinder) hindered(l *location, behind, t int64) (*location, int64) {
	var hurdles []*crossing
	for _, c := range p.taken {
		if c.op.kind == wire.LockBegin && !c.joined {
			hurdles = append(hurdles, c)
		}
	}
	if len(hurdles) == 0 {
		return nil, 0
	}
	at := behind
	for _, r := range p.rests(l, behind, min(t, hurdles[len(hurdles)-1].begin-1)) {
		at = max(at, r[1])
	}
	if at == behind {
		return nil, 0
	}
	closed := p.end + 1 // what was taken from there on was left again
	for _, c := range hurdles {
		if c.end < closed && c.begin <= at {
			continue
		}
		if c.end < closed {
			by, joined := p.without(c, at)
			if by != nil && by != l {
				p.taken = p.taken[:slices.Index(p.taken, c)]
				p.onPath(l, at, t)
				return by, at
			}
			if closed = joined; by == l {
				closed = p.begin
			}
		}
		c.joined = true
	}
	return nil, 0
}

// attended says where the path goes on that leaves l, which was waited for only once but for locks, in the end, for a twentieth of its life before or less, and rested before that: at the
// begin of that wait. It is nil if it does not.
func (p *pathfinder) attended(l *location, behind, t int64) (*location, int64) {
	if len(p.taken) == 0 || p.taken[len(p.taken)-1].causer != l {
		return nil, 0
	}
	c := p.taken[len(p.taken)-1]
	first := !slices.ContainsFunc(p.crossings, func(x *crossing) bool { return x.causer == l && x.begin < c.begin && x.op.kind != wire.LockBegin })
	rested := l.function == "runtime/pprof.profileWriter" && behind < c.begin ||
		slices.ContainsFunc(p.rests(l, behind, t), func(r [2]int64) bool { return r[0] < c.begin })
	if !first || !rested || c.begin >= t || 20*(c.end-c.begin) >= c.begin-max(l.begin, p.begin) || !p.open(c.op.loc, c.begin) {
		return nil, 0
	}
	p.taken = p.taken[:len(p.taken)-1]
	p.onPath(l, c.begin, t)
	return c.op.loc, c.begin
}

// rests returns from when to when l slept or waited for what comes from outside, where it came out of that behind one time and not behind another.
func (p *pathfinder) rests(l *location, behind, t int64) (rests [][2]int64) {
	add := func(begin, end int64, open bool) {
		if begin < end && !open && behind < end && end <= t {
			rests = append(rests, [2]int64{begin, end})
		}
	}
	for _, o := range p.n.ops {
		if o.loc == l && o.kind == wire.SleepBegin {
			add(o.begin, o.end, o.open)
		}
	}
	for _, w := range p.n.waits {
		if w.op.loc == l && (w.metric == "external_wait" || w.metric == "timer_wait") && p.n.defs.Processes[p.n.defs.Locations[l.id].Process].States && p.alone(w) {
			add(w.begin, w.end, w.op.open)
		}
	}
	return rests
}

// without returns where the path would be at a time if it had been on the waiter of c at the begin of that, and had not gone along waits for locks; nil if that is not
// known, or if it was there later than that time: then also until when it was there.
func (p *pathfinder) without(c *crossing, at int64) (*location, int64) {
	l, t := c.op.loc, c.begin
	for range 10000 { // ends where two wait for each other at one time
		next, then := l.creator, max(l.begin, at)
		for _, x := range p.crossings {
			if x.op.loc == l && x.op.kind != wire.LockBegin && at < x.end && x.end <= t && !p.inside(x.causer, x.end) {
				next, then = x.causer, x.end
				break
			}
		}
		for u := t - 1; u >= then; u-- {
			if p.on[u-p.begin].l != l {
				continue
			}
			for u < p.end && p.on[u-p.begin].l == l {
				u++
			}
			return nil, u
		}
		if then == at {
			if p.inside(l, at) {
				return nil, p.end + 1
			}
			return l, 0
		}
		if next == nil || !next.lives(then) {
			return nil, p.end + 1
		}
		l, t = next, then
	}
	return nil, p.end + 1
}

// inside says whether l waits for another before and after t.
func (p *pathfinder) inside(l *location, t int64) bool {
	return slices.ContainsFunc(p.crossings, func(c *crossing) bool { return c.op.loc == l && c.begin < t && t < c.end })
}

// alone says whether a wait for nobody is apart from the waits of its operation for others.
func (p *pathfinder) alone(w *wait) bool {
	var first, last *wait
	for _, x := range p.n.waitsOf(w.op) {
		if x.causer != nil && x.causer.loc != x.op.loc && slices.Contains(WaitStates, x.metric) {
			if last = x; first == nil {
				first = x
			}
		}
	}
	return w.causer == nil && (first == nil || w.end <= first.begin || w.begin >= last.end)
}

// back goes on from the begin s of l, whose creator is not known.
func (p *pathfinder) back(l *location, s int64) (*location, int64) {
	for len(p.taken) > 0 {
		c := p.taken[len(p.taken)-1]
		p.taken = p.taken[:len(p.taken)-1]
		waiter := c.op.loc
		if c.begin < s {
			p.byTime++
			p.nobody(waiter, c.op.path, c.begin, s)
			return waiter, c.begin
		}
		if p.open(waiter, s) {
			p.byTime++
			return waiter, s
		}
	}
	for t := s; t > p.begin; t-- {
		for _, x := range p.members {
			if p.open(x, t) {
				p.byTime++
				p.nobody(x, "", t, s)
				return x, t
			}
		}
	}
	p.nobody(l, "", p.begin, s)
	return l, p.begin
}

// criticalTime charges every ns of the path to the call path that its location is in.
func (n *analysis) criticalTime(p *pathfinder) {
	for i, x := range p.on {
		if x.l == nil {
			n.add("critical_path", x.path, x.shown, 1)
			continue
		}
		for _, st := range x.l.steps {
			if t := p.begin + int64(i); st.from <= t && t < st.to {
				n.add("critical_path", st.path, x.l, 1)
			}
		}
	}
}

// criticalWaits counts the time of every wait during which the path is on its causer.
func (n *analysis) criticalWaits(p *pathfinder) {
	for _, w := range n.waits {
		if w.causer == nil || !p.held(w) {
			continue
		}
		for i, x := range p.on {
			if t := p.begin + int64(i); w.from <= t && t < w.end && x.l == w.causer.loc {
				n.result.Critical[Cell{w.metric, w.op.path, w.op.loc.id}]++
			}
		}
	}
}

// held says whether a wait can have held up the path. One for a value can if the path is on the waiter later than it is ever on the causer, for a value a quarter of the wait or more; if it goes to the group of the waiter from where it is on the causer last of
// all; or from where it was last on the causer before the end of the wait, unless it is back there in less than a quarter of it. One for a lock cannot if the path
// leaves the causer when it ends, is back in less than a fiftieth, and is on the waiter for less than that in all from then on. Else that can, and one for a condition or others to be done, if states are not told; if the path goes from the causer to the group of the waiter when it ends; if it
// is on the waiter for a fiftieth or more from then on; or is on locations of its group for that long in all, and on one of them later, but the latter two not if in its line such waits take ten times as long of the path as the path is on its group. One for a close can only if, besides what is true of values, the path comes from the causer to the waiter when it ends.
func (p *pathfinder) held(w *wait) bool {
	if p.needless == nil {
		p.needless = p.findNeedless()
	}
	how := p.answer(w)
	return how == yes || how == perhaps && !p.needless[p.n.lineOf(w)]
}

// findNeedless finds the lines in which somebody perhaps held up the path for more than ten times as long as the path is on locations of their group.
func (p *pathfinder) findNeedless() map[line]bool {
	waiting, length := map[line]map[int]bool{}, map[int]int{}
	for _, w := range p.n.waits {
		if w.causer == nil || p.answer(w) != perhaps {
			continue
		}
		of := p.n.lineOf(w)
		if waiting[of] == nil {
			waiting[of] = map[int]bool{}
		}
		for i, x := range p.on {
			if t := p.begin + int64(i); w.from <= t && t < w.end && x.l == w.causer.loc {
				waiting[of][i] = true
			}
		}
	}
	for _, x := range p.on {
		if x.l != nil {
			length[p.n.result.Group[x.l.id]]++
		}
	}
	needless := map[line]bool{}
	for of, times := range waiting {
		needless[of] = len(times) > 10*length[of.group]
	}
	return needless
}

type answer int

const (
	no answer = iota
	perhaps
	yes
)

func surely(held bool) answer {
	if held {
		return yes
	}
	return no
}

// answer is held, but of waits in lines that are needless it says perhaps.
func (p *pathfinder) answer(w *wait) answer {
	lock := w.metric == "lock_competition" || w.metric == "rw_reader_wait" || w.metric == "rw_writer_wait"
	needed := lock || w.metric == "cond_wait" || w.metric == "join_wait" || w.metric == "once_wait"
	if w.metric != "late_close" && w.metric != "late_sender" && !needed {
		return yes
	}
	is := func(i int) bool { return p.on[i].l == w.causer.loc }
	at := min(int(w.end-p.begin), len(p.on)) - 1
	for at >= 0 && !is(at) {
		at--
	}
	if at < 0 {
		return surely(w.metric != "late_close")
	}
	for at < len(p.on) && is(at) {
		at++
	}
	back, last := at, len(p.on)
	for back < len(p.on) && !is(back) {
		back++
	}
	least := int64(4)
	if needed {
		least = 50
	}
	soon := back < len(p.on) && least*int64(back-at) < w.end-w.from
	with := at == int(w.end-p.begin) && at < len(p.on)
	alike := func(i int) bool {
		return i < len(p.on) && p.on[i].l != nil && p.n.result.Group[p.on[i].l.id] == p.n.result.Group[w.op.loc.id]
	}
	later := func(from int) (d int64) {
		for i := min(from, len(p.on)); i < len(p.on); i++ {
			if p.on[i].l == w.op.loc {
				d++
			}
		}
		return d
	}
	if needed {
		behind := int(w.end - p.begin)
		while := least*later(behind) >= w.end-w.from
		if lock && with && soon {
			return surely(while)
		}
		if with && alike(at) || !p.n.defs.Processes[p.n.defs.Locations[w.causer.loc.id].Process].States {
			return yes
		}
		inAll, once := int64(0), false
		for i := range p.on {
			if alike(i) {
				inAll, once = inAll+1, once || i >= behind
			}
		}
		if while || once && least*inAll >= w.end-w.from {
			return perhaps
		}
		return no
	}
	if w.metric == "late_close" && (!with || p.on[at].l != w.op.loc) {
		return no
	}
	for !is(last - 1) {
		last--
	}
	then := later(last)
	return surely(alike(at) && !soon || alike(last) || w.metric == "late_close" && then > 0 || then > 0 && least*then >= w.end-w.from)
}

// split says what the locations of the path did while it was on them.
func (n *analysis) split(p *pathfinder) {
	s := &n.result.Split
	s.ByTime = p.byTime
	for i, x := range p.on {
		if x.l == nil {
			s.NotRecorded++
			continue
		}
		t := p.begin + int64(i)
		at := slices.IndexFunc(x.l.steps, func(st step) bool { return st.from <= t && t < st.to })
		st := &x.l.steps[at]
		*n.kindOf(s, st, t)++
		if st.op != nil && st.metric != "sleep" || st.state != "" || st.metric == "start_latency" {
			c := Cell{"", st.path, n.result.Group[x.l.id]}
			inside := n.result.Operations[c]
			*n.kindOf(&inside.Split, st, t)++
			if st.state == "yielded" {
				inside.Yielded++
			}
			n.result.Operations[c] = inside
		}
	}
}

// kindOf returns the part of the split that a step belongs to at t.
func (n *analysis) kindOf(s *Split, st *step, t int64) *int64 {
	switch {
	case st.metric == "start_latency":
		return &s.Runnable
	case st.state == "ready" || st.state == "yielded" || st.state == "stopped":
		return &s.Runnable
	case st.state == "system_call" || st.state == "unrecorded_wait":
		return &s.External
	case st.state == eventsLost:
		return &s.NotRecorded
	case st.state != "":
		return &s.Execution
	case st.metric == "sleep":
		return &s.Sleep
	case st.op == nil:
		return &s.Execution
	}
	waits := n.waitsOf(st.op)
	var first, last *wait // for others
	for _, w := range waits {
		if w.causer != nil && slices.Contains(WaitStates, w.metric) {
			if last = w; first == nil {
				first = w
			}
		}
	}
	if first != nil && first.begin <= t && t < last.end {
		return &s.Waiting
	}
	for _, w := range waits {
		if w.causer == nil && slices.Contains(WaitStates, w.metric) && w.begin <= t && t < w.end {
			return &s.External
		}
	}
	if len(waits) > 0 && waits[0].begin <= t || len(waits) == 0 && st.op.object != 0 && 0 <= st.op.blocked && st.op.blocked <= t {
		return &s.Runnable
	}
	return &s.Execution
}

// criticalImbalance compares the critical path with the mean time without waiting.
func (n *analysis) criticalImbalance() {
	paths := map[string]int64{}
	for c, v := range n.result.Severity {
		if c.Metric == "critical_path" {
			paths[c.Path] += v
		}
	}
	for path, critical := range paths {
		active, visitors := int64(0), int64(0)
		most := -1
		for _, l := range n.locations {
			if l.visits[path] == 0 {
				continue
			}
			visitors++
			for _, p := range l.steps {
				if p.path == path {
					active += p.to - p.from
				}
			}
			for _, m := range WaitStates {
				active -= n.result.Severity[Cell{m, path, l.id}]
			}
			here := n.result.Severity[Cell{"critical_path", path, l.id}]
			if most < 0 || here > n.result.Severity[Cell{"critical_path", path, most}] {
				most = l.id
			}
		}
		if visitors == 0 {
			continue // not recorded
		}
		if excess := critical - active/visitors; excess > 0 {
			n.add("critical_path_imbalance", path, n.locations[most], excess)
		}
	}
}

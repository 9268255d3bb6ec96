package naive

import (
	"cmp"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// creation is a Create event.
type creation struct {
	by, of *location
	path   string // ends in the Create leaf
	at     int64
}

// start returns the Begin event, the first one apart from what the recorder puts in between.
func (l *location) start() *event {
	for i := range l.events {
		switch e := &l.events[i]; e.Kind {
		case wire.Counters, wire.Overhead:
		case wire.Begin:
			return e
		default:
			return nil
		}
	}
	return nil
}

// level is an open level of a call path.
type level struct {
	path      string
	op        *op  // nil for regions
	forgotten bool // a select that has ended, but counts as a level for the events to come
}

// scanner walks through the events of one location.
type scanner struct {
	n       *analysis
	l       *location
	levels  []level
	last    int64     // time of the event before
	does    wire.Kind // what began the state that the location is in, 0 if it runs
	gaveUp  bool      // that is Ready, as it gave up its processor
	several bool      // that is Ready several times
	ends    int       // operations that ended
	at      int       // number of the event
}

func (n *analysis) scan(l *location) {
	if len(l.events) == 0 {
		return
	}
	s, first := &scanner{n: n, l: l}, len(n.ops)
	l.ownPath = goroutine
	if e := l.start(); e != nil && e.ID != trace.NoRegion {
		l.ownPath = n.regionName(e.ID, false)
		l.function = n.defs.Regions[e.ID].Func
	}
	l.visits[l.ownPath]++
	s.last = l.events[0].Time
	l.begin = s.last
	for i, e := range l.events {
		s.at = i
		s.pass(e.Time, e)
		s.forget(e)
		l.events[i].path, l.used = s.path(), i+1
		if e.Kind == wire.Counters {
			l.events[i].path = s.sampled()
		}
		s.event(e)
		if l.endEvent {
			break // what comes later is damage
		}
	}
	l.end, l.does, l.gaveUp, l.several = s.last, s.does, s.gaveUp, s.several
	s.levels = slices.DeleteFunc(s.levels, func(v level) bool { return v.forgotten })
	l.levels = s.levels
	for _, v := range slices.Backward(s.levels) {
		s.ended(v.op)
	}
	s.arrange(first)
	for i, v := range s.levels {
		if v.op != nil {
			v.op.end = l.end
			v.op.open, v.op.innermost = true, i == len(s.levels)-1
		}
	}
}

// ended counts the operations that ended.
func (s *scanner) ended(o *op) {
	if o != nil {
		s.ends++
		o.ended = s.ends
	}
}

// arrange orders the location's operations by begin; of those that begin together the one that ended first is first.
func (s *scanner) arrange(first int) {
	slices.SortStableFunc(s.n.ops[first:], func(a, b *op) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.ended, b.ended))
	})
	for i, o := range s.n.ops[first:] {
		o.seq = first + i
	}
}

// top is the innermost level.
func (s *scanner) top() (v level, ok bool) {
	for _, v := range slices.Backward(s.levels) {
		if !v.forgotten {
			return v, true
		}
	}
	return level{}, false
}

func (s *scanner) path() string {
	if v, ok := s.top(); ok {
		return v.path
	}
	return s.l.ownPath
}

// sampled is the path of what was done up to a sample: the begin of an operation that may wait has none.
func (s *scanner) sampled() string {
	v, ok := s.top()
	if !ok || v.op == nil || v.op.blocked >= 0 || !slices.Contains([]wire.Kind{wire.SendBegin, wire.RecvBegin, wire.LockBegin,
		wire.JoinBegin, wire.CondBegin, wire.BarrierBegin, wire.SleepBegin, wire.NetworkBegin}, v.op.kind) {
		return s.path()
	}
	whole := s.levels
	defer func() { s.levels = whole }()
	for i := len(whole) - 1; ; i-- {
		if s.levels = whole[:i]; !whole[i].forgotten {
			return s.path()
		}
	}
}

// place is where the next level goes: the path of the innermost level, "" if none is open.
func (s *scanner) place(name string) string {
	if v, ok := s.top(); ok {
		return below(v.path, name)
	}
	return name
}

func (s *scanner) visit(path string) {
	s.l.visits[path]++
	s.n.add("visits", path, s.l, 1)
}

// starts counts the begins of goroutines as visits of what they begin with, unless that is a region of its own, which they then enter.
func (n *analysis) starts() {
	for _, l := range n.locations {
		if len(l.events) > 0 && !n.entered[l.ownPath] {
			n.add("visits", l.ownPath, l, 1)
		}
	}
}

// pass charges the time since the last event to the innermost level.
func (s *scanner) pass(to int64, e event) {
	from := s.last
	s.last = to
	if e.Kind == wire.Overhead {
		mine := to - min(int64(e.Word), to-from)
		s.step(from, mine, false)
		s.step(mine, to, true)
		return
	}
	if e.Kind == wire.Lost {
		s.lost(from, to)
		return
	}
	s.step(from, to, false)
}

// lost passes time of which nothing is known, in whatever level.
func (s *scanner) lost(from, to int64) {
	if from < to {
		s.l.steps = append(s.l.steps, step{from: from, to: to, path: s.path(), metric: eventsLost, state: eventsLost})
	}
}

// eventsLost is the metric of time in which events were lost.
const eventsLost = "events_lost"

func (s *scanner) step(from, to int64, overhead bool) {
	if from == to {
		return
	}
	p := step{from: from, to: to, path: s.path(), metric: "execution", does: s.does, gaveUp: s.gaveUp && s.does == wire.Ready, several: s.several && s.does == wire.Ready}
	if v, _ := s.top(); v.op != nil {
		p.op = v.op
		p.metric = metricOf(p.op.kind)
	}
	if overhead {
		p.metric, p.op = "overhead", nil
	} else if s.does != 0 && s.n.states() && p.op == nil {
		if p.state = stateMetrics[s.does]; p.gaveUp {
			p.state = "yielded"
		}
		p.metric = p.state
	} else if s.n.states() && (s.does == wire.Ready || s.does == wire.Stopped) {
		p.op.ready += to - from
	}
	s.l.steps = append(s.l.steps, p)
}

var stateMetrics = map[wire.Kind]string{wire.Ready: "ready", wire.Syscall: "system_call", wire.Parked: "unrecorded_wait", wire.Assist: "gc_assist",
	wire.Stopped: "stopped"}

func metricOf(k wire.Kind) string {
	switch k {
	case wire.SendBegin, wire.RecvBegin, wire.SelectBegin, wire.NetworkBegin:
		return "communication"
	case wire.SleepBegin:
		return "sleep"
	}
	return "synchronization"
}

// forget ends the select that was left by a case without a word: the goroutine goes on.
func (s *scanner) forget(e event) {
	k := len(s.levels) - 1
	switch e.Kind {
	case wire.Blocked, wire.Leave, wire.Chose, wire.Passed, wire.Reached, wire.OnceRun, wire.Lost, wire.Overhead, wire.Counters, wire.Begin, wire.TaskLeft, wire.TaskEnd,
		wire.Ready, wire.Running, wire.Syscall, wire.Assist, wire.Stopped, wire.Parked:
	default:
		if k >= 0 && s.levels[k].op != nil && s.levels[k].op.kind == wire.SelectBegin {
			s.levels = append(s.levels, level{forgotten: true})
			s.levels[k], s.levels[k+1] = s.levels[k+1], s.levels[k]
			s.close(1, e.Time, wire.Failed)
		}
	}
}

func (s *scanner) event(e event) {
	switch e.Kind {
	case wire.Enter:
		name := s.n.regionName(e.ID, false)
		if s.l.first == "" {
			s.l.first = name
		}
		s.n.entered[name] = true
		s.levels = append(s.levels, level{path: s.place(name)})
		s.visit(s.path())
	case wire.SendBegin, wire.RecvBegin, wire.SelectBegin, wire.LockBegin, wire.JoinBegin, wire.CondBegin,
		wire.OnceBegin, wire.BarrierBegin, wire.SleepBegin, wire.NetworkBegin:
		o := s.point(e, s.place(s.n.regionName(e.ID, true)))
		s.levels = append(s.levels, level{path: o.path, op: o})
		s.visit(o.path)
	case wire.Close, wire.Signal, wire.Broadcast, wire.Write, wire.Interrupt:
		path := s.place(s.n.regionName(e.ID, true))
		s.point(e, path)
		s.visit(path)
	case wire.Create:
		s.create(e)
	case wire.Release, wire.Add, wire.Done:
		s.point(e, s.path())
	case wire.Blocked:
		if o := s.innermost().op; o != nil && o.blocked < 0 {
			o.blocked, o.timed = e.Time, o.kind == wire.SelectBegin && e.ID == wire.Timed
		}
	case wire.OnceRun:
		if o := s.innermost().op; o != nil && o.kind == wire.OnceBegin {
			o.mode, o.ran = 1, e.Time
		}
	case wire.Leave, wire.Chose, wire.Passed, wire.Reached:
		s.leave(e)
	case wire.Exit:
		s.close(int(e.ID)+1, e.Time, wire.Panicked)
	case wire.Lost:
		s.does = 0
		s.close(int(e.ID), e.Time, wire.Failed)
	case wire.Running:
		s.does = 0
	case wire.Ready, wire.Syscall, wire.Assist, wire.Stopped, wire.Parked:
		s.does = e.Kind
		s.gaveUp = e.Kind == wire.Ready && e.ID == uint32(wire.Yielded)
		s.several = e.Kind == wire.Ready && e.ID == uint32(wire.Preempted) && e.Word != 0
	case wire.End:
		s.close(len(s.levels), e.Time, wire.Panicked)
		s.l.endEvent = true
	}
}

// point makes an operation that begins and ends at e.
func (s *scanner) point(e event, path string) *op {
	o := &op{
		kind: e.Kind, loc: s.l, path: path, begin: e.Time, end: e.Time, blocked: -1,
		object: uint32(e.Word), mode: uint32(e.Word >> 32), seq: len(s.n.ops), first: s.at,
	}
	s.n.ops = append(s.n.ops, o)
	if e.Kind.Does() != wire.Opens {
		s.ended(o)
	}
	return o
}

func (s *scanner) create(e event) {
	path := s.place(s.n.regionName(e.ID, true))
	s.visit(path)
	if e.Word == 0 {
		return
	}
	s.n.creations = append(s.n.creations, creation{s.l, s.n.locations[e.Word-1], path, e.Time})
}

// create makes the creations known to the created. Life begins with the creation, else with the first event.
func (n *analysis) create() {
	for _, l := range n.locations {
		if e := l.start(); e != nil && e.Word > 0 {
			l.creator = n.locations[e.Word-1]
		}
	}
	for _, c := range n.creations {
		c.of.creator, c.of.createPath = c.by, c.path
		if len(c.of.events) == 0 || c.at > c.of.begin {
			continue
		}
		latency := step{from: c.at, to: c.of.begin, path: c.of.ownPath, metric: "start_latency"}
		if c.of.events[0].Kind == wire.Lost {
			latency.metric, latency.state = eventsLost, eventsLost
		}
		c.of.steps = append([]step{latency}, c.of.steps...)
		c.of.begin = c.at
	}
}

// innermost is the innermost open operation, or forgotten select.
func (s *scanner) innermost() level {
	for _, v := range slices.Backward(s.levels) {
		if v.op != nil || v.forgotten {
			return v
		}
	}
	return level{}
}

// leave ends the innermost operation and the regions in it.
func (s *scanner) leave(e event) {
	for i, v := range slices.Backward(s.levels) {
		if v.op == nil && !v.forgotten {
			continue
		}
		if o := v.op; o != nil {
			o.end, o.outcome = e.Time, wire.Outcome(e.ID)
			o.last, o.tried = s.at, i == len(s.levels)-1 && o.outcome == wire.Failed && o.blocked < 0
			s.ended(o)
			switch {
			case e.Kind == wire.Chose, e.Kind == wire.Reached && o.kind == wire.NetworkBegin:
				o.object, o.mode = uint32(e.Word), uint32(e.Word>>32)
			case e.Kind == wire.Passed && (o.kind == wire.SendBegin || o.kind == wire.RecvBegin):
				o.mode = uint32(e.Word)
			}
		}
		s.levels = s.levels[:i]
		return
	}
}

// close ends levels; operations among them end with the outcome.
func (s *scanner) close(count int, at int64, outcome wire.Outcome) {
	for ; count > 0 && len(s.levels) > 0; count-- {
		v := s.levels[len(s.levels)-1]
		if v.op != nil {
			v.op.end, v.op.outcome = at, outcome
			s.ended(v.op)
		}
		s.levels = s.levels[:len(s.levels)-1]
	}
}

// lives finds the end of every location and prolongs its last level to it.
func (n *analysis) lives() {
	ends := make([]int64, len(n.defs.Processes))
	n.ends = ends
	for i := range ends {
		ends[i] = n.defs.Processes[i].End
	}
	for i, l := range n.locations {
		if len(l.events) > 0 {
			p := n.defs.Locations[i].Process
			ends[p] = max(ends[p], l.events[len(l.events)-1].Time)
		}
	}
	main := n.mains()
	for i, l := range n.locations {
		if len(l.events) == 0 {
			continue
		}
		p := n.defs.Locations[i].Process
		l.cut = !l.endEvent && (l.events[len(l.events)-1].Kind == wire.Lost || n.untold(p))
		if l.endEvent || !n.complete || l.cut || (len(l.levels) == 0 && main[p] != l) {
			continue
		}
		n.prolong(l, ends[p])
	}
	for _, o := range n.ops {
		for _, p := range o.loc.steps {
			if p.op == o {
				o.own += p.to - p.from
			}
		}
	}
}

// untold says whether a process lost more events than its locations tell.
func (n *analysis) untold(p int) bool {
	told := uint64(0)
	for i, l := range n.locations {
		for _, e := range l.events[:l.used] {
			if n.defs.Locations[i].Process == p && e.Kind == wire.Lost {
				told += e.Word
			}
		}
	}
	return n.defs.Processes[p].Warnings["events lost"] > told
}

// prolong lets l live to the given end, in the level that is innermost at its last event.
func (n *analysis) prolong(l *location, end int64) {
	from := l.events[len(l.events)-1].Time
	s := &scanner{n: n, l: l, levels: l.levels, does: l.does, gaveUp: l.gaveUp, several: l.several}
	s.step(from, end, false)
	l.end = end
	for _, v := range l.levels {
		if v.op != nil {
			v.op.end = end
		}
	}
}

// mains returns the main location of every process.
func (n *analysis) mains() []*location {
	main := make([]*location, len(n.defs.Processes))
	for p := range main {
		main[p] = n.mainOf(p)
	}
	return main
}

// mainOf is goroutine 1 of a process, nil if it has no events.
func (n *analysis) mainOf(p int) *location {
	for i, l := range n.locations {
		if n.defs.Locations[i].Process == p && len(l.events) > 0 && n.defs.Locations[i].GoID == 1 {
			return l
		}
	}
	return nil
}

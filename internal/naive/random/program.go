package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Trace returns the trace of a random program. The same seed gives the same trace.
func Trace(seed uint64) string { return trace(seed, 0) }

// Damaged returns such a trace with events missing, repeated or in the wrong place.
func Damaged(seed uint64) string { return trace(seed, 4) }

func trace(seed uint64, damages int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for _, prefix := range []string{"", "x"} {
		if prefix != "" {
			if r.IntN(6) > 0 {
				break
			}
			b.WriteString("process p2 parent main pid 7\n")
		}
		p := simulate(r, rand.New(rand.NewPCG(seed, 4)).IntN(3) == 0, rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 3)), prefix)
		for range damages {
			p.damage(p.procs[r.IntN(len(p.procs))])
		}
		p.write(&b)
	}
	return b.String()
}

// program is a world with objects in it.
type program struct {
	*world
	channels  []*channel
	mutexes   []*lock
	rwlocks   []*lock
	groups    []*group
	conds     []*cond
	onces     []*once
	barriers  []*barrier
	streams   []*stream
	contends  bool // for locks
	creations int
	recording *rand.Rand
	counters  bool  // regions are sampled
	states    bool  // it tells what its goroutines do
	silent    bool  // goroutine 1 records nothing
	plain     bool  // most creations are not recorded
	untold    int   // events lost of which no stream tells
	end       int64 // of the process if it is recorded, else 0
	grain     int64 // of the times, ns
}

// simulate runs a program. What it records of itself is drawn from other sources, so that it does not change what it does.
func simulate(r *rand.Rand, contends bool, recording, numbering *rand.Rand, prefix string) *program {
	w := &world{Rand: r, prefix: prefix, now: int64(r.IntN(3)), ties: r.IntN(4) == 0}
	if r.IntN(3) == 0 {
		w.slack = 1 + r.IntN(4)
	}
	p := &program{world: w, contends: contends, creations: 2 + r.IntN(7), counters: r.IntN(4) == 0, grain: []int64{1, 1, 8, 32}[r.IntN(4)]}
	p.recording, p.silent = recording, recording.IntN(6) == 0
	p.plain = p.silent || recording.IntN(4) == 0
	if numbering.IntN(2) == 0 {
		w.numbering, w.partly = numbering, numbering.IntN(2) == 0
	}
	p.makeObjects()
	w.spawn(prefix+"main", 0, func(m *proc) { p.routine(m, "main", true) })
	w.run(p.rescue)
	if w.chance(15) {
		p.cut(w.procs[0].lines[0].at + r.Int64N(w.now+1))
	}
	if w.chance(20) {
		for range 1 + r.IntN(3) {
			p.lose(w.procs[r.IntN(len(w.procs))])
		}
	}
	p.states = recording.IntN(3) == 0
	if recording.IntN(3) == 0 {
		p.end = w.now + recording.Int64N(20)
	}
	for recording.IntN(12) == 0 {
		p.miss(w.procs[recording.IntN(len(w.procs))])
	}
	return p
}

func (p *program) name(kind string, i int) string { return fmt.Sprintf("%s%s%d", p.prefix, kind, i) }

func (p *program) makeObjects() {
	for i := range 1 + p.IntN(3) {
		p.channels = append(p.channels, &channel{name: p.name("ch", i), size: p.IntN(4), timer: p.recording.IntN(6) == 0})
		if p.numbering != nil { // the recording may begin later
			p.channels[i].used = p.numbering.IntN(p.channels[i].size + 1)
		}
	}
	for i := range 1 + p.IntN(2) {
		p.mutexes = append(p.mutexes, &lock{name: p.name("m", i)})
		p.rwlocks = append(p.rwlocks, &lock{name: p.name("rw", i)})
		p.groups = append(p.groups, &group{name: p.name("wg", i)})
		p.conds = append(p.conds, &cond{name: p.name("c", i), l: p.mutexes[p.IntN(len(p.mutexes))]})
		p.onces = append(p.onces, &once{name: p.name("o", i)})
		p.barriers = append(p.barriers, &barrier{name: p.name("b", i), size: 1 + p.IntN(3)})
	}
	interrupted := &interruptions{name: p.name("i", 0)}
	for i := range 1 + p.IntN(2) {
		p.streams = append(p.streams, &stream{name: p.name("s", i), interrupted: interrupted})
	}
}

// routine is what a goroutine does: random actions inside a region.
func (p *program) routine(m *proc, name string, root bool) {
	if !root && p.chance(85) {
		m.pass(p.IntN(4))
	}
	m.open("enter %s", name)
	m.within(func() {
		for root && p.chance(70) {
			p.start(m)
		}
		for range 2 + p.IntN(9) {
			m.pass(p.IntN(12))
			p.act(m, 0)
		}
		m.pass(p.IntN(12))
	}, m.exit)
	if p.chance(20) {
		m.pass(p.IntN(9))
	}
}

// start creates a goroutine, sometimes one whose creation is not recorded.
func (p *program) start(m *proc) {
	if p.creations == 0 {
		return
	}
	p.creations--
	name := p.name("w", len(p.procs))
	i := p.IntN(2)
	role, first := []string{"worker", "helper"}[i], []string{"work", "help"}[i]
	recorded, ends := p.chance(85), p.chance(85)
	var in *group
	if p.chance(50) {
		in = pick(p, p.groups)
		m.add(in, 1)
	}
	if recorded {
		site := m.site()
		if recorded = !p.plain || p.recording.IntN(5) == 0; recorded {
			m.emit(0, "create %s %s", name, site)
		}
	}
	p.spawn(name, int64(p.IntN(8)), func(q *proc) {
		if recorded {
			q.emit(0, "begin %s by %s%s", role, m.name, []string{"", " @rpc.go:1(net/rpc.(*Client).input)"}[i])
		}
		p.routine(q, first, false)
		if in != nil {
			q.done(in)
		}
		if recorded && ends {
			q.emit(0, "end")
		}
	})
}

func pick[T any](p *program, from []T) T { return from[p.IntN(len(from))] }

// action is something that a goroutine can do, and how often it does.
type action struct {
	weight int
	do     func(p *program, m *proc, depth int)
}

// actions are those of most programs, contending those of programs that do little but rest and wait for locks.
var actions, contending []action

func init() {
	contending = []action{
		{4, (*program).region},
		{4, (*program).sleep},
		{4, func(p *program, m *proc, d int) { p.critical(m, pick(p, p.mutexes[:1]), false, d) }},
		{2, func(p *program, m *proc, d int) { p.critical(m, pick(p, p.rwlocks[:1]), p.chance(70), d) }},
		{1, func(p *program, m *proc, _ int) { p.start(m) }},
		{1, func(p *program, m *proc, _ int) { m.communicate(pick(p, p.channels), p.chance(50)) }},
	}
	actions = []action{
		{10, (*program).region},
		{12, func(p *program, m *proc, _ int) { m.communicate(pick(p, p.channels), true) }},
		{12, func(p *program, m *proc, _ int) { m.communicate(pick(p, p.channels), false) }},
		{1, func(p *program, m *proc, _ int) { m.closeChannel(pick(p, p.channels)) }},
		{6, func(p *program, m *proc, _ int) { p.selects(m) }},
		{12, func(p *program, m *proc, d int) { p.critical(m, pick(p, p.mutexes), false, d) }},
		{6, func(p *program, m *proc, d int) { p.critical(m, pick(p, p.rwlocks), true, d) }},
		{4, func(p *program, m *proc, d int) { p.critical(m, pick(p, p.rwlocks), false, d) }},
		{4, func(p *program, m *proc, _ int) { m.join(pick(p, p.groups)) }},
		{3, func(p *program, m *proc, _ int) { p.waitCond(m) }},
		{6, func(p *program, m *proc, _ int) { m.notify(pick(p, p.conds), p.chance(30)) }},
		{4, func(p *program, m *proc, d int) { m.doOnce(pick(p, p.onces), func() { p.nested(m, d) }) }},
		{4, func(p *program, m *proc, _ int) { m.meet(pick(p, p.barriers)) }},
		{5, (*program).sleep},
		{4, func(p *program, m *proc, _ int) { m.write(pick(p, p.streams), p.IntN(10) > 0) }},
		{4, func(p *program, m *proc, _ int) { m.read(pick(p, p.streams)) }},
		{3, func(p *program, m *proc, _ int) { m.interrupt(pick(p, p.streams)) }},
		{12, func(p *program, m *proc, _ int) { p.start(m) }},
		{2, func(p *program, m *proc, _ int) { m.pass(3); m.emit(0, "overhead %d", 1+p.IntN(3)) }},
		{1, (*program).stuck},
		{2, func(p *program, m *proc, _ int) { m.emit(0, "sample depth%d %d", p.IntN(2), p.IntN(9)) }},
		{2, func(p *program, m *proc, _ int) { m.emit(0, "sample %s %d", p.name("depth", p.IntN(2)), p.IntN(9)) }},
	}
}

func (p *program) act(m *proc, depth int) {
	from, total := actions, 0
	if p.contends {
		from = contending
	}
	for _, a := range from {
		total += a.weight
	}
	n := p.IntN(total)
	for _, a := range from {
		if n -= a.weight; n < 0 {
			a.do(p, m, depth)
			return
		}
	}
}

// nested does a few things one level deeper.
func (p *program) nested(m *proc, depth int) {
	for range p.IntN(3) {
		m.pass(p.IntN(8))
		if depth < 3 {
			p.act(m, depth+1)
		}
	}
	m.pass(p.IntN(30))
}

func (p *program) region(m *proc, depth int) {
	m.open("enter %s", []string{"a", "b", "c"}[p.IntN(3)])
	m.within(func() { p.nested(m, depth) }, m.exit)
}

func (p *program) sleep(m *proc, _ int) {
	if p.recording.IntN(3) > 0 {
		m.open("sleep %s", m.site())
	} else if m.open("network %s", m.site()); p.recording.IntN(4) > 0 {
		m.emit(0, "blocked")
	}
	m.pass(p.IntN(20))
	m.leave("")
}

// stuck waits for nothing, for ever.
func (p *program) stuck(m *proc, _ int) {
	if p.chance(80) {
		return
	}
	m.open("%s nil %s", []string{"send", "recv"}[p.IntN(2)], m.site())
	m.emit(0, "blocked")
	m.park()
}

func (p *program) critical(m *proc, l *lock, shared bool, depth int) {
	if m.locks > 0 && p.chance(80) {
		return // seldom nest locks: it soon ends in a deadlock
	}
	if m.acquire(l, shared, p.chance(15)) {
		if p.chance(30) {
			p.nested(m, depth)
		} else {
			m.pass(p.IntN(30))
		}
		m.release(l, shared)
	}
}

func (p *program) waitCond(m *proc) {
	if m.locks > 0 {
		return
	}
	c := pick(p, p.conds)
	m.acquire(c.l, false, false)
	m.pass(p.IntN(5))
	m.awaitCond(c)
	m.pass(p.IntN(5))
	m.release(c.l, false)
}

func (p *program) selects(m *proc) {
	n := 1 + p.IntN(len(p.channels))
	send := make([]bool, n)
	for i := range send {
		send[i] = p.chance(50)
	}
	m.choose(p.channels[:n], send, p.chance(30), p.chance(10))
}

// rescue ends a wait from outside, as an operation that is not instrumented or a context would. Sometimes
// it refuses, and the program stays blocked.
func (p *program) rescue() bool {
	if p.chance(15) {
		return false
	}
	var waiting []*proc
	for _, q := range p.procs {
		if q.cancel != nil {
			waiting = append(waiting, q)
		}
	}
	if len(waiting) == 0 {
		return false
	}
	p.now += int64(p.IntN(20))
	q := pick(p, waiting)
	q.cancel()
	q.wake(outside)
	return true
}

// cut drops all events after a time, as when the program is killed.
func (p *program) cut(at int64) {
	for _, q := range p.procs {
		q.lines = slices.DeleteFunc(q.lines, func(l line) bool { return l.at > at })
	}
}

// lose replaces a random part of a stream by a record of the loss.
func (p *program) lose(q *proc) {
	if len(q.lines) < 6 {
		return
	}
	from := 1 + p.IntN(len(q.lines)-2)
	depth, low, to, back := 0, 0, from, 0
	for i := from; i < min(len(q.lines)-1, from+8); i++ {
		depth += q.lines[i].level
		low = min(low, depth)
		if depth == low && q.lines[i].text != "end" {
			to, back = i+1, -low
		}
	}
	if to == from {
		return
	}
	lost := line{q.lines[to-1].at, fmt.Sprintf("lost %d %d", to-from, back), -back}
	q.lines = slices.Replace(q.lines, from, to, lost)
}

// miss replaces the end or the begin of a stream by a record of the loss, or drops the end without one.
func (p *program) miss(q *proc) {
	if len(q.lines) < 2 {
		return
	}
	k, depth := 1+p.recording.IntN(len(q.lines)-1), 0
	for _, l := range q.lines[:k] {
		depth += l.level
	}
	switch p.recording.IntN(3) {
	case 0:
		last := line{q.lines[len(q.lines)-1].at, fmt.Sprintf("lost %d %d", len(q.lines)-k, min(depth, p.recording.IntN(2))), 0}
		q.lines = append(q.lines[:k], last)
	case 1:
		for ; depth > 0 && k < len(q.lines); k++ { // it is recorded again where none is open that is not
			depth += q.lines[k].level
		}
		q.lines = q.lines[k-1:]
		q.lines[0] = line{q.lines[0].at, fmt.Sprintf("lost %d 0", k), 0}
	default:
		p.untold += 100 * len(q.lines) // more than others can tell
		q.lines = q.lines[:k]
	}
}

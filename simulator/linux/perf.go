//go:build linux

package linux

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/internal/perfevent"
	"tracerec/simulator/pmu"
)

// perf is what the kernel does with the machine's performance monitoring unit: events that guests opened are on counters
// while their thread, or whatever runs on their processor, executes. Nothing of it takes time or disturbs what is counted.
type perf struct {
	k       *Kernel
	unit    *pmu.PMU
	source  pmu.Source
	counted []pmu.Event
	cpus    []perfCPU
	opened  uint64            // events ever
	at      int               // the processor that does something
	files   map[string]string // that tell of the unit, once they were needed
}

// perfCPU is the unit of a processor.
type perfCPU struct {
	own    perfContext // events of the processor, whatever runs there
	thread *thread     // whose events are on counters beside those, nil if none's
	active []*event    // what counts
	dirty  bool        // which groups are on counters is to be decided again
	seen   int64       // the processor's time up to which contexts know theirs
	rotate int64       // when groups take turns, 0 if none has to wait
}

// perfContext is the events of a thread or of a processor.
type perfContext struct {
	groups []*event // their leaders, in the order in which they are tried
	now    int64    // ns that it was on a processor
	waits  bool     // a group does not fit beside those before it
	cpu    int      // where it was last, -1 nowhere
	thread int      // 0: a processor's
}

func newPerf(k *Kernel) (*perf, error) {
	if k.o.PMU == nil {
		return nil, nil
	}
	source := k.o.Counting
	if source == nil {
		source, _ = k.o.Observer.(pmu.Source)
	}
	if source == nil {
		return nil, errors.New("a PMU needs something that counts: Options.Counting")
	}
	if err := k.o.PMU.Check(); err != nil {
		return nil, fmt.Errorf("PMU: %w", err)
	}
	m := &perf{k: k, unit: k.o.PMU, source: source, counted: source.PMUEvents(), cpus: make([]perfCPU, len(k.cpus))}
	for i := range m.cpus {
		m.cpus[i].own.cpu = i
	}
	return m, nil
}

// catchUp tells a processor's context its time; what passed since then, nothing ran.
func (m *perf) catchUp(number int) {
	u, clock := &m.cpus[number], m.k.cpus[number].clock
	u.own.now += clock - u.seen
	u.seen = clock
}

// advance tells the contexts of a processor that its thread ran until now.
func (m *perf) advance(number int) {
	u := &m.cpus[number]
	if u.thread != nil {
		u.thread.events.now += m.k.cpus[number].clock - u.seen
	}
	m.catchUp(number)
}

// enter is called before a thread executes instructions on a processor. It returns how many, so that none overflows unseen.
func (m *perf) enter(number int, t *thread, budget int64) int64 {
	u := &m.cpus[number]
	m.at = number
	m.catchUp(number)
	if u.thread != t {
		m.switchTo(number, t)
	}
	clock := m.k.cpus[number].clock
	if waits := u.own.waits || t.events.waits; waits && u.rotate > 0 && clock >= u.rotate {
		u.own.turn()
		t.events.turn()
		u.rotate, u.dirty = clock+m.unit.Rotation, true
	}
	if u.dirty {
		m.schedule(number)
	}
	if u.own.waits || t.events.waits {
		if u.rotate == 0 {
			u.rotate = clock + m.unit.Rotation
		}
		budget = min(budget, max(1, u.rotate-clock))
	}
	for _, e := range u.active {
		if e.code != 0 {
			e.before = e.reading()
		}
		budget = min(budget, e.safe())
	}
	return budget
}

// ran is called after it has executed n, and before anything comes of why it stopped; pc was that of the first.
func (m *perf) ran(number int, pc uint64, n int64) {
	u := &m.cpus[number]
	m.advance(number)
	if len(u.active) == 0 {
		return
	}
	for _, e := range slices.Clone(u.active) {
		switch {
		case e.state != eventActive:
		case e.code != 0:
			now := e.reading()
			if n > 1 && e.attr.Period > 0 && int64(now-e.before) >= e.left {
				m.k.failure = &Fatal{pc, fmt.Sprintf("event %#x happened more often than its source says is possible", e.code)}
			}
			e.add(now-e.before, pc)
			e.before = now
		case e.isClock():
			e.account()
			e.expire()
		}
	}
}

// afterStop is called after something came of why a thread stopped: it may wait now, or be gone.
func (m *perf) afterStop(number int) {
	u := &m.cpus[number]
	if u.thread == nil {
		return
	}
	m.advance(number)
	for _, e := range u.active {
		if e.state == eventActive && e.isClock() {
			e.account()
			e.expire()
		}
	}
	if u.thread.state != running {
		m.switchFrom(number)
	}
}

// switchTo puts the events of a thread on counters, in place of those of another one.
func (m *perf) switchTo(number int, t *thread) {
	u := &m.cpus[number]
	if u.thread != nil {
		m.switchFrom(number)
	}
	from := t.events.cpu
	if from >= 0 && m.cpus[from].thread == t {
		m.switchFrom(from)
	}
	u.thread, u.dirty, t.events.cpu = t, true, number
	if from >= 0 && from != number {
		m.schedule(number)
		m.happened(number, perfevent.Migrations, t.hart.PC)
	}
}

// switchFrom takes the events of the thread at hand off the counters.
func (m *perf) switchFrom(number int) {
	m.happened(number, perfevent.ContextSwitches, m.cpus[number].thread.hart.PC)
	m.takeOff(number)
}

// takeOff is switchFrom without counting it.
func (m *perf) takeOff(number int) {
	u := &m.cpus[number]
	for _, e := range u.active {
		if e.context == &u.thread.events {
			e.set(eventInactive)
		}
	}
	u.active = slices.DeleteFunc(u.active, func(e *event) bool { return e.state != eventActive })
	u.thread, u.dirty = nil, true
}

// happened counts what the kernel itself did, or saw.
func (m *perf) happened(number int, config uint64, pc uint64) {
	for _, e := range slices.Clone(m.cpus[number].active) {
		inKernel := config != perfevent.PageFaults
		if e.state == eventActive && e.code == 0 && e.attr.Config == config && !e.attr.Is(excludes(inKernel)) {
			e.add(1, pc)
		}
	}
}

// excludes returns the flag that excludes a mode.
func excludes(kernel bool) uint64 {
	if kernel {
		return perfevent.FlagExcludeKernel
	}
	return perfevent.FlagExcludeUser
}

// pageFault counts an access to memory that was not permitted: the only faults that the kernel here sees.
func (t *thread) pageFault() {
	if m := t.k.perf; m != nil && t.events.cpu >= 0 {
		m.happened(t.events.cpu, perfevent.PageFaults, t.hart.PC)
	}
}

// touch has it decided again which groups are on counters, where a context's may be.
func (m *perf) touch(x *perfContext) {
	for i := range m.cpus {
		if u := &m.cpus[i]; x == &u.own || u.thread != nil && x == &u.thread.events {
			u.dirty = true
		}
	}
}

// turn puts the first group that may have to wait behind the others.
func (x *perfContext) turn() {
	if !x.waits {
		return
	}
	i := slices.IndexFunc(x.groups, func(e *event) bool {
		return !e.attr.Is(perfevent.FlagPinned) && e.state >= eventInactive && len(e.masks()) > 0
	})
	if i >= 0 {
		e := x.groups[i]
		x.groups = append(slices.Delete(x.groups, i, i+1), e)
	}
}

// candidates returns the leaders of the groups that can be on the counters of a processor, in the order in which they are
// tried: first those that are pinned, of the processor before those of the thread, then the others.
func (m *perf) candidates(number int) (leaders []*event, groups []pmu.Group) {
	u := &m.cpus[number]
	contexts := []*perfContext{&u.own}
	if u.thread != nil {
		contexts = append(contexts, &u.thread.events)
	}
	class := 0
	for _, pinned := range []bool{true, false} {
		for _, x := range contexts {
			for _, e := range x.groups {
				if e.attr.Is(perfevent.FlagPinned) == pinned && e.state >= eventInactive && (e.cpu < 0 || e.cpu == number) {
					leaders = append(leaders, e)
					groups = append(groups, pmu.Group{Masks: e.masks(), Class: class, Exclusive: e.attr.Is(perfevent.FlagExclusive)})
				}
			}
			x.waits = false
			class++
		}
	}
	return leaders, groups
}

// schedule decides which groups are on the counters of a processor.
func (m *perf) schedule(number int) {
	u := &m.cpus[number]
	u.dirty = false
	leaders, groups := m.candidates(number)
	on := pmu.Schedule(groups)
	old := u.active
	u.active = nil
	for i, e := range leaders {
		for _, o := range e.group() {
			if on[i] && o.state >= eventInactive {
				u.active = append(u.active, o)
			}
		}
	}
	for _, e := range old {
		if e.state == eventActive && !slices.Contains(u.active, e) {
			e.set(eventInactive)
		}
	}
	for _, e := range u.active {
		e.set(eventActive)
	}
	for i, e := range leaders {
		switch {
		case on[i]:
		case e.attr.Is(perfevent.FlagPinned):
			e.set(eventFailed)
		default:
			e.context.waits = true
		}
	}
}

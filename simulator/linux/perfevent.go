//go:build linux

package linux

import (
	"slices"
	"syscall"

	"tracerec/internal/perfevent"
	"tracerec/simulator/pmu"
)

// event is one that a guest opened, or one that another thread inherited.
type event struct {
	perf    *perf
	attr    perfevent.Attr
	id      uint64
	cpu     int          // the only processor on which it counts, -1 if any
	context *perfContext // whose it is, nil when that is gone
	target  int          // the thread that it is for, 0 for a processor
	leader  *event
	members []*event // of a leader: the others
	code    uint64   // of the source; 0: the kernel itself counts it
	mask    uint64   // counters that it fits on
	most    uint64   // that one instruction adds

	state            eventState
	count, before    uint64 // before: the source's value that is in the count
	enabled, running int64  // ns, up to stamp
	stamp            int64  // of the context's time
	left             int64  // events until it overflows
	refresh          int    // overflows until it is disabled, 0 any number

	parent        *event // that it was inherited from
	children      []*event
	endedChildren totals // of children that have ended

	buffer *buffer
	maps   bool   // it was mapped for this event
	lost   uint64 // samples
	owner  owner
}

// totals is what an event counted, and in which time, ns.
type totals struct {
	count            uint64
	enabled, running int64
}

type eventState uint8

const (
	eventDead     eventState = iota // its thread has ended
	eventFailed                     // pinned, and there was no counter for it
	eventOff                        // disabled
	eventInactive                   // enabled, but its thread does not run, or it waits for its turn
	eventActive
)

func (e *event) isClock() bool { return e.code == 0 && e.attr.Config <= perfevent.TaskClock }

// group returns the leader of a group and the other events in it.
func (e *event) group() []*event { return append([]*event{e}, e.members...) }

// masks returns the counters that the group of a leader needs.
func (e *event) masks() (masks []uint64) {
	for _, o := range e.group() {
		if o.code != 0 && o.state >= eventInactive {
			masks = append(masks, o.mask)
		}
	}
	return masks
}

// reading returns what the source says of the thread at hand.
func (e *event) reading() uint64 {
	user, kernel := e.perf.source.Count(e.code)
	if e.attr.Is(perfevent.FlagExcludeUser) {
		user = 0
	}
	if e.attr.Is(perfevent.FlagExcludeKernel) {
		kernel = 0
	}
	return user + kernel
}

// account brings the times up to date, and what is counted by time. A group of which the leader is disabled is.
func (e *event) account() {
	if e.context == nil {
		return
	}
	d := e.context.now - e.stamp
	e.stamp = e.context.now
	if e.state < eventInactive || e.leader.state < eventInactive {
		return
	}
	e.enabled += d
	if e.state != eventActive {
		return
	}
	e.running += d
	if e.isClock() {
		e.count += uint64(d)
		e.left -= d
	}
}

func (e *event) set(s eventState) {
	e.account()
	e.state = s
}

// enable begins to count, or counts again after an error.
func (e *event) enable() {
	if e.state != eventOff && e.state != eventFailed {
		return
	}
	for _, o := range e.group() { // whose time counts from now on
		o.account()
	}
	e.set(eventInactive)
	e.perf.touch(e.context)
}

func (e *event) disable() {
	if e.state < eventInactive {
		if e.state == eventFailed {
			e.state = eventOff
		}
		return
	}
	for _, o := range e.leader.group() {
		o.account()
	}
	e.set(eventOff)
	if e.leader == e {
		for _, o := range e.members {
			if o.state == eventActive {
				o.set(eventInactive)
			}
		}
	}
	e.perf.touch(e.context)
}

// everywhere does something to an event and to those that were inherited from it.
func (e *event) everywhere(do func(e *event)) {
	do(e)
	for _, c := range e.children {
		do(c)
	}
}

// total returns what the event and those inherited from it counted.
func (e *event) total() totals {
	t := e.endedChildren
	e.everywhere(func(e *event) {
		if e.context != nil && e.context.thread == 0 {
			e.perf.catchUp(e.context.cpu)
		}
		e.account()
		t.count += e.count
		t.enabled += e.enabled
		t.running += e.running
	})
	if u := e.perf.unit; u.Narrow && e.code != 0 && u.Bits < 64 {
		t.count &= 1<<u.Bits - 1
	}
	return t
}

// values returns what a read gets: of the event, or of its group.
func (e *event) values() (words []uint64) {
	times := func(t totals) {
		if e.attr.Format&perfevent.FormatEnabled != 0 {
			words = append(words, uint64(t.enabled))
		}
		if e.attr.Format&perfevent.FormatRunning != 0 {
			words = append(words, uint64(t.running))
		}
	}
	extra := func(o *event) {
		if e.attr.Format&perfevent.FormatID != 0 {
			words = append(words, o.id)
		}
		if e.attr.Format&perfevent.FormatLost != 0 {
			words = append(words, o.lost)
		}
	}
	if e.attr.Format&perfevent.FormatGroup == 0 {
		t := e.total()
		words = append(words, t.count)
		times(t)
		extra(e)
		return words
	}
	group := e.leader.group()
	words = append(words, uint64(len(group)))
	times(e.leader.total())
	for _, o := range group {
		words = append(words, o.total().count)
		extra(o)
	}
	return words
}

func (e *event) read(b []byte) (int, errno) {
	e.perf.advance(e.perf.at)
	if e.state == eventFailed || e.leader.state == eventFailed && e.attr.Format&perfevent.FormatGroup != 0 {
		return 0, 0
	}
	words := e.values()
	if len(b) < 8*len(words) {
		return 0, syscall.ENOSPC
	}
	for i, w := range words {
		putUint64(b[8*i:], w)
	}
	return 8 * len(words), 0
}

func (*event) write([]byte) (int, errno) { return 0, syscall.EINVAL }

// attach puts an event into its context, in a group or as the leader of one.
func (e *event) attach(x *perfContext, leader *event) {
	e.context, e.stamp = x, x.now
	if leader != nil {
		e.leader = leader
		leader.members = append(leader.members, e)
	} else {
		e.leader = e
		x.groups = append(x.groups, e)
	}
	e.perf.touch(x)
}

// detach takes an event out of its context and its group; the others of the group count on, each by itself.
func (e *event) detach() {
	is := func(o *event) bool { return o == e }
	for _, o := range e.leader.group() {
		o.account()
	}
	if e.leader != e {
		e.leader.members = slices.DeleteFunc(e.leader.members, is)
	} else if e.context != nil {
		e.context.groups = slices.DeleteFunc(e.context.groups, is)
	}
	for _, o := range e.members {
		if o.leader = o; o.context != nil {
			o.context.groups = append(o.context.groups, o)
		}
	}
	e.members = nil
	e.leave()
}

// leave ends what an event has to do with its thread.
func (e *event) leave() {
	e.set(eventDead)
	if e.context != nil {
		e.perf.touch(e.context)
		e.context = nil
	}
}

func (e *event) close() {
	for _, c := range slices.Clone(e.children) {
		c.detach()
	}
	e.children = nil
	e.detach()
	e.owner = owner{}
	e.unmap()
}

// inherited returns the event that a thread gets of one of its creator's.
func (e *event) inherited(x *perfContext, leader *event) *event {
	of := e
	if e.parent != nil {
		of = e.parent
	}
	c := &event{perf: e.perf, attr: of.attr, cpu: e.cpu, target: x.thread, code: e.code, mask: e.mask, most: e.most, state: eventOff,
		left: int64(of.attr.Period), parent: of}
	e.perf.opened++
	c.id = e.perf.opened
	if e.state >= eventInactive {
		c.state = eventInactive
	}
	c.attach(x, leader)
	of.children = append(of.children, c)
	return c
}

// inherit gives a new thread the events that its creator has for it.
func (t *thread) inherit(n *thread, sameProcess bool) {
	if t.k.perf == nil {
		return
	}
	for _, e := range slices.Clone(t.events.groups) {
		if !e.attr.Is(perfevent.FlagInherit) || e.attr.Is(perfevent.FlagInheritThread) && !sameProcess {
			continue
		}
		leader := e.inherited(&n.events, nil)
		for _, o := range e.members {
			o.inherited(&n.events, leader)
		}
	}
}

// leaveEvents ends the events of a thread that has ended: what inherited ones counted goes to those that they are from.
func (t *thread) leaveEvents() {
	m := t.k.perf
	if m == nil {
		return
	}
	for i := range m.cpus {
		if m.cpus[i].thread == t {
			m.advance(i)
			m.switchFrom(i)
		}
	}
	for _, leader := range slices.Clone(t.events.groups) {
		group := leader.group()
		for _, e := range group {
			e.account()
		}
		for _, e := range group {
			e.leave()
			if of := e.parent; of != nil {
				of.endedChildren.count += e.count
				of.endedChildren.enabled += e.enabled
				of.endedChildren.running += e.running
				of.children = slices.DeleteFunc(of.children, func(o *event) bool { return o == e })
			}
		}
	}
	t.events.groups = nil
	t.k.changed = true // who polls them is to know
}

// takeEvents takes the events of a thread, for the one that goes on for it with another program.
func (t *thread) takeEvents() perfContext {
	if m := t.k.perf; m != nil {
		for i := range m.cpus {
			if m.cpus[i].thread == t {
				m.advance(i)
				m.takeOff(i)
			}
		}
	}
	events := t.events
	t.events = perfContext{cpu: -1}
	return events
}

// giveEvents gives them to it, and enables those that wait for that.
func (t *thread) giveEvents(events perfContext) {
	t.events = events
	t.events.thread = t.id
	for _, leader := range events.groups {
		for _, e := range leader.group() {
			e.context = &t.events
			if e.attr.Is(perfevent.FlagEnableOnExec) {
				e.attr.Flags &^= perfevent.FlagEnableOnExec
				e.enable()
			}
		}
	}
}

// resolve tells what the event's code means; the error is the kernel's.
func (e *event) resolve() errno {
	m := e.perf
	switch e.attr.Type {
	case perfevent.Software:
		if e.attr.Config >= perfevent.SoftwareCodes {
			return syscall.ENOENT
		}
		return 0
	case perfevent.Hardware, perfevent.Cache, perfevent.Raw:
		found, err := pmu.Resolve(m.counted, e.attr.Type, e.attr.Config)
		if err == pmu.ErrNone {
			return syscall.ENOENT
		} else if err != nil {
			return syscall.EINVAL
		}
		e.code, e.mask, e.most = found.Code, m.unit.Mask(found.Name), max(1, m.source.Most(found.Code))
		return 0
	}
	return syscall.ENOENT
}

//go:build linux

package linux

import (
	"math/bits"
	"slices"
	"syscall"

	"tracerec/internal/perfevent"
	"tracerec/simulator/memory"
	"tracerec/simulator/pmu"
)

// perfEventOpen is the number of the call, which is refused on machines without a PMU.
const perfEventOpen = 241

// openEvent is perf_event_open. Errors are Linux's, and come in its order.
func openEvent(t *thread, a [6]uint64) (int64, errno) {
	attr, err := t.permittedAttr(a[0], a[4])
	if err != 0 {
		return 0, err
	}
	if !t.p.files.room() {
		return 0, syscall.EMFILE
	}
	e := &event{perf: t.k.perf, attr: attr, cpu: int(int32(a[2])), state: eventOff, left: int64(attr.Period)}
	if err := t.place(e, int(int32(a[1])), a[3], a[4]); err != 0 {
		return 0, err
	}
	flag := uint64(0)
	if a[4]&perfevent.OpenCloseExec != 0 {
		flag = oCloseExec
	}
	return t.p.files.add(&open{file: e, flags: oReadWrite, path: "anon_inode:[perf_event]"}, 0, flag)
}

// permittedAttr reads what is asked for, and tells whether it can be at all.
func (t *thread) permittedAttr(at, flags uint64) (attr perfevent.Attr, err errno) {
	if flags&^(perfevent.OpenNoGroup|perfevent.OpenOutput|perfevent.OpenCgroup|perfevent.OpenCloseExec) != 0 {
		return attr, syscall.EINVAL
	}
	attr, err = t.p.readAttr(at)
	switch {
	case err != 0:
	case t.k.perf.unit.Paranoid > 1 && !attr.Is(perfevent.FlagExcludeKernel):
		err = syscall.EACCES
	case attr.Is(perfevent.FlagFrequency):
		err = syscall.EOPNOTSUPP
	case flags&perfevent.OpenCgroup != 0:
		err = syscall.EINVAL
	}
	return attr, err
}

// place puts an event where it is to count, and in a group if it is to be in one.
func (t *thread) place(e *event, pid int, group, flags uint64) errno {
	leader, err := t.eventOf(group)
	if err != 0 {
		return err
	}
	output := leader
	if flags&perfevent.OpenNoGroup != 0 {
		leader = nil
	}
	x, err := t.contextFor(e, pid)
	if err == 0 {
		err = e.fits(leader, x)
	}
	if err == 0 && flags&perfevent.OpenOutput != 0 && output != nil {
		err = e.redirect(output)
	}
	if err != 0 {
		return err
	}
	m := e.perf
	m.opened++
	e.id = m.opened
	m.advance(m.at)
	e.attach(x, leader)
	if !e.attr.Is(perfevent.FlagDisabled) {
		e.enable()
	}
	return 0
}

// room tells whether a descriptor is left.
func (f *files) room() bool {
	return uint64(len(f.list)) < f.most || slices.ContainsFunc(f.list, func(d descriptor) bool { return d.open == nil })
}

// eventOf returns the event of a descriptor, nil for -1.
func (t *thread) eventOf(fd uint64) (*event, errno) {
	if int32(fd) == -1 {
		return nil, 0
	}
	o, err := t.p.files.get(fd)
	if err != 0 {
		return nil, err
	}
	e, ok := o.file.(*event)
	if !ok {
		return nil, syscall.EBADF
	}
	return e, 0
}

// contextFor returns whose event it is to be: that of the thread with that number, 0 the calling one, or of a processor.
func (t *thread) contextFor(e *event, pid int) (*perfContext, errno) {
	m := e.perf
	target := t
	if pid > 0 {
		if target = t.k.thread(pid); target == nil {
			return nil, syscall.ESRCH
		}
	}
	switch {
	case pid < -1:
		return nil, syscall.ESRCH
	case pid == -1 && e.cpu < 0, e.cpu < -1, e.cpu >= len(m.cpus):
		return nil, syscall.EINVAL
	case pid == -1 && m.unit.Paranoid > 0:
		return nil, syscall.EACCES
	case pid == -1:
		return &m.cpus[e.cpu].own, 0
	}
	e.target = target.id
	return &target.events, 0
}

// thread returns the thread of that number, nil if there is none.
func (k *Kernel) thread(id int) *thread {
	for _, p := range k.all {
		for _, t := range p.threads {
			if t.id == id {
				return t
			}
		}
	}
	return nil
}

// fits tells whether there is such an event, and whether it can be counted in the group, or at all.
func (e *event) fits(leader *event, x *perfContext) errno {
	if err := e.resolve(); err != 0 {
		return err
	}
	masks := []uint64{e.mask}
	if e.code == 0 {
		masks = nil
	}
	if leader != nil {
		switch {
		case leader.attr.Is(perfevent.FlagInherit) != e.attr.Is(perfevent.FlagInherit), leader.leader != leader, leader.cpu != e.cpu, leader.context != x,
			leader.attr.Flags&perfevent.FlagUseClock != e.attr.Flags&perfevent.FlagUseClock || leader.attr.Clock != e.attr.Clock,
			e.attr.Is(perfevent.FlagPinned | perfevent.FlagExclusive):
			return syscall.EINVAL
		}
		for _, o := range leader.group() {
			if o.code != 0 {
				masks = append(masks, o.mask)
			}
		}
	}
	if !pmu.Fit(masks) {
		return syscall.EINVAL
	}
	return 0
}

// redirect has an event's records written to the buffer of another.
func (e *event) redirect(to *event) errno {
	switch {
	case to == nil:
		e.unmap()
		return 0
	case to == e, to.cpu != e.cpu, to.cpu < 0 && to.target != e.target, e.maps && e.perf.k.mapped(e.buffer.object), to.buffer == nil,
		to.attr.Flags&perfevent.FlagUseClock != e.attr.Flags&perfevent.FlagUseClock || to.attr.Clock != e.attr.Clock:
		return syscall.EINVAL
	}
	e.unmap()
	e.buffer = to.buffer
	e.buffer.users++
	return 0
}

// control is ioctl of an event.
func (e *event) control(t *thread, request, argument uint64) (int64, errno) {
	e.perf.advance(e.perf.at)
	all := []*event{e}
	if argument&perfevent.WholeGroup != 0 {
		all = e.leader.group()
	}
	each := func(do func(e *event)) {
		for _, o := range all {
			o.everywhere(do)
			o.showState()
		}
	}
	switch request {
	case perfevent.IoctlEnable:
		each((*event).enable)
	case perfevent.IoctlDisable:
		each((*event).disable)
	case perfevent.IoctlReset:
		each(func(e *event) { e.account(); e.count = 0 })
	case perfevent.IoctlRefresh:
		if e.attr.Period == 0 || e.attr.Is(perfevent.FlagInherit) {
			return 0, syscall.EINVAL
		}
		e.refresh += int(int32(argument))
		e.enable()
	case perfevent.IoctlPeriod:
		return 0, e.changePeriod(t, argument)
	case perfevent.IoctlSetOutput:
		to, err := t.eventOf(argument)
		if err == 0 {
			err = e.redirect(to)
		}
		return 0, err
	case perfevent.IoctlID:
		return 0, t.p.putWords(argument, e.id)
	case perfevent.IoctlModify:
		return 0, syscall.EOPNOTSUPP
	default:
		return 0, syscall.ENOTTY
	}
	return 0, 0
}

// changePeriod begins to count towards the overflow after another number of events.
func (e *event) changePeriod(t *thread, at uint64) errno {
	w, err := t.p.words(at, 1)
	switch {
	case err != 0:
		return err
	case e.attr.Period == 0 || w[0] == 0 || w[0]>>63 != 0:
		return syscall.EINVAL
	}
	e.everywhere(func(e *event) { e.attr.Period, e.left = w[0], int64(w[0]) })
	return 0
}

// Requests of fcntl that events, and only they, answer.
const (
	setFlags   = 4
	setOwner   = 8
	getOwner   = 9
	setSignal  = 10
	getSignal  = 11
	setOwnerEx = 15
	getOwnerEx = 16
	oAsync     = 0x2000
)

// settings is fcntl of an event; false if it is answered as that of any file.
func (e *event) settings(t *thread, a [6]uint64) (v int64, err errno, ok bool) {
	o := &e.owner
	switch a[1] {
	case setFlags:
		o.asks, o.fd = a[2]&oAsync != 0, a[0]
		return 0, 0, false
	case setOwner:
		if o.kind, o.id = ownerProcess, int(int32(a[2])); o.id < 0 {
			o.kind, o.id = ownerGroup, -o.id
		}
	case getOwner:
		if v = int64(o.id); o.kind == ownerGroup {
			v = -v
		}
	case setSignal:
		if a[2] >= signals {
			return 0, syscall.EINVAL, true
		}
		o.number = int(a[2])
	case getSignal:
		v = int64(o.number)
	case setOwnerEx:
		w, err := t.p.words(a[2], 1)
		if err == 0 && uint32(w[0]) > ownerGroup {
			err = syscall.EINVAL
		}
		if err != 0 {
			return 0, err, true
		}
		o.kind, o.id = int(uint32(w[0])), int(w[0]>>32)
	case getOwnerEx:
		return 0, t.p.putWords(a[2], uint64(o.kind)|uint64(o.id)<<32), true
	default:
		return 0, 0, false
	}
	return v, 0, true
}

// mapping is mmap of an event: its page, and a power of two of pages for records.
func (e *event) mapping(t *thread, size, prot, flags, offset uint64) (*buffer, errno) {
	n := size/memory.PageSize - 1
	switch {
	case flags&mapShared == 0 || offset != 0 || bits.OnesCount64(n) > 1:
		return nil, syscall.EINVAL
	case e.attr.Is(perfevent.FlagInherit) && e.cpu < 0:
		return nil, syscall.EINVAL
	case n > 1<<12 || prot&4 != 0:
		return nil, syscall.EPERM
	}
	if e.buffer != nil && !t.k.mapped(e.buffer.object) {
		e.unmap()
	}
	if e.buffer == nil {
		watch := uint64(0)
		if e.attr.Is(perfevent.FlagWatermark) {
			watch = uint64(e.attr.Wakeup)
		}
		b, err := newBuffer(t.k, n*memory.PageSize, prot&2 != 0, watch)
		if err != 0 {
			return nil, err
		}
		e.buffer = b
	}
	e.maps = true
	if uint64(len(e.buffer.memory)) != size {
		return nil, syscall.EINVAL
	}
	e.perf.advance(e.perf.at)
	e.showState()
	return e.buffer, 0
}

// unmap ends the use of a buffer.
func (e *event) unmap() {
	if e.buffer != nil {
		e.buffer.release()
	}
	e.buffer, e.maps = nil, false
}

// mapped tells whether a process has something mapped.
func (k *Kernel) mapped(object uint64) bool {
	return slices.ContainsFunc(k.all, func(p *process) bool {
		return !p.dead && slices.ContainsFunc(p.space.Regions(), func(r memory.Region) bool { return r.Object == object })
	})
}

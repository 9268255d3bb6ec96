//go:build linux

package linux

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"tracerec/simulator/memory"
)

// family is what a process has to do with others.
type family struct {
	parent         *process // nil for the first, and for those whose parent has ended
	children       []*process
	group, session int
	vfork          *thread // of the parent, that waits for the process to execute a program or to end
	dead           bool
	status         int    // as wait tells it: status<<8, or the signal that ended the process
	childTime      uint64 // instructions of children that were waited for
}

// maxProcesses is how many processes there may be at once.
const maxProcesses = 256

// fork makes a process without threads: a copy of the calling one, or one that shares its memory.
func (t *thread) fork(flags uint64) (*process, errno) {
	const namespaces, pidfd = 0x7e020080, 0x1000
	switch p := t.p; {
	case flags&namespaces != 0:
		return nil, syscall.EPERM
	case flags&pidfd != 0:
		return nil, syscall.EINVAL
	case flags&cloneShares != 0:
		return nil, t.unsupported("a process that shares files or signal handlers", syscall.ENOSYS)
	case len(t.k.all) >= maxProcesses:
		return nil, syscall.EAGAIN
	case flags&cloneVM != 0:
		p.image.users++
		return t.child(p.image), 0
	}
	if !t.k.fits(takes(t.p.space, 0, addresses), 0) {
		return nil, syscall.ENOMEM
	}
	space, err := t.p.space.Copy()
	if err != nil {
		return nil, syscall.ENOMEM
	}
	i := newImage(space)
	i.breakAt, i.least = t.p.breakAt, t.p.least
	return t.child(i), 0
}

func (t *thread) child(i *image) *process {
	p := t.p
	c := &process{image: i, k: t.k, id: t.k.newID(), actions: p.actions, limits: p.limits, program: p.program, dir: p.dir, began: t.k.now(),
		family: family{parent: p, group: p.group, session: p.session}}
	c.files = p.files.copy()
	p.children = append(p.children, c)
	t.k.all = append(t.k.all, c)
	t.k.tell(func(l Lifecycle) { l.Forked(p.id, c.id) })
	return c
}

// execve runs another program in the process.
func execve(t *thread, a [6]uint64) (int64, errno) {
	p := t.p
	file, err := t.find(atWorkingDir&0xffffffff, a[0], true)
	if err != 0 {
		return 0, err
	}
	name := file.name
	args, err := p.texts(a[1])
	if err != 0 {
		return 0, err
	}
	env, err := p.texts(a[2])
	if err != 0 {
		return 0, err
	}
	content, err := file.executable()
	if err != 0 {
		return 0, err
	}
	next := &process{k: t.k, program: name}
	hart, e := next.start(content, args, env)
	switch {
	case errors.Is(e, memory.ErrAddresses):
		return 0, syscall.ENOMEM
	case e != nil:
		return 0, syscall.ENOEXEC
	}
	back := takes(p.space, 0, addresses)
	if p.image.users > 1 {
		back = 0 // others have it still
	}
	if !t.k.fits(takes(next.space, 0, addresses), back) {
		next.release()
		return 0, syscall.ENOMEM
	}
	mask, pending := t.mask, t.pending
	events := t.takeEvents()
	p.endThreads()
	p.release()
	p.image, p.program = next.image, name
	for n := range p.actions {
		if p.actions[n].handler != 1 {
			p.actions[n] = action{}
		}
	}
	p.files.closeOnExec()
	p.resumeParent()
	n := p.newThread(hart)
	n.mask, n.pending = mask, pending
	n.giveEvents(events)
	t.k.tell(func(l Lifecycle) { l.Loaded(p.id, content) })
	t.k.enqueue(n)
	return 0, 0
}

// executable returns the content of a file that may be executed.
func (p place) executable() ([]byte, errno) {
	if err := p.access(mayExecute); err != 0 {
		return nil, err
	}
	if !p.info.Mode().IsRegular() {
		return nil, syscall.EACCES
	}
	f, e := p.mount.root.Open(p.in)
	if e != nil {
		return nil, number(e)
	}
	defer f.Close()
	return (&regular{File: f}).content()
}

// texts reads a list of strings that ends with 0.
func (p *process) texts(at uint64) (list []string, err errno) {
	for at != 0 {
		w, err := p.words(at, 1)
		if err != 0 || w[0] == 0 {
			return list, err
		}
		s, err := p.text(w[0])
		if err == syscall.ENAMETOOLONG || len(list) > 1<<16 {
			err = syscall.E2BIG
		}
		if err != 0 {
			return nil, err
		}
		list = append(list, s)
		at += 8
	}
	return list, 0
}

// endThreads ends all threads, whatever they do.
func (p *process) endThreads() {
	for _, t := range p.threads {
		p.retired += t.hart.Retired
		t.state, t.retry = ended, nil
		if t.timer != nil {
			t.timer.fire = nil
		}
		t.leaveEvents()
	}
	gone := func(t *thread) bool { return t.state == ended }
	k := p.k
	k.ready, k.waiting = slices.DeleteFunc(k.ready, gone), slices.DeleteFunc(k.waiting, gone)
	for i := range k.cpus {
		if c := &k.cpus[i]; c.thread != nil && gone(c.thread) {
			c.thread = nil
		}
	}
	for _, t := range p.threads {
		k.tell(func(l Lifecycle) { l.Ended(p.id, t.id) })
	}
	p.threads = nil
}

// resumeParent lets the thread run on that waits for its child to have memory of its own.
func (p *process) resumeParent() {
	if p.vfork != nil {
		p.vfork.wake(int64(p.id))
		p.vfork = nil
	}
}

// exit ends the process and tells the parent.
func (p *process) exit(status int) {
	if p.dead {
		return
	}
	p.dead, p.status = true, status
	p.endThreads()
	p.stopped, p.held = 0, nil
	p.k.tell(func(l Lifecycle) { l.Ended(p.id, 0) })
	p.files.closeAll()
	p.release()
	p.resumeParent()
	var groups []int
	if p.led(p.parent) {
		groups = append(groups, p.group)
	}
	for _, c := range p.children {
		if c.led(p) {
			groups = append(groups, c.group)
		}
		if c.parent = nil; c.dead {
			c.forget()
		}
	}
	p.children = nil
	p.k.hangUp(groups)
	p.k.changed = true
	switch parent := p.parent; {
	case p == p.k.first:
		p.k.exited, p.k.status = true, status>>8
		if status&127 != 0 {
			p.k.status = 128 + status&127
		}
	case parent == nil || parent.actions[sigCHLD].handler == 1:
		p.forget()
	default:
		code, value := p.news()
		parent.signal(signal{number: sigCHLD, code: code, address: uint64(p.id) | 1000<<32, value: value})
	}
}

// forget removes a process that has ended.
func (p *process) forget() {
	is := func(o *process) bool { return o == p }
	p.k.all = slices.DeleteFunc(p.k.all, is)
	if p.parent != nil {
		p.parent.childTime += p.retired + p.childTime
		p.parent.children = slices.DeleteFunc(p.parent.children, is)
	}
}

// instructions returns how many the process executed.
func (p *process) instructions() uint64 {
	n := p.retired
	for _, t := range p.threads {
		n += t.hart.Retired
	}
	return n
}

// selected tells whether a number means the process, as kill and wait4 take it; own is the caller's group.
func (p *process) selected(number, own int) bool {
	switch {
	case number > 0:
		return p.id == number
	case number == 0:
		return p.group == own
	}
	return number == -1 || p.group == -number
}

// Options of wait4 and waitid.
const (
	waitNoHang    = 1
	waitStopped   = 2
	waitExited    = 4
	waitContinued = 8
	waitLeave     = 0x1000000
	waitClones    = 0xe0000000 // of which children: those here are all alike
)

// waitsFor tells whether there is news of a process for who waits with these options.
func (p *process) waitsFor(options uint64) bool {
	switch {
	case p.dead:
		return options&waitExited != 0
	case p.change == changeStopped:
		return options&waitStopped != 0
	}
	return p.change == changeContinued && options&waitContinued != 0
}

// waitChild waits for a child of which there is news and calls tell with it, or with nil if it is not to wait.
func (t *thread) waitChild(number int, options uint64, tell func(c *process) (int64, errno)) (int64, errno) {
	attempt := func() (int64, errno) {
		found := false
		for _, c := range t.p.children {
			if !c.selected(number, t.p.group) {
				continue
			}
			if found = true; c.waitsFor(options) {
				v, err := tell(c)
				if err != 0 || options&waitLeave != 0 {
					return v, err
				}
				if c.change = changeNone; c.dead {
					c.forget()
				}
				return v, err
			}
		}
		switch {
		case !found:
			return 0, syscall.ECHILD
		case options&waitNoHang != 0:
			return tell(nil)
		}
		return 0, syscall.EAGAIN
	}
	if n, err := attempt(); err != syscall.EAGAIN {
		return n, err
	}
	return t.await(attempt)
}

func wait4(t *thread, a [6]uint64) (int64, errno) {
	options, number := uint64(uint32(a[2])), int(int32(a[0]))
	switch {
	case options&^(waitNoHang|waitStopped|waitContinued|waitClones) != 0:
		return 0, syscall.EINVAL
	case number == math.MinInt32:
		return 0, syscall.ESRCH
	}
	return t.waitChild(number, options|waitExited, func(c *process) (int64, errno) {
		if c == nil {
			return 0, 0
		}
		if a[1] != 0 {
			if err := t.p.putWord32(a[1], c.waitStatus()); err != 0 {
				return 0, err
			}
		}
		return int64(c.id), c.putUsage(t.p, a[3])
	})
}

// putUsage stores what a process used, if its parent wants to know.
func (p *process) putUsage(parent *process, at uint64) errno {
	if at == 0 {
		return 0
	}
	if err := parent.put(at, make([]byte, 144)); err != 0 {
		return err
	}
	d := p.retired + p.childTime
	return parent.putWords(at, d/1e9, d%1e9/1000)
}

func waitid(t *thread, a [6]uint64) (int64, errno) {
	number := int(int32(a[1]))
	switch a[0] {
	case 0:
		number = -1
	case 1:
		if number <= 0 {
			return 0, syscall.EINVAL
		}
	case 2:
		number = -number
	default:
		return 0, syscall.EINVAL
	}
	const what = waitStopped | waitExited | waitContinued
	options := uint64(uint32(a[3]))
	if options&what == 0 || options&^(what|waitNoHang|waitLeave|waitClones) != 0 {
		return 0, syscall.EINVAL
	}
	return t.waitChild(number, options, func(c *process) (int64, errno) {
		var b [infoSize]byte
		if c != nil {
			code, value := c.news()
			le := binary.LittleEndian
			le.PutUint32(b[0:], sigCHLD)
			le.PutUint32(b[8:], uint32(code))
			le.PutUint32(b[16:], uint32(c.id))
			le.PutUint32(b[20:], 1000)
			le.PutUint32(b[24:], uint32(value))
			if err := c.putUsage(t.p, a[4]); err != 0 {
				return 0, err
			}
		}
		if a[2] == 0 {
			return 0, 0
		}
		return 0, t.p.put(a[2], b[:])
	})
}

func getppid(t *thread, _ [6]uint64) (int64, errno) {
	if t.p.parent == nil {
		return 1, 0
	}
	return int64(t.p.parent.id), 0
}

// relative returns the calling process or a child of it.
func (t *thread) relative(id uint64) (*process, errno) {
	if n := int(int32(id)); n != 0 && n != t.p.id {
		for _, c := range t.k.all {
			if c.id == n {
				return c, 0
			}
		}
		return nil, syscall.ESRCH
	}
	return t.p, 0
}

func setpgid(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.relative(a[0])
	if err != 0 {
		return 0, err
	}
	group := int(int32(a[1]))
	switch {
	case group < 0:
		return 0, syscall.EINVAL
	case p != t.p && p.parent != t.p:
		return 0, syscall.ESRCH
	case group == 0:
		group = p.id
	}
	if p.id == p.session || group != p.id && !slices.ContainsFunc(t.k.all, func(o *process) bool {
		return o.group == group && o.session == p.session
	}) {
		return 0, syscall.EPERM
	}
	p.group = group
	return 0, 0
}

func getpgid(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.relative(a[0])
	if err != 0 {
		return 0, err
	}
	return int64(p.group), 0
}

func getsid(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.relative(a[0])
	if err != 0 {
		return 0, err
	}
	return int64(p.session), 0
}

func setsid(t *thread, _ [6]uint64) (int64, errno) {
	if t.p.group == t.p.id {
		return 0, syscall.EPERM
	}
	t.p.group, t.p.session = t.p.id, t.p.id
	return int64(t.p.id), 0
}

// memfdCreate makes a file in memory.
func memfdCreate(t *thread, a [6]uint64) (int64, errno) {
	name, err := t.p.text(a[0])
	if err != 0 {
		return 0, err
	}
	fd, e := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if e != nil {
		return 0, number(e)
	}
	t.k.objects++
	path := fmt.Sprintf("/memfd:%s %d", name, t.k.objects)
	f := &regular{File: os.NewFile(uintptr(fd), path)}
	flags := uint64(0)
	if a[1]&1 != 0 {
		flags = oCloseExec
	}
	n, err := t.p.files.add(&open{file: f, flags: oReadWrite, path: path, inode: t.k.fs.inode(path)}, 0, flags)
	if err != 0 {
		f.close()
	}
	return n, err
}

// guarded does something with memory of the guest, which may be a file's that has become shorter; false if that failed.
func guarded(do func()) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if what := recover(); what != nil {
			if _, fault := what.(interface{ Addr() uintptr }); !fault {
				panic(what)
			}
			ok = false
		}
	}()
	do()
	return true
}

package perf

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

const supported = true

// system is how the kernel is called; tests replace it to inject faults.
type system struct {
	open  func(a *perfevent.Attr, pid, cpu, group, flags int) (fd int, err error)
	read  func(fd int, into *uint64, size uintptr) (n uintptr, err unix.Errno)
	ioctl func(fd int, request, argument uintptr) unix.Errno
}

// opener is the part of the substrate that opens events.
type opener struct {
	sys   system
	procs string // /proc
	real  bool   // sys is the kernel

	alone    sync.Once // whether the processor has a single counter
	isSingle bool
}

func newSubstrate() *Substrate {
	return &Substrate{catalog: systemCatalog(), opener: opener{sys: kernel(), procs: "/proc", real: true}}
}

func kernel() system {
	sys := bare()
	open := sys.open
	sys.open = func(a *perfevent.Attr, pid, cpu, group, flags int) (int, error) {
		if a.Type == perfevent.Breakpoint {
			surviveLostHits()
			if bare := bare(); !bare.watches() {
				return -1, errBlind
			}
		}
		return open(a, pid, cpu, group, flags)
	}
	return sys
}

// bare is the kernel without what is known better of it.
func bare() system {
	return system{
		open: func(a *perfevent.Attr, pid, cpu, group, flags int) (int, error) {
			return unix.PerfEventOpen((*unix.PerfEventAttr)(unsafe.Pointer(a)), pid, cpu, group, flags)
		},
		read: func(fd int, into *uint64, size uintptr) (uintptr, unix.Errno) {
			n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(into)), size)
			return n, errno
		},
		ioctl: func(fd int, request, argument uintptr) unix.Errno {
			_, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(fd), request, argument)
			return errno
		},
	}
}

// target is what an event counts for.
type target struct {
	pid, cpu int // as perf_event_open takes them: -1 is any
	inherit  bool
}

// Open makes the named events readable together. Counting begins at once, at any value. With the zero Options the group
// counts for the calling thread, whichever thread reads it. An attached process of which future threads are inherited is
// counted with all threads that it has.
func (s *Substrate) Open(names []string, o substrate.Options) (substrate.Group, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("perf_event: %w: no events named", substrate.ErrUnknownEvent)
	}
	events := make([]Encoded, len(names))
	for i, n := range names {
		var err error
		if events[i], err = s.catalog.parse(n); err != nil {
			return nil, err
		}
		if err = permits(&events[i], o); err != nil {
			return nil, err
		}
	}
	runtime.LockOSThread() // the calling thread is that of all events
	defer runtime.UnlockOSThread()
	var g *group
	err := s.forTargets(o, func(targets []target) (err error) {
		g, err = s.openGroup(events, targets, o)
		return err
	}, func() { g.Close() })
	if err != nil {
		return nil, err
	}
	if o.CPU == 0 && !o.Inherit && !slices.ContainsFunc(events, func(e Encoded) bool { return e.CPUs != nil }) {
		g.bindHere(max(o.Thread, g.bundles[0].on.pid))
		g.mapPages()
		if s.real && g.here.tid != 0 && g.pages == nil && len(g.bundles) == 1 {
			g.fast = &g.bundles[0]
		}
	}
	if o.Multiplex {
		return &timed{*g, make([]uint64, g.n), make([]uint64, g.n)}, nil
	}
	return g, nil
}

// permits checks whether the event can be counted with these options, and adds their domain to what its name asks for.
func permits(e *Encoded, o substrate.Options) error {
	if e.Path != "" && o.Inherit { // the kernel would look for the path in the memory of whoever forks
		return fmt.Errorf("%s: %w: probes are not inherited; count it on processors, or in one thread only", shown(e.Name), substrate.ErrUnsupported)
	}
	d := o.Domain
	if e.Flags&excludesMode != 0 || d == 0 || d == substrate.All {
		return nil
	}
	if e.NoExclude || e.clock {
		return fmt.Errorf("%s: %w: it counts user and kernel mode together; ask for both", shown(e.Name), substrate.ErrUnsupported)
	}
	if d == substrate.Kernel {
		e.Flags |= perfevent.FlagExcludeUser
		return nil
	}
	if e.Kernel {
		return fmt.Errorf("%s: %w: it happens inside the kernel; ask for the kernel domain, too", shown(e.Name), substrate.ErrUnsupported)
	}
	e.Flags |= perfevent.FlagExcludeKernel
	return nil
}

// forTargets opens something for all targets. Threads that begin after their creator's events are open inherit them; if
// any began in the meantime, what was opened is closed and the threads are listed anew.
func (s *Substrate) forTargets(o substrate.Options, open func([]target) error, undo func()) error {
	for range 100 {
		targets, err := s.targets(o)
		if err != nil {
			return err
		}
		if err := open(targets); err != nil {
			return err
		}
		if now, err := s.targets(o); err == nil && isSubset(now, targets) {
			return nil
		}
		undo()
	}
	return fmt.Errorf("perf_event: %w: process %d keeps starting threads", substrate.ErrBusy, o.Thread)
}

func isSubset(of, all []target) bool {
	return !slices.ContainsFunc(of, func(t target) bool { return !slices.Contains(all, t) })
}

// targets returns what events count for.
func (s *Substrate) targets(o substrate.Options) ([]target, error) {
	switch {
	case o.Thread < 0 || o.CPU < 0:
		return nil, fmt.Errorf("perf_event: %w: thread %d, processor %d", substrate.ErrUnsupported, o.Thread, o.CPU-1)
	case o.CPU > 0 && o.Thread == 0:
		return []target{{-1, o.CPU - 1, false}}, nil
	case o.Thread == 0:
		return []target{{unix.Gettid(), -1, o.Inherit}}, nil
	}
	tids := []int{o.Thread}
	if o.Inherit && !o.OnExec {
		tids = s.threadsOf(o.Thread)
	}
	var out []target
	for _, t := range tids {
		out = append(out, target{t, o.CPU - 1, o.Inherit})
	}
	return out, nil
}

// threadsOf returns the threads of a process, the first one first, or just the thread if it is not the first of its
// process.
func (s *Substrate) threadsOf(pid int) []int {
	dir := s.procs + "/" + strconv.Itoa(pid)
	status, _ := os.ReadFile(dir + "/status")
	tids := []int{pid}
	if !strings.Contains(string(status), "\nTgid:\t"+strconv.Itoa(pid)+"\n") {
		return tids
	}
	entries, _ := os.ReadDir(dir + "/task")
	for _, e := range entries {
		if t, err := strconv.Atoi(e.Name()); err == nil && t != pid {
			tids = append(tids, t)
		}
	}
	return tids
}

// openGroup opens the events for all targets and starts them.
func (s *Substrate) openGroup(events []Encoded, targets []target, o substrate.Options) (*group, error) {
	g := &group{sys: &s.sys, n: len(events), multiplex: o.Multiplex}
	g.registers = slices.ContainsFunc(events, func(e Encoded) bool { return e.Type == perfevent.Breakpoint })
	order := make([]int, len(events)) // those of the processor first: only the leader of a group can be pinned
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return software(events[a]) - software(events[b]) })
	counted := make([]bool, len(events))
	for k, t := range targets {
		for _, i := range order {
			e := &events[i]
			err := s.openOn(g, i, e, placesOf(e, t, k), o)
			if err == nil {
				counted[i] = true
			} else if !errors.Is(err, unix.ESRCH) || !counted[i] && k == len(targets)-1 { // else one of several threads has ended, maybe the first
				g.Close()
				return nil, s.explain(err, events, e, targets[0])
			}
		}
	}
	if err := g.start(o.OnExec); err != nil {
		g.Close()
		return nil, s.explain(err, events, &events[order[0]], targets[0])
	}
	return g, nil
}

func software(e Encoded) int {
	if e.pmu == "" {
		return 1
	}
	return 0
}

// placesOf returns where an event is opened for the k-th target. Those that belong to no thread are counted once, on the
// processors that they name.
func placesOf(e *Encoded, t target, k int) (out []target) {
	switch {
	case e.CPUs == nil:
		return []target{t}
	case t.pid < 0:
		return []target{{-1, t.cpu, false}}
	case k == 0:
		for _, cpu := range e.CPUs {
			out = append(out, target{-1, cpu, false})
		}
	}
	return out
}

func (s *Substrate) openOn(g *group, i int, e *Encoded, places []target, o substrate.Options) error {
	for _, t := range places {
		if err := s.openAt(g, i, e, t, o); err != nil {
			return err
		}
	}
	return nil
}

// openAt opens one event in the bundle that it fits in, or in one of its own.
func (s *Substrate) openAt(g *group, i int, e *Encoded, t target, o substrate.Options) error {
	b, lead := g.bundleFor(e, t), -1
	if b != nil {
		lead = b.fds[0]
	}
	a := attribute(e)
	if lead < 0 {
		a.Flags |= perfevent.FlagDisabled // a member that joins a running group starts late: start all together
		if o.OnExec {
			a.Flags |= perfevent.FlagEnableOnExec
		}
		if e.pmu != "" && !o.Multiplex && t.pid >= 0 {
			a.Flags |= perfevent.FlagPinned // to learn when the counters are taken
		}
	}
	if t.inherit {
		a.Flags |= perfevent.FlagInherit
	} else if e.pmu == "cpu" && t.cpu < 0 && !o.Multiplex {
		a.Config1 |= userAccess()
	}
	a.Format = perfevent.FormatGroup | perfevent.FormatEnabled
	if o.Multiplex {
		a.Format |= perfevent.FormatRunning
	}
	fd, err := s.openPermitted(a, e, t, lead, o.Domain == 0)
	if err != nil {
		return err
	}
	if b == nil {
		g.bundles = append(g.bundles, bundle{on: t, pmu: e.pmu})
		b = &g.bundles[len(g.bundles)-1]
		if a.Flags&perfevent.FlagPinned != 0 {
			b.own = claimOn(t.pid)
		}
	}
	b.fds, b.to = append(b.fds, fd), append(b.to, i)
	return nil
}

// attribute returns e as the kernel wants it.
func attribute(e *Encoded) *perfevent.Attr {
	a := e.Attr()
	if e.pmu == "cpu" {
		a.Flags |= perfevent.FlagExcludeHV
	}
	return &a
}

// openPermitted opens an event; without the kernel where that is not permitted and no domain was asked for.
func (s *Substrate) openPermitted(a *perfevent.Attr, e *Encoded, t target, lead int, anyDomain bool) (int, error) {
	var path []byte
	if e.Path != "" {
		path = append([]byte(e.Path), 0)
		a.Config1 = uint64(uintptr(unsafe.Pointer(&path[0])))
	}
	fd, err := s.sys.open(a, t.pid, t.cpu, lead, perfevent.OpenCloseExec)
	denied := err == unix.EACCES || err == unix.EPERM
	if denied && anyDomain && !e.Kernel && e.Flags&excludesMode == 0 && !e.NoExclude {
		a.Flags |= perfevent.FlagExcludeKernel
		if fd2, err2 := s.sys.open(a, t.pid, t.cpu, lead, perfevent.OpenCloseExec); err2 != unix.EACCES && err2 != unix.EPERM {
			fd, err = fd2, err2
		}
	}
	runtime.KeepAlive(path)
	return fd, err
}

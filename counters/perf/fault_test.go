//go:build linux

package perf

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// fakeKernel is a kernel with a processor of n counters, which fails as it is told.
type fakeKernel struct {
	counters int
	opened   []perfevent.Attr
	cpus     []int
	fail     func(a *perfevent.Attr) error // of perf_event_open
	reading  func(into []uint64) (words int, errno unix.Errno)
	ioctls   []uintptr
	time     uint64 // for which events were enabled; it passes with readings
}

// substrate returns one over the fake kernel and a fake machine.
func (k *fakeKernel) substrate(t *testing.T, paranoid string) *Substrate {
	procs := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(procs, "sys/kernel"), 0o700))
	if paranoid != "" {
		require.NoError(t, os.WriteFile(filepath.Join(procs, "sys/kernel/perf_event_paranoid"), []byte(paranoid+"\n"), 0o600))
	}
	hardware := 0
	sys := system{
		open: func(a *perfevent.Attr, pid, cpu, group, flags int) (int, error) {
			if k.fail != nil {
				if err := k.fail(a); err != nil {
					return -1, err
				}
			}
			if group < 0 {
				hardware = 0
			}
			if a.Type == perfevent.Hardware {
				if hardware++; hardware > k.counters {
					return -1, unix.EINVAL // as x86 says that the group does not fit
				}
			}
			k.opened, k.cpus = append(k.opened, *a), append(k.cpus, cpu)
			return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		},
		read: func(fd int, into *uint64, size uintptr) (uintptr, unix.Errno) {
			words := unsafe.Slice(into, size/8)
			if k.reading != nil {
				n, errno := k.reading(words)
				return uintptr(8 * n), errno
			}
			k.time++
			words[0], words[1] = uint64(len(words)-2), k.time // and no time running
			return size, 0
		},
		ioctl: func(fd int, request, argument uintptr) unix.Errno {
			k.ioctls = append(k.ioctls, request)
			return 0
		},
	}
	return &Substrate{catalog: fakeMachine(t), opener: opener{sys: sys, procs: procs}}
}

// failing returns a kernel that refuses all events.
func failing(err error) *fakeKernel {
	return &fakeKernel{fail: func(*perfevent.Attr) error { return err }}
}

// What the kernel refuses is told with what can be done about it.
func TestRefusalsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		errno unix.Errno
		name  string
		o     substrate.Options
		want  error
		text  string
	}{
		{unix.EACCES, "cycles", substrate.Options{}, substrate.ErrPermission, "kernel.perf_event_paranoid is 3: sysctl kernel.perf_event_paranoid=2, or run with CAP_PERFMON; in a container"},
		{unix.EACCES, "cycles:k", substrate.Options{}, substrate.ErrPermission, "sysctl kernel.perf_event_paranoid=1,"},
		{unix.EACCES, "context-switches", substrate.Options{}, substrate.ErrPermission, "sysctl kernel.perf_event_paranoid=1,"},
		{unix.EPERM, "sched:sched_switch", substrate.Options{}, substrate.ErrPermission, "sysctl kernel.perf_event_paranoid=-1"},
		{unix.EACCES, "msr/tsc/", substrate.Options{}, substrate.ErrPermission, "sysctl kernel.perf_event_paranoid=1,"},
		{unix.EACCES, "power/energy-pkg/", substrate.Options{}, substrate.ErrPermission, "sysctl kernel.perf_event_paranoid=0,"},
		{unix.EACCES, "uprobe:/bin/app+1", substrate.Options{}, substrate.ErrPermission, "probes need CAP_PERFMON"},
		{unix.EACCES, "cycles", substrate.Options{CPU: 1}, substrate.ErrPermission, "sysctl kernel.perf_event_paranoid=0"},
		{unix.EMFILE, "cycles", substrate.Options{}, substrate.ErrDescriptors, "ulimit -n"},
		{unix.ENFILE, "cycles", substrate.Options{}, substrate.ErrDescriptors, "fs.file-max"},
		{unix.EBUSY, "cycles", substrate.Options{}, substrate.ErrBusy, "another user has exclusive use of this PMU"},
		{unix.ESRCH, "cycles", substrate.Options{Thread: 4711}, substrate.ErrGone, "there is no thread 4711"},
		{unix.ENODEV, "page-faults", substrate.Options{CPU: 1 + 1}, substrate.ErrGone, "processor 1 is offline"},
		{unix.ENODEV, "cycles", substrate.Options{}, substrate.ErrUnavailable, "virtual machine without counters?"},
		{unix.ENOENT, "L1-dcache-loads", substrate.Options{}, substrate.ErrUnavailable, "software events, watchpoints and msr/tsc/ may work"},
		{unix.EOPNOTSUPP, "r1a8", substrate.Options{}, substrate.ErrUnavailable, "virtual machine"},
		{unix.ENOENT, "alignment-faults", substrate.Options{}, substrate.ErrUnavailable, "the kernel does not count it here"},
		{unix.ENOENT, "uprobe:/bin/nothing+1", substrate.Options{}, substrate.ErrUnavailable, "no such program"},
		{unix.ENOSYS, "page-faults", substrate.Options{}, substrate.ErrUnsupported, "seccomp"},
		{unix.EINVAL, "page-faults", substrate.Options{CPU: 1 + 5000}, substrate.ErrGone, "there is no processor 5000"},
		{unix.EINVAL, "mem:0x1000/8:w", substrate.Options{}, substrate.ErrUnsupported, "cannot watch that address"},
		{unix.EINVAL, "uprobe:/bin/app+1:u", substrate.Options{}, substrate.ErrUnsupported, "user and kernel mode"},
		{unix.EINVAL, "cycles", substrate.Options{}, substrate.ErrUnsupported, "rejects these parameters"},
		{unix.ENOSPC, "cycles", substrate.Options{}, substrate.ErrNoCounters, "multiplex"},
		{unix.ENOSPC, "mem:0x1000/8:w", substrate.Options{}, substrate.ErrNoCounters, "debug registers"},
		{unix.E2BIG, "cycles", substrate.Options{}, substrate.ErrUnsupported, "argument list too long"},
	} {
		_, err := failing(c.errno).substrate(t, "3").Open([]string{c.name}, c.o)
		require.ErrorIs(t, err, c.want, "%s: %v", c.name, c.errno)
		require.ErrorContains(t, err, c.name+": ")
		require.ErrorContains(t, err, c.text)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := failing(unix.EPERM).substrate(t, "").Open([]string{"cycles"}, substrate.Options{})
	require.ErrorContains(t, err, "seccomp", "without /proc the level is not known")
}

// One event that fails leaves nothing open.
func TestFailureInTheMiddleClosesTheRest(t *testing.T) {
	k := &fakeKernel{counters: 8}
	k.fail = func(a *perfevent.Attr) error {
		if a.Type == perfevent.Software && a.Config == 2 {
			return unix.EMFILE
		}
		return nil
	}
	s := k.substrate(t, "1")
	before, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	_, err = s.Open([]string{"cycles", "instructions", "page-faults"}, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrDescriptors)
	after, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	require.Equal(t, len(before), len(after))
	require.Len(t, k.opened, 2)
}

func TestTooManyEventsOfTheProcessor(t *testing.T) {
	k := &fakeKernel{counters: 2}
	_, err := k.substrate(t, "1").Open([]string{"page-faults", "cycles", "instructions", "branches"}, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrConflict)
	require.ErrorContains(t, err, "branches: cannot be counted together with the other events: no counter that can count it is free")
	g, err := k.substrate(t, "1").Open([]string{"cycles", "instructions", "branches"}, substrate.Options{Multiplex: true})
	require.NoError(t, err, "by turns they fit")
	require.NoError(t, g.Close())
}

// The leader of hardware events is pinned, so that the kernel tells when their counters are taken, and comes first even
// when it is not named first.
func TestHardwareLeadsAndIsPinned(t *testing.T) {
	k := &fakeKernel{counters: 4}
	g, err := k.substrate(t, "1").Open([]string{"page-faults", "cycles", "task-clock", "instructions"}, substrate.Options{})
	require.NoError(t, err)
	defer g.Close()
	require.Len(t, g.(*group).bundles, 1)
	require.EqualValues(t, perfevent.Hardware, k.opened[0].Type)
	for i, a := range k.opened {
		require.Equal(t, i == 0, a.Flags&perfevent.FlagPinned != 0)
		require.Equal(t, i == 0, a.Flags&perfevent.FlagDisabled != 0)
	}
	next := uint64(0)
	k.reading = func(into []uint64) (int, unix.Errno) {
		for i := range into {
			into[i] = next + uint64(i) - 1
		}
		into[0] = 4
		return len(into), 0
	}
	v := make([]uint64, 4)
	_, err = g.Read(v)
	require.NoError(t, err)
	require.Equal(t, []uint64{3, 1, 4, 2}, v, "in the order of the names")
}

func TestCountersThatOthersHold(t *testing.T) {
	k := &fakeKernel{counters: 4, reading: func([]uint64) (int, unix.Errno) { return 0, 0 }}
	_, err := k.substrate(t, "1").Open([]string{"cycles"}, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrBusy)
	require.ErrorContains(t, err, "cycles: the counters are taken by others")
	require.ErrorContains(t, err, "kernel.nmi_watchdog=0")
}

func TestReadingsThatFail(t *testing.T) {
	k := &fakeKernel{counters: 4}
	g, err := k.substrate(t, "1").Open([]string{"cycles", "instructions"}, substrate.Options{})
	require.NoError(t, err)
	defer g.Close()
	v := []uint64{7, 8}
	interrupts := 3
	for _, c := range []struct {
		words int
		errno unix.Errno
		want  error
	}{{0, 0, substrate.ErrBusy}, {2, 0, io.ErrUnexpectedEOF}, {0, unix.ENODEV, substrate.ErrGone}, {0, unix.EBADF, unix.EBADF}} {
		k.reading = func([]uint64) (int, unix.Errno) { return c.words, c.errno }
		_, err = g.Read(v)
		require.ErrorIs(t, err, c.want)
		require.NotContains(t, err.Error(), "\n")
	}
	k.reading = func(into []uint64) (int, unix.Errno) {
		if interrupts--; interrupts >= 0 {
			return 0, unix.EINTR
		}
		copy(into, []uint64{2, 1000, 50, 60})
		return 4, 0
	}
	_, err = g.Read(v)
	require.NoError(t, err, "an interrupted reading is repeated")
	require.Equal(t, []uint64{50, 60}, v)
}

// A group that was paused counts on, unless its thread is gone and another one has its number: the time of its events stands still then.
func TestGroupsOfThreadsThatAreGone(t *testing.T) {
	k := &fakeKernel{counters: 4}
	opened, err := k.substrate(t, "0").Open([]string{"cycles", "page-faults"}, substrate.Options{})
	require.NoError(t, err)
	defer opened.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g := opened.(*group)
	if g.here.tid == 0 {
		t.Skip("the runtime's marks were not found in this Go version")
	}
	g.here.tid = unix.Gettid()
	k.ioctls = nil
	require.NoError(t, g.Pause())
	require.NoError(t, g.Resume())
	require.Equal(t, []uintptr{unix.PERF_EVENT_IOC_DISABLE, unix.PERF_EVENT_IOC_ENABLE}, k.ioctls)
	k.reading = func(into []uint64) (int, unix.Errno) {
		into[0], into[1] = uint64(len(into)-2), 1000
		return len(into), 0
	}
	require.ErrorIs(t, g.Resume(), substrate.ErrGone)
	k.reading = func([]uint64) (int, unix.Errno) { return 0, 0 }
	require.ErrorIs(t, g.Resume(), substrate.ErrBusy, "others have the counters")
	k.reading = nil
	g.here.tid++ // another thread's: events of that one must be able to join the group
	require.NoError(t, g.Resume())
	k.fail = func(*perfevent.Attr) error { return unix.EINVAL }
	require.ErrorIs(t, g.Resume(), substrate.ErrGone)
}

// Where the kernel must not be counted, and nobody asked for it, user mode is counted alone.
func TestWithoutPermissionForTheKernel(t *testing.T) {
	k := &fakeKernel{counters: 4}
	k.fail = func(a *perfevent.Attr) error {
		if a.Flags&perfevent.FlagExcludeKernel == 0 {
			return unix.EACCES
		}
		return nil
	}
	s := k.substrate(t, "2")
	for _, name := range []string{"cycles", "page-faults", "task-clock", "mem:0x1000/8:w"} {
		g, err := s.Open([]string{name}, substrate.Options{})
		require.NoError(t, err, name)
		require.NoError(t, g.Close())
	}
	for _, name := range []string{"context-switches", "msr/tsc/", "cycles:k"} {
		_, err := s.Open([]string{name}, substrate.Options{})
		require.ErrorIs(t, err, substrate.ErrPermission, name)
	}
	_, err := s.Open([]string{"cycles"}, substrate.Options{Domain: substrate.All})
	require.ErrorIs(t, err, substrate.ErrPermission, "both were asked for")
}

// Events that take turns are a group each, with the times of its own.
func TestTimesOfTurns(t *testing.T) {
	k := &fakeKernel{counters: 1}
	g, err := k.substrate(t, "1").Open([]string{"cycles", "instructions"}, substrate.Options{Multiplex: true})
	require.NoError(t, err)
	defer g.Close()
	turn := uint64(0)
	k.reading = func(into []uint64) (int, unix.Errno) {
		turn++
		return copy(into, []uint64{1, 1000, 1000 / (turn + 1), 70 * turn}), 0
	}
	v, enabled, running := make([]uint64, 2), make([]uint64, 2), make([]uint64, 2)
	_, err = g.Read(v)
	require.NoError(t, err)
	g.(substrate.Timed).Times(enabled, running)
	require.Equal(t, []uint64{70, 140}, v, "as counted; who wants estimates has the times")
	require.Equal(t, []uint64{1000, 1000}, enabled)
	require.Equal(t, []uint64{500, 333}, running)
	for _, a := range k.opened {
		require.Zero(t, a.Flags&perfevent.FlagPinned, "pinned events would not take turns")
	}
}

// Events of no thread are counted on the processors that stand for their parts of the machine.
func TestEventsOfTheMachine(t *testing.T) {
	k := &fakeKernel{counters: 4}
	s := k.substrate(t, "0")
	g, err := s.Open([]string{"power/energy-pkg/", "page-faults"}, substrate.Options{})
	require.NoError(t, err)
	defer g.Close()
	require.Equal(t, []int{0, 28, 29, -1}, k.cpus)
	k.reading = func(into []uint64) (int, unix.Errno) {
		into[0], into[1], into[2] = 1, 1000, 100
		return 3, 0
	}
	v := make([]uint64, 2)
	where, err := g.Read(v)
	require.NoError(t, err)
	require.Zero(t, where, "it belongs to nobody")
	require.Equal(t, []uint64{300, 100}, v)
	e, err := s.Resolve("power/energy-pkg/")
	require.NoError(t, err)
	require.True(t, e.Process)
}

func TestSlotFaults(t *testing.T) {
	k := &fakeKernel{counters: 1}
	l, err := k.substrate(t, "1").OpenSlot(1, "page-faults")
	require.NoError(t, err)
	require.EqualValues(t, perfevent.Hardware, k.opened[0].Type, "cycles of the processor are preferred")
	k.reading = func([]uint64) (int, unix.Errno) { return 0, unix.ENODEV }
	_, _, err = l.Switch("task-clock")
	require.ErrorIs(t, err, substrate.ErrGone)
	_, _, err = l.Read()
	require.ErrorIs(t, err, substrate.ErrGone)
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	_, _, err = l.Switch("task-clock")
	require.ErrorIs(t, err, substrate.ErrUnsupported)
	_, err = failing(unix.EACCES).substrate(t, "3").OpenSlot(1, "page-faults")
	require.ErrorIs(t, err, substrate.ErrPermission)
	_, err = k.substrate(t, "1").OpenSlot(0, "page-faults")
	require.ErrorIs(t, err, substrate.ErrUnsupported)
}

func TestSampleFaults(t *testing.T) {
	handle := func(substrate.Sample) {}
	for errno, want := range map[unix.Errno]error{unix.EINVAL: substrate.ErrUnsupported, unix.EOPNOTSUPP: substrate.ErrUnsupported, unix.EMFILE: substrate.ErrDescriptors, unix.EACCES: substrate.ErrPermission} {
		_, err := failing(errno).substrate(t, "2").Sample("page-faults", 1, substrate.Options{}, handle)
		require.ErrorIs(t, err, want)
	}
	_, err := (&fakeKernel{}).substrate(t, "2").Sample("page-faults", 1, substrate.Options{}, handle)
	require.Error(t, err, "what cannot be mapped has no samples")
}

// A counter that is read by its page: the kernel's protocol, with a page of our own.
func TestPage(t *testing.T) {
	const index = 3
	p := &unix.PerfEventMmapPage{Index: index + 1, Offset: 1 << 40, Capabilities: capUserRdpmc, Pmc_width: 48}
	counter := func(i uint32) uint64 {
		require.EqualValues(t, index, i)
		return 0xffff_0000_0000_0000 | 1000 // what is above its width does not count
	}
	v, ok := readPage(p, counter)
	require.True(t, ok)
	require.Equal(t, uint64(1<<40+1000), v)

	v, ok = readPage(p, func(uint32) uint64 { return 1<<48 - 7 }) // counts up to 0 from below: signed
	require.True(t, ok)
	require.Equal(t, uint64(1<<40-7), v)

	changes := 0
	v, ok = readPage(p, func(uint32) uint64 {
		if changes++; changes <= 2 { // the kernel has moved the event meanwhile
			p.Lock += 2
			p.Offset += 100
		}
		return 5
	})
	require.True(t, ok)
	require.Equal(t, uint64(1<<40+200+5), v)
	require.Equal(t, 3, changes)

	_, ok = readPage(p, func(uint32) uint64 { p.Lock++; return 0 })
	require.False(t, ok, "it changes all the time")
	p.Lock = 0
	for _, no := range []func(){func() { p.Index = 0 }, func() { p.Capabilities = 2 }, func() { p.Pmc_width = 0 }, func() { p.Pmc_width = 65 }} {
		saved := *p
		no()
		_, ok = readPage(p, func(uint32) uint64 { panic("must not be read") })
		require.False(t, ok)
		*p = saved
	}
}

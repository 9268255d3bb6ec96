//go:build linux

package linux

import (
	"encoding/binary"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/perfevent"
	"tracerec/simulator/pmu"
)

// The errors of perf_event_open are Linux's.
func TestPerfOpenErrors(t *testing.T) {
	ok := perfevent.Attr{Type: perfevent.Raw, Config: 1}
	with := func(change func(a *perfevent.Attr)) perfevent.Attr {
		a := ok
		change(&a)
		return a
	}
	strict, wide := unitOf(), unitOf()
	strict.Paranoid, wide.Paranoid = 2, 1
	for _, c := range []struct {
		name     string
		unit     *pmu.PMU
		a        perfevent.Attr
		pid, cpu int
		group    int
		flags    uint64
		want     errno
	}{
		{"good", nil, ok, 0, anyCPU, noGroup, perfevent.OpenCloseExec, 0},
		{"on a processor", nil, ok, noPID, 1, noGroup, 0, 0},
		{"the first version", nil, with(func(a *perfevent.Attr) { a.Size = 64 }), 0, anyCPU, noGroup, 0, 0},
		{"flags", nil, ok, 0, anyCPU, noGroup, 16, syscall.EINVAL},
		{"a control group", nil, ok, 0, anyCPU, noGroup, perfevent.OpenCgroup, syscall.EINVAL},
		{"too short", nil, with(func(a *perfevent.Attr) { a.Size = 63 }), 0, anyCPU, noGroup, 0, syscall.E2BIG},
		{"too long", nil, with(func(a *perfevent.Attr) { a.Size = 4097 }), 0, anyCPU, noGroup, 0, syscall.E2BIG},
		{"reserved flags", nil, with(func(a *perfevent.Attr) { a.Flags = 1 << 40 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"what is reserved", nil, with(func(a *perfevent.Attr) { a.Reserved2 = 1 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"what else is reserved", nil, with(func(a *perfevent.Attr) { a.Reserved3 = 1 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"an unknown format", nil, with(func(a *perfevent.Attr) { a.Format = 32 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"an unknown sample", nil, with(func(a *perfevent.Attr) { a.Sample = 1 << 25 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"stacks in samples", nil, with(func(a *perfevent.Attr) { a.Sample = 1 << 13 }), 0, anyCPU, noGroup, 0, syscall.EOPNOTSUPP},
		{"records of mappings", nil, with(func(a *perfevent.Attr) { a.Flags = 1 << 8 }), 0, anyCPU, noGroup, 0, syscall.EOPNOTSUPP},
		{"a frequency", nil, with(func(a *perfevent.Attr) { a.Flags, a.Period = perfevent.FlagFrequency, 99 }), 0, anyCPU, noGroup, 0, syscall.EOPNOTSUPP},
		{"a negative period", nil, with(func(a *perfevent.Attr) { a.Period = 1 << 63 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"an unknown clock", nil, with(func(a *perfevent.Attr) { a.Flags, a.Clock = perfevent.FlagUseClock, 3 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"threads inherit without inheriting", nil, with(func(a *perfevent.Attr) { a.Flags = perfevent.FlagInheritThread }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"reading samples of inherited events", nil, with(func(a *perfevent.Attr) { a.Flags, a.Sample = perfevent.FlagInherit, perfevent.SampleRead }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"the kernel, not permitted", strict, ok, 0, anyCPU, noGroup, 0, syscall.EACCES},
		{"the kernel excluded", strict, with(func(a *perfevent.Attr) { a.Flags = perfevent.FlagExcludeKernel }), 0, anyCPU, noGroup, 0, 0},
		{"a processor, not permitted", wide, ok, noPID, 0, noGroup, 0, syscall.EACCES},
		{"no such thread", nil, ok, 77777, anyCPU, noGroup, 0, syscall.ESRCH},
		{"no such process", nil, ok, -2, anyCPU, noGroup, 0, syscall.ESRCH},
		{"neither thread nor processor", nil, ok, noPID, anyCPU, noGroup, 0, syscall.EINVAL},
		{"no such processor", nil, ok, 0, 2, noGroup, 0, syscall.EINVAL},
		{"a negative processor", nil, ok, 0, -2, noGroup, 0, syscall.EINVAL},
		{"no such group", nil, ok, 0, anyCPU, 99, 0, syscall.EBADF},
		{"a group that is a file", nil, ok, 0, anyCPU, 1, 0, syscall.EBADF},
		{"no such event", nil, with(func(a *perfevent.Attr) { a.Config = 99 }), 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"no such type", nil, with(func(a *perfevent.Attr) { a.Type = 77 }), 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"a watchpoint", nil, with(func(a *perfevent.Attr) { a.Type = 5 }), 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"an event that this machine lacks", nil, perfevent.Attr{Type: perfevent.Hardware, Config: 5}, 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"an event that no machine has", nil, perfevent.Attr{Type: perfevent.Hardware, Config: 99}, 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"a cache that no machine has", nil, perfevent.Attr{Type: perfevent.Cache, Config: 9}, 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"software that no kernel has", nil, perfevent.Attr{Type: perfevent.Software, Config: 12}, 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"hardware by its name", nil, perfevent.Attr{Type: perfevent.Hardware, Config: 1}, 0, anyCPU, noGroup, 0, 0},
		{"software", nil, perfevent.Attr{Type: perfevent.Software, Config: perfevent.TaskClock}, 0, anyCPU, noGroup, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.unit == nil {
				c.unit = unitOf()
			}
			b := newBench(t, c.unit)
			fd, err := b.open(c.a, c.pid, c.cpu, c.group, c.flags)
			require.Equal(t, c.want, err)
			if err == syscall.E2BIG {
				size, _ := b.t.p.word32(scratch + 4)
				require.EqualValues(t, perfevent.Size, size)
			}
			if err == 0 {
				require.Zero(t, b.t.p.files.drop(uint64(fd)))
			}
		})
	}
	b := newBench(t, unitOf())
	_, err := openEvent(b.t, [6]uint64{0, 0, 0, 0, 0})
	require.Equal(t, syscall.EFAULT, err)
	long := make([]byte, 200)
	binary.LittleEndian.PutUint32(long[4:], 200)
	long[199] = 1
	require.Zero(t, b.t.p.put(scratch, long))
	_, err = openEvent(b.t, [6]uint64{scratch, 0, ^uint64(0), ^uint64(0), 0})
	require.Equal(t, syscall.E2BIG, err, "a field that is not known")
	for range maxFiles {
		if _, err = b.open(ok, 0, anyCPU, noGroup, 0); err != 0 {
			break
		}
	}
	require.Equal(t, syscall.EMFILE, err)
}

// What does not go together is refused when it is opened.
func TestPerfGroupErrors(t *testing.T) {
	b := newBench(t, unitOf())
	lead := b.event(3, 0, noGroup) // A
	refused := func(want errno, what string, a perfevent.Attr, pid, cpu, group int) {
		t.Helper()
		a.Type = perfevent.Raw
		_, err := b.open(a, pid, cpu, group, 0)
		require.Equal(t, want, err, what)
	}
	refused(syscall.EINVAL, "both fit on one counter only", perfevent.Attr{Config: 3}, 0, anyCPU, lead)
	member := b.event(4, 0, lead)
	refused(syscall.EINVAL, "there are two counters", perfevent.Attr{Config: 5}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "a member leads nobody", perfevent.Attr{Config: 5}, 0, anyCPU, member)
	refused(syscall.EINVAL, "another processor", perfevent.Attr{Config: 5}, 0, 1, lead)
	refused(syscall.EINVAL, "of a processor", perfevent.Attr{Config: 5}, noPID, 1, lead)
	refused(syscall.EINVAL, "a member is not pinned", perfevent.Attr{Config: 1, Flags: perfevent.FlagPinned}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "a member is not exclusive", perfevent.Attr{Config: 1, Flags: perfevent.FlagExclusive}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "all or none are inherited", perfevent.Attr{Config: 1, Flags: perfevent.FlagInherit}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "another clock", perfevent.Attr{Config: 1, Flags: perfevent.FlagUseClock, Clock: 1}, 0, anyCPU, lead)
	software := perfevent.Attr{Type: perfevent.Software, Config: perfevent.TaskClock}
	b.must(b.open(software, 0, anyCPU, lead, 0))
	other := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 5}, 0, anyCPU, lead, perfevent.OpenNoGroup))
	require.Empty(t, b.t.p.files.list[other].file.(*event).members)

	require.Equal(t, syscall.ENOTTY, b.ioctl(lead, 0x2499, 0))
	require.Equal(t, syscall.EOPNOTSUPP, b.ioctl(lead, perfevent.IoctlModify, scratch))
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, perfevent.IoctlRefresh, 1), "it does not sample")
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, perfevent.IoctlPeriod, scratch))
	require.Equal(t, syscall.EFAULT, b.ioctl(lead, perfevent.IoctlPeriod, 0))
	require.Equal(t, syscall.EFAULT, b.ioctl(lead, perfevent.IoctlID, 0))
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, perfevent.IoctlSetOutput, uint64(lead)))
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, perfevent.IoctlSetOutput, uint64(member)), "without a buffer")
	require.Equal(t, syscall.EBADF, b.ioctl(lead, perfevent.IoctlSetOutput, 1))
	_, err := b.read(lead, 16)
	require.Equal(t, syscall.ENOSPC, err)
	for what, a := range map[string][6]uint64{
		"private": {0, 8192, 3, 2, uint64(lead), 0}, "three pages of data": {0, 4 * 4096, 3, 1, uint64(lead), 0},
		"behind the beginning": {0, 8192, 3, 1, uint64(lead), 4096},
	} {
		_, err := mmap(b.t, a)
		require.Equal(t, syscall.EINVAL, err, what)
	}
	_, err = mmap(b.t, [6]uint64{0, 8192, 5, 1, uint64(lead), 0})
	require.Equal(t, syscall.EPERM, err, "executable")
	inherits := b.event(1, perfevent.FlagInherit, noGroup)
	_, err = mmap(b.t, [6]uint64{0, 8192, 3, 1, uint64(inherits), 0})
	require.Equal(t, syscall.EINVAL, err, "all threads in one buffer")
}

// Whatever is asked for, an answer is an error or an event that can be read.
func FuzzPerfAttr(f *testing.F) {
	good, _ := binary.Append(nil, binary.LittleEndian, perfevent.Attr{Type: perfevent.Raw, Size: perfevent.Size, Config: 1, Format: perfevent.FormatGroup, Flags: perfevent.FlagInherit})
	f.Add(good)
	f.Add(good[:64])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseAttr(b)
		switch err {
		case 0:
			if a.Flags&^knownFlags != 0 || a.Sample&^knownSamples != 0 || a.Format&^perfevent.FormatsAll != 0 {
				t.Fatalf("%+v", a)
			}
		case syscall.EINVAL, syscall.E2BIG, syscall.EOPNOTSUPP:
		default:
			t.Fatal(err)
		}
	})
}

// Whatever calls a guest makes, in any order, they are answered: nothing of the simulator fails.
func FuzzPerfCalls(f *testing.F) {
	f.Add([]byte{0, 4, 0, 0, 0, 4, 0, 1, 7, 50, 2, 0, 5, 0, 7, 9, 6, 1, 7, 3})
	f.Add([]byte{0, 3, 8, 0, 5, 0, 7, 200, 2, 0, 1, 1, 8, 7, 90, 3, 0, 6, 0})
	f.Add([]byte{0, 3, 2, 0, 9, 1, 7, 10, 10, 7, 10, 6, 0, 9, 0, 7, 4})
	f.Fuzz(func(t *testing.T, script []byte) {
		b := newBench(t, unitOf())
		if len(script) > 400 {
			return
		}
		next := func() (v uint64) {
			if len(script) > 0 {
				v, script = uint64(script[0]), script[1:]
			}
			return v
		}
		fd := func() int { return int(next()%8) + 3 }
		on := b.t
		for len(script) > 0 {
			switch next() % 12 {
			case 0:
				config, flags, place := next(), next(), next()
				a := perfevent.Attr{Type: []uint32{perfevent.Raw, perfevent.Software}[config>>7], Config: config % 8, Flags: flags, Period: next(), Sample: next() << 2, Format: place >> 3, Wakeup: 1}
				b.open(a, []int{0, noPID, b.t.id}[place%3], int(place%2)-1, int(next()%8)+2, next()%16)
			case 1:
				b.ioctl(fd(), perfevent.IoctlEnable+next()%4, next())
			case 2:
				require.Zero(t, b.t.p.putWords(scratch, next()))
				b.ioctl(fd(), perfevent.IoctlPeriod, scratch)
			case 3:
				b.ioctl(fd(), perfevent.IoctlSetOutput, uint64(fd()))
			case 4:
				b.read(fd(), 8*next())
			case 5:
				mmap(b.t, [6]uint64{0, 4096 * (1 + 1<<(next()%3)), 3, 1, uint64(fd()), 0})
			case 6:
				b.t.p.files.drop(uint64(fd()))
			case 7:
				b.executes(int(next()%2), on, int64(next())+1)
			case 8:
				fcntl(b.t, [6]uint64{uint64(fd()), 4 + next()%13, next()})
			case 9:
				on = b.another(next()%2 == 0)
			case 10:
				if on != b.t {
					on.state = ended
					on.leaveEvents()
					on = b.t
				}
			case 11:
				if o, err := b.t.p.files.get(uint64(fd())); err == 0 {
					o.ready()
				}
			}
		}
		if b.k.failure != nil {
			t.Fatal(b.k.failure)
		}
	})
}

//go:build linux

package linux

import (
	"encoding/binary"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/pmu"
)

// The errors of perf_event_open are Linux's.
func TestPerfOpenErrors(t *testing.T) {
	ok := attr{typ: pmu.Raw, config: 1}
	with := func(change func(a *attr)) attr {
		a := ok
		change(&a)
		return a
	}
	strict, wide := unitOf(), unitOf()
	strict.Paranoid, wide.Paranoid = 2, 1
	for _, c := range []struct {
		name     string
		unit     *pmu.PMU
		a        attr
		pid, cpu int
		group    int
		flags    uint64
		want     errno
	}{
		{"good", nil, ok, 0, anyCPU, noGroup, openCloseExec, 0},
		{"on a processor", nil, ok, noPID, 1, noGroup, 0, 0},
		{"the first version", nil, with(func(a *attr) { a.size = 64 }), 0, anyCPU, noGroup, 0, 0},
		{"flags", nil, ok, 0, anyCPU, noGroup, 16, syscall.EINVAL},
		{"a control group", nil, ok, 0, anyCPU, noGroup, openCgroup, syscall.EINVAL},
		{"too short", nil, with(func(a *attr) { a.size = 63 }), 0, anyCPU, noGroup, 0, syscall.E2BIG},
		{"too long", nil, with(func(a *attr) { a.size = 4097 }), 0, anyCPU, noGroup, 0, syscall.E2BIG},
		{"reserved flags", nil, with(func(a *attr) { a.flags = 1 << 40 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"what is reserved", nil, with(func(a *attr) { a.reserved = 1 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"what else is reserved", nil, with(func(a *attr) { a.reserved3 = 1 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"an unknown format", nil, with(func(a *attr) { a.format = 32 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"an unknown sample", nil, with(func(a *attr) { a.sample = 1 << 25 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"stacks in samples", nil, with(func(a *attr) { a.sample = 1 << 13 }), 0, anyCPU, noGroup, 0, syscall.EOPNOTSUPP},
		{"records of mappings", nil, with(func(a *attr) { a.flags = 1 << 8 }), 0, anyCPU, noGroup, 0, syscall.EOPNOTSUPP},
		{"a frequency", nil, with(func(a *attr) { a.flags, a.period = attrFrequency, 99 }), 0, anyCPU, noGroup, 0, syscall.EOPNOTSUPP},
		{"a negative period", nil, with(func(a *attr) { a.period = 1 << 63 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"an unknown clock", nil, with(func(a *attr) { a.flags, a.clock = attrUseClock, 3 }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"threads inherit without inheriting", nil, with(func(a *attr) { a.flags = attrInheritThread }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"reading samples of inherited events", nil, with(func(a *attr) { a.flags, a.sample = attrInherit, sampleRead }), 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"the kernel, not permitted", strict, ok, 0, anyCPU, noGroup, 0, syscall.EACCES},
		{"the kernel excluded", strict, with(func(a *attr) { a.flags = attrExcludeKernel }), 0, anyCPU, noGroup, 0, 0},
		{"a processor, not permitted", wide, ok, noPID, 0, noGroup, 0, syscall.EACCES},
		{"no such thread", nil, ok, 77777, anyCPU, noGroup, 0, syscall.ESRCH},
		{"no such process", nil, ok, -2, anyCPU, noGroup, 0, syscall.ESRCH},
		{"neither thread nor processor", nil, ok, noPID, anyCPU, noGroup, 0, syscall.EINVAL},
		{"no such processor", nil, ok, 0, 2, noGroup, 0, syscall.EINVAL},
		{"a negative processor", nil, ok, 0, -2, noGroup, 0, syscall.EINVAL},
		{"no such group", nil, ok, 0, anyCPU, 99, 0, syscall.EBADF},
		{"a group that is a file", nil, ok, 0, anyCPU, 1, 0, syscall.EBADF},
		{"no such event", nil, with(func(a *attr) { a.config = 99 }), 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"no such type", nil, with(func(a *attr) { a.typ = 77 }), 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"a watchpoint", nil, with(func(a *attr) { a.typ = 5 }), 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"an event that this machine lacks", nil, attr{typ: pmu.Hardware, config: 5}, 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"an event that no machine has", nil, attr{typ: pmu.Hardware, config: 99}, 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"a cache that no machine has", nil, attr{typ: pmu.Cache, config: 9}, 0, anyCPU, noGroup, 0, syscall.EINVAL},
		{"software that no kernel has", nil, attr{typ: pmu.Software, config: 12}, 0, anyCPU, noGroup, 0, syscall.ENOENT},
		{"hardware by its name", nil, attr{typ: pmu.Hardware, config: 1}, 0, anyCPU, noGroup, 0, 0},
		{"software", nil, attr{typ: pmu.Software, config: swTaskClock}, 0, anyCPU, noGroup, 0, 0},
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
				require.EqualValues(t, attrKnown, size)
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
	refused := func(want errno, what string, a attr, pid, cpu, group int) {
		t.Helper()
		a.typ = pmu.Raw
		_, err := b.open(a, pid, cpu, group, 0)
		require.Equal(t, want, err, what)
	}
	refused(syscall.EINVAL, "both fit on one counter only", attr{config: 3}, 0, anyCPU, lead)
	member := b.event(4, 0, lead)
	refused(syscall.EINVAL, "there are two counters", attr{config: 5}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "a member leads nobody", attr{config: 5}, 0, anyCPU, member)
	refused(syscall.EINVAL, "another processor", attr{config: 5}, 0, 1, lead)
	refused(syscall.EINVAL, "of a processor", attr{config: 5}, noPID, 1, lead)
	refused(syscall.EINVAL, "a member is not pinned", attr{config: 1, flags: attrPinned}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "a member is not exclusive", attr{config: 1, flags: attrExclusive}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "all or none are inherited", attr{config: 1, flags: attrInherit}, 0, anyCPU, lead)
	refused(syscall.EINVAL, "another clock", attr{config: 1, flags: attrUseClock, clock: 1}, 0, anyCPU, lead)
	software := attr{typ: pmu.Software, config: swTaskClock}
	b.must(b.open(software, 0, anyCPU, lead, 0))
	other := b.must(b.open(attr{typ: pmu.Raw, config: 5}, 0, anyCPU, lead, openNoGroup))
	require.Empty(t, b.t.p.files.list[other].file.(*event).members)

	require.Equal(t, syscall.ENOTTY, b.ioctl(lead, 0x2499, 0))
	require.Equal(t, syscall.EOPNOTSUPP, b.ioctl(lead, eventModify, scratch))
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, eventRefresh, 1), "it does not sample")
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, eventPeriod, scratch))
	require.Equal(t, syscall.EFAULT, b.ioctl(lead, eventPeriod, 0))
	require.Equal(t, syscall.EFAULT, b.ioctl(lead, eventID, 0))
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, eventSetOutput, uint64(lead)))
	require.Equal(t, syscall.EINVAL, b.ioctl(lead, eventSetOutput, uint64(member)), "without a buffer")
	require.Equal(t, syscall.EBADF, b.ioctl(lead, eventSetOutput, 1))
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
	inherits := b.event(1, attrInherit, noGroup)
	_, err = mmap(b.t, [6]uint64{0, 8192, 3, 1, uint64(inherits), 0})
	require.Equal(t, syscall.EINVAL, err, "all threads in one buffer")
}

// Whatever is asked for, an answer is an error or an event that can be read.
func FuzzPerfAttr(f *testing.F) {
	good, _ := binary.Append(nil, binary.LittleEndian, attr{typ: pmu.Raw, size: attrKnown, config: 1, format: formatGroup, flags: attrInherit})
	f.Add(good)
	f.Add(good[:64])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseAttr(b)
		switch err {
		case 0:
			if a.flags&^attrKnownFlags != 0 || a.sample&^sampleKnown != 0 || a.format&^formatAll != 0 {
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
				a := attr{typ: []uint32{pmu.Raw, pmu.Software}[config>>7], config: config % 8, flags: flags, period: next(), sample: next() << 2, format: place >> 3, wakeup: 1}
				b.open(a, []int{0, noPID, b.t.id}[place%3], int(place%2)-1, int(next()%8)+2, next()%16)
			case 1:
				b.ioctl(fd(), eventEnable+next()%4, next())
			case 2:
				require.Zero(t, b.t.p.putWords(scratch, next()))
				b.ioctl(fd(), eventPeriod, scratch)
			case 3:
				b.ioctl(fd(), eventSetOutput, uint64(fd()))
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

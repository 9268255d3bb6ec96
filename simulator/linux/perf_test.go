//go:build linux

package linux

import (
	"encoding/binary"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/perfevent"
	"tracerec/simulator/pmu"
	"tracerec/simulator/riscv"
)

// scriptedSource counts what a test says: code 1 is instructions, the others happen so often in every one of them.
type scriptedSource struct {
	executed uint64
	kernel   uint64 // of code 2
}

func (*scriptedSource) PMUEvents() []pmu.Event {
	return []pmu.Event{{Code: 1, Name: "PAPI_TOT_INS"}, {Code: 2, Name: "PAPI_TOT_CYC"}, {Code: 3, Name: "A"}, {Code: 4, Name: "B"}, {Code: 5, Name: "C"}}
}

func (s *scriptedSource) Count(code uint64) (user, kernel uint64) {
	if code == 2 {
		kernel = s.kernel
	}
	return code * s.executed, kernel
}
func (*scriptedSource) Most(code uint64) uint64 { return code }

// bench is a kernel that a test operates by hand: its first thread makes calls, and executes what the test says.
type bench struct {
	*testing.T
	k      *Kernel
	t      *thread
	source *scriptedSource
}

// unitOf returns a PMU of two counters; A fits on the first only, B on the second only.
func unitOf() *pmu.PMU {
	return &pmu.PMU{Device: "cpu", Counters: 2, Bits: 48, Rotation: 1000, Paranoid: -1,
		Limits: []pmu.Limit{{Events: []string{"A"}, Counters: []int{0}}, {Events: []string{"B"}, Counters: []int{1}}}}
}

func newBench(t *testing.T, u *pmu.PMU) *bench {
	b := &bench{T: t, source: &scriptedSource{}}
	k, err := New(compile(t, "threads"), Options{Args: []string{"x"}, CPUs: 2, PMU: u, Counting: b.source})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	b.k, b.t = k, k.all[0].threads[0]
	k.ready = nil
	b.on(0, b.t)
	return b
}

// scratch is memory of the guest for arguments.
const scratch = stackTop - 64<<10

// on puts a thread on a processor, in place of the one that was there.
func (b *bench) on(cpu int, t *thread) {
	c := &b.k.cpus[cpu]
	c.thread, b.k.cpu = t, c
	b.k.perf.enter(cpu, t, 1)
}

// executes lets a thread execute instructions on a processor, in as many turns as the PMU wants.
func (b *bench) executes(cpu int, t *thread, n int64) {
	c := &b.k.cpus[cpu]
	c.thread, b.k.cpu = t, c
	for n > 0 {
		turn := b.k.perf.enter(cpu, t, n)
		require.True(b, turn > 0 && turn <= n)
		pc := t.hart.PC
		b.source.executed += uint64(turn)
		c.clock += turn
		t.hart.PC += uint64(4 * turn)
		b.k.perf.ran(cpu, pc, turn)
		b.k.perf.afterStop(cpu)
		n -= turn
	}
}

func (b *bench) runs(n int64) { b.executes(0, b.t, n) }

func (b *bench) open(a perfevent.Attr, pid, cpu, group int, flags uint64) (int64, errno) {
	if a.Size == 0 {
		a.Size = perfevent.Size
	}
	buffer, err := binary.Append(nil, binary.LittleEndian, a)
	require.NoError(b, err)
	require.Zero(b, b.t.p.put(scratch, buffer))
	return openEvent(b.t, [6]uint64{scratch, uint64(pid), uint64(cpu), uint64(group), flags})
}

// event opens one on the first thread.
func (b *bench) event(config uint64, flags uint64, group int) int {
	return b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: config, Flags: flags, Format: perfevent.FormatEnabled | perfevent.FormatRunning}, 0, -1, group, 0))
}

func (b *bench) must(v int64, err errno) int {
	b.Helper()
	require.Zero(b, err)
	return int(v)
}

func (b *bench) ioctl(fd int, request, argument uint64) errno {
	_, err := ioctl(b.t, [6]uint64{uint64(fd), request, argument})
	return err
}

// read returns the words that a read gets.
func (b *bench) read(fd int, size uint64) ([]uint64, errno) {
	n, err := read(b.t, [6]uint64{uint64(fd), scratch, size})
	if err != 0 {
		return nil, err
	}
	words, err := b.t.p.words(scratch, int(n/8))
	return words, err
}

func (b *bench) words(fd int) []uint64 {
	b.Helper()
	w, err := b.read(fd, 4096)
	require.Zero(b, err)
	return w
}

const (
	noPID   = -1
	anyCPU  = -1
	noGroup = -1
)

// An event counts what its thread does while it is enabled, and knows for how long.
func TestPerfCounts(t *testing.T) {
	b := newBench(t, unitOf())
	fd := b.event(5, perfevent.FlagDisabled, noGroup)
	b.runs(100)
	require.Equal(t, []uint64{0, 0, 0}, b.words(fd))
	require.Zero(t, b.ioctl(fd, perfevent.IoctlEnable, 0))
	b.runs(1000)
	require.Equal(t, []uint64{5000, 1000, 1000}, b.words(fd))
	b.k.cpus[0].clock += 777 // nothing runs
	b.runs(10)
	require.Equal(t, []uint64{5050, 1010, 1010}, b.words(fd))
	require.Zero(t, b.ioctl(fd, perfevent.IoctlDisable, 0))
	b.runs(100)
	require.Zero(t, b.ioctl(fd, perfevent.IoctlReset, 0))
	require.Equal(t, []uint64{0, 1010, 1010}, b.words(fd), "times go on")
	require.Zero(t, b.ioctl(fd, perfevent.IoctlEnable, 0))
	b.runs(1)
	require.Equal(t, []uint64{5, 1011, 1011}, b.words(fd))

	// Modes: of code 2 the kernel does a part.
	require.Zero(t, b.ioctl(fd, perfevent.IoctlDisable, 0))
	for flags, want := range map[uint64]uint64{0: 2*10 + 7, perfevent.FlagExcludeKernel: 2 * 10, perfevent.FlagExcludeUser: 7, perfevent.FlagExcludeUser | perfevent.FlagExcludeKernel: 0} {
		fd := b.event(2, flags, noGroup)
		b.runs(1)
		before := b.words(fd)[0]
		b.k.perf.enter(0, b.t, 10)
		b.source.kernel += 7
		b.source.executed += 10
		b.k.perf.ran(0, 0, 10)
		require.Equal(t, want, b.words(fd)[0]-before, "%#x", flags)
		require.Zero(t, b.t.p.files.drop(uint64(fd)))
	}
}

// Formats of reading, of one event and of a group.
func TestPerfFormats(t *testing.T) {
	for format := range uint64(perfevent.FormatsAll + 1) {
		b := newBench(t, unitOf())
		lead := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 3, Format: format}, 0, anyCPU, noGroup, 0))
		member := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 4, Format: format}, 0, anyCPU, lead, 0))
		ids := []uint64{b.id(lead), b.id(member)}
		require.NotEqual(t, ids[0], ids[1])
		b.runs(10)
		for i, fd := range []int{lead, member} {
			var want []uint64
			value := func(v, id uint64) {
				want = append(want, v)
				if format&perfevent.FormatGroup == 0 {
					want = append(want, timesOf(format, 10)...)
				}
				if format&perfevent.FormatID != 0 {
					want = append(want, id)
				}
				if format&perfevent.FormatLost != 0 {
					want = append(want, 0)
				}
			}
			if format&perfevent.FormatGroup != 0 {
				want = append([]uint64{2}, timesOf(format, 10)...)
				value(30, ids[0])
				value(40, ids[1])
			} else {
				value([]uint64{30, 40}[i], ids[i])
			}
			require.Equal(t, want, b.words(fd), "format %#x", format)
			_, err := b.read(fd, uint64(8*len(want)-1))
			require.Equal(t, syscall.ENOSPC, err)
		}
	}
}

func timesOf(format, d uint64) (times []uint64) {
	for _, f := range []uint64{perfevent.FormatEnabled, perfevent.FormatRunning} {
		if format&f != 0 {
			times = append(times, d)
		}
	}
	return times
}

func (b *bench) id(fd int) uint64 {
	require.Zero(b, b.ioctl(fd, perfevent.IoctlID, scratch))
	w, err := b.t.p.words(scratch, 1)
	require.Zero(b, err)
	return w[0]
}

// Groups that do not fit together take turns; those that are pinned do not, and fail.
func TestPerfTurns(t *testing.T) {
	b := newBench(t, unitOf())
	one, two, three := b.event(3, 0, noGroup), b.event(3, 0, noGroup), b.event(5, 0, noGroup) // A, A, C
	b.runs(6000)
	for _, fd := range []int{one, two, three} {
		w := b.words(fd)
		require.EqualValues(t, 6000, w[1])
		require.Equal(t, w[0], w[2]*map[int]uint64{one: 3, two: 3, three: 5}[fd])
		require.Greater(t, w[2], uint64(1000))
	}
	require.EqualValues(t, 6000, b.words(one)[2]+b.words(two)[2], "one of both has the counter all the time")
	pinned := b.event(3, perfevent.FlagPinned, noGroup)
	late := b.event(3, perfevent.FlagPinned, noGroup)
	before := []uint64{b.words(one)[2], b.words(three)[2]}
	b.runs(3000)
	require.Equal(t, []uint64{9000, 3000, 3000}, b.words(pinned))
	require.Empty(t, b.words(late), "there was no counter for it")
	require.Equal(t, before[0], b.words(one)[2])
	require.Zero(t, b.ioctl(pinned, perfevent.IoctlDisable, 0))
	require.Zero(t, b.ioctl(late, perfevent.IoctlEnable, 0))
	b.runs(100)
	require.Equal(t, []uint64{300, 100, 100}, b.words(late))
	require.Zero(t, b.t.p.files.drop(uint64(late)))
	alone := b.event(5, perfevent.FlagExclusive|perfevent.FlagPinned, noGroup)
	before = []uint64{b.words(one)[2], b.words(three)[2]}
	b.runs(100)
	require.Equal(t, []uint64{500, 100, 100}, b.words(alone))
	require.Equal(t, before, []uint64{b.words(one)[2], b.words(three)[2]}, "nothing beside it")
}

// Groups are on counters as trying all ways says, at every moment, and count just then.
func TestPerfScheduling(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	full := 0
	for range 60 {
		b := newBench(t, unitOf())
		var leaders []*event
		for range 1 + r.IntN(6) {
			lead := b.event(uint64(3+r.IntN(3)), []uint64{0, 0, perfevent.FlagPinned, perfevent.FlagExclusive, perfevent.FlagDisabled}[r.IntN(5)], noGroup)
			if r.IntN(3) == 0 {
				b.open(perfevent.Attr{Type: perfevent.Raw, Config: uint64(3 + r.IntN(3)), Flags: perfevent.FlagDisabled * uint64(r.IntN(2))}, 0, anyCPU, lead, 0)
			}
			leaders = append(leaders, b.t.p.files.list[lead].file.(*event))
		}
		for range 50 {
			e := leaders[r.IntN(len(leaders))]
			switch r.IntN(6) {
			case 0:
				b.runs(1) // before it is known what it is like
				e.disable()
			case 1:
				e.enable()
			}
			before := map[*event]uint64{}
			for _, e := range leaders {
				for _, o := range e.group() {
					before[o] = o.count
				}
			}
			b.runs(1)
			taken := map[*event]bool{}
			var masks []uint64
			for _, e := range leaders {
				for _, o := range e.group() {
					on := o.state == eventActive
					taken[o] = on
					if on {
						masks = append(masks, o.mask)
						require.Equal(t, o.code, o.count-before[o])
					} else {
						require.Equal(t, before[o], o.count)
					}
					require.Equal(t, e.state == eventActive && o.state >= eventInactive, on, "all of a group or none")
					require.LessOrEqual(t, o.running, o.enabled)
				}
			}
			require.True(t, pmu.Fit(masks))
			if len(masks) == 2 {
				full++
			}
		}
	}
	require.Greater(t, full, 100)
}

// another returns a thread that the first one started.
func (b *bench) another(sameProcess bool) *thread {
	p := b.t.p
	if !sameProcess {
		var err errno
		p, err = b.t.fork(0)
		require.Zero(b, err)
	}
	n := p.newThread(riscv.NewHart(p.code))
	b.t.inherit(n, sameProcess)
	return n
}

// What is inherited counts for the event that it is from, also when its thread has ended.
func TestPerfInherited(t *testing.T) {
	u := unitOf()
	u.Counters = 3
	b := newBench(t, u)
	own := b.event(3, 0, noGroup)
	all := b.event(5, perfevent.FlagInherit, noGroup)
	threads := b.event(4, perfevent.FlagInherit|perfevent.FlagInheritThread, noGroup)
	b.runs(10)
	n, p := b.another(true), b.another(false)
	b.executes(1, n, 100)
	b.executes(1, p, 1000)
	require.Equal(t, []uint64{30, 10, 10}, b.words(own))
	require.Equal(t, []uint64{5 * 1110, 1110, 1110}, b.words(all))
	require.EqualValues(t, 4*110, b.words(threads)[0])
	b.k.perf.switchFrom(1)
	n.leaveEvents()
	require.Equal(t, []uint64{5 * 1110, 1110, 1110}, b.words(all))
	require.Zero(t, b.ioctl(all, perfevent.IoctlDisable, 0))
	b.executes(1, p, 1000)
	require.EqualValues(t, 5*1110, b.words(all)[0], "disabled in all threads")
	child := b.t.p.files.list[all].file.(*event)
	require.Len(t, child.children, 1)
	require.Zero(t, b.t.p.files.drop(uint64(all)))
	require.Len(t, p.events.groups, 1, "the child has the descriptor, too")
	require.Zero(t, p.p.files.drop(uint64(all)))
	require.Empty(t, p.events.groups)
}

// Events of a processor count whatever runs there, and those of a thread on one processor only what it does there.
func TestPerfProcessors(t *testing.T) {
	b := newBench(t, unitOf())
	all := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 5, Format: perfevent.FormatEnabled | perfevent.FormatRunning}, noPID, 1, noGroup, 0))
	here := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 3, Format: perfevent.FormatEnabled | perfevent.FormatRunning}, 0, 1, noGroup, 0))
	moves := b.must(b.open(perfevent.Attr{Type: perfevent.Software, Config: perfevent.Migrations}, 0, anyCPU, noGroup, 0))
	switches := b.must(b.open(perfevent.Attr{Type: perfevent.Software, Config: perfevent.ContextSwitches}, 0, anyCPU, noGroup, 0))
	clock := b.must(b.open(perfevent.Attr{Type: perfevent.Software, Config: perfevent.TaskClock}, 0, anyCPU, noGroup, 0))
	faults := b.must(b.open(perfevent.Attr{Type: perfevent.Software, Config: perfevent.PageFaults, Flags: perfevent.FlagExcludeKernel}, 0, anyCPU, noGroup, 0))
	n := b.another(true)
	b.runs(10)
	b.executes(1, n, 100)
	b.executes(1, b.t, 1000)
	b.t.pageFault()
	b.k.cpus[1].clock += 50
	b.executes(1, n, 1)
	require.Equal(t, []uint64{5 * 1101, 1151, 1151}, b.words(all))
	require.Equal(t, []uint64{3000, 1010, 1000}, b.words(here))
	require.Equal(t, []uint64{1}, b.words(moves))
	require.Equal(t, []uint64{2}, b.words(switches))
	require.Equal(t, []uint64{1010}, b.words(clock))
	require.Equal(t, []uint64{1}, b.words(faults))
}

// A program that is executed keeps its thread's events, and enables those that wait for it.
func TestPerfExec(t *testing.T) {
	b := newBench(t, unitOf())
	runs := b.event(3, 0, noGroup)
	waits := b.event(5, perfevent.FlagDisabled|perfevent.FlagEnableOnExec, noGroup)
	b.runs(10)
	n := &thread{k: b.k, p: b.t.p, hart: b.t.hart, id: b.t.id}
	events := b.t.takeEvents()
	b.t.p.endThreads()
	b.t.p.threads = []*thread{n}
	n.giveEvents(events)
	b.t = n
	b.runs(10)
	require.Equal(t, []uint64{60, 20, 20}, b.words(runs))
	require.Equal(t, []uint64{50, 10, 10}, b.words(waits))
}

// A unit that nobody widens has values that begin again at 0.
func TestPerfNarrow(t *testing.T) {
	u := unitOf()
	u.Bits, u.Narrow = 8, true
	b := newBench(t, u)
	fd := b.event(3, 0, noGroup)
	b.runs(100)
	require.EqualValues(t, 300-256, b.words(fd)[0])
}

// The members of a group that lost its leader count on by themselves.
func TestPerfLeaderless(t *testing.T) {
	b := newBench(t, unitOf())
	lead := b.event(3, 0, noGroup)
	member := b.event(4, 0, lead)
	b.runs(10)
	require.Zero(t, b.t.p.files.drop(uint64(lead)))
	again := b.event(3, 0, noGroup)
	b.runs(10)
	require.Equal(t, []uint64{80, 20, 20}, b.words(member))
	require.Equal(t, []uint64{30, 10, 10}, b.words(again))
}

// What is told of the unit can be read, and listed.
func TestPerfFiles(t *testing.T) {
	b := newBench(t, unitOf())
	read := func(name string) string {
		f := b.t.told(name)
		require.NotNil(t, f, name)
		text := make([]byte, 100)
		n, err := f.read(text)
		require.Zero(t, err)
		return string(text[:n])
	}
	const unit = "/sys/bus/event_source/devices/cpu"
	require.Equal(t, "4\n", read(unit+"/type"))
	require.Equal(t, "event=0x3\n", read(unit+"/events/A"))
	require.Equal(t, "config:0-15\n", read(unit+"/format/event"))
	require.Equal(t, "-1\n", read("/proc/sys/kernel/perf_event_paranoid"))
	require.Equal(t, "0-1\n", read("/sys/devices/system/cpu/online"))
	for name, want := range map[string][]string{
		"/sys/bus/event_source/devices": {"cpu", "software"}, unit: {"caps", "events", "format", "type"},
		unit + "/events": {"A", "B", "C", "PAPI_TOT_CYC", "PAPI_TOT_INS"},
	} {
		var names []string
		d, ok := b.t.told(name).(*directory)
		require.True(t, ok, name)
		for _, e := range d.entries {
			names = append(names, e.Name())
			below, _ := b.t.told(name + "/" + e.Name()).(*directory)
			require.Equal(t, below != nil, e.IsDir(), e.Name())
		}
		require.Equal(t, want, names)
	}
	require.Nil(t, b.t.told(unit+"/nothing"))
	for name, want := range map[string]uint32{unit: modeDirectory | 0o555, unit + "/type": modeRegular | 0o444} {
		require.Zero(t, b.t.p.put(scratch+512, append([]byte(name), 0)))
		_, err := fstatat(b.t, [6]uint64{^uint64(99), scratch + 512, scratch})
		require.Zero(t, err)
		mode, _ := b.t.p.word32(scratch + 16)
		require.Equal(t, want, mode)
	}
}

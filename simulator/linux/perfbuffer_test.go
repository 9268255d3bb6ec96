//go:build linux

package linux

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/perfevent"
	"tracerec/simulator/memory"
)

// What overflows tells at which instruction, and none of them is missed.
func TestPerfOverflow(t *testing.T) {
	b := newBench(t, unitOf())
	const period = 50
	fd := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 3, Period: period, Wakeup: 1, Sample: perfevent.SampleIP | perfevent.SampleTID | perfevent.SampleTime | perfevent.SamplePeriod | perfevent.SampleChain | perfevent.SampleCPU}, 0, anyCPU, noGroup, 0))
	at := b.must(mmap(b.t, [6]uint64{0, 5 * 4096, 3, 1, uint64(fd), 0}))
	e := b.t.p.files.list[fd].file.(*event)
	require.Zero(t, e.ready())
	pc, clock := b.t.hart.PC, b.k.cpus[0].clock
	b.runs(1000)
	require.EqualValues(t, pollIn, e.ready())
	samples := b.records(uint64(at), 4*4096)
	require.Len(t, samples, 3*1000/period)
	for i, s := range samples {
		n := uint64((i+1)*period+2) / 3 // the instruction with which there were so many
		require.EqualValues(t, perfevent.RecordSample, s.kind)
		require.Equal(t, []uint64{pc + 4*(n-1), uint64(b.t.p.id) | uint64(b.t.id)<<32, uint64(clock) + n, 0, period, 2, ^uint64(0) - 511, pc + 4*(n-1)}, s.words)
	}
	require.Zero(t, e.ready())
	// Ten more, and it is disabled.
	require.Zero(t, b.ioctl(fd, perfevent.IoctlRefresh, 10))
	b.runs(1000)
	require.Len(t, b.records(uint64(at), 4*4096), 10)
	require.Equal(t, eventOff, e.state)
	// Another period.
	require.Zero(t, b.t.p.putWords(scratch, 300))
	require.Zero(t, b.ioctl(fd, perfevent.IoctlPeriod, scratch))
	require.Zero(t, b.ioctl(fd, perfevent.IoctlEnable, 0))
	b.runs(1000)
	require.Len(t, b.records(uint64(at), 4*4096), 10)
	// More than there is room for: what is lost is told, and by the count.
	require.Zero(t, b.t.p.putWords(scratch, 3))
	require.Zero(t, b.ioctl(fd, perfevent.IoctlPeriod, scratch))
	b.runs(1000)
	kept := b.records(uint64(at), 4*4096)
	b.runs(1)
	rest := b.records(uint64(at), 4*4096)
	require.Len(t, rest, 2)
	require.EqualValues(t, perfevent.RecordLost, rest[0].kind)
	require.EqualValues(t, 1000, len(kept)+int(rest[0].words[1]))
	require.EqualValues(t, e.lost, rest[0].words[1])
	require.Greater(t, e.lost, uint64(100))
}

// Several events write to one buffer, those that threads inherit as well; readings can be in samples.
func TestPerfOutput(t *testing.T) {
	b := newBench(t, unitOf())
	const size = 4 * 4096
	a := perfevent.Attr{Type: perfevent.Raw, Config: 3, Period: 30, Sample: perfevent.SampleIdentifier | perfevent.SampleStream | perfevent.SampleRead, Format: perfevent.FormatID}
	first := b.must(b.open(a, 0, 0, noGroup, 0))
	at := uint64(b.must(mmap(b.t, [6]uint64{0, 4096 + size, 3, 1, uint64(first), 0})))
	a.Config = 4
	second := b.must(b.open(a, 0, 0, first, perfevent.OpenOutput|perfevent.OpenNoGroup))
	b.runs(10)
	require.Equal(t, []record{
		{perfevent.RecordSample, []uint64{b.id(second), b.id(second), 32, b.id(second)}}, // after 8 instructions
		{perfevent.RecordSample, []uint64{b.id(first), b.id(first), 30, b.id(first)}},
	}, b.records(at, size))
	require.Equal(t, syscall.EINVAL, b.ioctl(first, perfevent.IoctlSetOutput, uint64(second)), "it is mapped")
	require.Zero(t, b.t.p.files.drop(uint64(first)))
	b.runs(10)
	require.Len(t, b.records(at, size), 1, "the buffer is the other event's, too")
	require.Zero(t, b.ioctl(second, perfevent.IoctlSetOutput, ^uint64(0)))
	b.runs(10)
	require.Empty(t, b.records(at, size))

	inherits := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 5, Period: 50, Sample: perfevent.SampleTID | perfevent.SampleID | perfevent.SampleStream, Flags: perfevent.FlagInherit}, 0, 0, noGroup, 0))
	at = uint64(b.must(mmap(b.t, [6]uint64{0, 4096 + size, 3, 1, uint64(inherits), 0})))
	n := b.another(true)
	b.executes(0, n, 10)
	samples := b.records(at, size)
	require.Len(t, samples, 1)
	require.Equal(t, []uint64{uint64(n.p.id) | uint64(n.id)<<32, b.id(inherits)}, samples[0].words[:2])
	require.NotEqual(t, b.id(inherits), samples[0].words[2])
	b.executes(1, n, 100)
	require.Empty(t, b.records(at, size), "on another processor")
}

type record struct {
	kind  uint32
	words []uint64
}

// records takes all records out of a buffer.
func (b *bench) records(at, size uint64) (all []record) {
	words := func(at uint64) uint64 {
		w, err := b.t.p.words(at, 1)
		require.Zero(b, err)
		return w[0]
	}
	head, tail := words(at+uint64(pageHead)), words(at+uint64(pageTail))
	for tail < head {
		word := func(i uint64) uint64 { return words(at + memory.PageSize + (tail+8*i)%size) }
		header := word(0)
		r := record{kind: uint32(header)}
		for i := range header>>48/8 - 1 {
			r.words = append(r.words, word(i+1))
		}
		all = append(all, r)
		tail += header >> 48
	}
	require.Zero(b, b.t.p.putWords(at+uint64(pageTail), head))
	return all
}

// Signals tell of overflows, and of the last one.
func TestPerfSignals(t *testing.T) {
	b := newBench(t, unitOf())
	fd := b.must(b.open(perfevent.Attr{Type: perfevent.Raw, Config: 3, Period: 30}, 0, anyCPU, noGroup, 0))
	set := func(command, argument uint64) errno {
		_, err := fcntl(b.t, [6]uint64{uint64(fd), command, argument})
		return err
	}
	b.runs(100)
	require.Empty(t, b.t.pending)
	require.Equal(t, syscall.EINVAL, set(setSignal, signals))
	require.Zero(t, set(setSignal, 40))
	require.Zero(t, b.t.p.putWords(scratch, ownerThread|uint64(b.t.id)<<32))
	require.Zero(t, set(setOwnerEx, scratch))
	require.Zero(t, b.t.p.putWords(scratch, 3))
	require.Equal(t, syscall.EINVAL, set(setOwnerEx, scratch))
	require.Zero(t, set(getOwnerEx, scratch))
	w, _ := b.t.p.words(scratch, 1)
	require.Equal(t, ownerThread|uint64(b.t.id)<<32, w[0])
	require.Zero(t, set(setFlags, oAsync))
	b.t.p.actions[40].handler = 0x1000
	b.runs(100)
	require.Len(t, b.t.pending, 10)
	require.Equal(t, signal{number: 40, code: 1, address: 0x41, value: uint64(fd)}, b.t.pending[0])
	b.t.pending = nil
	require.Zero(t, b.ioctl(fd, perfevent.IoctlRefresh, 2))
	b.runs(100)
	require.Len(t, b.t.pending, 2)
	require.EqualValues(t, 6, b.t.pending[1].code)
	require.Zero(t, set(setOwner, uint64(b.t.p.id)))
	require.Zero(t, set(setSignal, 0))
	b.t.pending = nil
	b.t.p.actions[29].handler = 0x1000
	require.Zero(t, b.ioctl(fd, perfevent.IoctlEnable, 0))
	b.runs(10)
	require.Equal(t, []signal{{number: 29, code: 0x80}}, b.t.pending)
}

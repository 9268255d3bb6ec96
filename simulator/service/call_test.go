//go:build linux

package service

import (
	"encoding/binary"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/count"
	"tracerec/simulator/guest"
	"tracerec/simulator/linux"
	"tracerec/simulator/memory"
	"tracerec/simulator/riscv"
)

// A page of the guest's that may be written, and behind it one that may only be read.
const page = 0x10000

// called returns services without a run, and a thread of a program that is not Go's.
func called(t testing.TB, o Options) (*Services, linux.Turn, *count.Counters) {
	c, err := count.New(nil, count.Options{})
	require.NoError(t, err)
	s, err := New(c, o)
	require.NoError(t, err)
	space, err := memory.New(1 << 20)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, space.Close())
		require.NoError(t, s.Close())
	})
	require.NoError(t, space.Map(page, memory.PageSize, memory.Read|memory.Write, ""))
	require.NoError(t, space.Map(page+memory.PageSize, memory.PageSize, memory.Read, ""))
	turn := linux.Turn{Process: 1, Thread: 1, Memory: space, Hart: riscv.NewHart(riscv.NewCode(space))}
	c.Turn(turn)
	return s, turn, c
}

// switched remembers what the guest asked of the trace.
type switched struct {
	on         bool
	code, data guest.Range
}

func (s *switched) Switch(on bool, code, data guest.Range) { *s = switched{on, code, data} }

func TestAnswers(t *testing.T) {
	var trace switched
	s, turn, c := called(t, Options{Files: t.TempDir(), Trace: &trace})
	call := func(service guest.Service, a ...uint64) int64 {
		args := [6]uint64{uint64(service)}
		copy(args[1:], a)
		return s.Call(turn, args)
	}
	b, _ := turn.Memory.Bytes(page, 64, memory.Write)
	events := uint64(len(c.Events()))
	type answer struct {
		service guest.Service
		a       []uint64
		want    int64
	}
	const readOnly, unmapped = page + memory.PageSize, 1 << 19
	for i, a := range []answer{
		{99, nil, -int64(syscall.ENOSYS)},
		{guest.Hello, nil, 1},
		{guest.Describe, []uint64{events, page, 512}, -int64(syscall.ENOENT)},
		{guest.Describe, []uint64{0, readOnly, 512}, -int64(syscall.EFAULT)},
		{guest.Describe, []uint64{0, page, 1 << 40}, -int64(syscall.EINVAL)},
		{guest.Describe, []uint64{0, page, 4}, 8},
		{guest.Initialize, []uint64{77}, -int64(syscall.EINVAL)},
		{guest.Initialize, []uint64{uint64(guest.Goroutine)}, -int64(syscall.ESRCH)},
		{guest.Initialize, []uint64{uint64(guest.Thread), 0, 5}, -int64(syscall.ESRCH)},
		{guest.Initialize, []uint64{uint64(guest.Process)}, 1},
		{guest.Initialize, []uint64{uint64(guest.Thread)}, 2},
		{guest.StartSet, []uint64{3}, -int64(syscall.EBADF)},
		{guest.Choose, []uint64{1, page, guest.MaxEvents + 1}, -int64(syscall.EINVAL)},
		{guest.Choose, []uint64{1, unmapped, 1}, -int64(syscall.EFAULT)},
		{guest.Choose, []uint64{1, page, 2}, 0},
		{guest.StopSet, []uint64{1}, -int64(syscall.EINVAL)},
		{guest.StartSet, []uint64{1}, 0},
		{guest.StartSet, []uint64{1}, -int64(syscall.EINVAL)},
		{guest.ReadSet, []uint64{1, page, 3}, -int64(syscall.EINVAL)},
		{guest.ReadSet, []uint64{1, readOnly, 2}, -int64(syscall.EFAULT)},
		{guest.ReadSet, []uint64{1, page, 2, readOnly}, -int64(syscall.EFAULT)},
		{guest.ReadSet, []uint64{1, page, 2, page + 32}, 0},
		{guest.ReadSet, []uint64{2, page, events}, 0},
		{guest.Free, []uint64{1}, 0},
		{guest.Free, []uint64{1}, -int64(syscall.EBADF)},
		{guest.Identify, []uint64{uint64(guest.Thread)}, 1},
		{guest.Identify, []uint64{uint64(guest.Goroutine)}, 0},
		{guest.Identify, []uint64{uint64(guest.Task)}, -int64(syscall.EINVAL)},
		{guest.Map, []uint64{2, 0, 0}, -int64(syscall.EINVAL)},
		{guest.Map, []uint64{3, 0, events}, -int64(syscall.EINVAL)},
		{guest.Map, []uint64{3, 0, 0}, 0},
		{guest.TaskExit, []uint64{1}, -int64(syscall.ESRCH)},
		{guest.TaskSwitch, []uint64{1}, 0},
		{guest.TaskExit, []uint64{1}, 0},
		{guest.TaskSwitch, []uint64{1}, -int64(syscall.ESRCH)},
		{guest.TraceOn, []uint64{0, page, 3}, -int64(syscall.EINVAL)},
		{guest.TraceOn, []uint64{0, unmapped, 4}, -int64(syscall.EFAULT)},
		{guest.File, []uint64{0, unmapped, 1, page, 1}, -int64(syscall.EFAULT)},
		{guest.File, []uint64{0, page, 1, readOnly, 1}, -int64(syscall.EFAULT)},
	} {
		if a.service == guest.Choose {
			clear(b) // events of number 0
		}
		require.Equal(t, a.want, call(a.service, a.a...), "%d: %d %v", i, a.service, a.a)
	}
	binary.LittleEndian.PutUint32(b, uint32(events))
	require.Equal(t, -int64(syscall.ENOENT), call(guest.Choose, 2, page, 1))

	for i := range uint64(4) {
		binary.LittleEndian.PutUint64(b[8*i:], i+10)
	}
	require.Zero(t, call(guest.TraceOn, 0, page, 4))
	require.Equal(t, switched{true, guest.Range{Begin: 10, End: 11}, guest.Range{Begin: 12, End: 13}}, trace)
	require.Zero(t, call(guest.TraceOff))
	require.False(t, trace.on)

	for range maxSets - 1 {
		require.Positive(t, call(guest.Initialize, uint64(guest.Process)))
	}
	require.Equal(t, -int64(syscall.EMFILE), call(guest.Initialize, uint64(guest.Process)))

	s, turn, _ = called(t, Options{})
	require.Equal(t, -int64(syscall.ENODEV), call(guest.TraceOn, 0, page, 4))
	require.Equal(t, -int64(syscall.ENODEV), call(guest.TraceOff))
	require.Equal(t, -int64(syscall.EACCES), call(guest.File, 0, page, 1, page, 1))
}

// Sets of a child that was forked begin at zero, those of a program that was executed are gone.
func TestLives(t *testing.T) {
	s, turn, _ := called(t, Options{})
	require.EqualValues(t, 1, s.Call(turn, [6]uint64{uint64(guest.Initialize), uint64(guest.Thread)}))
	s.Forked(1, 2)
	child := turn
	child.Process, child.Thread = 2, 2
	require.Zero(t, s.Call(child, [6]uint64{uint64(guest.StartSet), 1}))
	require.EqualValues(t, 2, s.Call(child, [6]uint64{uint64(guest.Initialize)}))
	require.Equal(t, -int64(syscall.EBADF), s.Call(turn, [6]uint64{uint64(guest.StartSet), 2}), "the parent has its own")
	s.Loaded(2, nil)
	require.Equal(t, -int64(syscall.EBADF), s.Call(child, [6]uint64{uint64(guest.StopSet), 1}))
	s.Ended(1, 1)
	require.Zero(t, s.Call(turn, [6]uint64{uint64(guest.StartSet), 1}), "there are other threads")
	s.Ended(1, 0)
	require.Equal(t, -int64(syscall.EBADF), s.Call(turn, [6]uint64{uint64(guest.StopSet), 1}))
}

// Whatever a guest asks, in whatever order, it gets an answer.
func FuzzCall(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x03\x01\x10\x02\x00\x00\x04\x01\x00\x00\x00\x00\x07\x01\x10\x02\x11\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var trace switched
		s, turn, _ := called(t, Options{Files: t.TempDir(), Trace: &trace})
		values := []uint64{0, 1, 2, 3, 4, 5, 16, 77, 256, 1 << 20, 1 << 40, 1 << 63, 1<<64 - 1, 7, 31, 8, page, page + 8, page + memory.PageSize - 8, page + memory.PageSize, 1 << 19}
		for ; len(b) >= 6; b = b[6:] {
			a := [6]uint64{uint64(b[0] % 40)}
			for i, k := range b[1:6] {
				a[i+1] = values[int(k)%len(values)]
			}
			require.GreaterOrEqual(t, s.Call(turn, a), int64(-4095))
		}
	})
}

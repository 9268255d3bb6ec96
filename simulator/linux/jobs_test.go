//go:build linux

package linux

import (
	"encoding/binary"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sigTERM = 15
	sigTSTP = 20
	sigTTIN = 21
)

// family is a process with a child, both of which call.
type parentAndChild struct {
	*caller
	child *caller
	at    uint64 // memory of the parent
}

func newFamily(t *testing.T) *parentAndChild {
	c := newCaller(t, Options{CPUs: 2})
	f := &parentAndChild{caller: c, at: c.pages(1)}
	f.child = f.fork()
	return f
}

// fork makes another child of the parent.
func (f *parentAndChild) fork() *caller {
	id := f.call(220, 17)
	require.Positive(f, id)
	p := f.k.process(int(id))
	return &caller{f.T, f.k, p.threads[0]}
}

// wait waits for a child with options, and returns its number and status; 0 if the parent has to wait.
func (f *parentAndChild) wait(options uint64) (id int64, status uint32) {
	f.on()
	require.Zero(f, f.t.p.putWord32(f.at, 0))
	id = f.call(260, ones, f.at, options, 0)
	if f.t.state == blocked {
		f.t.wake(-int64(syscall.EINTR))
		f.k.ready = nil
		return 0, 0
	}
	status, err := f.t.p.word32(f.at)
	require.Zero(f, err)
	return id, status
}

func (f *parentAndChild) kill(to *caller, number uint64) {
	require.Zero(f, f.call(129, uint64(to.t.p.id), number))
}

// A child that is stopped and continued tells its parent, once; what would have run is kept until then.
func TestStopAndContinue(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.t.p.actions[sigCHLD] = action{handler: 0x10000}
	id := int64(f.child.t.p.id)
	got := func() (list [][2]uint64) {
		for _, s := range f.t.pending {
			require.Equal(t, sigCHLD, s.number)
			require.Equal(t, uint64(id)|1000<<32, s.address)
			list = append(list, [2]uint64{uint64(s.code), s.value})
		}
		f.t.pending = nil
		return list
	}
	f.k.ready = []*thread{f.child.t}
	f.kill(f.child, sigSTOP)
	require.Empty(t, f.k.ready)
	require.Equal(t, []*thread{f.child.t}, f.child.t.p.held)
	require.Contains(t, f.child.t.p.stat(), ") T ")
	require.Equal(t, [][2]uint64{{5, sigSTOP}}, got())
	n, _ := f.wait(0)
	require.Zero(t, n, "it has not ended")
	n, _ = f.wait(waitContinued | waitNoHang)
	require.Zero(t, n)
	n, status := f.wait(waitStopped)
	require.Equal(t, id, n)
	require.EqualValues(t, sigSTOP<<8|0x7f, status)
	n, _ = f.wait(waitStopped)
	require.Zero(t, n, "it was told")

	f.kill(f.child, sigSTOP) // once more
	require.Empty(t, got())
	f.kill(f.child, sigTERM)
	require.Empty(t, f.k.ready, "it comes later")
	f.kill(f.child, sigCONT)
	require.Equal(t, [][2]uint64{{6, sigCONT}}, got())
	require.Equal(t, []*thread{f.child.t}, f.k.ready)
	n, status = f.wait(waitContinued | waitLeave)
	require.EqualValues(t, minus(syscall.EINVAL), n, "wait4 has no such option")
	n, status = f.wait(waitContinued)
	require.Equal(t, id, n)
	require.EqualValues(t, 0xffff, status)
	n, _ = f.wait(waitContinued)
	require.Zero(t, n)

	f.k.cpus[1].thread = f.child.t
	f.k.cpu = &f.k.cpus[1]
	require.False(t, f.child.t.deliver())
	n, status = f.wait(waitStopped)
	require.Equal(t, id, n)
	require.EqualValues(t, sigTERM, status)
}

// SIGKILL ends also what is stopped; what runs on another processor is stopped there and then.
func TestKillStopped(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.on()
	f.k.cpus[1].thread, f.k.cpus[1].clock = f.child.t, 700
	f.kill(f.child, sigSTOP)
	require.Nil(t, f.k.cpus[1].thread)
	require.EqualValues(t, 700, f.child.t.since, "its time does not go back")
	f.kill(f.child, sigKILL)
	require.Equal(t, []*thread{f.child.t}, f.k.ready)
	f.k.cpus[1].thread, f.k.cpu = f.child.t, &f.k.cpus[1]
	require.False(t, f.child.t.deliver())
	_, status := f.wait(waitStopped | waitContinued)
	require.EqualValues(t, sigKILL, status)
}

// waitid tells of what it was asked for, and leaves it if it shall.
func TestWaitID(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	wait := func(options uint64) (code, status uint32) {
		f.on()
		require.Zero(t, f.call(95, 0, 0, f.at, options|waitNoHang, 0))
		b, err := f.t.p.bytes(f.at, 32)
		require.Zero(t, err)
		return binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[24:])
	}
	told := func(options uint64, code, status uint32) {
		t.Helper()
		c, s := wait(options)
		require.Equal(t, [2]uint32{code, status}, [2]uint32{c, s})
	}
	f.kill(f.child, sigSTOP)
	told(waitExited|waitContinued, 0, 0)
	told(waitStopped|waitLeave, 5, sigSTOP)
	told(waitStopped, 5, sigSTOP)
	told(waitStopped, 0, 0)
	f.kill(f.child, sigCONT)
	told(waitContinued, 6, sigCONT)
	f.child.on()
	f.child.call(94, 9)
	told(waitStopped|waitContinued, 0, 0)
	told(waitExited, 1, 9)
}

// Signals that stop may be blocked, handled or ignored, all but SIGSTOP; SIGCONT continues however that is, and takes them back.
func TestStopSignals(t *testing.T) {
	t.Parallel()
	const bit = 1 << (sigTSTP - 1)
	alone := func() *parentAndChild { // a group that is not the parent's
		f := newFamily(t)
		require.Zero(t, f.call(154, uint64(f.child.t.p.id), 0))
		return f
	}
	f := alone()
	f.kill(f.child, sigTSTP)
	require.Equal(t, sigTSTP, f.child.t.p.stopped)
	f.child.t.mask = 1 << (sigCONT - 1)
	f.kill(f.child, sigCONT)
	require.Zero(t, f.child.t.p.stopped, "though it is blocked")

	f = alone()
	f.child.t.mask = bit
	f.kill(f.child, sigTSTP)
	require.Zero(t, f.child.t.p.stopped)
	require.Len(t, f.child.t.pending, 1)
	f.kill(f.child, sigCONT)
	require.Empty(t, f.child.t.pending)
	f.kill(f.child, sigTSTP)
	f.k.cpus[1].thread, f.k.cpu, f.child.t.mask = f.child.t, &f.k.cpus[1], 0
	require.False(t, f.child.t.deliver())
	require.Equal(t, sigTSTP, f.child.t.p.stopped)
	require.Nil(t, f.k.cpus[1].thread)

	f = alone()
	f.child.t.p.actions[sigTSTP].handler, f.child.t.p.actions[sigTTIN].handler = 0x10000, 1
	f.kill(f.child, sigTSTP)
	f.kill(f.child, sigTTIN)
	require.Zero(t, f.child.t.p.stopped)
	require.Len(t, f.child.t.pending, 1)
	f.on()
	f.kill(f.child, sigSTOP)
	require.Equal(t, sigSTOP, f.child.t.p.stopped)
	require.Empty(t, slices.DeleteFunc(f.child.t.pending, func(s signal) bool { return s.number != sigCONT }))

	// Nobody could continue an orphan that the terminal stopped.
	f = newFamily(t)
	f.kill(f.child, sigTSTP)
	require.Zero(t, f.child.t.p.stopped, "its group is the first process's, which has no parent")
	f.t.p.actions[sigCHLD] = action{handler: 0x10000, flags: 1} // SA_NOCLDSTOP
	f.kill(f.child, sigSTOP)
	f.kill(f.child, sigCONT)
	require.Empty(t, f.t.pending)
}

// A call that waits goes on waiting, with its answer kept until the process may run on; epoll alone gives up.
func TestStoppedCalls(t *testing.T) {
	t.Parallel()
	for _, epoll := range []bool{false, true} {
		c := newCaller(t, Options{})
		at := c.pages(1)
		require.Zero(t, c.call(59, at, 0))
		require.EqualValues(t, 5, c.call(20, 0))
		f := &parentAndChild{caller: c, at: at}
		child := f.fork()
		child.on()
		if epoll {
			child.call(22, 5, at, 1, ones, 0, 8)
		} else {
			child.call(63, 3, at, 1)
		}
		require.Equal(t, blocked, child.t.state)
		f.on()
		f.kill(child, sigSTOP)
		if epoll {
			require.Equal(t, running, child.t.state)
			require.Equal(t, minus(syscall.EINTR), int64(child.t.hart.X[10]))
		} else {
			require.Equal(t, blocked, child.t.state)
			require.EqualValues(t, 1, f.call(64, 4, at, 1))
			f.k.retryAll()
			require.EqualValues(t, 1, child.t.hart.X[10])
		}
		require.Equal(t, []*thread{child.t}, child.t.p.held)
		require.Empty(t, f.k.ready)
		f.kill(child, sigCONT)
		require.Equal(t, []*thread{child.t}, f.k.ready)
	}
}

// The stopped processes of a group that its last parent leaves are hung up, and continued; others are not.
func TestHangUp(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.child.on()
	require.Positive(t, f.child.call(157), "a session of its own")
	leader := &parentAndChild{caller: f.child, at: f.at}
	job, other := leader.fork(), leader.fork()
	require.Zero(t, leader.call(154, uint64(job.t.p.id), 0))
	leader.kill(job, sigTSTP)
	require.Equal(t, sigTSTP, job.t.p.stopped)
	leader.kill(other, sigSTOP)
	leader.call(94, 0)
	require.Zero(t, job.t.p.stopped)
	require.Equal(t, []signal{{number: sigHUP}}, job.t.pending)
	require.Equal(t, sigSTOP, other.t.p.stopped, "a group that was an orphan before")
}

// A run in which all that is left is stopped says so.
func TestStoppedForGood(t *testing.T) {
	t.Parallel()
	c := newCaller(t, Options{})
	c.call(129, 1000, sigSTOP)
	_, err := c.k.Run()
	require.EqualError(t, err, "at 0x0: process 1000 is stopped by signal 19, and no process is left to continue it")
}

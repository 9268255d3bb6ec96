//go:build linux

package linux

import (
	"encoding/binary"
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/memory"
)

// caller makes system calls for a thread whose program does nothing.
type caller struct {
	*testing.T
	k *Kernel
	t *thread
}

// newCaller returns the first thread of a new run.
func newCaller(t *testing.T, o Options) *caller {
	o.Args = []string{"/program"}
	k, err := New(spin(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	c := &caller{t, k, k.first.threads[0]}
	c.on()
	return c
}

// on puts the thread on the processor.
func (c *caller) on() {
	c.k.ready, c.k.cpu, c.k.cpus[0].thread = nil, &c.k.cpus[0], c.t
	c.t.state = running
}

// call makes a system call, and returns what the program finds in a0.
func (c *caller) call(number uint64, arguments ...uint64) int64 {
	h := c.t.hart
	h.X[17] = number
	copy(h.X[10:16], make([]uint64, 6))
	copy(h.X[10:16], arguments)
	c.t.call()
	return int64(h.X[10])
}

// pages maps pages of the guest for arguments.
func (c *caller) pages(n uint64) uint64 {
	at := c.call(222, 0, n*memory.PageSize, 3, mapPrivate|mapAnonymous, ones, 0)
	require.Positive(c, at)
	return uint64(at)
}

const (
	ones = math.MaxUint64
	page = memory.PageSize
)

// minus is what a call returns that fails.
func minus(e errno) int64 { return -int64(e) }

// Calls that cannot be are answered as by Linux 6.18, natively; qemu-riscv64 agrees but where it is a matter of versions.
func TestErrorNumbers(t *testing.T) {
	t.Parallel()
	c := newCaller(t, Options{})
	at := c.pages(4)
	require.Zero(t, c.call(59, at, 0)) // a pipe: 3 and 4
	require.EqualValues(t, 5, c.call(20, 0))
	none := at + 3*page
	require.Zero(t, c.call(215, none, page))
	vector, event := at+page, at+2*page
	require.Zero(t, c.t.p.putWords(vector, at, 1<<63))
	require.Zero(t, c.t.p.putWords(event, pollIn, 0))
	for _, x := range []struct {
		name   string
		number uint64
		a      []uint64
		want   errno
	}{
		{"mmap, offset 1", 222, []uint64{0, page, 1, mapPrivate | mapAnonymous, ones, 1}, syscall.EINVAL},
		{"mmap of a file, offset 1", 222, []uint64{0, page, 1, mapPrivate, 99, 1}, syscall.EINVAL},
		{"mmap of no file", 222, []uint64{0, page, 1, mapPrivate, 99, 0}, syscall.EBADF},
		{"mmap of nothing", 222, []uint64{0, 0, 1, mapPrivate | mapAnonymous, ones, 0}, syscall.EINVAL},
		{"mmap of all", 222, []uint64{0, ones, 1, mapPrivate | mapAnonymous, ones, 0}, syscall.ENOMEM},
		{"mmap, neither private nor shared", 222, []uint64{0, page, 1, mapAnonymous, ones, 0}, syscall.EINVAL},
		{"mmap, fixed, odd", 222, []uint64{at + 1, page, 1, mapPrivate | mapAnonymous | mapFixed, ones, 0}, syscall.EINVAL},
		{"mmap, fixed, beyond", 222, []uint64{1 << 62, page, 1, mapPrivate | mapAnonymous | mapFixed, ones, 0}, syscall.ENOMEM},
		{"mmap of what is written only", 222, []uint64{0, page, 1, mapPrivate, 4, 0}, syscall.EACCES},
		{"mmap of a pipe", 222, []uint64{0, page, 1, mapPrivate, 3, 0}, syscall.ENODEV},
		{"munmap, odd", 215, []uint64{at + 1, page}, syscall.EINVAL},
		{"munmap of nothing", 215, []uint64{at, 0}, syscall.EINVAL},
		{"mprotect, odd", 226, []uint64{at + 1, page, 1}, syscall.EINVAL},
		{"mprotect, other bits", 226, []uint64{at, page, 0x100}, syscall.EINVAL},
		{"mprotect of what is not mapped", 226, []uint64{none, page, 1}, syscall.ENOMEM},
		{"mprotect of nothing", 226, []uint64{at, 0, 1}, 0},
		{"madvise, odd", 233, []uint64{at + 1, page, 4}, syscall.EINVAL},
		{"madvise, no such advice", 233, []uint64{at, page, 999}, syscall.EINVAL},
		{"madvise of what is not mapped", 233, []uint64{none, page, 4}, syscall.ENOMEM},
		{"writev of 2^63", 66, []uint64{4, vector, 1}, syscall.EINVAL},
		{"readv of 2^63", 65, []uint64{3, vector, 1}, syscall.EINVAL},
		{"writev of 2^63 to no file", 66, []uint64{99, vector, 1}, syscall.EBADF},
		{"writev, 1025 pieces", 66, []uint64{4, at, 1025}, syscall.EINVAL},
		{"writev, -1 pieces", 66, []uint64{4, at, ones}, syscall.EINVAL},
		{"writev from nowhere", 66, []uint64{4, 0, 1}, syscall.EFAULT},
		{"writev of nothing", 66, []uint64{4, 0, 0}, 0},
		{"write from nowhere", 64, []uint64{4, 8, 1}, syscall.EFAULT},
		{"read of no file to nowhere", 63, []uint64{99, 8, 1}, syscall.EBADF},
		{"pread of a pipe", 67, []uint64{3, at, 1, 0}, syscall.ESPIPE},
		{"prlimit, no such limit", 261, []uint64{0, 99, 0, at}, syscall.EINVAL},
		{"prlimit from nowhere", 261, []uint64{0, limitFiles, 8, 0}, syscall.EFAULT},
		{"prlimit to nowhere", 261, []uint64{0, limitFiles, 0, 8}, syscall.EFAULT},
		{"prlimit, no such process", 261, []uint64{999, limitFiles, 0, at}, syscall.ESRCH},
		{"mremap, odd", 216, []uint64{at + 1, page, page, 0}, syscall.EINVAL},
		{"mremap to nothing", 216, []uint64{at, page, 0, 0}, syscall.EINVAL},
		{"mremap, other flags", 216, []uint64{at, page, page, 24}, syscall.EINVAL},
		{"mremap, fixed, not to be moved", 216, []uint64{at, page, page, 2, at + 8*page}, syscall.EINVAL},
		{"mremap of what is not mapped", 216, []uint64{none, page, 2 * page, 1}, syscall.EFAULT},
		{"mremap of what is not mapped at its end", 216, []uint64{at, 8 * page, 16 * page, 1}, syscall.EFAULT},
		{"mremap, fixed, odd", 216, []uint64{at, page, page, 3, at + 1}, syscall.EINVAL},
		{"mremap onto itself", 216, []uint64{at, page, page, 3, at}, syscall.EINVAL},
		{"epoll_ctl from nowhere", 21, []uint64{5, 1, 3, 0}, syscall.EFAULT},
		{"epoll_ctl of no file from nowhere", 21, []uint64{99, 1, 3, 0}, syscall.EFAULT},
		{"epoll_ctl of no file", 21, []uint64{99, 1, 3, event}, syscall.EBADF},
		{"epoll_ctl, no file", 21, []uint64{5, 1, 99, event}, syscall.EBADF},
		{"epoll_ctl, what was not added", 21, []uint64{5, 2, 3, 0}, syscall.ENOENT},
		{"epoll_ctl, itself", 21, []uint64{5, 1, 5, event}, syscall.EINVAL},
		{"epoll_ctl of a pipe", 21, []uint64{3, 1, 4, event}, syscall.EINVAL},
		{"epoll_ctl, no such operation", 21, []uint64{5, 99, 3, event}, syscall.EINVAL},
		{"epoll_ctl", 21, []uint64{5, 1, 3, event}, 0},
		{"epoll_ctl, once more", 21, []uint64{5, 1, 3, event}, syscall.EEXIST},
		{"epoll_ctl, removed", 21, []uint64{5, 2, 3, 0}, 0},
		{"epoll_pwait for none", 22, []uint64{5, at, 0, 0, 0, 8}, syscall.EINVAL},
		{"wait4, nobody", 260, []uint64{ones, 0, 0, 0}, syscall.ECHILD},
		{"wait4, other options", 260, []uint64{ones, 0, 0x100, 0}, syscall.EINVAL},
		{"wait4, the least number", 260, []uint64{1 << 31, 0, 0, 0}, syscall.ESRCH},
		{"waitid for nothing", 95, []uint64{0, 0, 0, 0, 0}, syscall.EINVAL},
		{"waitid, other options", 95, []uint64{0, 0, 0, 0x104, 0}, syscall.EINVAL},
		{"tkill, 0", 130, []uint64{0, 1}, syscall.EINVAL},
		{"tgkill, -1", 131, []uint64{ones, 1, 1}, syscall.EINVAL},
		{"kill, no such signal", 129, []uint64{1000, 65}, syscall.EINVAL},
		{"rt_sigprocmask, another size", 135, []uint64{0, at, 0, 4}, syscall.EINVAL},
		{"pipe2, other flags", 59, []uint64{at, 1}, syscall.EINVAL},
		{"setuid, the same", 146, []uint64{userID}, 0},
		{"setuid, another", 146, []uint64{0}, syscall.EPERM},
		{"setuid, none", 146, []uint64{ones}, syscall.EINVAL},
		{"setresgid", 149, []uint64{ones, userID, ones}, 0},
		{"setresgid, another", 149, []uint64{ones, userID, 0}, syscall.EPERM},
		{"setgroups", 159, []uint64{0, 0}, syscall.EPERM},
		{"riscv_flush_icache, other flags", 259, []uint64{at, at + 8, 2}, syscall.EINVAL},
	} {
		require.Equal(t, minus(x.want), c.call(x.number, x.a...), x.name)
	}
	require.Empty(t, c.k.Unsupported())
}

// The limit of descriptors holds, for children too, and is not raised above what it was.
func TestLimits(t *testing.T) {
	t.Parallel()
	c := newCaller(t, Options{})
	at := c.pages(1)
	set := func(now, most uint64) int64 {
		require.Zero(t, c.t.p.putWords(at, now, most))
		return c.call(261, 0, limitFiles, at, at+16)
	}
	require.Equal(t, minus(syscall.EINVAL), set(10, 5))
	require.Equal(t, minus(syscall.EPERM), set(10, maxFiles+1))
	require.Zero(t, set(5, 100))
	w, _ := c.t.p.words(at+16, 2)
	require.Equal(t, []uint64{maxFiles, maxFiles}, w)
	require.EqualValues(t, 3, c.call(23, 0))
	require.EqualValues(t, 4, c.call(23, 0))
	require.Equal(t, minus(syscall.EMFILE), c.call(23, 0))
	require.Equal(t, minus(syscall.EBADF), c.call(24, 0, 5, 0))
	require.Equal(t, minus(syscall.EINVAL), c.call(25, 0, 0, 5))
	require.Zero(t, c.call(163, limitFiles, at))
	w, _ = c.t.p.words(at, 2)
	require.Equal(t, []uint64{5, 100}, w)
	child := c.k.process(int(c.call(220, 17)))
	require.Equal(t, rlimit{5, 100}, child.limits[limitFiles])
	_, err := child.files.add(&open{file: &epoll{}}, 0, 0)
	require.Equal(t, errno(syscall.EMFILE), err)
	require.Zero(t, c.t.p.putWords(at, 100, 100))
	require.Zero(t, c.call(164, limitFiles, at))
	require.EqualValues(t, 5, c.call(23, 0))
}

// Mappings grow where they are, move with what is in them, and shrink.
func TestRemap(t *testing.T) {
	t.Parallel()
	for _, kind := range []uint64{mapPrivate, mapShared} {
		c := newCaller(t, Options{})
		at := uint64(c.call(222, 0, 3*page, 3, kind|mapAnonymous, ones, 0))
		require.Zero(t, c.t.p.putWords(at, 41))
		require.Zero(t, c.t.p.putWords(at+page, 42))
		require.EqualValues(t, at, c.call(216, at, 3*page, 2*page, 0), "smaller")
		require.Equal(t, minus(syscall.EFAULT), c.call(216, at+2*page, page, 2*page, 1))
		require.EqualValues(t, at+2*page, c.call(222, at+2*page, page, 0, mapPrivate|mapAnonymous|mapFixed, ones, 0), "in the way")
		require.Equal(t, minus(syscall.ENOMEM), c.call(216, at, 2*page, 4*page, 0))
		to := uint64(c.call(216, at, 2*page, 4*page, 1))
		require.NotEqual(t, at, to)
		check := func(at uint64, want ...uint64) {
			t.Helper()
			for i, v := range want {
				w, err := c.t.p.words(at+uint64(i)*page, 1)
				require.Zero(t, err)
				require.Equal(t, v, w[0])
			}
		}
		if check(to, 41, 42); kind == mapPrivate {
			check(to+2*page, 0, 0)
		}
		_, gone := c.t.p.space.Find(at)
		require.False(t, gone)
		room := c.pages(4)
		require.EqualValues(t, room+page, c.call(216, to+page, page, page, 3, room+page), "a part, over what is there")
		check(room+page, 42)
		check(room, 0)
		check(to, 41)
		_, gone = c.t.p.space.Find(to + page)
		require.False(t, gone)
	}
	c := newCaller(t, Options{MaxMemory: 16 << 20})
	at := c.pages(1)
	require.EqualValues(t, at, c.call(216, at, page, page, 1))
	require.Equal(t, minus(syscall.ENOMEM), c.call(216, at, page, 16<<20, 1))
	require.EqualValues(t, at-8*page, c.call(222, at-8*page, page, 3, mapPrivate|mapAnonymous|mapFixed, ones, 0))
	require.EqualValues(t, at-8*page, c.call(216, at-8*page, page, 2*page, 0), "in place")
	r, _ := c.t.p.space.Find(at - 8*page)
	require.Equal(t, at-6*page, r.End)
}

// What is not supported is an error for the guest, and counted; strictly, it ends the run.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	c := newCaller(t, Options{})
	for range 3 {
		require.Equal(t, minus(syscall.ENOSYS), c.call(1999))
	}
	require.Equal(t, minus(syscall.ENOSYS), c.call(220, 0x400|17))
	require.Equal(t, minus(syscall.EPERM), c.call(117), "refused on purpose")
	require.NoError(t, c.k.failure)
	pc := c.t.hart.PC - 4
	require.Equal(t, []Unsupported{{"system call 1999", pc, 3, "ENOSYS"}, {"a process that shares files or signal handlers", pc, 1, "ENOSYS"}}, c.k.Unsupported())

	c = newCaller(t, Options{Strict: true})
	c.call(1999)
	require.EqualError(t, c.k.failure, "at 0xfffc: system call 1999 is not supported")
}

// New code is seen after the call for it, also by other threads; a store over the end of a mapping is a fault where it ends.
func TestNewCodeAndFaults(t *testing.T) {
	t.Parallel()
	c := newCaller(t, Options{})
	code := uint64(c.call(222, 0, page, 7, mapPrivate|mapAnonymous, ones, 0))
	answer := func(n uint32) { // li a0, n; ecall
		require.Zero(t, c.t.p.put(code, binary.LittleEndian.AppendUint64(nil, uint64(n<<20|0x513)|0x73<<32)))
	}
	other := c.k.first.newThread(nil)
	other.hart = c.t.hart
	for n := range uint32(5) {
		answer(n)
		require.Zero(t, c.call(259, code, code+8, uint64(n%2)))
		for _, th := range []*thread{c.t, other} {
			th.hart.PC = code
			th.run(10)
			require.EqualValues(t, n, th.hart.X[10])
		}
	}
	c.k.first.threads = c.k.first.threads[:1]

	at := c.pages(2)
	require.Zero(t, c.call(215, at+page, page))
	require.Zero(t, c.t.p.put(code, []byte{0x23, 0xb0, 0x62, 0})) // sd t1, 0(t0)
	require.Zero(t, c.call(259))
	c.t.p.actions[sigSEGV] = action{handler: code}
	for _, x := range []struct {
		to, address uint64
		code        uint32
	}{{at + page - 4, at + page, 1}, {at + page - 8, 0, 0}, {code + page - 4, code + page, 1}, {8, 8, 1}, {returnPage - 4, returnPage - 4, 1}} {
		h := c.t.hart
		h.X[2], h.X[5], h.PC = stackTop-1<<16, x.to, code
		c.t.mask, h.X[12] = 0, 0
		c.t.stopped(&c.k.cpus[0], c.t.run(1))
		require.False(t, c.k.exited)
		if x.code == 0 {
			require.Zero(t, h.X[12], "no handler is called")
			continue
		}
		b, err := c.t.p.bytes(h.X[11], 24)
		require.Zero(t, err)
		require.Equal(t, x.code, binary.LittleEndian.Uint32(b[8:]))
		require.Equal(t, x.address, binary.LittleEndian.Uint64(b[16:]))
	}
	require.Equal(t, errno(0), func() errno { _, err := c.t.p.words(at, 1); return err }())
}

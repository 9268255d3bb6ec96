//go:build linux

package shm

import (
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
)

// TestNoDescriptor fills a buffer: its file grows without a descriptor, and its
// lock says that the process lives.
func TestNoDescriptor(t *testing.T) {
	before := descriptors()
	b, err := Create(Config{Dir: t.TempDir(), Buffer: 4 << 20}, clock.Monotonic, 0)
	require.NoError(t, err)
	require.Equal(t, before, descriptors())
	for chunk := uintptr(1); chunk != 0; chunk, _ = b.Alloc(Large, Label{}) {
	}
	require.Equal(t, b.blocks, b.h.grown.Load())
	require.Zero(t, b.h.counts[MemoryRefused].Load())
	require.Equal(t, before, descriptors())
	v, err := Open(b.Path())
	require.NoError(t, err)
	defer v.Close()
	require.True(t, locked(v.fd))
	unmapFile(b.mem)
	require.False(t, v.Alive(), "the lock goes with the mapping, though the process runs")
}

// TestAwait waits for the end of a mapping, and is not taken for one who has it.
func TestAwait(t *testing.T) {
	b, err := Create(Config{Dir: t.TempDir(), Buffer: 4 << 20}, clock.Monotonic, 0)
	require.NoError(t, err)
	v, err := Open(b.Path())
	require.NoError(t, err)
	defer v.Close()
	require.True(t, v.Alive())
	var over atomic.Bool
	found := make(chan bool)
	go func() { found <- v.Await() && over.Load() }()
	over.Store(true)
	unmapFile(b.mem)
	require.True(t, <-found)
	fd, err := syscall.Open(b.Path(), syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	require.NoError(t, err)
	defer syscall.Close(fd)
	require.NoError(t, syscall.Flock(fd, syscall.LOCK_SH))
	require.False(t, v.Alive(), "another one asks just now")
}

// descriptors lists the open files of this process.
func descriptors() (open []int) {
	for fd := range 256 {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) == nil {
			open = append(open, fd)
		}
	}
	return open
}

// TestUmask: the recorder, of the same user, opens the buffer also of a program that takes all rights from its files.
func TestUmask(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o777))
	b, err := Create(Config{Dir: dir}, clock.Monotonic, 0)
	require.NoError(t, err)
	defer unmapFile(b.mem)
	info, err := os.Stat(b.Path())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

// TestAllocate gives pages memory in both ways; a file that was cut off is an error, not a fault.
func TestAllocate(t *testing.T) {
	const none = 9999
	if _, _, err := syscall.RawSyscall(syscall.SYS_MADVISE, 0, pageSize, none); err == 0 {
		t.Skip("an emulator that takes any advice, and does nothing")
	}
	for name, f := range map[string]func(address, length uintptr) syscall.Errno{"allocate": allocate, "touch": touch} {
		path := t.TempDir() + "/file"
		const size = 1 << 20
		mem, held, err := createFile(path, size)
		require.NoError(t, err)
		require.True(t, held)
		address := uintptr(unsafe.Pointer(&mem[0]))
		require.Zero(t, f(address, size), name)
		var st syscall.Stat_t
		require.NoError(t, syscall.Stat(path, &st))
		require.GreaterOrEqual(t, st.Blocks*512, int64(size), name)
		require.Equal(t, make([]byte, size), mem, name)
		require.NoError(t, syscall.Truncate(path, size/2))
		require.Equal(t, syscall.EFAULT, f(address, size), name)
		unmapFile(mem)
	}
}

// TestNamesOfBuffersBeingMade tells names that the package gives from those of others.
func TestNamesOfBuffersBeingMade(t *testing.T) {
	for name, unborn := range map[string]bool{".12-3456": true, "12-3456": false, "12-3456.buffer": false, ".12": false, ".bashrc": false, ".1-x": false, "": false} {
		require.Equal(t, unborn, Unborn(name), name)
	}
}

func TestNote(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 5000)
	require.NoError(t, Note{"prog -a\nb", "no room\n" + long}.Leave(dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	pid, n, err := ReadNote(dir + "/" + entries[0].Name())
	require.NoError(t, err)
	require.Equal(t, os.Getpid(), pid)
	require.Equal(t, Note{"prog -a b", "no room " + long[:992]}, n)
	require.Error(t, Note{"a", "b"}.Leave(dir+"/absent"))
}

//go:build linux

package perf

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
)

// cells are watched. They are 8 bytes apart and never moved.
var cells [16]uint64

// watch is the name of the event that counts stores to a cell.
func watch(cell int) string {
	return fmt.Sprintf("mem:%#x/8:w", uintptr(unsafe.Pointer(&cells[cell])))
}

func watches(cells ...int) (names []string) {
	for _, c := range cells {
		names = append(names, watch(c))
	}
	return names
}

// store stores n times to a cell.
//
//go:noinline
func store(cell, n int) {
	p := &cells[cell]
	for i := range n {
		*p = uint64(i) // storeLine
	}
}

// storeLine and touchLine are the lines of this file that store to a cell and touch a page.
var storeLine, touchLine = lineOf("// storeLine"), lineOf("// touchLine")

func lineOf(mark string) int {
	_, file, _, _ := runtime.Caller(0)
	text, _ := os.ReadFile(file)
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, mark) {
			return i + 1
		}
	}
	return 0
}

// open opens events on the calling thread, which the test keeps.
func open(t testing.TB, o substrate.Options, names ...string) substrate.Group {
	t.Helper()
	g, err := New().Open(names, o)
	skipUnlessPossible(t, err)
	t.Cleanup(func() { g.Close() })
	return g
}

// skipUnlessPossible skips a test on a machine or in a container that lacks what it needs; other errors are failures.
func skipUnlessPossible(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, substrate.ErrPermission) || errors.Is(err, substrate.ErrUnavailable) || errors.Is(err, substrate.ErrUnsupported) {
		t.Skip("not possible here: ", err)
	}
	require.NoError(t, err)
}

func errorsIsPermission(err error) bool { return errors.Is(err, substrate.ErrPermission) }

// touch touches so many new pages.
//
//go:noinline
func touch(t testing.TB, pages int) {
	size := pages * os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Error(err)
		return
	}
	for i := 0; i < size; i += os.Getpagesize() {
		mem[i] = 1 // touchLine
	}
	unix.Munmap(mem)
}

func lockThread(t testing.TB) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

func read(t testing.TB, g substrate.Group, n int) []uint64 {
	t.Helper()
	v := make([]uint64, n)
	_, err := g.Read(v)
	require.NoError(t, err)
	return v
}

func TestStoresAreCountedExactly(t *testing.T) {
	lockThread(t)
	g := open(t, substrate.Options{}, watches(0, 1, 2, 3)...)
	before := read(t, g, 4)
	for cell := range 4 {
		store(cell, 100*(cell+1))
	}
	after := read(t, g, 4)
	for cell := range 4 {
		require.EqualValues(t, 100*(cell+1), after[cell]-before[cell], "cell %d", cell)
	}
	_, err := New().Open(watches(4), substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrNoCounters)
	t.Log(err)
}

func TestFifthWatchpointIsAConflict(t *testing.T) {
	lockThread(t)
	_, err := New().Open(watches(0, 1, 2, 3, 4), substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrConflict)
	t.Log(err)
	open(t, substrate.Options{}, watches(0, 1, 2, 3)...) // nothing was left behind
}

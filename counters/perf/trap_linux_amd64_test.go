package perf

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
)

// trapWith sends the calling thread SIGTRAP as the kernel does, with that code.
func trapWith(code int32) unix.Errno {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	info := [32]int32{int32(unix.SIGTRAP), 0, code}
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(unix.Getpid()), uintptr(unix.Gettid()), uintptr(unix.SIGTRAP),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	return errno
}

// A program that has watchpoints survives a hit that the hypervisor has lost, and no other trap.
func TestLostHitsHarmNobody(t *testing.T) {
	const name = "TRAP_OF_TEST"
	if code, err := strconv.Atoi(os.Getenv(name)); err == nil {
		watched := new(int64)
		g, err := New().Open([]string{fmt.Sprintf("mem:%p/8:w", watched)}, substrate.Options{})
		require.NoError(t, err)
		v := make([]uint64, 1)
		_, err = g.Read(v)
		require.NoError(t, err)
		require.Zero(t, trapWith(int32(code)))
		*watched = 1
		where, err := g.Read(v)
		require.NoError(t, err)
		require.Zero(t, where, "a hit is missing")
		require.Equal(t, uint64(1), v[0])
		require.NoError(t, g.Close())
		return
	}
	if g, err := New().Open([]string{fmt.Sprintf("mem:%p/8:w", new(int64))}, substrate.Options{}); err != nil {
		t.Skip("not here: ", err)
	} else {
		require.NoError(t, g.Close())
	}
	run := func(code int) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLostHitsHarmNobody$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", name, code))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run(1) // TRAP_BRKPT
	require.NoError(t, err, out)
	for _, code := range []int{2, 4, 0x80} { // TRAP_TRACE, TRAP_HWBKPT, SI_KERNEL
		out, err := run(code)
		require.Error(t, err, out)
		require.Contains(t, out, "SIGTRAP: trace trap")
	}
}

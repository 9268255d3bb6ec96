//go:build linux

package perf

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// TestMain lets the test program be a child of its own that stores to cells: "PERF_TEST_STORES=0:100 1:200", or that
// reads a group which it got as descriptor 3.
func TestMain(m *testing.M) {
	if work := os.Getenv("PERF_TEST_STORES"); work != "" {
		for _, w := range strings.Fields(work) {
			var cell, n int
			fmt.Sscanf(w, "%d:%d", &cell, &n)
			store(cell, n)
		}
		return
	}
	if os.Getenv("PERF_TEST_READ") != "" {
		var words [3]uint64
		s := kernel()
		err := s.readGroup(3, words[:])
		store(0, 1000) // the child's own, which the parent's counter must not see
		fmt.Println(words[2], err)
		return
	}
	os.Exit(m.Run())
}

// child returns a command that runs this program again, with what it is to do.
func child(t *testing.T, env string) *exec.Cmd {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), env)
	return cmd
}

func TestThreadsAreCountedApart(t *testing.T) {
	const threads, rounds = 4, 50
	var ready, done sync.WaitGroup
	ready.Add(threads)
	tids := make(chan int, threads)
	begin := make(chan struct{})
	results := make([][]uint64, threads)
	errs := make([]error, threads)
	for i := range threads {
		done.Go(func() {
			lockForever()
			g, err := New().Open(watches(0, 1), substrate.Options{})
			tids <- unix.Gettid()
			ready.Done()
			if errs[i] = err; err != nil {
				return
			}
			defer g.Close()
			<-begin
			first, last := make([]uint64, 2), make([]uint64, 2)
			_, errs[i] = g.Read(first)
			for range rounds {
				store(0, i+1)
				store(1, 2*i+1)
				runtime.Gosched()
			}
			if _, err := g.Read(last); err != nil {
				errs[i] = err
			}
			results[i] = []uint64{last[0] - first[0], last[1] - first[1]}
		})
	}
	ready.Wait()
	attached := map[int]substrate.Group{} // and from outside, at once
	for range threads {
		tid := <-tids
		if g, err := New().Open(watches(0, 1), substrate.Options{Thread: tid}); err == nil {
			attached[tid] = g
			defer g.Close()
		}
	}
	close(begin)
	done.Wait()
	var sum, seen uint64
	for i, r := range results {
		skipUnlessPossible(t, errs[i])
		require.Equal(t, []uint64{uint64(rounds * (i + 1)), uint64(rounds * (2*i + 1))}, r, "thread %d", i)
		sum += r[0]
	}
	require.Len(t, attached, threads)
	for _, g := range attached {
		seen += read(t, g, 2)[0] // the threads have ended: their last values stay
	}
	require.Equal(t, sum, seen)
}

func TestAttachedGroupIsNobodysPlace(t *testing.T) {
	m := newMeasured(t)
	g := open(t, substrate.Options{Thread: m.tid}, watch(0))
	m.do(func() { store(0, 20) })
	v := make([]uint64, 1)
	where, err := g.Read(v)
	require.NoError(t, err)
	require.Zero(t, where)
	require.EqualValues(t, 20, v[0])
}

func TestAttachToNobody(t *testing.T) {
	_, err := New().Open([]string{"page-faults"}, substrate.Options{Thread: 1 << 29})
	if !errors.Is(err, substrate.ErrGone) {
		skipUnlessPossible(t, err)
	}
	require.ErrorContains(t, err, "there is no thread 536870912")
	_, err = New().Open([]string{"page-faults"}, substrate.Options{CPU: 1 + 9000})
	if !errors.Is(err, substrate.ErrGone) {
		skipUnlessPossible(t, err)
	}
	require.ErrorContains(t, err, "there is no processor 9000")
}

// What a child process does is counted if it is inherited, with the program that it executes.
func TestChildrenAreInherited(t *testing.T) {
	lockThread(t)
	with := open(t, substrate.Options{Inherit: true}, watch(0))
	without := open(t, substrate.Options{}, watch(0), watch(1))
	store(0, 5)
	out, err := child(t, "PERF_TEST_STORES=0:100 1:30 0:11").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.EqualValues(t, 116, read(t, with, 1)[0])
	require.Equal(t, []uint64{5, 0}, read(t, without, 2))
}

// waitingForExec starts a shell that executes the program, and ends as that, when start is called with a line for it.
// What follows the line is the program's input.
func waitingForExec(t *testing.T, program string, args ...string) (cmd *exec.Cmd, start func(input string)) {
	cmd = exec.Command("/bin/sh", append([]string{"-c", `read go; exec "$0" "$@"`, program}, args...)...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	waited := false
	t.Cleanup(func() {
		if !waited {
			in.Close()
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	return cmd, func(input string) {
		_, err := io.WriteString(in, input)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		waited = true
		require.NoError(t, cmd.Wait())
	}
}

func TestCountingBeginsWithExec(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("PERF_TEST_STORES", "0:77 1:33")
	cmd, start := waitingForExec(t, exe)
	g, err := New().Open(append(watches(0, 1), "page-faults"), substrate.Options{Thread: cmd.Process.Pid, Inherit: true, OnExec: true})
	skipUnlessPossible(t, err)
	defer g.Close()
	require.Equal(t, []uint64{0, 0, 0}, read(t, g, 3), "the shell is not counted")
	start("go\n")
	v := read(t, g, 3)
	require.Equal(t, []uint64{77, 33}, v[:2], "the last values stay when the process has ended")
	require.NotZero(t, v[2])
}

// A child that is given the descriptor reads its parent's counter.
func TestChildReadsTheParentsCounter(t *testing.T) {
	lockThread(t)
	g := open(t, substrate.Options{}, watch(0)).(*group)
	store(0, 42)
	fd, err := unix.Dup(g.bundles[0].fds[0])
	require.NoError(t, err)
	f := os.NewFile(uintptr(fd), "event")
	defer f.Close()
	cmd := child(t, "PERF_TEST_READ=1")
	cmd.ExtraFiles = []*os.File{f}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "42 <nil>\n", string(out))
	require.EqualValues(t, 42, read(t, g, 1)[0])
}

// All threads that a process has and will have are counted together.
func TestTheWholeProcessIsCounted(t *testing.T) {
	const threads = 8
	var ready, done sync.WaitGroup
	work := make(chan struct{})
	start := func(n int) {
		ready.Add(1)
		done.Go(func() {
			lockForever()
			ready.Done()
			<-work
			store(0, n)
		})
		ready.Wait()
	}
	for i := range threads / 2 {
		start(i)
	}
	g := open(t, substrate.Options{Thread: os.Getpid(), Inherit: true}, watch(0))
	for i := range threads / 2 {
		start(threads/2 + i)
	}
	close(work)
	done.Wait()
	require.EqualValues(t, threads*(threads-1)/2, read(t, g, 1)[0])
}

// A process goes on without its first thread, which only its number remains of: those that it has are counted and sampled.
func TestTheFirstThreadHasEnded(t *testing.T) {
	const ended = 4711
	m := newMeasured(t)
	s := newSubstrate()
	s.procs = t.TempDir()
	dir := filepath.Join(s.procs, strconv.Itoa(ended))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "task", strconv.Itoa(ended)), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "status"), []byte("Name:\tx\nTgid:\t4711\n"), 0o600))
	open := s.sys.open
	s.sys.open = func(a *perfevent.Attr, pid, cpu, group, flags int) (int, error) {
		if pid == ended {
			return -1, unix.ESRCH
		}
		return open(a, pid, cpu, group, flags)
	}
	o := substrate.Options{Thread: ended, Inherit: true}
	ignore := func(substrate.Sample) {}
	_, err := s.Open(watches(0, 1), o)
	require.ErrorIs(t, err, substrate.ErrGone)
	require.ErrorContains(t, err, "there is no thread 4711")
	_, err = s.Sample(watch(0), 1, o, ignore)
	require.ErrorContains(t, err, "there is no thread 4711")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "task", strconv.Itoa(m.tid)), 0o700))
	g, err := s.Open(watches(0, 1), o)
	skipUnlessPossible(t, err)
	defer g.Close()
	m.do(func() { store(0, 20); store(1, 3) })
	require.Equal(t, []uint64{20, 3}, read(t, g, 2))
	samples := 0
	stop, err := s.Sample(watch(2), 1, o, func(substrate.Sample) { samples++ })
	skipUnlessPossible(t, err)
	m.do(func() { store(2, 7) })
	_, err = stop()
	require.NoError(t, err)
	require.Equal(t, 7, samples)
}

//go:noinline
func probed(n int) int { return n + 1 }

// pinned runs f on a thread of that processor.
func pinned(t *testing.T, cpu int, f func()) {
	var done sync.WaitGroup
	done.Go(func() {
		lockForever()
		var one unix.CPUSet
		one.Set(cpu)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			t.Error(err)
		}
		f()
	})
	done.Wait()
}

func TestUprobesCountCallsOnAProcessor(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	offset, ok := fileOffset(f, uint64(reflect.ValueOf(probed).Pointer())) // test programs have no symbols
	require.True(t, ok)
	var all unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &all))
	if !all.IsSet(0) || !all.IsSet(1) {
		t.Skip("processors 0 and 1 are needed")
	}
	name := fmt.Sprintf("uprobe:%s+%#x", exe, offset)
	first := open(t, substrate.Options{CPU: 1 + 0}, name)
	second := open(t, substrate.Options{CPU: 1 + 1}, name)
	before := []uint64{read(t, first, 1)[0], read(t, second, 1)[0]}
	calls := func(n int) func() {
		return func() {
			for range n {
				probed(n)
			}
		}
	}
	pinned(t, 0, calls(30))
	pinned(t, 1, calls(200))
	require.EqualValues(t, 30, read(t, first, 1)[0]-before[0])
	require.EqualValues(t, 200, read(t, second, 1)[0]-before[1])
}

func TestUprobesBySymbol(t *testing.T) {
	bin := compileRead(t)
	cmd, start := waitingForExec(t, bin, "2", "3", "1:1") // 2 rounds of 3 readings
	g, err := New().Open([]string{"uprobe:" + bin + ":main", "uprobe:" + bin + ":now", "uretprobe:" + bin + ":now"}, substrate.Options{Thread: cmd.Process.Pid, OnExec: true})
	skipUnlessPossible(t, err)
	defer g.Close()
	start("go\nread\n")
	require.Equal(t, []uint64{1, 4, 4}, read(t, g, 3))
	_, err = New().Open([]string{"uprobe:" + bin + ":bogus"}, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrUnknownEvent)
	require.ErrorContains(t, err, "has no function bogus")
	_, err = New().Open([]string{"uprobe:" + bin + ":main"}, substrate.Options{Inherit: true})
	require.ErrorIs(t, err, substrate.ErrUnsupported)
}

func TestTracepointsCountSystemCalls(t *testing.T) {
	if len(New().catalog.tracepoints()) == 0 {
		inPrivateTracefs(t)
		return
	}
	lockThread(t)
	g := open(t, substrate.Options{}, "syscalls:sys_enter_getppid")
	before := read(t, g, 1)[0]
	for range 1000 {
		unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0)
	}
	require.EqualValues(t, 1000, read(t, g, 1)[0]-before)
}

// inPrivateTracefs runs the test again where tracefs is mounted for nobody else.
func inPrivateTracefs(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	if os.Getenv("PERF_TEST_TRACEFS") != "" {
		t.Skip("no tracepoints")
	}
	cmd := exec.Command("/bin/sh", "-c", `mount -t tracefs tracefs /sys/kernel/tracing && exec "$0" -test.v -test.run "^$1$"`, exe, t.Name())
	cmd.Env = append(os.Environ(), "PERF_TEST_TRACEFS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	switch out, err := cmd.CombinedOutput(); {
	case bytes.Contains(out, []byte("--- PASS")):
	case bytes.Contains(out, []byte("--- FAIL")):
		t.Errorf("%s", out)
	default:
		t.Skipf("tracefs cannot be mounted here: %v %s", err, out)
	}
}

func TestDomains(t *testing.T) {
	lockThread(t)
	names := []string{watch(0), watch(0) + ":u", watch(0) + ":k", "page-faults", "page-faults:u", "page-faults:k"}
	g := open(t, substrate.Options{}, names...)
	user := open(t, substrate.Options{Domain: substrate.User}, watch(0), "page-faults")
	f, err := os.Open("/dev/zero")
	require.NoError(t, err)
	defer f.Close()
	before, userBefore := read(t, g, 6), read(t, user, 2)
	for i := range 64 {
		store(0, 10)
		_, err := f.Read(cellBytes(0)) // the kernel stores to the cell
		require.NoError(t, err, i)
	}
	touch(t, 40)
	userAfter, after := read(t, user, 2), read(t, g, 6)
	for i := range after {
		after[i] -= before[i]
	}
	require.EqualValues(t, 640, after[1])
	require.EqualValues(t, 640, userAfter[0]-userBefore[0])
	require.GreaterOrEqual(t, after[2], uint64(64))
	require.Equal(t, after[0], after[1]+after[2])
	require.GreaterOrEqual(t, after[4], uint64(40))
	require.GreaterOrEqual(t, after[4], userAfter[1]-userBefore[1])
	require.Equal(t, after[3], after[4]+after[5])

	kernel := open(t, substrate.Options{Domain: substrate.Kernel}, "page-faults", "page-faults:u") // the name goes first
	before = read(t, kernel, 2)
	touch(t, 40)
	after = read(t, kernel, 2)
	require.GreaterOrEqual(t, after[1]-before[1], uint64(40))
	require.Less(t, after[0]-before[0], uint64(40))
	for _, wrong := range []string{"context-switches", "task-clock"} {
		_, err := New().Open([]string{wrong}, substrate.Options{Domain: substrate.User})
		require.ErrorIs(t, err, substrate.ErrUnsupported, wrong)
	}
	_, err = New().Open([]string{"msr/tsc/"}, substrate.Options{Domain: substrate.Kernel})
	require.ErrorIs(t, err, substrate.ErrUnsupported, strconv.Quote("msr/tsc/"))
}

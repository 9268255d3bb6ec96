package sample

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// TestClosedDescriptors closes the events of a set, as a program does that closes what it does not know, and opens a pipe of its own under
// their numbers: the readings are missing, and nothing is read from the pipe or closed with the set.
func TestClosedDescriptors(t *testing.T) {
	testkit.NeedDescriptors(t, 256)
	runtime.LockOSThread() // another thread would open events of its own
	defer runtime.UnlockOSThread()
	before := events(t)
	s := open(t, "page-faults", "task-clock")
	r := reader{s: s}
	require.Greater(t, r.read(), 1)
	var closed []int
	for _, fd := range events(t) {
		if !slices.Contains(before, fd) {
			closed = append(closed, fd)
		}
	}
	require.NotEmpty(t, closed)
	require.Greater(t, closed[0], 100, "programs get the lowest number that is free")
	var pipe [2]int
	require.NoError(t, syscall.Pipe(pipe[:]))
	text := make([]byte, 1000)
	_, err := syscall.Write(pipe[1], text)
	require.NoError(t, err)
	for _, fd := range closed {
		require.NoError(t, syscall.Dup3(pipe[0], fd, 0))
	}
	where := r.where()
	for range 10 {
		n := r.read()
		require.True(t, n == 1 || s.exact && r.where() != where, "a reading of %d words", n)
	}
	if !s.exact {
		require.ErrorContains(t, s.threads.refused(), "the program closed")
	}
	s.Close()
	n, err := syscall.Read(pipe[0], text)
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	for _, fd := range append(closed, pipe[:]...) {
		require.NoError(t, syscall.Close(fd), "it is still open")
	}
}

// TestDescriptorsOfOtherEvents closes the events of a set, or one, and lets another thread open its own, which get their numbers: the readings are
// missing, and not those of the other thread.
func TestDescriptorsOfOtherEvents(t *testing.T) {
	for what, closes := range map[string]func(fd, lead int) bool{
		"all":      func(fd, lead int) bool { return true },
		"a leader": func(fd, lead int) bool { return fd == lead },
		"a member": func(fd, lead int) bool { return fd == lead+1 }, // opened right after it
	} {
		t.Run(what, func(t *testing.T) {
			before := events(t)
			s := open(t, "page-faults", "task-clock")
			if s.exact {
				t.Skip("the scheduler reads")
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			r := reader{s: s}
			require.Greater(t, r.read(), 1)
			closed := slices.DeleteFunc(events(t), func(fd int) bool { return slices.Contains(before, fd) || !closes(fd, r.state.lead.fd()) })
			require.NotEmpty(t, closed)
			for _, fd := range closed {
				require.NoError(t, syscall.Close(fd))
			}
			others := make(chan int)
			testkit.GoOnNewThread(func() { others <- (&reader{s: s}).read() })
			require.Greater(t, <-others, 1)
			require.Contains(t, events(t), closed[0], "the number is in use again")
			require.Equal(t, 1, r.read())
		})
	}
}

// TestCloseDuringReadings closes sets that goroutines read: no descriptor stays open, and nothing is read from files of the program that
// get their numbers.
func TestCloseDuringReadings(t *testing.T) {
	before := events(t)
	for range 5 {
		s := open(t, "page-faults", "task-clock")
		var all sync.WaitGroup
		var stop atomic.Bool
		var begun atomic.Int64
		for range 8 {
			all.Go(func() {
				for r := (reader{s: s}); !stop.Load(); runtime.Gosched() {
					begun.Add(1)
					r.read()
				}
			})
		}
		for begun.Load() < 100 {
			runtime.Gosched()
		}
		opened := events(t)
		s.Close()
		require.Equal(t, before, events(t))
		var pipe [2]int
		require.NoError(t, syscall.Pipe(pipe[:]))
		text := make([]byte, 100)
		_, err := syscall.Write(pipe[1], text)
		require.NoError(t, err)
		for _, fd := range opened {
			require.NoError(t, syscall.Dup3(pipe[0], fd, 0))
		}
		for so := begun.Load(); begun.Load() < so+100; {
			runtime.Gosched()
		}
		stop.Store(true)
		all.Wait()
		require.Zero(t, (&reader{s: s}).read())
		n, err := syscall.Read(pipe[0], text)
		require.NoError(t, err)
		require.Equal(t, len(text), n)
		for _, fd := range append(opened, pipe[:]...) {
			require.NoError(t, syscall.Close(fd))
		}
	}
}

// TestDescriptorsLeftToTheProgram opens events until there are no more: half of all numbers remain free.
func TestDescriptorsLeftToTheProgram(t *testing.T) {
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)
	const most = 60
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: most, Max: old.Max}))
	s := open(t, "page-faults", "task-clock")
	refused, garbage, done := 0, 0.0, make(chan bool)
	for range most {
		testkit.GoOnNewThread(func() {
			if r := (reader{s: s}); r.read() == 1 {
				refused++
				garbage += testing.AllocsPerRun(10, func() { r.read() })
			}
			done <- true
		})
		<-done
	}
	require.Positive(t, refused)
	require.Zero(t, garbage, "the first timer that the collector sets ends a program that has no descriptor left")
	require.ErrorContains(t, s.threads.refused(), "out of file descriptors")
	require.GreaterOrEqual(t, events(t)[0], most/2)
}

// events returns the descriptors of this process that are perf events.
func events(t *testing.T) (fds []int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if os.IsNotExist(err) {
		t.Skip(err) // as on the simulator
	}
	require.NoError(t, err)
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		require.NoError(t, err)
		if target(fd) == "anon_inode:[perf_event]" {
			fds = append(fds, fd)
		}
	}
	slices.Sort(fds)
	return fds
}

// target returns what a descriptor is open on.
func target(fd int) string {
	var name [100]byte
	n, _ := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(fd), name[:])
	return string(name[:max(n, 0)])
}

// TestThreadsThatStandStill reads a thread's group from elsewhere while the thread waits, as goroutines do that leave a thread between looking
// for its number and reading: that opens no second group.
func TestThreadsThatStandStill(t *testing.T) {
	s := open(t, "page-faults")
	number, stop, ended := make(chan int64), make(chan bool), make(chan bool)
	testkit.GoOnNewThread(func() {
		r := reader{s: s}
		r.read()
		tid := gettid()
		number <- tid
		<-stop
		r.read()
		ended <- true
	})
	tid := <-number
	stat := "/proc/self/task/" + strconv.FormatInt(tid, 10) + "/stat"
	testkit.Until(t, "a thread that waits", func() bool {
		text, err := os.ReadFile(stat)
		require.NoError(t, err)
		return slices.Contains(strings.Fields(string(text)), "S")
	})
	before := events(t)
	var b group
	for range 10 {
		_, ok := s.threads.read(tid, &b)
		require.True(t, ok)
	}
	require.Equal(t, before, events(t))
	stop <- true
	<-ended
}

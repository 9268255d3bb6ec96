//go:build linux

package recorder

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace"
)

// TestFamily looks at a program that is told of the session, or not, and that has joined under its number before it became what it is (exec),
// or not.
func TestFamily(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		told, joined bool
		expected     bool
		missing      int
	}{
		"about to join":          {told: true, expected: true},
		"joined":                 {told: true, joined: true},
		"not told":               {missing: 1},
		"not told any more":      {joined: true, missing: 1},
		"of another session":     {},
		"of another, has joined": {joined: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recorder{session: &session{dir: t.TempDir()}, names: map[string]bool{}}
			cmd := exec.Command(self, idle)
			cmd.Env = []string{"HOME=/"}
			switch {
			case c.told:
				cmd.Env = []string{shm.Environment + "=" + shm.Config{Dir: r.session.dir}.String()}
			case c.missing == 0:
				cmd.Env = []string{shm.Environment + "=" + shm.Config{Dir: t.TempDir()}.String()}
			}
			input, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			defer cmd.Wait()
			defer input.Close()
			if c.joined {
				r.names[strconv.Itoa(cmd.Process.Pid)+"-1"+shm.Suffix] = true
			}
			f := newFamily(cmd.Process.Pid, r.session.dir, 0)
			testkit.Until(t, "the program's begin", func() bool {
				f.next = time.Time{}
				f.look(r)
				return f.members[cmd.Process.Pid].image != 0
			})
			require.Equal(t, c.expected, f.expects(r))
			require.Len(t, r.unrecorded, c.missing)
			for _, u := range r.unrecorded {
				require.Equal(t, "its environment lacks the variable "+shm.Environment, u.why)
			}
		})
	}
}

// TestGave: which numbers were given since another one was, also if they began anew between.
func TestGave(t *testing.T) {
	for _, c := range []struct {
		since, last int
		given, not  []int
	}{{700, 702, []int{701, 702}, []int{1, 700, 703}}, {700, 700, nil, []int{699, 700, 701}}, {32000, 450, []int{32001, 1, 450}, []int{451, 32000}}} {
		n := &numbers{last: c.last}
		for _, pid := range c.given {
			require.True(t, n.gave(pid, c.since), pid)
		}
		for _, pid := range c.not {
			require.False(t, n.gave(pid, c.since), pid)
		}
	}
}

// TestNumbers: processes are passed over only if their numbers prove that they are older than the root.
func TestNumbers(t *testing.T) {
	const limit, round = 32768, 32768 * quickest
	begun := func(root int, looks ...int) *numbers { // half a round after the other
		n := newNumbers(root, limit, time.Hour)
		for i, last := range looks {
			n.look(last, time.Hour+time.Duration(i+1)*round/2)
		}
		return &n
	}
	younger := func(n *numbers, pids ...int) (are []int) {
		for _, pid := range pids {
			if n.younger(pid) {
				are = append(are, pid)
			}
		}
		return are
	}
	all := []int{1, 400, 499, 500, 501, 32000}
	require.Equal(t, all[3:], younger(begun(500, 501), all...))
	require.Equal(t, all[3:], younger(begun(500, 500), all...), "nobody since")
	require.Equal(t, all[3:], younger(begun(500, 501, 700, 8000), all...), "however long it is, if one looks often")
	require.Equal(t, []int{1, 400, 500, 501, 32000}, younger(begun(500, 32000, 450), all...), "they have begun anew")
	require.Equal(t, []int{1, 400, 499, 500, 501, 32000}, younger(begun(500, 32000, 499), all...))
	require.Equal(t, all, younger(begun(500, 32000, 450, 600), all...), "and have come past the root's")
	require.Equal(t, all, younger(begun(500, 32000, 450, 400), all...), "twice")
	late := newNumbers(500, limit, time.Hour)
	late.look(600, time.Hour+round)
	require.Equal(t, all, younger(&late, all...), "every number may have been given")
	late.look(700, time.Hour+round+1)
	require.Equal(t, all, younger(&late, all...), "that stays so")
	require.Equal(t, all, younger(begun(500, 0), all...), "not known")
	back := newNumbers(500, limit, time.Hour)
	back.look(600, time.Minute)
	require.Equal(t, all, younger(&back, all...), "the clock went back")
	none := newNumbers(500, 0, time.Hour)
	require.Equal(t, all, younger(&none, all...), "no limit is known")
	require.Positive(t, lastNumber(), "in this system")
	require.Greater(t, mostNumber(), lastNumber())
}

// TestRecording: of a member that records, nothing else has to be found out, as long as it is the process that it was.
func TestRecording(t *testing.T) {
	b, err := shm.Create(shm.Config{Dir: t.TempDir(), Buffer: MinBuffer}, clock.Monotonic, 0)
	require.NoError(t, err)
	view, err := shm.Open(b.Path())
	require.NoError(t, err)
	defer view.Close()
	s, ok := readStatus(os.Getpid())
	require.True(t, ok)
	m := &member{pid: os.Getpid(), born: s.born}
	r := &Recorder{procs: []*process{{view: view, info: view.Info()}}}
	newFamily(m.pid, "none", 0).identify(r, m) // whose environment has no session
	require.True(t, m.told)
	require.Equal(t, r.procs[0].command(), m.command)
	require.Empty(t, r.unrecorded)
	require.Nil(t, r.recording(&member{pid: m.pid, born: m.born + 1}), "another process of that number")
	r.procs[0].over = true
	require.Nil(t, r.recording(m))
}

// TestLookAtOnce: when the root may have become another program, it is looked at, however long it is until the next look.
func TestLookAtOnce(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, idle)
	cmd.Env = []string{"HOME=/"}
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer input.Close()
	testkit.Until(t, "the program's begin", func() bool {
		s, _ := readStatus(cmd.Process.Pid)
		return s.image != 0 && commandOf(cmd.Process.Pid) != ""
	})
	r := &Recorder{session: &session{dir: t.TempDir()}, names: map[string]bool{},
		replaced: make(chan struct{}), stop: make(chan struct{}), stopped: make(chan struct{})}
	r.family = newFamily(cmd.Process.Pid, r.session.dir, 0)
	r.family.next = time.Now().Add(time.Hour)
	go r.drain()
	r.replaced <- struct{}{}
	close(r.stop)
	<-r.stopped
	require.Len(t, r.unrecorded, 1)
}

// forks is the argument that makes the test's own binary an instrumented program with a copy of itself, which ends as such with the input.
const forks = "forks"

// copyProcess forks, says the number of the copy, and waits for the end of the input before it ends the copy.
func copyProcess() {
	pid := forkCopy()
	fmt.Println(pid)
	io.Copy(io.Discard, os.Stdin)
	unix.Kill(pid, unix.SIGKILL)
	unix.Wait4(pid, nil, 0, nil)
	fmt.Println("ended")
	unix.Ppoll(nil, nil, nil)
}

// forkCopy returns the number of a copy of this process that does nothing. The copy has one thread and no runtime, and so does no more than
// to call the system.
//
//go:norace
//go:noinline
func forkCopy() int {
	pid, _, _ := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	for pid == 0 {
		unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
	return int(pid)
}

// TestFamilyCopies looks several times at a copy that a process makes of itself, as os.StartProcess does for what it asks the system, and
// that ends without having been a program of its own: nobody missed it.
func TestFamilyCopies(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	r := &Recorder{session: &session{dir: t.TempDir()}, names: map[string]bool{}}
	cmd := exec.Command(self, forks)
	cmd.Env = []string{shm.Environment + "=" + shm.Config{Dir: r.session.dir}.String()}
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	said := bufio.NewReader(output)
	line, err := said.ReadString('\n')
	require.NoError(t, err)
	copied, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	r.names[strconv.Itoa(cmd.Process.Pid)+"-1"+shm.Suffix] = true
	f := newFamily(cmd.Process.Pid, r.session.dir, 0)
	for range 3 {
		f.next = time.Time{}
		f.look(r)
	}
	require.True(t, f.members[cmd.Process.Pid].told)
	require.Contains(t, f.members, copied)
	require.False(t, f.members[copied].told)
	require.False(t, f.expects(r), "a copy does not join")
	require.NoError(t, input.Close())
	_, err = said.ReadString('\n')
	require.NoError(t, err)
	f.next = time.Time{}
	f.look(r)
	require.NotContains(t, f.members, copied)
	require.Empty(t, r.unrecorded)
}

// TestBeginning tries lines of /proc/PID/stat: whoever has just begun to execute a program may be told of the session, which nobody can see yet; threads of the system,
// copies of their parents and processes with an environment do not.
func TestBeginning(t *testing.T) {
	self, err := os.ReadFile("/proc/self/stat")
	require.NoError(t, err)
	s, ok := parseStatus(self)
	require.True(t, ok)
	require.False(t, s.begins(os.Getpid()))
	const program, copied, kernel = "4194304", "4194368", "2129984"
	line := func(flags, end string) []byte {
		return fmt.Appendf(nil, "7 (a ) b) R 1 1 1 0 -1 %s %s 100 %s 1 2 3 4 5 6 7 140 %s 0", flags,
			strings.TrimSpace(strings.Repeat("0 ", 12)), strings.TrimSpace(strings.Repeat("0 ", 20)), end)
	}
	for _, c := range []struct {
		flags, end string
		begins     bool
	}{{program, "0", true}, {program, "150", false}, {copied, "0", false}, {kernel, "0", false}} {
		s, ok := parseStatus(line(c.flags, c.end))
		require.True(t, ok)
		require.EqualValues(t, 100, s.born)
		require.Equal(t, c.begins, s.bare(), c)
		require.False(t, s.ending)
	}
	s, ok = parseStatus(line("4194308", "150"))
	require.True(t, ok)
	require.True(t, s.ending)
}

// TestBegun: a process has begun the next program if it has another environment than that in which it was found.
func TestBegun(t *testing.T) {
	s, ok := readStatus(os.Getpid())
	require.True(t, ok)
	require.NotZero(t, s.image)
	require.False(t, (&member{pid: os.Getpid(), image: s.image}).begun())
	require.True(t, (&member{pid: os.Getpid(), image: s.image + 4096}).begun())
}

// TestDueAtOnce: what was taken of a buffer of which nothing is left is written at once for who waits for it, however little it is; if there is more, it may wait.
func TestDueAtOnce(t *testing.T) {
	b, err := shm.Create(shm.Config{Dir: t.TempDir(), Buffer: MinBuffer}, clock.Monotonic, 0)
	require.NoError(t, err)
	view, err := shm.Open(b.Path())
	require.NoError(t, err)
	defer view.Close()
	p := &process{view: view, machine: &Machine{Now: func() trace.Stamp { return trace.Stamp{} }}}
	first, _ := b.Alloc(shm.Small, shm.Label{})
	b.Retire(first)
	p.taken = view.TakeRetired(nil)
	require.Len(t, p.taken, 1)
	require.False(t, p.due(true))
	for chunk := first; chunk != 0; {
		chunk, _ = b.Alloc(shm.Large, shm.Label{})
	}
	require.True(t, p.due(true))
	require.False(t, p.due(false))
	p.release(1)
	require.False(t, p.due(true))
}

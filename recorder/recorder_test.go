//go:build linux

package recorder

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/internal/clock"
	"tracerec/internal/readable"
	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// The test's own binary is the measured program when it finds itself recorded.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{idle}) {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	if slices.Equal(os.Args[1:], []string{forks}) {
		copyProcess()
		os.Exit(0)
	}
	if text := os.Getenv(shm.Environment); text != "" {
		c, err := shm.ParseConfig(text)
		if err != nil {
			panic(err)
		}
		os.Exit(measured(c, os.Args[1:]))
	}
	if dir := os.Getenv(recordInto); dir != "" {
		status, _ := Run(Defaults(dir), os.Args)
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// idle is the argument that makes the test's own binary an instrumented program that waits for the end of its input.
const idle = "idle"

// recordInto in the environment makes the test's own binary a recorder of itself.
const recordInto = "RECORDER_TEST_DIR"

// measured plays a measured program. Arguments: how many locations, how many chunks each, of which class, how it
// ends.
func measured(c shm.Config, args []string) int {
	number := func(i int) int { n, _ := strconv.Atoi(args[i]); return n }
	if args[3] == "window" {
		spend()
	}
	b, err := shm.Create(c, clock.Best(), 0)
	if err != nil {
		panic(err)
	}
	b.Define(wire.Def{Type: wire.DefRegion, ID: 1, Name: "solve"})
	for location := range number(0) {
		l := shm.Label{Location: b.NewLocation(), GoID: uint64(100 + location)}
		for ; int(l.Seq) < number(1); l.Seq++ {
			l.Base = clock.Now(clock.Best())
			chunk, class := b.Alloc(shm.Class(number(2)), l)
			for chunk == 0 {
				if !c.Block || !b.Attended() {
					b.Count(shm.EventsLost, 2)
					break
				}
				time.Sleep(time.Millisecond)
				chunk, class = b.Alloc(shm.Class(number(2)), l)
			}
			if chunk == 0 {
				break
			}
			words := unsafe.Slice((*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&chunk))), class.Size()/8)[shm.ChunkHeader/8:]
			for i := 0; i+1 < len(words); i += 2 {
				words[i], words[i+1] = wire.Head(wire.Enter, 1, 1), wire.Head(wire.Exit, 0, 1)
			}
			if int(l.Seq) < number(1)-1 {
				b.Retire(chunk) // the last one of each location stays
			}
		}
	}
	switch args[3] {
	case "kill":
		unix.Kill(unix.Getpid(), unix.SIGKILL)
	case "stay":
		time.Sleep(time.Hour)
	case "spend":
		spend()
	case "window":
		b.Finish()
		spend()
	}
	return number(3)
}

// run records the measured program in dir/a.
func run(t *testing.T, o Options, args ...string) (status int, archive string, said string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	archive = filepath.Join(t.TempDir(), "a")
	d := Defaults(archive)
	d.Block = o.Block
	if o.Buffer != 0 {
		d.Buffer = o.Buffer
	}
	var messages strings.Builder
	d.Say = func(m string) { fmt.Fprintln(&messages, m) }
	status, err = Run(d, append([]string{self}, args...))
	require.NoError(t, err)
	return status, archive, messages.String()
}

// events opens an archive, requires it to be without fault, and counts its events.
func recorded(t *testing.T, archive string) (n int) {
	t.Helper()
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	require.Empty(t, a.Check())
	require.True(t, a.Header().Complete)
	for _, c := range a.Chunks() {
		n += c.Events
	}
	return n
}

// eventsIn is how many events the measured program writes into a chunk of a class.
var eventsIn = map[shm.Class]int{shm.Small: 24, shm.Short: 56, shm.Medium: 504, shm.Large: 8184}

func TestEverythingArrives(t *testing.T) {
	for _, c := range []struct {
		locations, chunks int
		class             shm.Class
		end               string
		status            int
	}{
		{1, 1, shm.Small, "0", 0},
		{1000, 1, shm.Small, "3", 3},
		{100, 2, shm.Short, "0", 0},
		{10, 30, shm.Medium, "kill", 137},
		{3, 200, shm.Large, "0", 0},
	} {
		status, archive, said := run(t, Options{}, fmt.Sprint(c.locations), fmt.Sprint(c.chunks), fmt.Sprint(c.class), c.end)
		require.Equal(t, c.status, status)
		require.Equal(t, c.locations*c.chunks*eventsIn[c.class], recorded(t, archive), said)
		require.Contains(t, said, "nothing lost")
		entries, err := os.ReadDir(archive)
		require.NoError(t, err)
		require.Len(t, entries, 1) // the archive and nothing else
	}
}

func TestSmallBuffer(t *testing.T) {
	const all = 500 * 8184
	status, archive, said := run(t, Options{Buffer: 4 << 20}, "1", "500", fmt.Sprint(shm.Large), "0")
	require.Equal(t, 0, status)
	require.Contains(t, said, "events LOST", said)
	require.Less(t, recorded(t, archive), all)

	status, archive, said = run(t, Options{Buffer: 4 << 20, Block: true}, "1", "500", fmt.Sprint(shm.Large), "0")
	require.Equal(t, 0, status)
	require.Contains(t, said, "nothing lost")
	require.Equal(t, all, recorded(t, archive))
}

// TestNoRoomInSharedMemory records with buffers below the trace directory.
func TestNoRoomInSharedMemory(t *testing.T) {
	defer func(dir string) { sharedMemory = dir }(sharedMemory)
	sharedMemory = filepath.Join(t.TempDir(), "absent")
	status, archive, said := run(t, Options{}, "10", "30", fmt.Sprint(shm.Medium), "kill")
	require.Equal(t, 137, status)
	require.Contains(t, said, "nothing lost")
	require.Equal(t, 10*30*eventsIn[shm.Medium], recorded(t, archive))
	require.NoDirExists(t, filepath.Join(archive, buffersDir))
}

// TestRecorderKilled kills the recorder at random moments in the middle of its work.
func TestRecorderKilled(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for i := range 4 {
		archive := filepath.Join(t.TempDir(), "a")
		recorder := exec.Command(self, "3", "60", fmt.Sprint(shm.Large), "0")
		recorder.Env = append(os.Environ(), recordInto+"="+archive)
		require.NoError(t, recorder.Start())
		over := make(chan error, 1)
		go func() { over <- recorder.Wait() }()
		testkit.Until(t, "the program's joining", func() bool {
			session, _, _ := sessionfile.Read(archive)
			buffers, _ := filepath.Glob(filepath.Join(session, "*"+shm.Suffix))
			return buffers != nil || len(over) > 0
		})
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		recorder.Process.Kill()
		<-over

		_, err = os.Stat(filepath.Join(archive, sessionfile.File))
		if err != nil {
			continue // too late
		}
		require.Error(t, Unfinished(archive))
		var messages strings.Builder
		require.NoError(t, Recover(archive, func(m string) { fmt.Fprintln(&messages, m) }), i)
		require.Equal(t, 3*60*8184, recorded(t, archive), messages.String())
		require.NoError(t, Unfinished(archive))
	}
}

func TestRecoverWithoutBuffers(t *testing.T) {
	_, archive, _ := run(t, Options{}, "1", "1", "0", "0")
	file := filepath.Join(archive, sessionfile.File)
	for _, other := range []string{"/etc", "tracerec-1", "../" + sessionPrefix, ""} {
		require.NoError(t, os.WriteFile(file, []byte(other+"\n"), 0o644))
		require.EqualError(t, Recover(archive, nil), file+": offset 0: names no session directory")
	}
	// As after a restart of the machine:
	require.NoError(t, os.WriteFile(file, []byte("/dev/shm/"+sessionPrefix+"absent\n"), 0o644))
	var said []string
	require.NoError(t, Recover(archive, func(m string) { said = append(said, m) }))
	require.Contains(t, said[0], "is gone")
	require.Equal(t, 24, recorded(t, archive))
	require.NoError(t, Unfinished(archive))
}

// TestRecorderKilledEarly: of a recorder that was killed before it had written its session file nothing is in the way of others.
func TestRecorderKilledEarly(t *testing.T) {
	for _, half := range []string{"", "/dev/sh", buffersDir} {
		archive := filepath.Join(t.TempDir(), "a")
		require.NoError(t, os.MkdirAll(filepath.Join(archive, buffersDir), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(archive, sessionfile.File), []byte(half), 0o644))
		require.Error(t, Unfinished(archive))
		var said []string
		require.NoError(t, Recover(archive, func(m string) { said = append(said, m) }))
		require.Len(t, said, 1)
		require.Contains(t, said[0], "kept 0 events")
		require.NoError(t, Unfinished(archive))
		require.NoDirExists(t, filepath.Join(archive, buffersDir))
		require.Zero(t, recorded(t, archive))
	}
	// A directory without anything may be the user's, so nothing is made of it, and it stays as it is.
	archive := t.TempDir()
	require.ErrorContains(t, Recover(archive, nil), "not a trace archive")
	self, err := os.Executable()
	require.NoError(t, err)
	_, err = Run(Defaults(archive), []string{self, "1", "1", "0", "0"})
	require.ErrorIs(t, err, errTaken)
	entries, err := os.ReadDir(archive)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// TestEndOfProcesses records a script whose child dies in the background, long before it.
func TestEndOfProcesses(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for pause := 0.5; ; pause *= 2 { // the busier the machine, the later a death is noticed
		archive := filepath.Join(t.TempDir(), "a")
		status, err := Run(Defaults(archive), []string{"/bin/sh", "-c", `"$0" 1 1 0 0; sleep $1; exit 7`, self, fmt.Sprint(pause)})
		require.NoError(t, err)
		require.Equal(t, 7, status)
		a, err := trace.Open(archive)
		require.NoError(t, err)
		defer a.Close()
		require.Empty(t, a.Check())
		script := a.Definitions().Processes[a.Header().Root]
		require.Equal(t, 7, script.Exit)
		require.Equal(t, "/bin/sh", script.Args[0])
		child := a.Definitions().Processes[0]
		require.Equal(t, self, child.Args[0])
		require.Less(t, script.Start, child.Start)
		if float64(script.End-child.End) > pause*0.9e9 {
			break
		}
		require.Less(t, pause, 60.0, "the child's end is that of the script")
	}
}

// TestCopyOfTheDamaged cuts an archive within a frame and recovers it.
func TestCopyOfTheDamaged(t *testing.T) {
	_, archive, _ := run(t, Options{}, "1", "60", fmt.Sprint(shm.Large), "0")
	segment := filepath.Join(archive, trace.SegmentName(0))
	info, err := os.Stat(segment)
	require.NoError(t, err)
	cut := info.Size() * 2 / 3
	require.NoError(t, os.Truncate(segment, cut))
	a, err := trace.Open(archive)
	require.NoError(t, err)
	_, torn := a.Torn()
	require.NoError(t, a.Close())
	require.NoError(t, os.Truncate(segment, cut-torn-1)) // the last whole frame lacks a byte: a cut between two frames loses nothing that can be seen
	damaged, err := os.ReadFile(segment)
	require.NoError(t, err)
	var said strings.Builder
	require.NoError(t, Recover(archive, func(m string) { fmt.Fprintln(&said, m) }))
	kept := recorded(t, archive)
	require.Positive(t, kept)
	require.Contains(t, said.String(), "kept "+readable.Plural(kept, "event"))
	require.Contains(t, said.String(), "lost ")
	require.NotContains(t, said.String(), "no events recorded")
	copied, err := os.ReadFile(segment + damagedSuffix)
	require.NoError(t, err)
	require.Equal(t, damaged, copied)
}

// TestTwoRecordersAtOnce: of two recorders that begin in the same directory, the second one leaves what the first one writes, also before
// that has written anything.
func TestTwoRecordersAtOnce(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	first, err := makeOutput(archive)
	require.NoError(t, err)
	_, err = makeOutput(archive)
	require.ErrorIs(t, err, errTaken)
	r, err := begin(first.dir, Defaults(first.dir))
	require.NoError(t, err)
	_, err = makeOutput(archive)
	require.Error(t, err)
	_, err = begin(archive, Defaults(archive))
	require.ErrorIs(t, err, fs.ErrExist)
	require.FileExists(t, filepath.Join(archive, sessionfile.File))
	require.FileExists(t, filepath.Join(archive, trace.SegmentName(0)))
	require.NoError(t, r.abandon())
}

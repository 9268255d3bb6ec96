//go:build linux

package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/internal/readable"
	"tracerec/trace"
)

var kills = flag.Int("kills", 8, "how often to kill the program; the recorder is killed a quarter as often")

// sequences runs the subject that prints each number after the call that recorded it, kills one of the
// processes with SIGKILL after a random time, and returns how far each sequence had been printed.
func sequences(t *testing.T, archive string, kill func(tracerec, program int)) (printed [2]int) {
	cmd := tracerec("-o", archive, program(t, "subject"), "sequence")
	out := start(t, cmd)
	note := func(line string) {
		name, number, complete := strings.Cut(line, " ")
		if i, err := strconv.Atoi(number); complete && err == nil {
			printed[name[0]-'0'] = i
		}
	}
	note(out.next())
	time.Sleep(time.Duration(rand.IntN(int(60 * time.Millisecond))))
	kill(cmd.Process.Pid, childOf(t, cmd.Process.Pid))
	cmd.Wait()
	for line := range out.lines {
		note(line)
	}
	return printed
}

// childOf returns the only child of the process pid.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	children := childrenOf(pid)
	require.Len(t, children, 1)
	return children[0]
}

// childrenOf returns the children of the process pid.
func childrenOf(pid int) (children []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// requireSequences requires that every number up to the printed ones is in the archive.
func requireSequences(t *testing.T, archive string, printed [2]int) {
	t.Helper()
	clean(t, archive)
	last := [2]int{}
	each(t, archive, func(a *trace.Archive, _ trace.LocationID, e trace.Event) {
		if e.Kind.String() == "sample" {
			name := a.Definitions().Metrics[e.ID].Name
			i := name[len(name)-1] - '0'
			require.Equal(t, last[i]+1, int(e.Word), name)
			last[i]++
		}
	})
	require.Positive(t, printed[0]+printed[1])
	for i := range printed {
		require.GreaterOrEqual(t, last[i], printed[i])
	}
}

func TestKillProgram(t *testing.T) {
	for range *kills {
		archive := filepath.Join(t.TempDir(), "a")
		printed := sequences(t, archive, func(_, program int) { unix.Kill(program, unix.SIGKILL) })
		requireSequences(t, archive, printed)
	}
}

// TestKillRecorder kills tracerec; the program runs on until it is killed too. One time in two the archive is
// recovered while it runs.
func TestKillRecorder(t *testing.T) {
	for i := range (*kills + 3) / 4 {
		archive := filepath.Join(t.TempDir(), "a")
		recovered := make(chan result, 1)
		printed := sequences(t, archive, func(tracerec, program int) {
			unix.Kill(tracerec, unix.SIGKILL)
			if i%2 == 1 {
				waitFor(t, "the recorder's end", func() bool { return ended(tracerec) })
				go func() { recovered <- inside("recover", archive) }()
			}
			time.Sleep(time.Duration(rand.IntN(int(60 * time.Millisecond))))
			require.NoError(t, unix.Kill(program, 0), "runs on unharmed")
			unix.Kill(program, unix.SIGKILL)
		})
		if i%2 == 0 {
			waitFor(t, "the program's end", func() bool { return lines(inside("check", archive).stderr) > 0 })
			recovered <- inside("recover", archive)
		}
		r := <-recovered
		require.Equal(t, 0, r.status, r.stderr)
		require.Contains(t, r.stderr, " events of ")
		requireSequences(t, archive, printed)
		require.NoFileExists(t, filepath.Join(archive, "session"))
	}
}

// TestKillRecorderOfAProgramThatWaits kills the recorder of a program that waits when its buffer is full: then it
// must not.
func TestKillRecorderOfAProgramThatWaits(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("--block", "--buffer", "4M", "-o", archive, program(t, "subject"), "signals", "1000000")
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	child := childOf(t, cmd.Process.Pid)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	require.NoError(t, unix.Kill(child, unix.SIGUSR1)) // records a million regions
	require.Equal(t, "user defined signal 1", out.next())
	require.NoError(t, unix.Kill(child, unix.SIGTERM))
	require.Equal(t, "terminated", out.next())
	waitFor(t, "the program's end", func() bool { return ended(child) })
	r := inside("recover", archive)
	require.Equal(t, 0, r.status, r.stderr)
	require.Contains(t, r.stderr, "LOST")
	clean(t, archive)
}

// TestLoss holds up the recorder until buffers are full: what is lost is one number, with its share of events and of time, its cause and a remedy.
func TestLoss(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("--buffer", "4M", "-o", archive, program(t, "subject"), "signals", "200000")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	child := childOf(t, cmd.Process.Pid)
	require.NoError(t, cmd.Process.Signal(unix.SIGSTOP))
	require.NoError(t, unix.Kill(child, unix.SIGUSR1)) // records
	require.Equal(t, "user defined signal 1", out.next())
	require.NoError(t, cmd.Process.Signal(unix.SIGCONT))
	require.NoError(t, unix.Kill(child, unix.SIGTERM))
	require.Error(t, cmd.Wait())
	said := regexp.MustCompile(`: ([\d,]+) events of 5 goroutines, .*, ([\d,]+) events LOST \(([\d.]+) % of all, during [\d.]+ % of the time of goroutines? [\d, ]+\) ` +
		`because buffers were full: use --block, a larger --buffer, or fewer regions; overhead .*\n$`).FindStringSubmatch(stderr.String())
	require.NotNil(t, said, stderr.String())
	numbers := make([]float64, 3)
	for i := range numbers {
		n, err := strconv.ParseFloat(strings.ReplaceAll(said[i+1], ",", ""), 64)
		require.NoError(t, err)
		numbers[i] = n
	}
	kept, lost, percent := numbers[0], numbers[1], numbers[2]
	require.GreaterOrEqual(t, kept+lost, 4*2*200000.)
	require.Less(t, kept+lost, 4*2*200000.+100, "and what main does")
	require.InDelta(t, 100*lost/(kept+lost), percent, 0.051)
	require.Contains(t, inside("info", archive).stdout, fmt.Sprintf("events lost: %.0f\n", lost))
	clean(t, archive)
}

// ended tells whether the process pid is dead, if perhaps not waited for.
func ended(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

func TestArchiveInTheWay(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	printed := sequences(t, archive, func(tracerec, program int) {
		unix.Kill(tracerec, unix.SIGKILL)
		unix.Kill(program, unix.SIGKILL)
	})
	r := record(t, "-o", archive, program(t, "subject"), "regions", "10") // moves it aside
	require.Equal(t, 0, r.status, r.stderr)
	clean(t, archive)
	aside, err := filepath.Glob(archive + ".20*")
	require.NoError(t, err)
	require.Len(t, aside, 1)
	require.Equal(t, 2, inside("check", aside[0]).status)
	require.Equal(t, 0, inside("recover", aside[0]).status)
	requireSequences(t, aside[0], printed)
}

// mount mounts a tmpfs of its own for the test.
func mount(t *testing.T, options string) string {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skip("cannot mount: ", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// TestDiskFull fills the disk during the run: the program does not notice, the recorder says so, and when
// there is room again, recover completes the archive.
func TestDiskFull(t *testing.T) {
	disk := mount(t, "size=32k") // events are stored in 40 kB at least
	archive := filepath.Join(disk, "a")
	r := record(t, "-o", archive, program(t, "subject"), "regions", "100000")
	require.Equal(t, 0, r.status, r.stderr)
	require.Contains(t, r.stderr, "no space left on device")
	require.Contains(t, r.stderr, "tracerec recover "+readable.Argument(archive))
	require.Equal(t, 2, inside("check", archive).status)

	require.NoError(t, unix.Mount("tmpfs", disk, "tmpfs", unix.MS_REMOUNT, "size=64m"))
	recovered := inside("recover", archive)
	require.Equal(t, 0, recovered.status, recovered.stderr)
	clean(t, archive)
	require.Equal(t, 400000, countKind(t, archive, "enter")["work"])
}

// TestBufferThatCannotBeMapped leaves the recorder no room for a buffer: the program does not notice, it is said why, and what the
// program recorded is kept.
func TestBufferThatCannotBeMapped(t *testing.T) {
	d, pid := startStopped(t, program(t, "subject"), "exit", "4")
	sizes, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", d.Process.Pid))
	require.NoError(t, err)
	var pages uint64
	_, err = fmt.Sscan(string(sizes), &pages)
	require.NoError(t, err)
	most := pages*uint64(os.Getpagesize()) + 256<<20 // its own heap may grow; a buffer has 512 MB
	require.NoError(t, unix.Prlimit(d.Process.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}, nil))
	require.NoError(t, unix.Kill(pid, unix.SIGCONT))
	d.Wait()
	said, err := os.ReadFile(d.said.Name())
	require.NoError(t, err)
	require.Equal(t, 4, d.ProcessState.ExitCode(), "%s", said)
	require.Regexp(t, `^tracerec: cannot map the buffer of 1 process: \S+: offset 0: cannot allocate memory; 0 events written, `+
		`0 events and those of 1 process kept in \S+, 0 events lost; once the cause is fixed, run tracerec recover `+regexp.QuoteMeta(readable.Argument(d.archive))+`\n$`, string(said))
	r := inside("recover", d.archive)
	require.Equal(t, 0, r.status, r.stderr)
	clean(t, d.archive)
	require.Equal(t, 40, countKind(t, d.archive, "enter")["work"])
	require.NoDirExists(t, d.session)
}

func TestDirectoryThatCannotBeWritten(t *testing.T) {
	disk := mount(t, "ro")
	archive := filepath.Join(disk, "a")
	r := record(t, "-o", archive, program(t, "subject"), "exit", "4")
	require.Equal(t, 4, r.status)
	require.Contains(t, r.stderr, "tracerec: mkdir "+archive+": read-only file system; the program is not recorded\n")
}

func TestDirectoryRemoved(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-o", archive, program(t, "subject"), "signals")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	require.NoError(t, os.RemoveAll(archive))
	require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
	require.Error(t, cmd.Wait())
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
	require.Contains(t, stderr.String(), "removed")
	require.Contains(t, stderr.String(), "lost")
	require.NoDirExists(t, archive)
}

// TestDirectoryMoved moves the trace directory during the run: everything is in it, and it is said where that is.
func TestDirectoryMoved(t *testing.T) {
	parent := t.TempDir()
	archive, moved := filepath.Join(parent, "a"), filepath.Join(parent, "b")
	cmd := tracerec("-o", archive, program(t, "subject"), "signals")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	require.NoError(t, os.Rename(archive, moved))
	require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
	require.Error(t, cmd.Wait())
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
	require.Contains(t, stderr.String(), "tracerec: "+archive+" was moved during the run; it is now "+moved+"\n")
	require.Contains(t, stderr.String(), "tracerec: "+moved+": ")
	require.Contains(t, stderr.String(), "nothing lost")
	require.NoDirExists(t, archive)
	clean(t, moved)
}

// TestCutArchive cuts an archive at many places: each is told by file and offset and can be repaired.
func TestCutArchive(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "a")
	require.Equal(t, 0, record(t, "-o", whole, program(t, "subject"), "regions", "3000").status)
	segments, err := os.ReadDir(whole)
	require.NoError(t, err)
	require.Len(t, segments, 1)
	name := segments[0].Name()
	data, err := os.ReadFile(filepath.Join(whole, name))
	require.NoError(t, err)
	events := countKind(t, whole, "enter")["work"]
	require.Equal(t, 12000, events)

	for i := range 20 {
		at := (len(data) - 1) * i / 19
		archive := filepath.Join(t.TempDir(), "cut")
		require.NoError(t, os.Mkdir(archive, 0o755))
		segment := filepath.Join(archive, name)
		require.NoError(t, os.WriteFile(segment, data[:at], 0o644))
		torn, between := segment+": offset ", archive+": the end of the archive is missing" // the cut may fall between two frames
		where := regexp.QuoteMeta(torn) + "|" + regexp.QuoteMeta(between)
		r := inside("check", archive)
		require.Equal(t, 2, r.status)
		if r.stdout == "" && !strings.Contains(r.stderr, between) { // nothing at all can be read
			require.Contains(t, r.stderr, torn)
			require.Equal(t, 2, inside("recover", archive).status)
			require.LessOrEqual(t, at, 1000)
			continue
		}
		require.Regexp(t, where, r.stdout+r.stderr)
		before := countKind(t, archive, "enter")["work"]
		r = inside("recover", archive)
		if before == 0 {
			require.Equal(t, 2, r.status)
			require.Regexp(t, where, r.stderr)
			if strings.Contains(r.stderr, between) {
				continue
			}
			require.Contains(t, r.stderr, "tracerec: "+torn)
			require.Contains(t, r.stderr, "no events are left to recover")
			left, err := os.ReadFile(segment)
			require.NoError(t, err)
			require.Equal(t, data[:at], left)
			var whole int64 // what a frame begins behind: cut there, nothing is torn
			_, err = fmt.Sscanf(strings.TrimPrefix(r.stderr, "tracerec: "+segment), ": offset %d", &whole)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(segment, whole))
			for _, command := range []string{"check", "recover"} {
				r = inside(command, archive)
				require.Equal(t, 2, r.status)
				require.Contains(t, r.stderr, "tracerec: "+between)
			}
			continue
		}
		require.Equal(t, 0, r.status, r.stderr)
		r = inside("check", archive)
		require.Equal(t, 0, r.status, r.stderr)
		require.Contains(t, r.stdout, "the end of the archive was lost before it was recovered")
		require.Equal(t, before, countKind(t, archive, "enter")["work"])
		require.LessOrEqual(t, before, events)
	}

	data[len(data)/2] ^= 1
	archive := filepath.Join(t.TempDir(), "flipped")
	require.NoError(t, os.Mkdir(archive, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(archive, name), data, 0o644))
	r := inside("recover", archive)
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "in the middle of the archive, which recover does not change")
	require.NotContains(t, r.stderr, "no events recorded")
}

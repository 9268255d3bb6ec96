//go:build linux

package recorder

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace"
)

// spent is the processor time that the measured program uses at least, if it is told to, ns.
const spent = 100e6

func spend() {
	for until := cpuTime(os.Getpid()) + spent; cpuTime(os.Getpid()) < until; {
	}
}

// usedTime returns the processor time of all processes in an archive. The measured program joins twice: as itself, and as what imports
// package instrument.
func usedTime(t *testing.T, archive string) (all int64) {
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	for _, p := range a.Definitions().Processes {
		all += p.CPUTime
	}
	return all
}

// TestCPUTime: all of a program's processor time is in the archive, up to its end.
func TestCPUTime(t *testing.T) {
	_, archive, _ := run(t, Options{}, "1", "1", "0", "spend")
	require.GreaterOrEqual(t, usedTime(t, archive), int64(spent))
}

// TestWindowCPUTime: what a process used before it began to record, and when it recorded no more, is not in the archive, except of
// what recorded it before.
func TestWindowCPUTime(t *testing.T) {
	_, archive, _ := run(t, Options{}, "1", "1", "0", "window")
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	p := a.Definitions().Processes
	require.Len(t, p, 2)
	require.GreaterOrEqual(t, p[0].CPUTime, int64(spent))
	require.Less(t, p[0].CPUTime, int64(2*spent))
	require.Less(t, p[1].CPUTime, int64(spent))
}

// TestUsedLess: what a process is said to have used that ends, or whose number another one has by now, does not become less.
func TestUsedLess(t *testing.T) {
	p := &process{out: new(trace.ProcessWriter), info: shm.Info{Used: 10}}
	for _, used := range []int64{0, 10, 110, 30, 0} {
		p.usedUntil(used)
	}
	require.EqualValues(t, 100, p.spent)
	p.ceased = 130
	p.usedUntil(500)
	require.EqualValues(t, 120, p.spent, "what it used when it recorded no more does not count")
}

// TestOwnCPUTime: a program that records itself has used none when it begins.
func TestOwnCPUTime(t *testing.T) {
	spend()
	dir := filepath.Join(t.TempDir(), "a")
	began := cpuTime(os.Getpid())
	r, err := Start(dir)
	require.NoError(t, err)
	instrument.Region("solve").End()
	require.NoError(t, r.Stop())
	used := usedTime(t, dir)
	require.Positive(t, used)
	require.LessOrEqual(t, used, cpuTime(os.Getpid())-began)
}

// TestCosts: what recording cost is what operations took, so far as that was measured of enough of them, and for the other events what one costs.
func TestCosts(t *testing.T) {
	b, err := shm.Create(shm.Config{Dir: t.TempDir(), Buffer: 8 << 20}, clock.Monotonic, 17_000)
	require.NoError(t, err)
	view, err := shm.Open(b.Path())
	require.NoError(t, err)
	defer view.Close()
	p := &process{view: view, info: view.Info()}
	for range 99 {
		b.Took(500)
	}
	require.Zero(t, p.costs(10_000), "too few were measured")
	of := trace.Process{EventCost: p.info.EventCost, Cost: p.costs(10_000)}
	require.EqualValues(t, 170_000, of.RecordingCost(10_000), "of too few: 10,000 × 17 ns")
	b.Took(500)
	require.EqualValues(t, 100*64*500, p.costs(10_000), "6,400 operations have them all")
	require.EqualValues(t, 100*64*500+200*17, p.costs(2*6400+200))
}

// TestProcessors: the archive says how many goroutines of a process could run at once when it began to record.
func TestProcessors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	r, err := Start(dir)
	require.NoError(t, err)
	instrument.Region("solve").End()
	require.NoError(t, r.Stop())
	a, err := trace.Open(dir)
	require.NoError(t, err)
	defer a.Close()
	require.Equal(t, min(runtime.GOMAXPROCS(0), runtime.NumCPU()), a.Definitions().Processes[0].Processors)
}

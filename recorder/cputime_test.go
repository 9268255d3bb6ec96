//go:build linux

package recorder

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/trace"
)

// spent is the processor time that the measured program uses at least, if it is told to, ns.
const spent = 100e6

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

// TestOwnCPUTime: a program that records itself has used none when it begins.
func TestOwnCPUTime(t *testing.T) {
	before := cpuTime(os.Getpid())
	for cpuTime(os.Getpid()) < before+spent {
	}
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

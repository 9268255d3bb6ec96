package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	runtime "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/exchange/gotrace"
	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/trace"
)

func TestSourceRoots(t *testing.T) {
	dir := t.TempDir()
	module := filepath.Join(dir, "module")
	require.NoError(t, os.MkdirAll(filepath.Join(module, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), nil, 0o644))
	region := func(parts ...string) report.Region { return report.Region{File: filepath.Join(parts...)} }
	require.Equal(t, []string{module, filepath.Join(dir, "other")}, sourceRoots([]report.Region{
		region(module, "sub", "a.go"), region(module, "b.go"), region(dir, "other", "c.go"), region("relative", "d.go"),
		region(dir, "other", "deep", "e.go"), {}}))
}

// TestAnalyze: what commands want of a trace directory beside the analysis, and the archive while it is open.
func TestAnalyze(t *testing.T) {
	a, file := recordNamed(t, "named")
	require.NoError(t, a.Close())
	dir := filepath.Join(filepath.Dir(file), "trace.dir")
	var shown strings.Builder
	s, err := spec.Parse("mine", []byte("measure A = task-clock\n"))
	require.NoError(t, err)
	used := false
	e, err := Analyze(dir, Options{Terminal: &shown, Specs: []*spec.Spec{s}}, func(a *trace.Archive, e *report.Experiment) error {
		used = len(a.Chunks()) > 0 && len(e.Regions) > 0
		return nil
	})
	require.NoError(t, err)
	require.True(t, used)
	require.Equal(t, dir, e.Origin.Trace)
	require.Equal(t, "recording without states of goroutines", e.Origin.Kind)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.Contains(t, e.Origin.Sources, root, "the module of the program")
	require.Regexp(t, `^(\r\x1b\[K(reading events|matching operations|measuring the critical path): \d+ %)+\r\x1b\[K$`, shown.String())

	failed := errors.New("failed")
	_, err = Analyze(dir, Options{}, func(*trace.Archive, *report.Experiment) error { return failed })
	require.ErrorIs(t, err, failed)
	_, err = Analyze(t.TempDir(), Options{}, nil)
	require.Error(t, err)
}

// TestTooLittle: that the memory is too little for a Go execution trace is said after its first part, not when all of it has been converted.
func TestTooLittle(t *testing.T) {
	const mib = 1 << 20
	check := how{memory: 128 * mib}.check(100 * mib)
	require.NoError(t, check(gotrace.Sofar{Bytes: mib, Events: 1e6, Locations: 1000}))
	require.EqualError(t, check(gotrace.Sofar{Bytes: 10 * mib, Locations: 100_000}), "--memory 128M is too little for the 100,000 goroutines of its first 10 %: --memory 1088M should be enough for all")
	check = how{memory: 128 * mib, keeps: analyzer.Kept{Event: 32}}.check(100 * mib)
	require.EqualError(t, check(gotrace.Sofar{Bytes: 25 * mib, Events: 2 * mib, Locations: 2000}), "--memory 128M is too little for the 2,000 goroutines and 2,097,152 events of its first 25 %: --memory 448M should be enough for all")
	require.Equal(t, "167 goroutines, 9,000 locks, channels and the like", of(167, 9000, 5, 0))
	require.Nil(t, how{}.check(100*mib))
	require.Nil(t, how{memory: mib, window: requests.Window{From: 1, To: 2}}.check(100*mib), "of which little may be kept")

	recorder := runtime.NewFlightRecorder(runtime.FlightRecorderConfig{MinAge: time.Hour})
	if err := recorder.Start(); err != nil {
		t.Skip("the tests are recorded themselves: ", err)
	}
	defer recorder.Stop()
	file := filepath.Join(t.TempDir(), "x.trace")
	for range 2 { // parts
		var wg sync.WaitGroup
		wg.Go(func() {})
		wg.Wait()
		out, err := os.Create(file)
		require.NoError(t, err)
		_, err = recorder.WriteTo(out)
		require.NoError(t, err)
		require.NoError(t, out.Close())
	}
	_, err := Analyze(file, Options{Options: analyzer.Options{Memory: mib}, Limited: true}, nil)
	require.ErrorContains(t, err, file+": --memory 1M is too little for the ")
	require.ErrorContains(t, err, ": --memory 128M should be enough for all")
}

//go:build linux

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/mpx"
	"tracerec/counters/perf"
	"tracerec/counters/substrate"
	"tracerec/internal/testkit"
)

func skipWithout(t *testing.T, err error) {
	t.Helper()
	for _, missing := range []error{substrate.ErrUnavailable, substrate.ErrPermission, substrate.ErrNoCounters, substrate.ErrBusy} {
		if errors.Is(err, missing) {
			t.Skipf("no watchpoints: %v", err)
		}
	}
	require.NoError(t, err)
}

// quick measures what all tests of this package look at.
func quick(t *testing.T) *result {
	r := &result{config: config{slice: 10 * time.Millisecond, longest: 20, threads: 2, iterations: 17}}
	from, spins := perf.New(), spinsPerTick()
	skipWithout(t, locked(func(thread int) error { return r.prepare(from, thread, spins) }))
	for _, threads := range []int{1, r.config.threads} {
		for _, load := range workloads[:threads] {
			s, err := r.multiplex(from, load, spins, threads, 1, r.config.longest/threads)
			require.NoError(t, err)
			r.series = append(r.series, s)
		}
	}
	s, err := r.multiplex(from, workloads[0], spins, 1, 4, 5)
	require.NoError(t, err)
	for _, x := range s.samples {
		require.True(t, x.factor < 1 || x.values[mpx.Global].Known(), "four registers count eight cells by turns")
	}
	r.noLoops = locked(func(thread int) (err error) {
		r.loops, err = paperLoops(from, thread, []string{"task-clock", "cpu-clock", "page-faults", "minor-faults"}, r.config)
		return err
	})
	return r
}

// The shares that are asked for here are far below those that a quiet machine gives (see docs/multiplexing.md): others use the
// machine while tests run.
func TestMultiplexingNearTheTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for some seconds")
	}
	r := quick(t)
	require.True(t, r.correct, "without multiplexing, counts are correct")
	require.Positive(t, r.hit)
	for i := range r.series {
		s := &r.series[i]
		require.NotEmpty(t, s.samples)
		for _, x := range s.samples {
			for _, v := range x.values {
				require.True(t, v.Known() || !v.Enough, "nothing is said of an event that was not counted: %+v", v)
				require.LessOrEqual(t, v.Hits, x.truth)
			}
		}
		if s.load == "steady" {
			x := s.of(long, mpx.Global, true)
			require.Positive(t, x.n)
			require.Zero(t, x.unknown)
			require.Greater(t, x.within[2], x.n*8/10, "%s: %s", s.title(), x.row())
		}
	}
	values, marked, silent := r.marks()
	require.Equal(t, values, marked, "a period in which not every event had a slice is marked")
	require.Zero(t, silent)
	enough := r.series[0].of(long, mpx.Global, true)
	require.Less(t, enough.marked, max(1, enough.n/10))
	r.writes(t)
}

// writes looks at what is written.
func (r *result) writes(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, r.tables(&b))
	for _, line := range []string{"every count is correct", "### One thread, one counter", "### 2 threads, one counter", "| steady | 10 |", "| tiled | 2^17 | task-clock |"} {
		require.Contains(t, b.String(), line)
	}
	doc := filepath.Join(t.TempDir(), "x.md")
	require.NoError(t, os.WriteFile(doc, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o644))
	require.NoError(t, r.update(doc))
	text, err := os.ReadFile(doc)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "before\n") && strings.HasSuffix(string(text), "\nafter\n"))
	require.NotContains(t, string(text), "\nold\n")
	require.NoError(t, os.WriteFile(doc, []byte("nothing"), 0o644))
	require.ErrorContains(t, r.update(doc), "x.md")

	points := 0
	r.series = append(r.series, r.series[0]) // whole figures have three columns
	for name, svg := range map[string]string{"a": drawing(r.series[:1], "writes"), "b": drawing(r.series[1:3], "writes"), "c": drawing(r.loopSeries(), "loop")} {
		points += strings.Count(svg, "h0")
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else {
				require.NoError(t, err, name)
			}
		}
	}
	require.Greater(t, points, 100)
}

// One tick is far less than a slice for each of eight events.
func TestShortPeriodsAreMarked(t *testing.T) {
	v := make([]mpx.Value, cells)
	skipWithout(t, locked(func(thread int) error {
		w := writer{load: workloads[0], spins: spinsPerTick()}
		s, err := mpx.New(perf.New(), thread, mpx.Options{Slots: 1}).NewSet(watches(0)...)
		if err == nil {
			err = s.Start()
		}
		if err != nil {
			return err
		}
		w.step()
		return errors.Join(s.Stop(), s.Read(v))
	}))
	r := result{series: []series{{}}}
	for k := range v {
		r.series[0].samples = append(r.series[0].samples, sample{cell: k, truth: 1, values: [estimators]mpx.Value{v[k]}})
	}
	values, marked, silent := r.marks()
	require.GreaterOrEqual(t, values, cells-1)
	require.Equal(t, values, marked)
	require.Zero(t, silent)
	of := r.series[0].of(classes[0], mpx.Global, true)
	require.Positive(t, of.unknown)
}

// A thread may end while it is measured: what it did until then is counted.
func TestThreadsThatEnd(t *testing.T) {
	type begun struct {
		set *mpx.Set
		err error
	}
	ready, goOn, ended := make(chan begun), make(chan bool), make(chan int)
	testkit.GoOnNewThread(func() {
		m := mpx.New(perf.New(), gettid(), mpx.Options{Slice: -1})
		s, err := m.NewSet(watches(0)[:4]...)
		if err == nil {
			err = s.Start()
		}
		ready <- begun{s, err}
		<-goOn
		for i := range 40 {
			store(&memory[0][i%4], 1)
		}
		ended <- gettid()
	})
	b := <-ready
	skipWithout(t, b.err)
	goOn <- true
	tid := <-ended
	testkit.Until(t, "the thread's end", func() bool { return unix.Tgkill(unix.Getpid(), tid, 0) != nil })
	require.NoError(t, b.set.Stop())
	v := make([]mpx.Value, 4)
	require.NoError(t, b.set.Read(v))
	for k := range v {
		require.True(t, v[k].Whole)
		require.EqualValues(t, 10, v[k].Count)
	}
	require.NoError(t, b.set.Destroy())
}

func TestLoopsNeedTheirCounters(t *testing.T) {
	err := locked(func(thread int) error {
		_, err := paperLoops(perf.New(), thread, []string{"task-clock", "nonsense"}, config{})
		return err
	})
	require.ErrorIs(t, err, substrate.ErrUnknownEvent)
	require.ErrorContains(t, err, "nonsense")
	require.Len(t, paperEvents(), 4)
}

func TestWorkloadsKeepToTheRate(t *testing.T) {
	for _, load := range workloads {
		w := writer{load: load, random: newRandom(1)}
		for range 10 * ticksPerSecond {
			w.step()
		}
		sum := int64(0)
		for _, n := range w.truth {
			require.Positive(t, n)
			sum += n
		}
		require.Less(t, sum, int64(10*20_000), load.name)
	}
}

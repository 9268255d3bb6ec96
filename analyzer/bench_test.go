package analyzer_test

import (
	"bytes"
	"flag"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

var benchEvents = flag.Int("events", 1_000_000, "events of the benchmark's trace")

// stencil writes a trace of n goroutines that compute, share a lock and exchange a value with a neighbour in every step.
type stencil struct {
	p      *trace.ProcessWriter
	number uint64
	seq    uint64
	last   uint64
	base   uint64
	words  []uint64
}

func (s *stencil) event(k wire.Kind, id uint32, t uint64, words ...uint64) {
	s.words = append(s.words, wire.Head(k, id, t-s.last))
	s.words = append(s.words, words...)
	s.last = t
}

func (s *stencil) flush(t testing.TB) {
	require.NoError(t, s.p.Chunk(trace.RawChunk{Location: s.number, GoID: s.number, Seq: s.seq, Base: s.base, Words: s.words}))
	s.seq, s.base, s.words = s.seq+1, s.last, s.words[:0]
}

// stencilTrace returns an archive of about the given number of events on n goroutines.
func stencilTrace(t testing.TB, n, events int) *trace.Archive {
	var buf bytes.Buffer
	w, err := trace.NewWriter(&buf, trace.Options{})
	require.NoError(t, err)
	p, err := w.AddProcess(trace.ProcessInfo{PID: 1})
	require.NoError(t, err)
	for i, name := range []string{"main", "step", "flux", "lock", "send", "recv"} {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: uint32(i + 1), Name: name, File: "a.go", Line: uint32(i + 1)}))
	}
	require.NoError(t, p.Define(wire.Def{Type: wire.DefObject, ID: 1, Object: wire.Mutex}))
	locs := make([]stencil, n)
	for i := range locs {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefObject, ID: uint32(i + 2), Object: wire.Channel, Size: 1}))
		locs[i] = stencil{p: p, number: uint64(i + 1)}
		locs[i].event(wire.Enter, 1, uint64(i))
	}
	rng := uint64(1)
	for step := 0; step < events/(n*15); step++ {
		at := uint64(step) * 30000
		for i := range locs {
			rng = rng*6364136223846793005 + 1442695040888963407
			jitter, s := rng>>53, &locs[i]
			s.event(wire.Enter, 2, at+uint64(i)+200)
			s.event(wire.Enter, 3, at+500)
			s.event(wire.Exit, 0, at+1000+jitter)
			s.event(wire.Enter, 3, at+3500)
			s.event(wire.Exit, 0, at+4000+jitter)
			s.event(wire.LockBegin, 4, at+6500, wire.ObjectWord(1, 0))
			s.event(wire.Blocked, 0, at+6600)
			s.event(wire.Leave, 0, at+7000+uint64(i)*500)
			s.event(wire.Release, 0, at+7400+uint64(i)*500, wire.ObjectWord(1, 0))
			s.event(wire.SendBegin, 5, at+18000+jitter, uint64(i)+2)
			s.event(wire.Leave, 0, at+20100+jitter)
			s.event(wire.RecvBegin, 6, at+20200+jitter, uint64((i+1)%n)+2)
			s.event(wire.Blocked, 0, at+20300+jitter)
			s.event(wire.Leave, 0, at+24000)
			s.event(wire.Exit, 0, at+25000)
			if len(s.words) > 6000 {
				s.flush(t)
			}
		}
	}
	for i := range locs {
		locs[i].flush(t)
	}
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("bench", bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	require.Empty(t, a.Problems())
	return a
}

// peak runs f and returns how far the heap in use grew, sampled.
func peak(f func()) uint64 {
	var before, now runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&now)
				most.Store(max(most.Load(), now.HeapInuse))
			}
		}
	}()
	f()
	close(stop)
	return most.Load() - min(most.Load(), before.HeapInuse)
}

// Nothing is allocated for an event or a synch point alone. It is little more for twice the events.
func TestEventsAreNotAllocated(t *testing.T) {
	allocations := func(events int) uint64 {
		a := stencilTrace(t, 8, events)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	const events = 100_000
	once, twice := allocations(events), allocations(2*events)
	require.Less(t, float64(twice)-float64(once), 0.01*events)
}

func BenchmarkAnalyze(b *testing.B) {
	a := stencilTrace(b, 8, *benchEvents)
	events := 0
	for _, c := range a.Chunks() {
		events += c.Events
	}
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			d, buf := a.NewDecoder(), new(trace.Buffer)
			for _, c := range a.Chunks() {
				_, err := d.Decode(c, buf)
				require.NoError(b, err)
			}
		}
		b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
	b.Run("analyze", func(b *testing.B) {
		memory := uint64(0)
		for b.Loop() {
			memory = max(memory, peak(func() {
				_, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
				require.NoError(b, err)
			}))
		}
		b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		b.ReportMetric(float64(memory)/float64(events), "B/event")
	})
}

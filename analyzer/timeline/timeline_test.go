package timeline_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/timeline"
	"tracerec/internal/naive/random"
	"tracerec/internal/tracetest"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

const text = `
channel ch cap 0
mutex m
location main
  0 enter run @main.go:5
  10 create worker @main.go:9
  1000 lock m @main.go:11
  2000 leave
  90000 unlock m
  91000 recv ch @main.go:14
  91500 blocked
  99000 leave
  99500 exit
  100000 end
location worker
  500 begin worker by main
  600 enter solve @work.go:20
  10000 lock m @work.go:21
  11000 blocked
  91000 leave
  92000 unlock m
  93000 exit
  98000 send ch @work.go:30
  98500 leave
  99000 end
`

func TestWhoEndedIsKnown(t *testing.T) {
	a, e := open(t, text, 1000)
	r, err := timeline.New(a, e)
	require.NoError(t, err)
	for _, c := range []struct{ begin, end, main, worker int64 }{{0, 98_000, 0, 0}, {0, 200_000, 100_000, 99_000}, {99_500, 200_000, 100_000, 99_000}} {
		w, err := r.Window(report.WindowRequest{Begin: c.begin, End: c.end, Locations: []uint32{0, 1}})
		require.NoError(t, err)
		require.Equal(t, []int64{c.main, c.worker}, []int64{w.Rows[0].Ended, w.Rows[1].Ended})
	}
}

// open writes events in chunks of the given size and analyzes them.
func open(t testing.TB, text string, chunk int) (*trace.Archive, *report.Experiment) {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{Resolution: 1, ChunkEvents: chunk})
	require.NoError(t, err)
	pieces := 0
	if chunk > 0 {
		pieces = 2
	}
	require.NoError(t, tracetext.Write(w, text, pieces))
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("text", bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	return a, analyze(t, a)
}

func analyze(t testing.TB, a *trace.Archive) *report.Experiment {
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), IndexWaits: true})
	require.NoError(t, err)
	return e
}

// told writes a window as text.
func told(w *report.Window) (list []string) {
	for _, r := range w.Rows {
		for _, s := range r.Spans {
			kind := [...]string{"in", "op", "blocked"}[s.Kind]
			list = append(list, fmt.Sprintf("%d %d %s %s %d %d", r.Location, s.Depth, kind, w.Names[s.Name], s.Begin, s.End))
		}
	}
	for _, a := range w.Arrows {
		list = append(list, fmt.Sprintf("%s %d %d to %d %d", a.Kind, a.From, a.FromTime, a.To, a.ToTime))
	}
	return list
}

func TestWindow(t *testing.T) {
	for _, chunk := range []int{0, 1, 2, 3, 7} {
		a, e := open(t, text, chunk)
		r, err := timeline.New(a, e)
		require.NoError(t, err)
		for _, c := range []struct {
			begin, end int64
			want       []string
		}{
			{0, 100_001, []string{
				"0 0 in run 0 99500", "0 1 op lock 1000 2000", "0 1 op recv 91000 99000", "0 2 blocked recv 91500 99000",
				"1 0 in solve 600 93000", "1 1 op lock 10000 91000", "1 2 blocked lock 11000 91000", "1 0 op send 98000 98500",
				"create 0 10 to 1 500", "unlock 0 90000 to 1 91000", "send 1 98000 to 0 99000"}},
			{20_000, 30_000, []string{"0 0 in run 20000 30000", "1 0 in solve 20000 30000", "1 1 op lock 20000 30000", "1 2 blocked lock 20000 30000"}},
			{92_500, 97_000, []string{"0 0 in run 92500 97000", "0 1 op recv 92500 97000", "0 2 blocked recv 92500 97000", "1 0 in solve 92500 93000"}},
			{99_200, 99_300, []string{"0 0 in run 99200 99300"}},
			{200_000, 300_000, nil},
			{0, 5, []string{"0 0 in run 0 5"}},
		} {
			w, err := r.Window(report.WindowRequest{Begin: c.begin, End: c.end, Locations: []uint32{0, 1}, Width: 1 << 20})
			require.NoError(t, err)
			require.Empty(t, w.Truncated)
			require.Equal(t, c.want, told(w), "chunks of %d, from %d", chunk, c.begin)
		}
	}
}

func synthetic(t testing.TB, events, chunk int) *trace.Archive {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{ChunkEvents: chunk})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, events, 1))
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("synthetic", bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	return a
}

// A window read alone shows what reading from the beginning on shows.
func TestWindowsAgreeWithReadingEverything(t *testing.T) {
	archives := []*trace.Archive{synthetic(t, 50_000, 700), synthetic(t, 50_000, 5000)}
	for seed := range uint64(100) {
		text := random.Trace(seed)
		a, _ := open(t, text, 5)
		archives = append(archives, a)
	}
	seen := 0
	for i, a := range archives {
		e := analyze(t, a)
		alone, err := timeline.New(a, e)
		require.NoError(t, err)
		e2 := *e
		e2.Starts = nil
		whole, err := timeline.New(a, &e2)
		require.NoError(t, err)
		end := e.Header.Span + 1
		q := report.WindowRequest{Width: 1 << 30}
		for l := range min(len(e.Locations), 20) {
			q.Locations = append(q.Locations, uint32(l))
		}
		for k := range int64(25) {
			q.Begin = end * k / 25
			q.End = q.Begin + end/40 + 1
			got, err := alone.Window(q)
			require.NoError(t, err)
			want, err := whole.Window(q)
			require.NoError(t, err)
			require.Equal(t, told(want), told(got), "archive %d, window from %d to %d", i, q.Begin, q.End)
			seen += len(told(got))
		}
	}
	require.Greater(t, seen, 10_000)
}

// Arrows show who ended the waits of operations: of each the last one, as the analysis tells it, and no others.
func TestArrowsAreTheWaitsOfTheAnalysis(t *testing.T) {
	archives := []*trace.Archive{synthetic(t, 100_000, 0)}
	for seed := range uint64(300) {
		a, _ := open(t, random.Trace(seed), 0)
		archives = append(archives, a)
	}
	kinds := map[string][]string{"late_sender": {"send"}, "late_receiver": {"receive"}, "full_buffer": {"receive"}, "late_close": {"close"},
		"lock_competition": {"unlock"}, "rw_reader_wait": {"unlock"}, "rw_writer_wait": {"unlock"}, "join_wait": {"done"},
		"barrier_wait": {"barrier"}, "cond_wait": {"signal"}, "once_wait": {"done"}, "late_peer": {"write"}}
	told := map[string]int{}
	for i, a := range archives {
		type operation struct {
			loc        uint32
			begin, end int64
			path       uint32
		}
		type end struct {
			loc uint32
			at  int64
		}
		last, interrupted := map[operation]analyzer.Wait{}, map[operation]bool{}
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), IndexWaits: true, Wait: func(o *analyzer.Op, w *analyzer.Wait) {
			if w.Causer != analyzer.NoCauser && !o.Open && o.Outcome != wire.Panicked && o.Outcome != wire.Failed {
				last[operation{o.Loc, o.Begin, o.End, o.Path}] = *w
				if o.Kind == wire.NetworkBegin && o.Outcome == wire.Closed {
					interrupted[operation{o.Loc, o.Begin, o.End, o.Path}] = true
				}
			}
		}})
		require.NoError(t, err)
		ended := map[uint32]int64{}
		for m := a.Merge(); ; {
			l, event, _, err := m.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			ended[uint32(l)] = event.Time
		}
		place := map[uint32]uint32{}
		q := report.WindowRequest{End: e.Header.Span + 1e9, Width: math.MaxInt}
		for l := range e.Locations {
			place[e.Locations[l].Trace] = uint32(l)
			q.Locations = append(q.Locations, uint32(l))
		}
		ends := map[end]int{} // of two that a location's operations end in the same ns, the index does not say which is whose
		for o, w := range last {
			if ends[end{place[o.loc], w.Release}]++; w.Release > ended[w.Causer] {
				ends[end{place[o.loc], w.Release}]++ // its causer may not have lived any more
			}
		}
		var want []string
		for o, w := range last {
			if name := e.Metrics[w.Metric].Name; e.Metrics[w.Metric].Kind == metric.WaitState && ends[end{place[o.loc], w.Release}] == 1 {
				kind := kinds[name][0]
				if interrupted[o] {
					kind = "interrupt"
				}
				want = append(want, fmt.Sprintf("%s %d %d to %d %d", kind, place[w.Causer], w.Release, place[o.loc], o.end))
				told[name]++
			}
		}
		r, err := timeline.New(a, e)
		require.NoError(t, err)
		w, err := r.Window(q)
		require.NoError(t, err)
		require.Empty(t, w.Truncated)
		var got []string
		for _, x := range w.Arrows {
			if x.Kind != "create" && ends[end{x.To, x.FromTime}] < 2 {
				got = append(got, fmt.Sprintf("%s %d %d to %d %d", x.Kind, x.From, x.FromTime, x.To, x.ToTime))
			}
		}
		require.ElementsMatch(t, want, got, "archive %d", i)
	}
	t.Log(told)
	for name := range kinds {
		require.Greater(t, told[name], 2, name)
	}
}

// counting counts how often it is read from: once for each chunk.
type counting struct {
	io.ReaderAt
	reads atomic.Int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	c.reads.Add(1)
	return c.ReaderAt.ReadAt(p, off)
}

// at says whether the open levels that a stretch shows were open at a moment of it, and no others. Levels that open or close in that very
// moment may be there or not.
func at(moment int64, stretch, exact []report.Span) bool {
	same := func(a, b report.Span) bool { return a.Depth == b.Depth && a.Name == b.Name && a.Kind == b.Kind }
	for _, s := range stretch {
		if !slices.ContainsFunc(exact, func(x report.Span) bool { return same(s, x) && x.Begin <= moment && moment <= x.End }) {
			return false
		}
	}
	return !slices.ContainsFunc(exact, func(x report.Span) bool {
		return x.Begin < moment && moment < x.End && !slices.ContainsFunc(stretch, func(s report.Span) bool { return same(s, x) })
	})
}

// Of a window with too many events nothing is read. Each stretch shows a moment of it, and stretches follow one another.
func TestSamples(t *testing.T) {
	shown := 0
	for seed := range uint64(100) {
		file := &counting{}
		a, e := open(t, random.Trace(seed), 5)
		if seed == 0 {
			var out bytes.Buffer
			w, err := trace.NewWriter(&out, trace.Options{ChunkEvents: 100})
			require.NoError(t, err)
			require.NoError(t, tracetest.Synthetic(w, 50_000, 1))
			require.NoError(t, w.Close())
			file.ReaderAt = bytes.NewReader(out.Bytes())
			a, err = trace.OpenReader("synthetic", file, int64(out.Len()))
			require.NoError(t, err)
			e = analyze(t, a)
		}
		exact, err := timeline.New(a, e)
		require.NoError(t, err)
		sampled, err := timeline.New(a, e)
		require.NoError(t, err)
		sampled.Limit(0)
		q := report.WindowRequest{Width: 1 << 30}
		for l := range min(len(e.Locations), 20) {
			q.Locations = append(q.Locations, uint32(l))
		}
		for k := range int64(4) {
			q.Begin, q.End = e.Header.Span*k/8, e.Header.Span*(k+4)/8+1
			file.reads.Store(0)
			got, err := sampled.Window(q)
			require.NoError(t, err)
			require.Zero(t, file.reads.Load())
			require.True(t, got.Sampled)
			require.Contains(t, got.Truncated, "too many to be shown")
			want, err := exact.Window(q)
			require.NoError(t, err)
			names := map[string]int{}
			for i, name := range want.Names {
				names[name] = i
			}
			for i, row := range got.Rows {
				all, end := want.Rows[i].Spans, q.Begin
				moments := []int64{}
				for _, s := range all {
					moments = append(moments, s.Begin, s.End)
				}
				for spans := row.Spans; len(spans) > 0; shown++ {
					n, begin := 0, spans[0].Begin
					require.GreaterOrEqual(t, begin, end, "seed %d goroutine %d: %v, %v", seed, row.Location, row.Spans[:min(6, len(row.Spans))], q)
					for end = spans[0].End; n < len(spans) && spans[n].Begin == begin && spans[n].End == end; n++ {
						spans[n].Name = names[got.Names[spans[n].Name]]
					}
					inside := slices.ContainsFunc(append(moments, begin, end), func(m int64) bool { return begin <= m && m <= end && at(m, spans[:n], all) })
					require.True(t, inside, "seed %d: goroutine %d was never so from %d to %d: %v", seed, row.Location, begin, end, spans[:n])
					spans = spans[n:]
				}
			}
		}
	}
	require.Greater(t, shown, 1000)
	t.Log(shown)
}

// However long a window is, no more than so many events are read for it.
func TestWindowsAreReadInAMoment(t *testing.T) {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{ChunkEvents: 20_000})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, 300_000, 1))
	require.NoError(t, w.Close())
	file := &counting{ReaderAt: bytes.NewReader(out.Bytes())}
	a, err := trace.OpenReader("synthetic", file, int64(out.Len()))
	require.NoError(t, err)
	e := analyze(t, a)
	r, err := timeline.New(a, e)
	require.NoError(t, err)
	const limit = 40_000
	r.Limit(limit)
	most, exact, samples := 0, 0, 0
	for _, c := range a.Chunks() {
		most = max(most, c.Events)
	}
	for part := int64(1); part < 1000; part *= 2 {
		for rows := range len(e.Locations) {
			q := report.WindowRequest{Begin: e.Header.Span / 3, End: e.Header.Span/3 + e.Header.Span/part}
			for l := range rows + 1 {
				q.Locations = append(q.Locations, uint32(l))
			}
			file.reads.Store(0)
			w, err := r.Window(q)
			require.NoError(t, err)
			require.LessOrEqual(t, int(file.reads.Load())*most, 3*limit)
			require.Equal(t, w.Sampled, file.reads.Load() == 0)
			if w.Sampled {
				samples++
			} else {
				exact++
			}
		}
	}
	require.Greater(t, exact, 5)
	require.Greater(t, samples, 30)
}

func BenchmarkWindow(b *testing.B) {
	a := synthetic(b, 10_000_000, 0)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), IndexWaits: true})
	require.NoError(b, err)
	r, err := timeline.New(a, e)
	require.NoError(b, err)
	q := report.WindowRequest{Width: 1600}
	for l := range e.Locations {
		q.Locations = append(q.Locations, uint32(l))
	}
	for _, part := range []int64{100_000, 1000, 100, 10, 3} {
		q.Begin = e.Header.Span / 2
		q.End = q.Begin + e.Header.Span/part
		b.Run(fmt.Sprintf("1 of %d", part), func(b *testing.B) {
			for b.Loop() {
				w, err := r.Window(q)
				require.NoError(b, err)
				require.Empty(b, w.Truncated)
				n := 0
				for _, row := range w.Rows {
					n += len(row.Spans)
				}
				b.ReportMetric(float64(n), "spans")
			}
		})
	}
	b.Run("everything", func(b *testing.B) {
		d, buf := a.NewDecoder(), new(trace.Buffer)
		for b.Loop() {
			for _, c := range a.Chunks() {
				_, err := d.Decode(c, buf)
				require.NoError(b, err)
			}
		}
	})
}

// Of goroutines that are one location, the one is shown whose long wait the window is about.
func TestWindowOfCollapsed(t *testing.T) {
	var text strings.Builder
	text.WriteString("mutex m\nlocation main\n  0 enter run\n  100 lock m @main.go:3\n  200 leave\n")
	for i := range 4 {
		fmt.Fprintf(&text, "  %d create w%d @main.go:4\n", 300+i, i)
	}
	text.WriteString("  9000 unlock m\n  9900 exit\n  10000 end\n")
	for i := range 4 {
		begin, end := 1000+100*i, 9000+10*i // all wait for main, then for one another
		fmt.Fprintf(&text, "location w%d\n  %d begin worker by main\n", i, 400+i)
		if i == 2 {
			fmt.Fprintf(&text, "  %d lock m @w.go:1\n  %d blocked\n  %d leave\n  %d unlock m\n", begin, begin+1, end, end+5)
		}
		fmt.Fprintf(&text, "  %d end\n", 9500)
	}
	a, _ := open(t, text.String(), 2)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), IndexWaits: true, Locations: 2})
	require.NoError(t, err)
	require.Equal(t, 4, e.Locations[1].Count)
	r, err := timeline.New(a, e)
	require.NoError(t, err)
	w, err := r.Window(report.WindowRequest{Begin: 1150, End: 9500, Locations: []uint32{0, 1}, Width: 1 << 20})
	require.NoError(t, err)
	require.Equal(t, []string{"0 0 in run 1150 9500", "1 0 op lock 1200 9020", "1 1 blocked lock 1201 9020", "unlock 0 9000 to 1 9020"}, told(w))
	require.Equal(t, "worker stands for 4 goroutines, of which one is shown", w.Truncated)
	w, err = r.Window(report.WindowRequest{Begin: 0, End: 900, Locations: []uint32{1}, Width: 1 << 20})
	require.NoError(t, err)
	require.Empty(t, told(w), "the first one waits for nobody")

	e.Stats = slices.Clone(e.Stats)
	for i := range e.Stats {
		for j := range e.Stats[i].Worst {
			e.Stats[i].Worst[j].Trace, e.Stats[i].Worst[j].CauserTrace = 1<<31, 1<<30
		}
	}
	r, err = timeline.New(a, e)
	require.NoError(t, err)
	_, err = r.Window(report.WindowRequest{Begin: 2000, End: 9500, Locations: []uint32{0, 1}, Width: 1 << 20})
	require.NoError(t, err)
}

// TestWindowStates: outside of operations it is shown when a goroutine did not run, and why.
func TestWindowStates(t *testing.T) {
	for _, chunk := range []int{0, 1} {
		a, e := open(t, `
channel ch
location main
  0 running on 0
  0 enter run
  100 ready preempted
  200 running on 1
  300 recv ch
  310 blocked
  400 ready woken
  500 running on 0
  510 leave
  600 syscall
  700 ready returned
  750 running on 0
  1000 exit
`, chunk)
		r, err := timeline.New(a, e)
		require.NoError(t, err)
		for _, c := range []struct {
			begin, end int64
			want       []string
		}{
			{0, 1000, []string{"0 0 in run 0 1000", "0 1 blocked ready to run 100 200", "0 1 op recv 300 510", "0 2 blocked recv 310 510",
				"0 1 blocked system call 600 700", "0 1 blocked ready to run 700 750"}},
			{640, 660, []string{"0 0 in run 640 660", "0 1 blocked system call 640 660"}},
		} {
			w, err := r.Window(report.WindowRequest{Begin: c.begin, End: c.end, Locations: []uint32{0}, Width: 1 << 20})
			require.NoError(t, err)
			require.Equal(t, c.want, told(w), "chunks of %d, from %d", chunk, c.begin)
		}
	}
}

package perfetto_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/perfetto"
	"tracerec/internal/naive/random"
	"tracerec/internal/naive/scenario"
	"tracerec/internal/spill"
	"tracerec/internal/testkit"
	"tracerec/internal/tracetest"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// export analyzes and writes an archive.
func export(t *testing.T, a *trace.Archive, workers int) ([]byte, *report.Experiment) {
	t.Helper()
	var links perfetto.Links
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: workers, Wait: links.Wait, Message: links.Message})
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = perfetto.Write(&out, a, e, &links)
	require.NoError(t, err)
	return out.Bytes(), e
}

func exportText(t *testing.T, text string) ([]byte, *report.Experiment) {
	t.Helper()
	a, err := tracetext.Open("text", text)
	require.NoError(t, err)
	return export(t, a, 2)
}

const text = `
channel ch cap 0
mutex m
location main
  0 enter run @main.go:5
  10 create worker @main.go:9
  1000 lock m @main.go:11
  2000 leave
  3000 sample queue 7
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

func TestWrite(t *testing.T) {
	b, _ := exportText(t, text)
	d := decode(t, b)
	var list []string
	for _, s := range d.slices {
		list = append(list, s.String())
	}
	for _, a := range d.arrows {
		list = append(list, a.String())
	}
	for _, c := range d.counters {
		list = append(list, fmt.Sprint(c.track, " ", c.time, " ", c.value))
	}
	require.Equal(t, []string{
		"main run 0-99500 main.go:5",
		"main create 10 main.go:9",
		"worker worker 500-99000",
		"worker solve 600-93000 work.go:20",
		"main lock 1000-2000 main.go:11",
		"worker lock 10000-91000 work.go:21",
		"worker Lock competition 10000-90000 by main",
		"main unlock 90000",
		"worker Wake-up 90001-91000",
		"main recv 91000-99000 main.go:14",
		"main Late sender 91000-98000 by worker",
		"worker unlock 92000",
		"worker send 98000-98500 work.go:30",
		"main Wake-up 98001-99000",
		"main create 10 -> worker worker 500",
		"main unlock 90000 -> worker Wake-up 90001",
		"worker send 98000 -> main Wake-up 98001",
		"queue 3000 7",
	}, list)
}

// A message whose receive comes later leads to it, and who has to wait for room is told who made it.
func TestMessages(t *testing.T) {
	b, _ := exportText(t, `
channel ch cap 1
location a
  100 send ch @a.go:1
  110 leave
  200 send ch @a.go:2
  210 blocked
  400 leave
location b
  350 recv ch @b.go:1
  360 leave
  500 recv ch @b.go:2
  510 leave
`)
	var list []string
	for _, a := range decode(t, b).arrows {
		list = append(list, a.String())
	}
	require.Equal(t, []string{"main send 100 -> (goroutine) recv 350", "(goroutine) recv 350 -> main Wake-up 351", "main send 200 -> (goroutine) recv 500"}, list)
}

// Waits of one operation that lie within each other are drawn so, in any order of their ends; of those that overlap, the later one goes on.
func TestNestedWaits(t *testing.T) {
	a, err := tracetext.Open("text", `
mutex m
location main
  0 lock m @main.go:1
  10 blocked
  100 leave
`)
	require.NoError(t, err)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	type wait struct {
		metric     string
		begin, end int64
	}
	for _, c := range []struct {
		name  string
		waits []wait
		want  []string
	}{
		{"equal begins", []wait{{"once_wait", 10, 40}, {"lock_competition", 10, 90}, {"join_wait", 10, 60}},
			[]string{"main Lock competition 10-90", "main Waiting to join 10-60", "main Waiting for a Once 10-40"}},
		{"equal ends", []wait{{"once_wait", 40, 90}, {"lock_competition", 10, 90}, {"join_wait", 20, 90}},
			[]string{"main Lock competition 10-90", "main Waiting to join 20-90", "main Waiting for a Once 40-90"}},
		{"one after the other within a third", []wait{{"once_wait", 20, 40}, {"lock_competition", 10, 90}, {"join_wait", 40, 60}},
			[]string{"main Lock competition 10-90", "main Waiting for a Once 20-40", "main Waiting to join 40-60"}},
		{"overlapping", []wait{{"once_wait", 10, 50}, {"join_wait", 30, 90}},
			[]string{"main Waiting for a Once 10-30", "main Waiting to join 30-90"}},
		{"of one kind, for several holders", []wait{{"rw_writer_wait", 10, 90}, {"rw_writer_wait", 20, 50}},
			[]string{"main Writer waits for readers 10-90"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var links perfetto.Links
			for _, w := range c.waits {
				require.GreaterOrEqual(t, e.MetricIndex(w.metric), 0, w.metric)
				links.Wait(&analyzer.Op{End: 100}, &analyzer.Wait{Metric: uint16(e.MetricIndex(w.metric)),
					SynchPoint: analyzer.SynchPoint{Begin: w.begin, Release: w.end, Causer: analyzer.NoCauser}})
			}
			var out bytes.Buffer
			_, err := perfetto.Write(&out, a, e, &links)
			require.NoError(t, err)
			var list []string
			for _, s := range decode(t, out.Bytes()).slices {
				if s.category == "wait" && s.name != "Wake-up" {
					list = append(list, s.String())
				}
			}
			require.Equal(t, c.want, list)
		})
	}
}

// Whatever programs do, the file is in order: decode looks at it. Every stay in a region or operation is a slice, and the time
// waited for somebody is as long as the analysis says, or longer if events were lost meanwhile: the analysis does not count that.
func TestRandom(t *testing.T) {
	arrows := 0
	for seed := range uint64(testkit.Cases(300)) {
		text := random.Trace(seed)
		b, e := exportText(t, text)
		d := decode(t, b)
		arrows += len(d.arrows)
		drawn, waited := map[string]int64{}, map[string]int64{}
		for _, s := range d.slices {
			switch {
			case s.category == "wait":
				if len(s.shares) == 0 {
					waited[s.name] += int64(s.end - s.begin)
				}
				for _, p := range s.shares {
					waited[strings.TrimSuffix(p.name, " (ns)")] += p.time
				}
			case s.category == "region" || s.category == "operation":
				drawn[s.name]++
			}
		}
		visits := map[string]int64{}
		for _, c := range e.Cells(e.MetricIndex("visits")) {
			r := &e.Regions[e.Paths[c.Path].Region]
			visits[r.Name] += c.Value
		}
		for name, n := range drawn {
			require.Equal(t, visits[name], n, "seed %d: %s", seed, name)
		}
		for i, m := range e.Metrics {
			sum := int64(0)
			for _, c := range e.Cells(i) {
				sum += c.Value
			}
			if m.Kind == metric.WaitState && m.Name != "external_wait" { // which may go on in the lock that ends a wait for a condition
				require.LessOrEqual(t, sum, waited[m.Title], "seed %d: %s", seed, m.Name)
				if !strings.Contains(text, " lost ") {
					require.Equal(t, sum, waited[m.Title], "seed %d: %s", seed, m.Name)
				}
			}
		}
	}
	require.Greater(t, arrows, testkit.Cases(1000))
}

// Damage costs what it hits, never the order of the file.
func TestDamaged(t *testing.T) {
	for seed := range uint64(testkit.Cases(200)) {
		a, err := tracetext.Open("damaged", random.Damaged(seed))
		require.NoError(t, err)
		var links perfetto.Links
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: links.Wait, Message: links.Message})
		if err != nil {
			continue
		}
		var out bytes.Buffer
		_, err = perfetto.Write(&out, a, e, &links)
		require.NoError(t, err)
		decode(t, out.Bytes())
	}
}

func TestScenarios(t *testing.T) {
	all, err := scenario.Load("../../testdata/traces")
	require.NoError(t, err)
	for _, s := range all {
		b, _ := exportText(t, s.Trace)
		decode(t, b)
	}
}

func TestDeterministic(t *testing.T) {
	a := synthetic(t, 30_000)
	first, _ := export(t, a, 1)
	d := decode(t, first)
	require.Greater(t, len(d.arrows), 3_000)
	for range 2 {
		again, _ := export(t, a, 4)
		require.True(t, bytes.Equal(first, again))
	}
	var links perfetto.Links
	store, err := spill.New(1, t.TempDir())
	require.NoError(t, err)
	defer store.Close()
	links.In(store)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Store: store, Wait: links.Wait, Message: links.Message})
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = perfetto.Write(&out, a, e, &links)
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, out.Bytes()))
}

// synthetic makes an archive of about so many events.
func synthetic(t testing.TB, events int) *trace.Archive {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{Wall: 1})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, events, 1))
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("synthetic", bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	return a
}

// counting counts bytes.
type counting int64

func (c *counting) Write(b []byte) (int, error) { *c += counting(len(b)); return len(b), nil }

func BenchmarkWrite(b *testing.B) {
	const events = 2_000_000
	a := synthetic(b, events)
	var links perfetto.Links
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: links.Wait, Message: links.Message})
	require.NoError(b, err)
	var n counting
	for b.Loop() {
		n = 0
		_, err := perfetto.Write(&n, a, e, &links)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(n)/events, "B/event")
}

// Counters of threads are what a goroutine has consumed, as far as that is known; those of the process are the process's.
// Goroutines of several processes, and what never ended.
func TestProcesses(t *testing.T) {
	b, _ := exportText(t, `
counterset cycles go:heap
mutex m
location main
  100 counters 256 1000 70
  100 enter run @main.go:5
  200 counters 256 1500 80
  200 exit
  300 counters 512 9000 90
  300 enter again @main.go:6
  400 counters 512 9300 90
  400 exit
  500 lock m @main.go:7
process child parent main pid 77
location other
  150 enter work @child.go:1
  900 exit
  950 end
`)
	d := decode(t, b)
	var list []string
	for _, s := range d.slices {
		list = append(list, s.String())
	}
	for _, c := range d.counters {
		list = append(list, fmt.Sprint(c.track, " ", c.time, " ", c.value))
	}
	require.Equal(t, []string{
		"main[0] run 100-200 main.go:5",
		"main[1] work 150-900 child.go:1",
		"main[0] again 300-400 main.go:6",
		"main[0] lock 500-500 main.go:7",
		"go:heap 100 70",
		"main[0] cycles 200 500",
		"go:heap 200 80",
		"go:heap 300 90",
		"main[0] cycles 400 800",
		"go:heap 400 90",
	}, list)
}

// What is certain and what is not are apart, and what is not known is no track, rather than 0. First words are equal in one stay on a thread only.
func TestUncertainCounters(t *testing.T) {
	const bound = "18446744073709551615"
	for _, c := range []struct {
		name, samples string
		want          []string
	}{
		{"certain, and certainly nothing", "  100 counters 1 1000 70\n  200 counters 1 1500 70\n", []string{"cycles 200 500", "faults 200 0"}},
		{"another stay", "  100 counters 1 1000 70\n  200 counters 2 1500 80\n  300 counters 2 1501 80\n", []string{"cycles 300 1", "faults 300 0"}},
		{"bounds", "  100 counters 1 1000 70\n  200 counters 2 5 6 40 0\n  300 counters 2 8 6\n  400 counters 3 9 9 2 1\n", []string{
			"cycles (uncertain) 200 40", "faults (uncertain) 200 0", "cycles 300 3", "faults 300 0", "cycles (uncertain) 400 42", "faults (uncertain) 400 1"}},
		{"no bound of one", "  100 counters 1 1000 70\n  200 counters 2 5 6 7 " + bound + "\n", []string{"cycles (uncertain) 200 7"}},
		{"refused", "  100 counters 1 1000 70\n  200 counters 1\n  300 counters 1 1500 80\n", nil},
		{"no stay", "  100 counters 0 1000 70\n  200 counters 0 1500 80\n", nil},
		{"backwards", "  100 counters 1 1000 70\n  200 counters 1 900 71\n", []string{"faults 200 1"}},
	} {
		b, _ := exportText(t, "\ncounterset cycles faults\nlocation main\n"+strings.ReplaceAll(c.samples, "\n", "\n ")+" 900 enter run @main.go:5\n  950 exit\n")
		var list []string
		for _, v := range decode(t, b).counters {
			list = append(list, strings.TrimPrefix(fmt.Sprint(v.track, " ", v.time, " ", v.value), "main "))
		}
		require.Equal(t, c.want, list, c.name)
	}
}

// Who waits for a lock that others hold one after the other has one wait, of the last of them, which says how much of it was
// which wait state. Writers among them wait, too, while readers have the lock.
func TestOneWait(t *testing.T) {
	text := "rwmutex m\nlocation w\n  50 lock m\n  60 blocked\n  100000 leave\n  100010 unlock m\n"
	for i := range 9 {
		shared, begin := "", 10*i
		if i%2 == 1 {
			shared = " shared"
		}
		text += fmt.Sprintf("location h%d\n  %d lock m%s\n  %d leave\n  %d unlock m%s\n", i, begin, shared, 10000*i+500, 10000*i+9500, shared)
	}
	b, _ := exportText(t, text)
	d := decode(t, b)
	var list []string
	var shares []share
	for _, s := range d.slices {
		if s.track == "main" {
			list, shares = append(list, s.String()), append(shares, s.shares...)
		}
	}
	require.Equal(t, []string{"main lock 50-100000", "main Lock competition 50-89500 by (goroutine)[8]", "main Wake-up 89501-100000",
		"main unlock 100010"}, list)
	require.Equal(t, []share{{"Lock competition (ns)", 89_450}}, shares)
	require.Equal(t, "[(goroutine)[8] unlock 89500 -> main Wake-up 89501]", fmt.Sprint(d.arrows))
}

// TestStates: outside of operations a slice shows when a goroutine did not run, and why.
func TestStates(t *testing.T) {
	const text = `
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
  900 stopped
`
	for told, want := range map[string][]string{
		text: {"main Ready to run 100-200", "main System call 600-700", "main Ready to run 700-750", "main World stopped 900-1000"},
		strings.NewReplacer("running on 0", "enter a", "running on 1", "exit").Replace(text): nil, // nobody tells states
	} {
		b, _ := exportText(t, "exited 1000 0\n"+told)
		var list []string
		for _, s := range decode(t, b).slices {
			if s.category == "state" {
				list = append(list, s.String())
			}
		}
		require.Equal(t, want, list)
	}
}

package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/tracetest"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// values returns the severities of a metric by the name of the call path's last region.
func values(x *report.Experiment, name string) map[string]int64 {
	v := map[string]int64{}
	for i, m := range x.Metrics {
		if m.Name == name {
			for _, c := range x.Cells(i) {
				v[x.Regions[x.Paths[c.Path].Region].Name] += c.Value
			}
		}
	}
	return v
}

// written is all that an experiment says, to compare.
func written(t *testing.T, x *report.Experiment) string {
	t.Helper()
	c, err := x.Report("")
	require.NoError(t, err)
	var file strings.Builder
	require.NoError(t, c.Write(&file))
	return file.String()
}

func analyzeText(t *testing.T, text string) *report.Experiment {
	t.Helper()
	a, err := tracetext.Open("test", text)
	require.NoError(t, err)
	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	invariants(t, x)
	return x
}

// TestBeginBehindCounters: with counters a goroutine's first event is a sample, and Begin still names it.
func TestBeginBehindCounters(t *testing.T) {
	x := analyzeText(t, `
counterset task-clock
location main
  0 enter main
  0 create w @a.go:1
  100 exit
location w
  10 counters 257 5
  10 begin worker by main
  20 counters 257 12
  20 enter solve
  50 counters 257 40
  50 exit
  60 end
`)
	require.Equal(t, map[string]int64{"worker": 7, "solve": 28}, values(x, "task-clock"))
	require.Equal(t, "worker", x.Groups[1].Name)
	require.EqualValues(t, 10, values(x, "start_latency")["worker"])
}

// TestFindingCountsTimeOnce: two goroutines wait for main at once; the finding has the time in which they did once.
func TestFindingCountsTimeOnce(t *testing.T) {
	x := analyzeText(t, `
mutex m
location main
  0 enter main
  0 lock m @a.go:1
  0 leave
  0 create w1 @a.go:2
  0 create w2 @a.go:2
  100 unlock m
  200 exit
location w1
  0 begin worker by main
  10 lock m @a.go:3
  11 blocked
  100 leave
  130 unlock m
  130 end
location w2
  0 begin worker by main
  20 lock m @a.go:3
  21 blocked
  135 leave
  140 unlock m
  140 end
`)
	require.Len(t, x.Findings, 1)
	f := x.Findings[0]
	require.EqualValues(t, 90+80+30, f.Severity)
	require.EqualValues(t, 90, f.Critical) // main holds it in [10, 100); the path is not on w1
	require.EqualValues(t, 2, f.Instances)
	require.Len(t, f.Causers, 2)
	require.EqualValues(t, 170, f.Causers[0].Severity)
	require.Equal(t, "main", x.Groups[f.Causers[0].Group].Name)
	require.EqualValues(t, 30, f.Causers[1].Severity)
	require.Equal(t, []uint32{2, 1}, f.Locations)
	for i, m := range x.Metrics {
		if m.Name == "lock_competition" {
			s := x.Stats[i]
			require.Equal(t, report.Stats{Count: 2, Sum: 200, Min: 90, Max: 110, Mean: 100, Q25: 90, Median: 90, Q75: 110, Worst: s.Worst}, s)
			require.Len(t, s.Worst, 2)
			require.EqualValues(t, 20, s.Worst[0].Begin)
			require.EqualValues(t, 130, s.Worst[0].End)
			require.Equal(t, s.Max, s.Worst[0].Waited)
			require.Zero(t, s.Worst[0].Causer) // main: longest part
		}
	}
}

// TestProcessorInHeader: the header says what the root process ran on, for cycles in seconds and the choice of a specification.
func TestProcessorInHeader(t *testing.T) {
	dir := t.TempDir()
	w, err := trace.Create(dir, trace.Options{})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, 1000, 1))
	_, err = w.AddProcess(trace.ProcessInfo{PID: 7, Processor: trace.Processor{Arch: "arm64"}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	a, err := trace.Open(dir)
	require.NoError(t, err)
	defer a.Close()
	root := &a.Definitions().Processes[a.Header().Root]
	root.Processor, root.Hertz = trace.Processor{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 106}, 2_100_000_000
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	require.Equal(t, report.Processor{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 106}, e.Header.CPU)
	require.EqualValues(t, 2_100_000_000, e.Header.Frequency)
}

// TestRunners: goroutines of a library that runs what it is given have the names of that, if each runs one thing and all the same.
func TestRunners(t *testing.T) {
	const run = "tomb.v2.(*Tomb).run @/m/tomb.go:1(gopkg.in/tomb%2ev2.(*Tomb).run)"
	name := func(begin string, does ...string) string {
		text := "location main\n 0 enter main\n"
		for i := range does {
			text += " 0 create w" + string(rune('0'+i)) + " @/m/tomb.go:159\n"
		}
		text += " 100 exit\n"
		for i, d := range does {
			begin, as, _ := strings.Cut(begin, " ")
			text += "location w" + string(rune('0'+i)) + "\n 10 begin " + begin + " by main " + as + "\n"
			for _, f := range strings.Fields(d) {
				text += " 20 enter " + f + " @/m/a.go:1(example.org/m/" + f + ")\n 20 exit\n"
			}
			text += " 50 end\n"
		}
		x := analyzeText(t, text)
		return x.Groups[len(x.Groups)-1].Name
	}
	require.Equal(t, "archiver.save", name(run, "archiver.save"))
	require.Equal(t, "archiver.save", name(run, "archiver.save", "archiver.save"))
	for _, does := range [][]string{{""}, {"archiver.save archiver.list"}, {"archiver.save", "archiver.save archiver.save"}, {"archiver.save", "archiver.list"}} {
		require.Equal(t, "tomb.v2.(*Tomb).run", name(run, does...), does)
	}
	require.Equal(t, "http.(*conn).serve", name("http.(*conn).serve @/go/server.go:1(net/http.(*conn).serve)", "archiver.save"))
	require.Equal(t, "archiver.all", name("archiver.all @/m/a.go:1(example.org/m/archiver.all)", "archiver.save"))
}

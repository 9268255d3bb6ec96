package analyzer_test

import (
	"fmt"
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

// TestRunners: goroutines whose function is a literal, or of a library that runs what it is given, have the name of what they do for more than nine tenths of their time
// outside of waiting for the next task.
func TestRunners(t *testing.T) {
	const run, literal = "tomb.v2.(*Tomb).run @/mod/gopkg.in/tomb.v2@v2.0.1/tomb.go:1(gopkg.in/tomb%2ev2.(*Tomb).run)", "main.main.func1 @/m/a.go:1(main.main.func1)"
	names := func(begin string, does ...string) string {
		begin, as, _ := strings.Cut(begin, " ")
		text := "location main\n 0 enter main\n"
		for i := range does {
			text += fmt.Sprintf(" 0 create w%d @/m/tomb.go:159\n", i)
		}
		text += " 1000 exit\n"
		for i, d := range does {
			text += fmt.Sprintf("location w%d\n 100 begin %s by main %s\n", i, begin, as)
			for now, f := range strings.Fields(d) { // each takes 100 ns
				at, end := 100+100*now, 200+100*now
				switch name, short, _ := strings.Cut(f, "-"); name {
				case "itself":
				case "sleep":
					text += fmt.Sprintf(" %d sleep\n %d leave\n", at, end)
				case "within": // the rest is within what the goroutine began with, as a region
					text += fmt.Sprintf(" %d enter %s @/m/a.go:1(%s)\n", at, begin, begin)
				default:
					if short != "" {
						end -= 20
					}
					text += fmt.Sprintf(" %d enter %s @/m/a.go:1(example.org/m/archiver.%s)\n %d exit\n", at, name, name, end)
				}
			}
			if strings.Contains(d, "within") {
				text += fmt.Sprintf(" %d exit\n", 100+100*len(strings.Fields(d)))
			}
			text += fmt.Sprintf(" %d end\n", 100+100*len(strings.Fields(d)))
		}
		var names []string
		for _, g := range analyzeText(t, text).Groups[1:] {
			names = append(names, fmt.Sprintf("%s ×%d", g.Name, g.Count))
		}
		return strings.Join(names, ", ")
	}
	name := func(begin string, does ...string) string {
		name, found := strings.CutSuffix(names(begin, does...), fmt.Sprintf(" ×%d", len(does)))
		require.True(t, found, name)
		return name
	}
	for _, as := range []string{run, literal} {
		own, _, _ := strings.Cut(as, " ")
		for _, does := range [][]string{{"save"}, {"save", "save"}, {"sleep save sleep save"}, {"save sleep", "save save"}, {"sleep", "save"},
			{"save save save save save save save save save save save list-short"}} {
			require.Equal(t, "save", name(as, does...), "%s %q", own, does)
		}
		for _, does := range [][]string{{""}, {"sleep"}, {"save-short"}, {"save itself"}, {"save list"}, {"save", "itself"}, {"sleep itself"},
			{"save list", "save"}, {"save", "list save"}, {"save save", "list"}, {"save", "list", "list save"}, {"save itself", "list"}, {"save", "list-short"}, {"", "sleep"}} {
			require.Equal(t, own, name(as, does...), "%s %q", own, does)
		}
	}
	for _, as := range []string{run, literal} {
		own, _, _ := strings.Cut(as, " ")
		require.Equal(t, "save ×1, list ×1", names(as, "save", "list"), own)
		require.Equal(t, "list ×3, save ×2, check ×1", names(as, "list", "save", "list", "save", "list", "check"), own)
		require.Equal(t, own+" ×1, save ×1, list ×1", names(as, "sleep", "save", "list"), own)
	}
	mixed := []string{"list", "sleep save sleep", "list", "save sleep", "list", "check"}
	require.Equal(t, "list ×3, save ×2, check ×1", names(run, mixed...))
	require.Equal(t, "main.main.func1 ×6", names(literal, mixed...), "workers of the program, which wait for one task or another")
	require.Equal(t, "archiver.run ×2", names("archiver.run @/m/a.go:1(example.org/m/archiver.run)", "save", "list"), "it is of the package that it calls")
	require.Equal(t, "http.(*conn).serve ×2", names("http.(*conn).serve @/go/server.go:1(net/http.(*conn).serve)", "save", "list"))
	within := "within save save save save save save save save save save save save save save" // the first 100 ns are the literal's own
	require.Equal(t, "save", name(literal, within))
	require.Equal(t, "main.main.func1", name(literal, "within save"))
	require.Equal(t, "tomb.v2.(*Tomb).run", name(run, within), "it is a region")
	require.Equal(t, "http.(*conn).serve", name("http.(*conn).serve @/go/server.go:1(net/http.(*conn).serve)", "save"))
	require.Equal(t, "archiver.all", name("archiver.all @/m/a.go:1(example.org/m/archiver.all)", "save"))
}

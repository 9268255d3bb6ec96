package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/readable"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// A test waits by design for the goroutine that runs it: that is no finding, and what the goroutine waits for is. A receive elsewhere is as it always was.
func TestOfPackageTesting(t *testing.T) {
	for function, want := range map[string]int64{"testing.runTests": 0, "retesting.Run": 30, "x/testing.Run": 30} {
		a, err := tracetext.Open("trace", `
channel signal
channel data
location main
  0 create test
  0 recv signal @testing.go:1(`+function+`)
  1 blocked
  91 leave
  100 end
location test
  0 begin Test by main
  10 recv data @my_test.go:7(main.Test)
  11 blocked
  61 leave
  90 send signal @testing.go:9(testing.tRunner)
  90 leave
  90 end
location other
  0 begin other by main
  60 send data @my_test.go:9(main.Test)
  60 leave
  70 end
`)
		require.NoError(t, err)
		e := analyze(t, a, 2)
		onPath := e.OnPath[e.MetricIndex("late_sender")]
		for _, f := range e.Findings {
			if e.Regions[e.Paths[f.Path].Region].Line == 1 {
				require.Equal(t, want, f.Critical, function)
			} else {
				require.Equal(t, int64(50), f.Critical, function)
			}
		}
		require.Len(t, e.Findings, 2)
		require.Equal(t, want+50, onPath, function)
	}
}

// TestNamesOfTests: goroutines that run tests have the names of these, also in sentences, and their groups what the names begin with. Others that one go statement starts
// do not, whatever they call.
func TestNamesOfTests(t *testing.T) {
	text := func(function string, tests ...string) string {
		s, ends, work := "channel signal\nchannel data\nlocation main\n 0 create feeder\n", "", "location feeder\n 1 begin feed by main\n"
		for i := range tests {
			work += fmt.Sprintf(" %d send data @/m/a_test.go:20(example.org/m.feed)\n %[1]d leave\n", 490+10*i)
		}
		work += " 600 end\n"
		for i, test := range tests {
			s += fmt.Sprintf(" 0 create t%d @/go/src/testing/testing.go:9(testing.(*T).Run)\n", i)
			work += fmt.Sprintf("location t%d\n 10 begin %s by main @/go/src/testing/testing.go:1(%[2]s)\n", i, function)
			work += fmt.Sprintf(" 20 enter %s @/m/a_test.go:5(example.org/m.%[1]s)\n 30 recv data @/m/a_test.go:7(example.org/m.%[1]s)\n 31 blocked\n", test)
			work += fmt.Sprintf(" %d leave\n %d exit\n %[2]d send signal @/go/src/testing/testing.go:9(testing.tRunner)\n %[2]d leave\n %[2]d end\n", 500+10*i, 700+10*i)
			ends += fmt.Sprintf(" %d recv signal @/go/src/testing/testing.go:3(testing.runTests)\n %d blocked\n %d leave\n", 699+10*i, 699+10*i, 701+10*i)
		}
		return s + ends + " 1000 end\n" + work
	}
	for _, c := range []struct {
		function string
		tests    []string
		group    string
		says     string
	}{
		{"testing.tRunner", []string{"TestPush"}, "TestPush", "TestPush waited"},
		{"testing.tRunner", []string{"TestPush", "TestPop"}, "TestP*", "TestPop and TestPush waited"},
		{"testing.tRunner", []string{"TestPush", "TestPush"}, "TestPush", "TestPush ×2 waited"},
		{"testing.tRunner", []string{"TestA/x", "TestA/y", "TestA/z", "TestA/u"}, "TestA/*", "TestA/u, TestA/z and 2 others waited"},
		{"testing.tRunner", []string{"TestÄ", "TestÖ"}, "Test*", "TestÖ and TestÄ waited"},
		{"testing.(*B).launch", []string{"BenchmarkPush"}, "BenchmarkPush", "BenchmarkPush waited"},
		{"main.tRunner", []string{"TestPush", "TestPop"}, "main.tRunner", "main.tRunner ×2 waited"},
	} {
		e := analyzeText(t, text(c.function, c.tests...))
		require.Len(t, e.Groups, 3, c)
		require.Equal(t, c.group, e.Groups[2].Name, c)
		i := slices.IndexFunc(e.Findings, func(f report.Finding) bool { return e.Regions[e.Paths[f.Path].Region].Line == 7 })
		text := readable.Loose(e.Sentences().Finding(&e.Findings[i]))
		require.True(t, strings.HasPrefix(text, c.says), text)
		if c.function == "main.tRunner" {
			require.Empty(t, e.Groups[2].Begun)
			require.NotContains(t, e.Verdict.Text, " of main.tRunner")
			continue
		}
		require.Equal(t, c.function, e.Groups[2].Begun)
		require.Contains(t, readable.Loose(e.Verdict.Text), "Waiting of "+strings.TrimSuffix(c.says, " waited")+" in recv at")
	}
}

// TestWaitsForTestsLast: of waits with nothing of the critical path, those in package testing come behind all others, however long they are.
func TestWaitsForTestsLast(t *testing.T) {
	for function, first := range map[string]int{"testing.(*T).Parallel": 9, "retesting.Parallel": 7} {
		e := analyzeText(t, fmt.Sprintf(`
channel turn
channel data
location main
  0 create a
  0 create b
  1000 end
location a
  10 begin a by main
  20 recv turn @/m/testing.go:7(%s)
  21 blocked
location b
  10 begin b by main
  120 recv data @/m/a_test.go:9(m.TestB)
  121 blocked
`, function))
		require.Len(t, e.Findings, 2)
		require.Zero(t, e.Findings[0].Critical)
		require.Equal(t, first, e.Regions[e.Paths[e.Findings[0].Path].Region].Line, function)
	}
}

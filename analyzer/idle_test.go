package analyzer_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// Workers that are idle while main sleeps delay nothing, as nobody waits for what they do: it is main's sleep that the run lasts for.
func TestIdleWhileMainSleeps(t *testing.T) {
	v := analyzeText(t, `
process main cpu 1000
channel tasks @pool.go:3
location main
  0 enter main @main.go:1
  1 create w @main.go:2
  2 sleep @main.go:3
  50 leave
  51 send tasks @main.go:4
  51 leave
  52 sleep @main.go:3
  99 leave
  100 exit
location w
  2 begin worker by main
  3 recv tasks @pool.go:9
  3 blocked
  51 leave
  55 recv tasks @pool.go:9
  55 blocked
`).Verdict
	require.Equal(t, "95.0 % of the critical path is sleep of main at main.go:3.", strings.ReplaceAll(v.Text, "\u00a0", " "))
	require.Equal(t, "sleep", v.Metric)
	require.True(t, v.Certain)
}

// Who waits beside the program delays nothing, if nobody needs what it does then: one that shows numbers, and waits for the lock under which main works, or one that
// writes a log, and waits for main to have a line. One whom main waits for then is another thing, and so is one of many: the path is on others like it.
func TestWaitsBesideTheProgram(t *testing.T) {
	locks := func(end int, rest string) string {
		return fmt.Sprintf(`
process main cpu 1000
mutex m @stats.go:1
location main
  0 running on 0
  0 enter main @main.go:1
  1 create w @main.go:2
  5 lock m @main.go:3
  5 leave
  85 unlock m
  %d exit
  %[1]d end
location w
  2 begin report by main
  2 running on 1
  10 lock m @stats.go:5
  10 blocked
  85 ready by main
  86 running on 1
  86 leave
  86 unlock m
%s`, end, rest)
	}
	conds := func(end int, rest string) string {
		return fmt.Sprintf(`
process main cpu 1000
cond c @log.go:2
location main
  0 running on 0
  0 enter main @main.go:1
  1 create w @main.go:2
  85 signal c @main.go:3
  %d exit
  %[1]d end
location w
  2 begin write by main
  2 running on 1
  5 condwait c @log.go:5
  5 blocked
  85 ready by main
  86 running on 1
  86 leave
%s`, end, rest)
	}
	for _, c := range []struct {
		name, trace, want string
	}{
		{"lock", locks(100, "  90 end\n"), "Waiting hardly delays the run; 100.0 % of the critical path is work in main at main.go:1."},
		{"lock, then needed", locks(86, "  100 end\n"), "Waiting for the mutex first used at stats.go:1 delays the run most: 75.0 % of its time (75 ns), held by main in main (lock at main.go:3)."},
		{"lock, then one like it needed", strings.Replace(locks(86, "  90 end\nlocation v\n  85 begin report by main\n  85 running on 1\n  100 end\n"), "  86 exit", "  85 create v @main.go:2\n  86 exit", 1),
			"Waiting for the mutex first used at stats.go:1 delays the run most: 75.0 % of its time (75 ns), held by main in main (lock at main.go:3)."},
		{"lock, then another one needed", strings.Replace(locks(86, "  90 end\nlocation v\n  85 begin other by main\n  85 running on 1\n  100 end\n"), "  86 exit", "  85 create v @main.go:2\n  86 exit", 1),
			"Waiting hardly delays the run; 85.0 % of the critical path is work in main at main.go:1."},
		{"condition", conds(100, "  90 end\n"), "Waiting hardly delays the run; 100.0 % of the critical path is work in main at main.go:1."},
		{"states are not told", regexp.MustCompile(`(?m)^ *\d+ (running|ready).*\n`).ReplaceAllString(locks(100, "  90 end\n"), ""),
			"Waiting for the mutex first used at stats.go:1 delays the run most: 75.0 % of its time (75 ns), held by main in main (lock at main.go:3)."},
		{"condition, then needed", conds(86, "  100 end\n"), "Waiting for the condition variable first used at log.go:2 delays the run most: 80.0 % of its time (80 ns), for main, which was mostly in main at main.go:1 then."},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := tracetext.Open("beside", c.trace)
			require.NoError(t, err)
			require.Empty(t, compareArchive(t, a))
			require.Equal(t, c.want, strings.ReplaceAll(analyze(t, a, 1).Verdict.Text, "\u00a0", " "))
		})
	}
}

// A wait from which the critical path does not go on there can only have held it up as one of those that may have: all together, they can for ten times as long as the path is on locations like that. Here
// w waits for main five times, 16 ns each, and the path goes on there after the last time, for 2 ns and as long as main waits for w in the end.
func TestWaitsBesideTheProgramForLong(t *testing.T) {
	for last, want := range map[int]int64{4: 16, 5: 80} {
		main, w := "waitgroup wg @m.go:1\nmutex m @m.go:1\nlocation main\n 0 running on 0\n 0 enter main @m.go:2\n 0 add wg 1\n 1 create w @m.go:3\n", "location w\n 1 begin report by main\n 1 running on 1\n"
		for at := 0; at < 100; at += 20 {
			main += fmt.Sprintf(" %d lock m @m.go:4\n %[1]d leave\n %d unlock m\n", at+1, at+18)
			w += fmt.Sprintf(" %d lock m @m.go:5\n %[1]d blocked\n %d ready by main\n %d running on 1\n %[3]d leave\n %[3]d unlock m\n", at+2, at+18, at+19)
		}
		main += fmt.Sprintf(" 100 wait wg @m.go:6\n 100 blocked\n %d ready by w\n %[1]d running on 0\n %[1]d leave\n %[1]d exit\n %[1]d end\n", 100+last)
		w += fmt.Sprintf(" %d done wg\n %[1]d end\n", 100+last)
		a, err := tracetext.Open("beside", main+w)
		require.NoError(t, err)
		require.Empty(t, compareArchive(t, a))
		e := analyze(t, a, 2)
		i := slices.IndexFunc(e.Findings, func(f report.Finding) bool { return e.Metrics[f.Metric].Name == metric.LockCompetition })
		require.Equal(t, want, e.Findings[i].Critical)
		require.Equal(t, want, e.OnPath[e.Findings[i].Metric])
	}
}

// Whose sleep it is are all who have about as much of it as the first one, or more than a fiftieth of it together; nobody where these are of several functions.
func TestSleepers(t *testing.T) {
	begins := "main"
	said := func(last string, lives ...int) string {
		root, workers, at := "waitgroup wg\nlocation main\n 0 enter "+begins+" @main.go:1\n", "", 0
		for i, life := range lives {
			root += fmt.Sprintf(" %[1]d add wg 1\n %[1]d create w%[2]d @main.go:2\n %[1]d wait wg @main.go:3\n %[1]d blocked\n %[3]d leave\n", at, i, at+life)
			name := "worker"
			if i == len(lives)-1 {
				name = last
			}
			workers += fmt.Sprintf("location w%d\n %d begin %s by main\n %[2]d sleep @a.go:7\n %[4]d leave\n %[4]d done wg\n %[4]d end\n", i, at, name, at+life)
			at += life
		}
		text := analyzeText(t, root+fmt.Sprintf(" %d exit\n", at)+workers).Verdict.Text
		return strings.ReplaceAll(text[strings.LastIndex(text, " is ")+4:], "\u00a0", " ")
	}
	require.Equal(t, "sleep of worker[1] at a.go:7. worker[1] lived for 980 ns, the other one of worker ×2 for 10 ns on average.", said("worker", 10, 980))
	begins = "BenchmarkA" // whose rounds become longer
	require.Equal(t, "sleep of worker[1] at a.go:7.", said("worker", 10, 980))
	begins = "main"
	require.Equal(t, "sleep of worker at a.go:7.", said("other", 980, 10))
	require.Equal(t, "sleep of worker ×2 at a.go:7. worker[1] lived for 970 ns, the other one of worker ×2 for 30 ns on average.", said("worker", 30, 970))
	require.Equal(t, "sleep at a.go:7.", said("other", 970, 30))
	require.Equal(t, "sleep of worker ×100 at a.go:7.", said("worker", slices.Repeat([]int{1}, 100)...), "each has a hundredth")
	require.Equal(t, "sleep of worker ×101 at a.go:7.", said("worker", append(slices.Repeat([]int{1}, 100), 100)...), "the others have half of it together")
}

package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/trace/tracetext"
)

// shown is a program whose main works up to a time and then waits for what shows its progress every 300 ns, and stops when it sees that main is done.
func shown(works int, begins, between string) string {
	return fmt.Sprintf(`
process main
waitgroup wg @m.go:1
channel c @m.go:1
location main
  0 enter main @m.go:1
  0 add wg 1
  0 create w @m.go:2
%[3]s
  10 enter work @m.go:3
  %[1]d exit
  %[1]d wait wg @m.go:4
  %[1]d blocked
  1000 leave
  1000 exit
location w
  %[2]s
  90 leave
  90 sleep @w.go:2
  390 leave
  390 sleep @w.go:2
  690 leave
  690 sleep @w.go:2
  990 leave
  990 done wg
  1000 end
`, works, begins, between)
}

// TestAttendants: who rests beside the program, and is waited for only in the end and shortly, does not take the path from it. Main waits 40, or 60 of 1000 ns: a twentieth of
// the life before is 48, or 47.
func TestAttendants(t *testing.T) {
	const begins = "0 begin show by main\n  0 sleep @w.go:2"
	for _, c := range []struct {
		name        string
		trace       string
		work, sleep int64
	}{
		{"shortly", shown(960, begins, ""), 950, 30},
		{"for a while", shown(940, begins, ""), 0, 990},
		{"it did something, too", shown(960, "0 begin show by main\n  0 enter sleep\n  90 exit\n  90 sleep @w.go:2", ""), 950, 30},
		{"waited for before", shown(960, "0 begin show by main\n  0 sleep @w.go:2\n  5 leave\n  5 send c @w.go:1\n  6 leave\n  6 sleep @w.go:2",
			"  1 recv c @m.go:2\n  1 blocked\n  5 leave\n"), 0, 989},
		{"it held a lock before", strings.NewReplacer("channel c @m.go:1", "mutex l @m.go:1").Replace(shown(960, "0 begin show by main\n  0 lock l @w.go:1\n  0 leave\n  0 sleep @w.go:2\n  5 leave\n  5 unlock l\n  6 sleep @w.go:2",
			"  1 lock l @m.go:2\n  1 blocked\n  5 leave\n  5 unlock l\n")), 950, 35},
		{"it never rests", strings.NewReplacer("sleep @w.go:2", "enter busy", "90 leave", "90 exit").Replace(shown(960, begins, "")), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := tracetext.Open("attended", c.trace)
			require.NoError(t, err)
			require.Empty(t, compareArchive(t, a))
			got := map[string]int64{}
			for cell, v := range result(a, analyze(t, a, 1)).Severity {
				if cell.Metric == metric.CriticalPath {
					got[cell.Path] += v
				}
			}
			require.Equal(t, []int64{c.work, c.sleep}, []int64{got["main/work"], got["sleep@w.go:2"]}, got)
		})
	}
}

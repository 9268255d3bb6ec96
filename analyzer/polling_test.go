package analyzer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
	"tracerec/trace/tracetext"
)

// polls is main, which waits for w to let it go, and w, which tries something before. The tries are to be put in.
func polls(tries string) string {
	return `
process main cpu 8000 processors 2
mutex m @a.go:1
waitgroup wg @a.go:2
location main
  0 running on 0
  0 enter main @a.go:1
  0 add wg 1
  1 create w @a.go:3
  10 wait wg @a.go:4
  11 blocked
  3610 leave
  3620 exit
location w
  0 begin work by main @a.go:10
  0 running on 1
` + tries + `
  3600 done wg
  3602 end
`
}

// TestPolling says who polls, and what of the time in which it ran that took.
func TestPolling(t *testing.T) {
	for _, c := range []struct{ name, tries, text string }{
		{"a lock", `
  100 lock m @a.go:12
  900 leave failed
  1000 lock m @a.go:12
  1900 leave failed
  2000 lock m @a.go:12
  2900 leave failed
  3000 lock m @a.go:12
  3500 leave
  3600 unlock m`, "work polls in lock at a.go:12: 3 tries failed, one every 966 ns on average. With what is between, they took 2.90 µs, 80.5 % of the time in which it ran."},
		{"a select that stands for many", `
  100 select @a.go:12
  3500 chose none 1024`, "work polls in select at a.go:12: 1,024 tries failed, one every 3 ns on average. With what is between, they took 3.40 µs, 94.4 % of the time in which it ran."},
		{"a fast path, before others wait", `
  100 lock m @a.go:12
  120 leave failed
  130 lock m @a.go:13
  140 leave
  3600 unlock m`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := tracetext.Open("t", polls(c.tries))
			require.NoError(t, err)
			x := analyze(t, a, 2)
			var out bytes.Buffer
			require.NoError(t, report.Text(&out, x, report.TextOptions{}))
			page, verdict := strings.Join(strings.Fields(out.String()), " "), strings.Join(strings.Fields(x.Verdict.Text), " ")
			if c.text == "" {
				require.NotContains(t, page, "polls")
				return
			}
			require.Equal(t, 2, strings.Count(page, c.text), page)
			require.Contains(t, verdict, c.text)
		})
	}
}

package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// handlers are two goroutines of a service, of which one has a lock for 500, and the other one waits for it for 400.
const handlers = `location h1
  0 begin handle
  100 enter get @store.go:6
  100 lock m @store.go:7
  101 leave
  600 unlock m
  900 exit
  990 end
location h2
  0 begin handle
  200 enter get @store.go:6
  200 lock m @store.go:7
  201 blocked
  600 leave
  610 unlock m
  900 exit
  990 end
`

// untilStopped is the main goroutine of a program that goes on until a signal comes.
const untilStopped = `
signals stop cap 1
location main
  0 running on 0
  0 enter main @main.go:1
  50 recv stop @main.go:3
  51 blocked
  9950 leave
  10000 exit
`

// TestUntilSignal: of a program that goes on until a signal comes, the waits of the others are told, if there are any.
func TestUntilSignal(t *testing.T) {
	for _, c := range []struct {
		name, trace, text string
		certain           bool
		metric, file      string
		line              int
	}{
		{"a service that ends by a signal", "mutex m @store.go:7\n" + untilStopped + handlers, "Goroutines wait most for the mutex first used at store.go:7: handle[1] waited 400 ns in total, 3.3 % of all time, held by handle[0] in get (lock at store.go:7). " +
			"For 99.0 % of the run, main waited for a signal in recv at main.go:3, so the critical path does not tell what this holds up.", false, "lock_competition", "store.go", 7},
		{"a program that waits for a signal only", untilStopped, "The program's goroutines worked for only 100 ns in 10.0 µs; 99.0 % of the critical path is waiting in recv at main.go:3 for what no goroutine of the program does: a timer, a signal or another program.",
			false, "external_wait", "main.go", 3},
	} {
		v := analyzeText(t, c.trace).Verdict
		require.Equal(t, []any{c.text, c.certain, c.metric, c.file, c.line}, []any{strings.ReplaceAll(v.Text, "\u00a0", " "), v.Certain, v.Metric, v.File, v.Line}, c.name)
	}
}

// TestLetGoBySignal: where main waits for a signal, and closes then what others wait for, it is told where the work was until then.
func TestLetGoBySignal(t *testing.T) {
	e := analyzeText(t, `
signals stop cap 1
channel done
channel back
location main
  0 running on 0
  0 enter main @main.go:1
  50 recv stop @main.go:3
  51 blocked
  9950 leave
  9960 close done @main.go:4
  9961 leave
  9962 recv back @main.go:5
  9963 blocked
  9985 leave
  10000 exit
location refresh
  0 begin refresh
  50 recv done @main.go:20
  51 blocked
  9970 leave closed
  9980 send back @main.go:21
  9981 leave
  9990 exit
  9995 end
location burn
  0 begin burn
  5000 exit
  5010 end
`)
	require.Contains(t, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "), "main waited for a signal in recv at main.go:3, so the critical path does not tell what the others did until then; ")
}

package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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

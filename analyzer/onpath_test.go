package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/tracetext"
)

// Two goroutines wait for main at overlapping times in two wait states: each metric counts the critical time
// once, and so does their common parent.
func TestOnPathCountsOnce(t *testing.T) {
	a, err := tracetext.Open("trace", `
mutex m
once o
location main
  0 enter main
  0 create w1
  0 create w2
  5 lock m @a.go:1
  6 leave
  10 once o @a.go:2
  10 oncerun
  70 leave
  80 unlock m
  98 exit
  100 end
location w1
  0 begin w by main
  20 lock m @b.go:1
  21 blocked
  81 leave
  82 unlock m
  90 end
location w2
  0 begin w by main
  30 once o @c.go:1
  31 blocked
  72 leave
  90 end
`)
	require.NoError(t, err)
	e := analyze(t, a, 2)
	onPath := func(name string) int64 { return e.OnPath[e.MetricIndex(name)] }
	require.Equal(t, int64(60), onPath("lock_competition"))
	require.Equal(t, int64(40), onPath("once_wait"))
	require.Equal(t, int64(60), onPath("synchronization"))
	require.Equal(t, int64(60), onPath("time"))
	require.Zero(t, onPath("communication"))
}

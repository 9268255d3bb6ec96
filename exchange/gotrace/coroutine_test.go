package gotrace_test

import (
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// slept is a sequence that sleeps before each value.
func slept(yield func(int) bool) {
	for i := 0; ; i++ {
		if time.Sleep(time.Millisecond); !yield(i) {
			return
		}
	}
}

// counted is one in which nothing has a stack.
func counted(yield func(int, int) bool) {
	for i := 0; i < 10 && yield(i, i); i++ {
	}
}

// TestCoroutines: who pulls from a sequence waits for it, and the sequence for who pulls. Both are goroutines, also one of which the trace has no stack, and one that is older than the trace.
func TestCoroutines(t *testing.T) {
	old, stopOld := iter.Pull(slept)
	defer stopOld()
	old()
	a := opened(t, traced(t, func() {
		next, stop := iter.Pull(slept)
		for range 3 {
			next()
		}
		stop()
		pairs, stopPairs := iter.Pull2(counted)
		for ok := true; ok; {
			_, _, ok = pairs()
		}
		stopPairs()
		old()
	}))
	e := analyzed(t, a)
	var names []string
	for _, g := range e.Groups {
		names = append(names, g.Name)
	}
	require.Contains(t, names, "gotrace_test.slept")
	require.Contains(t, names, "iter.Pull")
	require.Contains(t, waits(e), "late_sender: pull in  < yield in ")
	require.Contains(t, waits(e), "late_sender: yield in  < pull in ")
	turns := map[string]int{}
	for _, list := range eventsOf(t, a) {
		for _, event := range list {
			if name := a.Definitions().Regions[event.ID].Name; event.Kind == wire.RecvBegin && name != "recv" {
				turns[name]++
			}
		}
	}
	require.Equal(t, map[string]int{wire.Pull: 4 + 11, wire.Yield: 4 + 11}, turns, "a sequence waits for the first pull, and not once it has ended; of one that is older than the trace nobody knows")
}

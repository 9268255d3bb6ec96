//go:build linux

package recorder

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/sample"
	"tracerec/trace/wire"
)

func TestSumSigns(t *testing.T) {
	for formula, want := range map[string][]bool{
		"N0": {false}, "N0 + N1": {false, false}, "N0 - N1": {false, true}, "N1 - N0 + N2": {true, false, false},
	} {
		got, err := sumSigns(formula, len(want))
		require.NoError(t, err, formula)
		require.Equal(t, want, got, formula)
	}
	for _, formula := range []string{"", "N0 * N1", "N0 + N0", "N0", "N0 + N2", "N0 + 2", "N0 / N1", "- N0 + N1", "(N0 + N1)"} {
		_, err := sumSigns(formula, 2)
		require.Error(t, err, formula)
	}
}

func TestHandDown(t *testing.T) {
	specs, err := handDown([]string{"task-clock", "go:gc-pauses"}, "")
	if err != nil {
		t.Skip("no counters here: ", err)
	}
	require.Equal(t, "task-clock|+1.1.0.0.0.0.", specs[0])
	require.Equal(t, "go:gc-pauses|/sched/pauses/total/gc:seconds", specs[1])
	for name, why := range map[string]string{
		"no-such":       "unknown event",
		"rusage:minflt": "cannot be read at regions",
		"PAPI_NONSENSE": "unknown event",
		"go:goroutines": "a level, not a count",
		"go:threads":    "a level, not a count",
		"go:live-bytes": "a level, not a count",
	} {
		_, err = handDown([]string{name}, "")
		require.ErrorContains(t, err, why)
	}
	_, err = handDown([]string{"task-clock", "task-clock"}, "")
	require.ErrorContains(t, err, "named twice")
	var many []string
	for i := range sample.MaxEvents + 1 {
		many = append(many, fmt.Sprintf("mem:0x%x/8:w", 4096+8*i))
	}
	_, err = handDown(many, "")
	require.ErrorContains(t, err, "at most 16")
}

func TestMissingText(t *testing.T) {
	require.Equal(t, "counter cycles is missing (gone)", missingText(wire.Def{Type: wire.DefMissing, Name: "cycles", Unit: "gone"}))
	require.Equal(t, "a remark", missingText(wire.Def{Type: wire.DefMissing, Unit: "a remark"}))
}

func TestProcessor(t *testing.T) {
	p, hertz := processor()
	require.NotEmpty(t, p.Arch)
	require.Zero(t, hertz%1000)
}

package tracetext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
)

// TestJSON: each event is one line, in order of time, with all that the text form says of it.
func TestJSON(t *testing.T) {
	a, err := Open("test", everything)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, JSON(a, &out, nil))
	last, kinds := int64(0), map[string]bool{}
	for line := range strings.Lines(out.String()) {
		var e JSONEvent
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		require.LessOrEqual(t, last, e.Time)
		last, kinds[e.Kind] = e.Time, true
	}
	for _, kind := range []string{"enter", "send", "chose", "wait", "sample", "counters", "lost"} {
		require.True(t, kinds[kind], kind)
	}
	for _, want := range []string{`"kind":"leave","outcome":"ok"`, `"outcome":"panicked"`, `"kind":"chose","object":0,"outcome":"received"`, `"other":"g2"`,
		`"kind":"sample","name":"depth","value":18446744073709551612`, `"values":[5,100,200]`} {
		require.Contains(t, out.String(), want)
	}

	var one, text strings.Builder
	require.NoError(t, JSON(a, &one, map[trace.LocationID]bool{1: true}))
	require.Less(t, one.Len(), out.Len())
	require.NotContains(t, one.String(), `"location":"g1"`)
	require.NoError(t, FormatLocations(a, &text, map[trace.LocationID]bool{0: true}))
	var whole strings.Builder
	require.NoError(t, Format(a, &whole))
	require.Contains(t, whole.String(), text.String())
}

// The text does not depend on how much of it is held in memory.
func TestHeld(t *testing.T) {
	a, err := Open("test", everything)
	require.NoError(t, err)
	var want strings.Builder
	require.NoError(t, Format(a, &want))
	defer func(n uint64) { held = n }(held)
	for held = range 12 {
		var got strings.Builder
		require.NoError(t, Format(a, &got))
		require.Equal(t, want.String(), got.String())
	}
}

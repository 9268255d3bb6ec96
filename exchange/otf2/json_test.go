package otf2

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSON: a dump has a line for each record, with all of its fields; what is of no location says none.
func TestJSON(t *testing.T) {
	a := everyEvent(t, Anchor{})
	var out bytes.Buffer
	_, err := Dumper("json", nil)(&out, a)
	require.NoError(t, err)
	lines, got := 0, map[string]int{}
	for d := json.NewDecoder(&out); d.More(); lines++ {
		var line struct {
			Record   string
			Location *uint64
			Time     *uint64
			Fields   map[string]any
		}
		require.NoError(t, d.Decode(&line))
		if line.Time != nil {
			require.NotNil(t, line.Location)
			s := specNamed(Events, line.Record)
			require.Len(t, line.Fields, len(s.Head)+len(s.Each)+len(s.Tail), line.Record)
			got[line.Record]++
		}
	}
	require.Len(t, got, len(Specs(Events)))
	require.Greater(t, lines, len(a.Records()))
}

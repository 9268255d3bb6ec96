package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/tracetext"
)

// TestRecordingCost sums over processes: 4 events at 2.5 ns and 2 at 3 ns.
func TestRecordingCost(t *testing.T) {
	a, err := tracetext.Open("cost", `
process main cost 2500
location m
  0 enter main 10 enter step 20 exit 100 exit
process child parent main cost 3000
location c
  30 enter main 40 exit
process unknown parent main
location u
  30 enter main 40 exit
`)
	require.NoError(t, err)
	require.EqualValues(t, 16, analyze(t, a, 2).Header.RecordingCost)
}

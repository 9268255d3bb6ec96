package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/trace/tracetext"
)

// TestNaive holds the oracle itself against what was computed by hand.
func TestNaive(t *testing.T) {
	all, err := Load("../../../testdata/traces")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			a, err := tracetext.Open(s.Name, s.Trace)
			require.NoError(t, err)
			r, err := naive.Analyze(a)
			require.NoError(t, err)
			r.AddCauses()
			require.Empty(t, s.Check(r))
		})
	}
}

package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/cube/cubetest"
)

// Values by location are those of the locations among the parts of the system.
func TestByLocation(t *testing.T) {
	for _, fill := range []float64{0, 0.1, 1} {
		c := cubetest.Synthetic(4, 12, 30, fill)
		m, err := New(c)
		require.NoError(t, err)
		for _, q := range m.Metrics {
			for _, p := range c.Paths() {
				for kind := range 4 {
					w, inclusive := What{q, kind&1 != 0}, kind&2 != 0
					want, err := m.ByResource(w, p, inclusive)
					require.NoError(t, err)
					values, err := m.ByLocation(w, p, inclusive)
					require.NoError(t, err)
					got, last := make([]cube.Value, len(m.leaves)), -1
					for column, v := range values {
						require.Greater(t, column, last)
						got[column], last = v, column
					}
					for column, leaf := range m.leaves {
						require.Equal(t, want[leaf.Index].Float64(), got[column].Float64())
					}
					for range values {
						break // it can be left
					}
				}
			}
		}
	}
}

package cubetest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSynthetic(t *testing.T) {
	c := Synthetic(5, 30, 250, 0.1)
	require.Len(t, c.AllMetrics(), 5)
	require.Len(t, c.Paths(), 30)
	require.Len(t, c.Locations(), 250)
	for _, m := range c.AllMetrics() {
		n := 0
		for _, p := range m.Stored() {
			r, err := m.Row(p)
			require.NoError(t, err)
			for column, v := range r.All() {
				if v.Zero() {
					continue
				}
				n++
				if m.Parent != nil {
					above, err := m.Parent.Row(p)
					require.NoError(t, err)
					require.LessOrEqual(t, v.Float64(), above.Value(column).Float64())
				}
			}
		}
		require.Equal(t, 30*25, n, m.Name)
	}
	var a, b bytes.Buffer
	require.NoError(t, c.Write(&a))
	require.NoError(t, Synthetic(5, 30, 250, 0.1).Write(&b))
	require.True(t, bytes.Equal(a.Bytes(), b.Bytes()))
}

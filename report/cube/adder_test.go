package cube

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sums are of what was added since the last row, zeros are left out, and what integers cannot hold becomes a fraction.
func TestAdder(t *testing.T) {
	a := NewAdder(100)
	a.Add(70, Int(5))
	a.Add(3, Int(7))
	a.Sub(70, Int(2))
	a.Add(9, Int(4))
	a.Sub(9, Int(4))
	a.Add(50, Int(0))
	r, err := a.Row("INT64", 1)
	require.NoError(t, err)
	got := map[int]string{}
	for column, v := range r.All() {
		got[column] = v.String()
	}
	require.Equal(t, map[int]string{3: "7", 70: "3"}, got)

	a.Add(1, Int(3))
	a.Sub(2, Float(0.5))
	r, err = a.Row("DOUBLE", 2)
	require.NoError(t, err)
	require.Equal(t, []float64{1.5, -0.25, 0}, []float64{r.Value(1).Float64(), r.Value(2).Float64(), r.Value(3).Float64()}, "nothing is left of the first row")

	a.Add(0, Int(math.MaxInt64))
	a.Add(0, Int(math.MaxInt64))
	r, err = a.Row("DOUBLE", 1)
	require.NoError(t, err)
	require.Equal(t, 0x1p64, r.Value(0).Float64())
	r, err = a.Row("INT64", 1)
	require.NoError(t, err)
	require.True(t, r.Zero())
}

package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBandOfCopies: what does not vary has no deviation, though the sum of three tenths is more than 0.3.
func TestBandOfCopies(t *testing.T) {
	require.Equal(t, Band{N: 3, Mean: 0.1, Min: 0.1, Max: 0.1}, bandOf([]float64{0.1, 0.1, 0.1}))
	b := bandOf([]float64{1, 2, 3})
	require.Equal(t, []float64{2, 1, 3, 1}, []float64{b.Mean, b.Min, b.Max, b.StdDev})
}

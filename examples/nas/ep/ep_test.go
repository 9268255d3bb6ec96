package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/examples/nas/nas"
)

func TestVerified(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 2^24 pairs")
	}
	r, err := solve('S')
	require.NoError(t, err)
	require.NoError(t, r.Verify())
	require.Equal(t, "2^24 pairs tried, 13176389 taken", r.Size)
}

// Batches are consecutive parts of one sequence.
func TestBatches(t *testing.T) {
	var parts, whole tally
	parts.all(make([]float64, 1000), 6)
	whole.all(make([]float64, 6000), 1)
	require.Equal(t, whole.count, parts.count)
	require.InDelta(t, whole.sx, parts.sx, 1e-11)
	require.InDelta(t, whole.sy, parts.sy, 1e-11)
}

// Of other numbers, the sums are others.
func TestWrongSumsAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("computes nearly all of a problem")
	}
	var a tally
	a.all(make([]float64, 2*batch), 255)
	p := problems['S']
	r := nas.Result{Epsilon: 1e-8, Values: []nas.Value{{Name: "sum of x", Got: a.sx, Want: p.sx}}}
	require.Error(t, r.Verify())
}

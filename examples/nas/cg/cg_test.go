package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/examples/nas/nas"
)

func TestVerified(t *testing.T) {
	for _, class := range []nas.Class{'S', 'W'} {
		r, err := solve(class)
		require.NoError(t, err)
		require.NoError(t, r.Verify(), "class %c", class)
	}
}

// The number of nonzeros, which the benchmark does not publish, is in counts of loads and multiply-adds.
func TestMatrix(t *testing.T) {
	a := generate(1400, 7, 10)
	require.Len(t, a.value, 78148)
	at := map[[2]int32]float64{}
	for j := range int32(1400) {
		for k := a.start[j]; k < a.start[j+1]; k++ {
			place := [2]int32{j, a.column[k]}
			require.Zero(t, at[place], "once only")
			at[place] = a.value[k]
		}
	}
	for place, v := range at {
		if d := v - at[[2]int32{place[1], place[0]}]; d < -1e-15 || d > 1e-15 {
			require.Fail(t, "not symmetric", "%d: %g", place, d)
		}
	}
}

func TestTimes(t *testing.T) {
	a := assemble(3, []element{{0, 0, 2}, {0, 2, 1}, {2, 1, 4}, {0, 2, 3}, {1, 1, -1}})
	require.Equal(t, []float64{2, 4, -1, 4}, a.value)
	require.Equal(t, []int32{0, 2, 3, 4}, a.start)
	w := make([]float64, 3)
	a.times(w, []float64{1, 10, 100})
	require.Equal(t, []float64{402, -10, 40}, w)
}

// Another matrix has another eigenvalue.
func TestWrongMatrixIsSeen(t *testing.T) {
	p := problems['S']
	a := generate(p.order, p.nonzeros, p.shift)
	for k := range a.value {
		a.value[k] *= 1 + 1e-8
	}
	s := newSolver(a)
	var zeta float64
	for range p.iterations {
		zeta, _ = s.iterate(p.shift)
	}
	r := nas.Result{Epsilon: 1e-10, Values: []nas.Value{{Name: "zeta", Got: zeta, Want: p.zeta}}}
	require.Error(t, r.Verify())
}

package main

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/examples/nas/cfd"
)

func TestVerified(t *testing.T) {
	r, err := solve('S')
	require.NoError(t, err)
	require.Len(t, r.Values, 11)
	require.NoError(t, r.Verify())
}

// The blocks are made of the derivatives of what flows.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const dt, h = 0.5, 0.1
	t1, t2 := dt/(h*h), dt/(2*h)
	for range 20 {
		u := cfd.Vector{1 + r.Float64(), r.Float64() - 0.5, r.Float64() - 0.5, r.Float64() - 0.5, 5 + r.Float64()}
		var diagonal, want cfd.Matrix
		for axis := range uint(3) {
			var a, v, below, above cfd.Matrix
			cfd.Jacobians(&u, axis, &a, &v)
			offDiagonal(&below, &u, axis, -dt, dt, h)
			offDiagonal(&above, &u, axis, dt, dt, h)
			for m := range v {
				for l := range v {
					d := 0.0
					if m == l {
						d = cfd.Diffusion[axis]
						want[m][l] += 1.0 / 3
					}
					require.InDelta(t, -t2*a[m][l]-t1*(v[m][l]+d), below[m][l], 1e-10, "axis %d, %d by %d", axis, m, l)
					require.InDelta(t, t2*a[m][l]-t1*(v[m][l]+d), above[m][l], 1e-10, "axis %d, %d by %d", axis, m, l)
					want[m][l] += 2 * t1 * (v[m][l] + d)
				}
			}
		}
		onDiagonal(&diagonal, &u, dt, h)
		for m := range want {
			for l := range want {
				require.InDelta(t, want[m][l], diagonal[m][l], 1e-10, "%d by %d", m, l)
			}
		}
	}
}

func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b cfd.Matrix
	for i := range b {
		for j := range b {
			b[i][j] = r.Float64()
		}
		b[i][i] += 5
	}
	want := cfd.Vector{1, 2, 3, 4, 5}
	got, destroyed := want, b
	divide(got[:], destroyed[:])
	for i := range b {
		sum := 0.0
		for j, x := range got {
			sum += b[i][j] * x
		}
		require.InDelta(t, want[i], sum, 1e-14)
	}
}

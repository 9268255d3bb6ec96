package main

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerified(t *testing.T) {
	r, err := solve('S')
	require.NoError(t, err)
	require.Len(t, r.Values, 12)
	require.NoError(t, r.Verify())
}

// The transform is what its definition says, on a grid whose axes all differ, and is undone by the inverse.
func TestTransform(t *testing.T) {
	g := grid{32, 16, 64}
	r := rand.New(rand.NewPCG(1, 2))
	u := make([]complex128, g.points())
	for i := range u {
		u[i] = complex(r.Float64(), r.Float64())
	}
	got := append([]complex128(nil), u...)
	s := newTransformer(g)
	s.forward(got)
	for range 20 {
		ki, kj, kk := r.IntN(g.nx), r.IntN(g.ny), r.IntN(g.nz)
		var want complex128
		for at, x := range u {
			i, j, k := at%g.nx, at/g.nx%g.ny, at/g.nx/g.ny
			turn := float64(i*ki)/float64(g.nx) + float64(j*kj)/float64(g.ny) + float64(k*kk)/float64(g.nz)
			want += x * cmplx.Exp(complex(0, -2*math.Pi*turn))
		}
		require.InDelta(t, 0, cmplx.Abs(want-got[(kk*g.ny+kj)*g.nx+ki]), 1e-8)
	}
	s.inverse(got)
	for i, x := range u {
		require.InDelta(t, 0, cmplx.Abs(got[i]/complex(float64(len(u)), 0)-x), 1e-13)
	}
}

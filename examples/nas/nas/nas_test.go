package nas

import (
	"bytes"
	"errors"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// times is a x mod 2^46 in integers.
func times(a, x uint64) uint64 {
	_, low := bits.Mul64(a, x)
	return low & (1<<46 - 1)
}

func TestRandomIsExact(t *testing.T) {
	for _, seed := range []uint64{314159265, 271828183, 1, 1<<46 - 1} {
		x, want := float64(seed), seed
		for range 10_000 {
			want = times(Multiplier, want)
			got := Random(&x, Multiplier)
			require.Equal(t, float64(want), x)
			require.Equal(t, float64(want)/(1<<46), got)
		}
	}
}

func TestRandomsAreThoseOfRandom(t *testing.T) {
	x, y := 271828183.0, 271828183.0
	var all [1000]float64
	Randoms(all[:], &x, Multiplier)
	for _, got := range all {
		require.Equal(t, Random(&y, Multiplier), got)
	}
	require.Equal(t, y, x)
}

func TestPower(t *testing.T) {
	want := uint64(1)
	for n := range 300 {
		require.Equal(t, float64(want), Power(Multiplier, n), n)
		want = times(Multiplier, want)
	}
	x := 314159265.0
	Random(&x, Power(Multiplier, 12345))
	y := 314159265.0
	for range 12345 {
		Random(&y, Multiplier)
	}
	require.Equal(t, y, x)
}

func TestVerify(t *testing.T) {
	r := Result{Epsilon: 1e-8, Values: []Value{{"a", 1 + 9e-9, 1}, {"b", -2, -2}}}
	require.NoError(t, r.Verify())
	r.Values[1].Got = math.NaN()
	require.EqualError(t, r.Verify(), "b is NaN: NAS has -2, and allows a relative error of 1e-08")
	r.Values[0].Got = 1 + 2e-8
	require.ErrorContains(t, r.Verify(), "a is 1.00000002")
	require.Error(t, (&Result{}).Verify(), "nothing was verified")
}

func TestRun(t *testing.T) {
	kernel := func(c Class) (*Result, error) {
		if c == 'W' {
			return nil, errors.New("too large")
		}
		sum := 0.0
		d := Timed(func() { sum = 3 })
		return &Result{Size: "3", Iterations: 1, Timed: d, Values: []Value{{"sum", sum, 3}}}, nil
	}
	var out bytes.Buffer
	require.NoError(t, run("EX", "S", true, kernel, &out))
	require.Regexp(t, `^EX class S: 3, 1 iterations, \d\.\d{3} s\n  sum +3, NAS has 3\nverified\n$`, out.String())
	require.EqualError(t, run("EX", "W", false, kernel, &out), "too large")
	require.EqualError(t, run("EX", "Q", false, kernel, &out), "no such class: S and W exist")
}

package cube

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

var extremes = []Value{Int(math.MinInt64), Int(math.MinInt64 + 1), Int(-1), Int(0), Int(1), Int(math.MaxInt64), Uint(0), Uint(1),
	Uint(math.MaxInt64), Uint(1 << 63), Uint(math.MaxUint64 - 1), Uint(math.MaxUint64)}

func exact(v Value) *big.Int {
	if v.class == signed {
		return big.NewInt(int64(v.bits))
	}
	return new(big.Int).SetUint64(v.bits)
}

// requireNear compares with what the value should be, exactly if it is an integer.
func requireNear(t *testing.T, want *big.Int, got Value) {
	if got.Integer() {
		require.Equal(t, want.String(), got.String())
		return
	}
	f, _ := new(big.Float).SetInt(want).Float64()
	require.InDelta(t, f, got.Float64(), 1e-15*math.Abs(f))
}

// A sum that no integer can hold is a fraction, and never another number.
func TestOverflow(t *testing.T) {
	for _, v := range extremes {
		for _, w := range extremes {
			requireNear(t, new(big.Int).Add(exact(v), exact(w)), v.Add(w))
			if w.class == unsigned && w.bits > math.MaxInt64 {
				continue // as a counter less than zero is stored
			}
			requireNear(t, new(big.Int).Sub(exact(v), exact(w)), v.Sub(w))
		}
	}
	require.Equal(t, Float(1<<63), Int(math.MaxInt64).Add(Int(1)))
	require.Equal(t, int64(math.MaxInt64), Float(math.Inf(1)).Int64())
	require.Zero(t, Float(math.NaN()).Int64())
}

func TestOverflowOfRows(t *testing.T) {
	const largest = uint64(math.MaxInt64)
	for d, want := range map[DType]Value{"INT64": Float(1 << 63), "UINT64": Uint(1 << 63)} {
		data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, largest), 1)
		r, err := MakeRawRow(d, 2, data)
		require.NoError(t, err)
		require.Equal(t, want, r.Sum())
		require.Equal(t, want, r.SumAt([]int32{0, 1}))
		for _, twice := range []func(*Sums){
			func(s *Sums) { s.Add(r, 1) },
			func(s *Sums) { other := NewSums(d, 2); other.Add(r, 1); s.Merge(other) },
		} {
			s := NewSums(d, 2)
			s.Add(r, 1)
			require.True(t, s.Value(0).Integer())
			twice(s)
			require.Equal(t, Float(2*float64(largest)), s.Value(0))
			require.Equal(t, 2.0, s.Value(1).Float64())
		}
		_, err = MakeRow(d, []Value{Float(1 << 64)})
		require.ErrorContains(t, err, "is no value of type "+string(d))
	}
}

package cube

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sums of rows of every numeric type, sparse and dense, are those of their values one by one.
func TestSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const n = 200
	for d, l := range layouts {
		if l.class == composite {
			continue
		}
		for _, fill := range []int{1, 20} {
			sums, want := NewSums(d, n), make([]Value, n)
			for i := range want {
				want[i].class = l.class
			}
			other := NewSums(d, n)
			for round := range 5 {
				values := make([]Value, n)
				for i := range values {
					if values[i] = Int(0); rnd.IntN(fill) == 0 {
						values[i] = Int(int64(rnd.IntN(100)))
					}
				}
				r, err := MakeRow(d, values)
				require.NoError(t, err)
				at, all, some := []int32{}, Value{class: l.class}, Value{class: l.class}
				for i, v := range r.All() {
					all = all.Add(v)
					if i%3 == 0 {
						some = some.Add(v)
					}
				}
				for i := int32(0); i < n; i += 3 {
					at = append(at, i)
				}
				require.Equal(t, all, Value{class: l.class}.Add(r.Sum()), d)
				require.Equal(t, some, Value{class: l.class}.Add(r.SumAt(at)), d)
				require.Equal(t, Value{class: l.class}.Add(r.Value(3)), Value{class: l.class}.Add(r.SumAt([]int32{3})), d)
				require.True(t, r.SumAt([]int32{}).Zero())
				for i, v := range r.All() {
					if round == 4 {
						want[i] = want[i].Sub(v)
					} else {
						want[i] = want[i].Add(v)
					}
				}
				switch round {
				case 2:
					other.Add(r, 1)
					sums.Merge(other)
				case 4:
					sums.Add(r, -1)
				default:
					sums.Add(r, 1)
				}
			}
			fractions := NewSums("DOUBLE", n)
			whole := DType("INT64") // of any type are its sums
			if l.class == float {
				whole = d
			}
			r, err := MakeRow(whole, want)
			require.NoError(t, err)
			fractions.Add(r, 2.5)
			require.Equal(t, 2.5*r.Value(7).Float64(), fractions.Value(7).Float64(), d)
			for i, v := range want {
				require.Equal(t, v.String(), sums.Value(i).String(), d)
			}
		}
	}
}

package requests

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// TestKeptInOrder: lists that may not be resident as a whole are sorted as others are, whether they are a part of what is sorted at once, many of them, or not a whole number of them.
func TestKeptInOrder(t *testing.T) {
	limited, err := spill.New(1, t.TempDir())
	require.NoError(t, err)
	defer limited.Close()
	some := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, atOnce, atOnce + 1, 3*atOnce - 1, 9 * atOnce} {
		list := spill.Make[int64](limited, n)
		for i := range list {
			list[i] = some.Int64N(1000)
		}
		want := slices.Sorted(slices.Values(list))
		inOrder(limited, list, cmp.Compare[int64])
		require.True(t, slices.Equal(want, list), n)
	}
}

// TestKeptActivities: what two locations did in turns comes back for each alone, from any time on, over the borders of runs and of slabs, with and without a limit.
func TestKeptActivities(t *testing.T) {
	limited, err := spill.New(1, t.TempDir())
	require.NoError(t, err)
	defer limited.Close()
	for _, store := range []*spill.Store{nil, limited} {
		const n = 2*slab + 17
		r := &reader{done: activities{pacer: pacer{store: store}}, lives: make([]life, 2)}
		for i := range n { // from 10, 20 … ns on, numbered by path
			for j := range r.lives {
				r.done.add(&r.lives[j], activity{from: int64(10 * (i + 1)), path: int32(2*i + j), does: wire.Ready})
			}
		}
		for j := range r.lives {
			l := &r.lives[j]
			l.last = 10*n + 7
			for _, at := range []int{0, 1, 3, 4, 5, slab / 2, slab - 1, slab, n - 2, n - 1} {
				all := r.at(l, int64(10*(at+1)+9))
				for i := at; i < n; i++ {
					a, end, more := all.next()
					if want := min(int64(10*(i+2)), l.last); !more || a.path != int32(2*i+j) || end != want {
						t.Fatalf("location %d, activity %d from %d on: %+v until %d, %v", j, i, at, a, end, more)
					}
				}
				_, _, more := all.next()
				require.False(t, more)
			}
			all := r.at(l, 3) // before the first
			a, _, _ := all.next()
			require.EqualValues(t, j, a.path)
		}
	}
}

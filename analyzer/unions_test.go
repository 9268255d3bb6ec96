package analyzer

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Intervals in any order have the union that their points have: ascending ones with gaps, ones that jump about in a small and in a large range, and
// ones that begin ever earlier, of which so many come late that they are merged in bulk on the way.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const points = 60_000
	for name, begin := range map[string]func(i int) int64{
		"ascending":  func(i int) int64 { return int64(i)*10 + r.Int63n(30) },
		"near":       func(i int) int64 { return max(0, int64(i)*8-r.Int63n(400)) },
		"anywhere":   func(int) int64 { return r.Int63n(points - 100) },
		"crowded":    func(int) int64 { return r.Int63n(200) },
		"descending": func(i int) int64 { return points - 100 - int64(i)*9 },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 7, 900, 5_000} {
				var u union
				covered := make([]bool, points+1)
				for i := range n {
					from := begin(i)
					x := interval{from, from + 1 + r.Int63n(8)}
					u.add(x)
					for at := x.from; at < x.to; at++ {
						covered[at] = true
					}
				}
				u.merge()
				var want []interval
				for at := range covered {
					switch n := len(want); {
					case !covered[at]:
					case n > 0 && want[n-1].to == int64(at):
						want[n-1].to++
					default:
						want = append(want, interval{int64(at), int64(at) + 1})
					}
				}
				require.Equal(t, want, slices.Clone(u.list), n)
			}
		})
	}
}

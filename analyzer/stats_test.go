package analyzer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// Quartiles are the values at their places, however values are spread and however many are equal.
func TestQuartiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		n := 1 + random.IntN(1+i*10)
		all, most := make([]int64, n), int64(1)<<random.IntN(62)
		var d durations
		for k := range all {
			all[k] = random.Int64N(most) - random.Int64N(most)/16
			if i%5 == 0 && k%3 == 0 {
				all[k] = most
			}
			d.value(all[k])
		}
		var s report.Stats
		d.report(&s)
		slices.Sort(all)
		want := [3]int64{}
		for q := range want {
			want[q] = all[int(math.Ceil(float64((q+1)*n)/4))-1]
		}
		require.Equal(t, want, [3]int64{s.Q25, s.Median, s.Q75})
	}
}

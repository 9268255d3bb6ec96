package otf2

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
)

// countedIn returns what each counter counted by location and region, as the report has it.
func countedIn(t *testing.T, a *Archive, workers int, names ...string) map[string]int64 {
	e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: workers})
	require.NoError(t, err)
	sums := map[string]int64{}
	for _, name := range names {
		for _, c := range e.Cells(e.MetricIndex(name)) {
			region := e.Regions[e.Paths[c.Path].Region].Name
			sums[fmt.Sprint(name, " ", e.Locations[c.Location].GoID, " ", region)] += c.Value
		}
	}
	return sums
}

// What counters count between two samples belongs to the call path that was open between them, in random programs of two threads, wherever chunks end. What was counted before the first sample is not
// known to belong to any. Metrics that do not count since the begin, or not with regions, are noted, and no counters.
func TestCounters(t *testing.T) {
	names, counters := []string{"main", "parallel", "loop", "inner"}, []string{"CYC", "MISS"}
	const cycles, misses, absolute, strict, asynchronous = 1, 2, 4, 0, 2
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		var events [][]uint64
		want, unused := map[string]int64{}, 0
		for loc := range uint64(2) {
			now, stack, known := uint64(100), []uint64{}, [2]bool{}
			values := [2]uint64{r.Uint64N(1e12), r.Uint64N(1000)}
			at := func() string {
				if len(stack) == 0 {
					return ""
				}
				return names[stack[len(stack)-1]]
			}
			sample := func() {
				now += r.Uint64N(3)
				for i, class := range []uint64{10, 11} { // two classes of one counter each, of which the second is not always sampled
					if i == 1 && r.IntN(3) == 0 {
						continue
					}
					d := r.Uint64N(1e6)
					values[i] += d
					if known[i] {
						want[fmt.Sprint(counters[i], " ", loc+1, " ", at())] += int64(d)
					}
					known[i] = true
					events = append(events, []uint64{loc, now, idMetric, class, 1, 4, values[i]})
				}
				if r.IntN(4) == 0 {
					events = append(events, []uint64{loc, now, idMetric, 12, 1, 4, r.Uint64()})
					unused++
				}
			}
			enter := func(region uint64) {
				sample()
				events = append(events, []uint64{loc, now, idEnter, region})
				stack = append(stack, region)
			}
			leave := func() {
				sample()
				events = append(events, []uint64{loc, now, idLeave, stack[len(stack)-1]})
				stack = stack[:len(stack)-1]
			}
			enter(0)
			for range r.IntN(60) {
				if len(stack) > 1 && r.IntN(2) == 0 {
					leave()
				} else if len(stack) < 20 {
					enter(r.Uint64N(4))
				}
			}
			for len(stack) > 0 {
				leave()
			}
		}
		for _, chunk := range []uint64{0, 256} {
			a := write(t, chunk, events)
			define := func(kind string, texts []string, values ...uint64) {
				a.define(&Record{specNamed(Global, kind), values, texts})
			}
			define("String", []string{"CYC"}, 20)
			define("String", []string{"MISS"}, 21)
			define("String", []string{"Watt"}, 22)
			for i, mode := range []uint64{accumulatedStart, accumulatedStart, absolute} {
				define("MetricMember", nil, uint64(i), uint64(20+i), 0, 1, mode, 4, 1, 0, 0)
			}
			define("MetricClass", nil, 10, 1, 0, strict, 0)
			define("MetricClass", nil, 11, 1, 1, strict, 0)
			define("MetricClass", nil, 12, 1, 2, asynchronous, 0)
			got := countedIn(t, a, int(1+chunk/256), "CYC", "MISS")
			for k, v := range want {
				if v == 0 {
					delete(want, k)
				}
			}
			require.Equal(t, want, got, "seed %d, chunks of %d bytes", seed, chunk)
			if unused > 0 {
				require.Contains(t, a.Trace().Header().Notes, fmt.Sprintf("%d events tell values of metrics that belong to no call path: they are not used", unused))
			}
		}
	}
}

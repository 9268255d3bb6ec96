package otf2

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
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

// defineCounters defines counters, one to a class from 10 on.
func defineCounters(a *Archive, names ...string) {
	for i, name := range names {
		n := uint64(i)
		a.define(&Record{specNamed(Global, "String"), []uint64{20 + n}, []string{name}})
		a.define(&Record{specNamed(Global, "MetricMember"), []uint64{n, 20 + n, 0, 1, accumulatedStart, 4, 1, 0, 0}, nil})
		a.define(&Record{specNamed(Global, "MetricClass"), []uint64{10 + n, 1, n, synchronousStrict, 0}, nil})
	}
}

// What counters say is kept once, also of a chunk that is read several times as its thread was left out of so many teams; of many metrics before one event it is told once.
func TestCountersOnce(t *testing.T) {
	const enter, leave, fork, join, begin, end, samples = idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd, 500
	var events [][]uint64
	now := uint64(100)
	add := func(loc uint64, rest ...uint64) {
		now++
		events = append(events, append([]uint64{loc, now}, rest...))
	}
	team := func(comm uint64) {
		add(0, fork, 3, 2)
		add(0, begin, comm)
		add(0, enter, 1)
		for i := range uint64(samples) {
			if comm != 7 {
				break
			} else if i == 0 {
				add(1, begin, 7)
			}
			add(1, enter, 1)
			for k := range uint64(3) {
				events = append(events, []uint64{1, now, idMetric, 10 + k, 1, 4, 5})
			}
			add(1, leave, 1)
		}
		if comm == 7 {
			add(1, end, 7)
		}
		add(0, leave, 1)
		add(0, end, comm)
		add(0, join, 3)
	}
	add(0, enter, 0)
	team(7)
	for range 3 * leftOutAtOnce {
		team(8)
	}
	team(7)
	add(0, leave, 0)
	a := write(t, 1<<24, events)
	defineCounters(a, "A", "B", "C")
	x := a.Trace()
	d, values := x.NewDecoder(), 0
	require.Greater(t, len(x.Chunks()), 3)
	for _, c := range x.Chunks() {
		batches, err := d.Decode(c, new(trace.Buffer))
		require.NoError(t, err)
		for _, b := range batches {
			values += len(b.Values)
		}
	}
	require.Equal(t, 2*samples*4, values)
}

// Counters without a name, values of another type than that of their counter, and more counters than are told of are left out.
func TestNoCounters(t *testing.T) {
	names := []string{""}
	for i := range mostCounters + 1 {
		names = append(names, fmt.Sprint("C", i))
	}
	var events [][]uint64
	for i := range uint64(3) {
		for k := range uint64(len(names)) {
			events = append(events, []uint64{0, 100 + i, idMetric, 10 + k, 1, 4, 7 * i * k}, []uint64{0, 100 + i, idMetric, 10 + k, 1, typeDouble, 1 << 60})
		}
		events = append(events, []uint64{0, 100 + i, []uint64{idEnter, idEnter, idLeave}[i], i / 2})
	}
	events = append(events, []uint64{0, 110, idLeave, 0})
	a := write(t, 0, events)
	defineCounters(a, names...)
	require.Equal(t, names[1:mostCounters+1], a.Trace().Definitions().Processes[0].Counters)
	require.Contains(t, a.Trace().Header().Notes, fmt.Sprintf("there are more than %d counters: the others are not used", mostCounters))
	require.Equal(t, map[string]int64{"C0 1 main": 14}, countedIn(t, a, 1, "C0"))
}

// A sample of a thread that was left out of teams does not hide that.
func TestCountersOfIdleThreads(t *testing.T) {
	const enter, leave, fork, join, begin, end = idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd
	for _, sampled := range []bool{false, true} {
		events := [][]uint64{{0, 100, enter, 0}}
		for i, comm := range []uint64{7, 8, 7} {
			at := uint64(110 + 100*i)
			events = append(events, []uint64{0, at, fork, 3, 2}, []uint64{0, at, begin, comm}, []uint64{0, at + 50, end, comm}, []uint64{0, at + 50, join, 3})
			if sampled {
				events = append(events, []uint64{1, at, idMetric, 10, 1, 4, 1000 * uint64(i)})
			}
			if comm == 7 {
				events = append(events, []uint64{1, at, begin, comm}, []uint64{1, at, enter, 1}, []uint64{1, at + 40, leave, 1}, []uint64{1, at + 50, end, comm})
			}
		}
		events = append(events, []uint64{0, 400, leave, 0})
		a := write(t, 0, events)
		defineCounters(a, "A")
		x := a.Trace()
		var without int64
		for _, e := range eventsOf(t, x)[1] {
			if e.Kind == wire.Enter && x.Definitions().Regions[e.ID].Class == "omp_limited_parallelism" {
				without -= e.Time
			} else if e.Kind == wire.Met && wire.Meeting(e.ID) == wire.TeamWithout {
				without += e.Time
			}
		}
		require.Equal(t, int64(50_000), without, "sampled: %v", sampled)
	}
}

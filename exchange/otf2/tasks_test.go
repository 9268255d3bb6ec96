package otf2

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// spent returns how many µs locations were in call paths, and how often they came into them.
func spent(t *testing.T, a *Archive) (times, visits map[string]int) {
	x := a.Trace()
	require.Empty(t, x.Problems())
	regions := x.Definitions().Regions
	times, visits = map[string]int{}, map[string]int{}
	for loc, events := range eventsOf(t, x) {
		path, last := []string{fmt.Sprint(loc)}, int64(0)
		at := func() string { return fmt.Sprint(path) }
		for _, e := range events {
			if e.Time > last && len(path) > 1 {
				times[at()] += int(e.Time-last) / 1000
			}
			switch last = e.Time; e.Kind {
			case wire.Enter:
				if path = append(path, regions[e.ID].Name); e.Word != trace.Elsewhere {
					visits[at()]++
				}
			case wire.Exit:
				path = path[:len(path)-int(e.ID)-1]
			}
		}
		require.Len(t, path, 1, "location %d", loc)
	}
	return times, visits
}

// tasks is an archive of locations that execute tasks: its regions are 0 to 3, main, barrier, task and f.
func tasks(t *testing.T, chunk uint64, events [][]uint64) *Archive {
	a := write(t, chunk, events)
	for i, name := range []string{"main", "barrier", "task", "f"} {
		a.records[a.index[Strings][uint64(i)]].Texts[0] = name
	}
	a.records[a.index[Regions][2]].Values[8], a.records[a.index[Regions][2]].Values[9] = roleTask, openMP
	a.records[a.index[Regions][1]].Values[8], a.records[a.index[Regions][1]].Values[9] = roleBarrier, openMP
	return a
}

// TestTaskInTask: a location executes a task in another one, as at a taskwait, and goes on with the first one.
func TestTaskInTask(t *testing.T) {
	const enter, leave, goes, completes = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete
	for _, chunk := range []uint64{0, 96} {
		times, visits := spent(t, tasks(t, chunk, [][]uint64{
			{0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 0, 1}, {0, 110, enter, 2}, {0, 115, enter, 3}, {0, 120, goes, 7, 0, 2}, {0, 120, enter, 2}, {0, 130, leave, 2}, {0, 130, completes, 7, 0, 2},
			{0, 132, goes, 7, 0, 1}, {0, 140, leave, 3}, {0, 145, leave, 2}, {0, 145, completes, 7, 0, 1}, {0, 146, goes, 7, 0, 0}, {0, 150, leave, 1}, {0, 160, leave, 0},
		}))
		require.Equal(t, map[string]int{"[0 main]": 15, "[0 main barrier]": 10, "[0 main barrier task]": 10, "[0 main barrier task f]": 15, "[0 main barrier task f task]": 10}, times)
		require.Equal(t, map[string]int{"[0 main]": 1, "[0 main barrier]": 1, "[0 main barrier task]": 1, "[0 main barrier task f]": 1, "[0 main barrier task f task]": 1}, visits)
	}
}

// TestTasksByTurns: a location suspends a task in f, goes on with another one, suspends that in f, too, and completes the first one before the second one. What each does is its own.
func TestTasksByTurns(t *testing.T) {
	const enter, leave, goes, completes = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete
	for _, chunk := range []uint64{0, 96} {
		times, visits := spent(t, tasks(t, chunk, [][]uint64{
			{0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 0, 1}, {0, 110, enter, 2}, {0, 115, enter, 3}, {0, 120, goes, 7, 0, 0}, {0, 122, goes, 7, 0, 2}, {0, 122, enter, 2}, {0, 125, enter, 3}, {0, 130, goes, 7, 0, 0},
			{0, 131, goes, 7, 0, 1}, {0, 141, leave, 3}, {0, 145, leave, 2}, {0, 145, completes, 7, 0, 1}, {0, 146, goes, 7, 0, 2}, {0, 148, leave, 3}, {0, 149, leave, 2}, {0, 149, completes, 7, 0, 2}, {0, 150, goes, 7, 0, 0},
			{0, 155, leave, 1}, {0, 160, leave, 0},
		}))
		require.Equal(t, map[string]int{"[0 main]": 10, "[0 main barrier]": 15, "[0 main barrier task]": 13, "[0 main barrier task f]": 22}, times)
		require.Equal(t, map[string]int{"[0 main]": 1, "[0 main barrier]": 1, "[0 main barrier task]": 2, "[0 main barrier task f]": 2}, visits)
	}
}

// untied is an archive of two locations in a barrier. The first one executes a task from 10 to 30 µs, in f from 15 on, and suspends it; the second one goes on with it from 40 to 60, leaves f at 45, and suspends it; the first one completes it from 70 to
// 80. The second one executes another task meanwhile, from 65 to 75.
func untied(t *testing.T, chunk uint64) *Archive {
	const enter, leave, goes, completes = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete
	return tasks(t, chunk, [][]uint64{
		{0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 0, 1}, {0, 110, enter, 2}, {0, 115, enter, 3}, {0, 130, goes, 7, 0, 0}, {0, 170, goes, 7, 0, 1}, {0, 180, leave, 2}, {0, 180, completes, 7, 0, 1},
		{0, 181, goes, 7, 0, 0}, {0, 190, leave, 1}, {0, 200, leave, 0},
		{1, 100, enter, 0}, {1, 105, enter, 1}, {1, 140, goes, 7, 0, 1}, {1, 145, leave, 3}, {1, 160, goes, 7, 1, 0}, {1, 165, goes, 7, 0, 2}, {1, 165, enter, 2}, {1, 175, leave, 2}, {1, 175, completes, 7, 0, 2},
		{1, 176, goes, 7, 1, 0}, {1, 190, leave, 1}, {1, 200, leave, 0},
	})
}

// TestUntied: the time of a task is that of whoever executes it, in the call path in which the task is, and each region of it is visited once.
func TestUntied(t *testing.T) {
	for _, chunk := range []uint64{0, 96} {
		times, visits := spent(t, untied(t, chunk))
		require.Equal(t, map[string]int{
			"[0 main]": 15, "[0 main barrier]": 5 + 40 + 10, "[0 main barrier task]": 5 + 10, "[0 main barrier task f]": 15,
			"[1 main]": 15, "[1 main barrier]": 35 + 5 + 15, "[1 main barrier task]": 15 + 10, "[1 main barrier task f]": 5,
		}, times)
		require.Equal(t, map[string]int{"[0 main]": 1, "[0 main barrier]": 1, "[0 main barrier task]": 1, "[0 main barrier task f]": 1, "[1 main]": 1, "[1 main barrier]": 1, "[1 main barrier task]": 1}, visits)
		e, err := analyzer.Analyze(untied(t, chunk).Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		require.Empty(t, e.Warnings)
		require.Equal(t, int64(200e3), e.Header.Time)
	}
}

// TestSuspendedInBarrier: the second thread of a team waits from 20 to 50 µs at a barrier for the first one, but for a task from 25 to 35, where it is suspended, and from 40 to 45.
func TestSuspendedInBarrier(t *testing.T) {
	const enter, leave, goes, completes, begin, end = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete, idThreadTeamBegin, idThreadTeamEnd
	for _, chunk := range []uint64{0, 96} {
		a := tasks(t, chunk, [][]uint64{
			{0, 100, enter, 0}, {0, 110, idThreadFork, openMP, 2}, {0, 110, begin, 7}, {0, 110, enter, 3}, {0, 150, enter, 1}, {0, 190, leave, 1}, {0, 190, leave, 3}, {0, 190, end, 7}, {0, 190, idThreadJoin, openMP}, {0, 200, leave, 0},
			{1, 110, begin, 7}, {1, 110, enter, 3}, {1, 120, enter, 1}, {1, 125, goes, 7, 0, 1}, {1, 125, enter, 2}, {1, 130, enter, 3}, {1, 135, goes, 7, 1, 0}, {1, 140, goes, 7, 0, 1}, {1, 143, leave, 3}, {1, 145, leave, 2}, {1, 145, completes, 7, 0, 1},
			{1, 146, goes, 7, 1, 0}, {1, 190, leave, 1}, {1, 190, leave, 3}, {1, 190, end, 7},
		})
		e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		require.Empty(t, e.Warnings)
		cells := e.Cells(e.MetricIndex("omp_ebarrier_wait"))
		require.Len(t, cells, 1)
		require.Equal(t, int64(15e3), cells[0].Value)
		require.Equal(t, uint32(1), e.Locations[cells[0].Location].Trace)
	}
}

// TestUntiedLost: where the begin of a task is missing, what is left of it belongs to what the location was in, and no more is left than that has entered.
func TestUntiedLost(t *testing.T) {
	const enter, leave, goes, completes = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete
	times, visits := spent(t, tasks(t, 0, [][]uint64{
		{0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 3, 9}, {0, 115, leave, 3}, {0, 120, enter, 3}, {0, 125, leave, 3}, {0, 130, leave, 2}, {0, 130, completes, 7, 3, 9}, {0, 131, goes, 7, 0, 0}, {0, 140, leave, 1}, {0, 150, leave, 0},
	}))
	require.Equal(t, map[string]int{"[0 main]": 15, "[0 main barrier]": 30, "[0 main barrier f]": 5}, times)
	require.Equal(t, map[string]int{"[0 main]": 1, "[0 main barrier]": 1, "[0 main barrier f]": 1}, visits)
}

// TestTasksInAnyOrder: whatever order events of tasks and teams come in, as of damage, no event is outside of its chunk, and all can be analyzed. Without teams, the same is told wherever chunks end.
func TestTasksInAnyOrder(t *testing.T) {
	kinds := []uint64{idEnter, idEnter, idLeave, idLeave, idThreadTaskSwitch, idThreadTaskSwitch, idThreadTaskSwitch, idThreadTaskComplete, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd}
	untied := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 18))
		teams := seed%3 == 0
		from := kinds
		if !teams {
			from = kinds[:8]
		}
		var events [][]uint64
		for i := range uint64(80) {
			e := []uint64{r.Uint64N(2), 100 + i, from[r.IntN(len(from))]}
			switch e[2] {
			case idEnter, idLeave:
				e = append(e, r.Uint64N(4))
			case idThreadTaskSwitch, idThreadTaskComplete:
				e = append(e, 7, 0, r.Uint64N(4))
			case idThreadFork:
				e = append(e, openMP, 2)
			case idThreadJoin:
				e = append(e, openMP)
			default:
				e = append(e, 7+r.Uint64N(2))
			}
			events = append(events, e)
		}
		whole, pieces := tasks(t, 0, events), tasks(t, 96, events)
		want, got := eventsOf(t, whole.Trace()), eventsOf(t, pieces.Trace())
		if !teams {
			require.Equal(t, want, got, "seed %d", seed)
		}
		if s, _ := pieces.survey(); s.untied != nil {
			untied++
		}
		e, err := analyzer.Analyze(pieces.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		for i := range e.Metrics {
			for _, c := range e.Cells(i) {
				require.Positive(t, c.Value, "seed %d: %s", seed, e.Metrics[i].Name)
			}
		}
	}
	require.Greater(t, untied, 50)
}

// aTask is a task as it is executed: what is open in it.
type aTask struct {
	number  uint64
	open    []string
	regions []uint64
}

// TestUntiedAgrees: locations execute tasks at random, which they enter and leave regions in, suspend, and take over from each other. Time and visits are those that are noted while that happens.
func TestUntiedAgrees(t *testing.T) {
	const enter, leave, goes, completes = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete
	names := []string{"main", "barrier", "task", "f"}
	handed := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 17))
		n := 1 + r.IntN(3)
		var events [][]uint64
		var suspended []*aTask
		on, last, before := make([]*aTask, n), make([]uint64, n), map[*aTask]int{}
		times, visits := map[string]int{}, map[string]int{}
		path := func(loc int) string {
			all := []string{fmt.Sprint(loc), "main", "barrier"}
			if on[loc] != nil {
				all = append(all, on[loc].open...)
			}
			return fmt.Sprint(all)
		}
		now, number := uint64(100), uint64(0)
		does := func(loc int, e ...uint64) {
			if now > last[loc] && last[loc] > 0 {
				times[path(loc)] += int(now - last[loc])
			}
			last[loc] = now
			events = append(events, append([]uint64{uint64(loc), now}, e...))
		}
		for loc := range n {
			does(loc, enter, 0)
			does(loc, enter, 1)
			visits[fmt.Sprintf("[%d main]", loc)]++
			visits[path(loc)]++
		}
		enters := func(loc int, region uint64) {
			does(loc, enter, region)
			on[loc].open, on[loc].regions = append(on[loc].open, names[region]), append(on[loc].regions, region)
			visits[path(loc)]++
		}
		for step := 0; step < 60 || len(suspended) > 0 || slices.ContainsFunc(on, func(x *aTask) bool { return x != nil }); step++ {
			now += 1 + r.Uint64N(6)
			loc := r.IntN(n)
			x := on[loc]
			switch k := r.IntN(4); {
			case x == nil && len(suspended) > 0 && (step >= 60 || k > 0):
				i := r.IntN(len(suspended))
				x = suspended[i]
				if suspended = slices.Delete(suspended, i, i+1); before[x] != loc {
					handed++
				}
				does(loc, goes, 7, 0, x.number)
				on[loc] = x
			case x == nil && step < 60:
				number++
				does(loc, goes, 7, 0, number)
				on[loc] = &aTask{number: number}
				enters(loc, 2)
			case x == nil:
			case k == 0 && step < 60:
				does(loc, goes, 7, 0, 0)
				suspended, before[x], on[loc] = append(suspended, x), loc, nil
			case k == 1 && step < 60:
				enters(loc, 3)
			default:
				does(loc, leave, x.regions[len(x.regions)-1])
				if x.open, x.regions = slices.Clone(x.open[:len(x.open)-1]), x.regions[:len(x.regions)-1]; len(x.open) == 0 {
					does(loc, completes, 7, 0, x.number)
					does(loc, goes, 7, 0, 0)
					on[loc] = nil
				}
			}
		}
		for loc := range n {
			does(loc, leave, 1)
			does(loc, leave, 0)
		}
		gotTimes, gotVisits := spent(t, tasks(t, []uint64{0, 96, 160}[seed%3], events))
		maps.DeleteFunc(gotTimes, func(_ string, d int) bool { return d == 0 })
		require.Equal(t, times, gotTimes, "seed %d", seed)
		require.Equal(t, visits, gotVisits, "seed %d", seed)
	}
	require.Greater(t, handed, 1000)
}

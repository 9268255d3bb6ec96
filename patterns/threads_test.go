package patterns_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// threads is a trace of processes with one thread each, as other formats have them.
type threads struct {
	source  trace.Source
	regions map[string]uint32
	events  [][]trace.Event
}

// The objects of such a trace.
const (
	ofMessages = 1 + iota
	ofProgram
	ofWorld
)

// of returns the trace of some processes; the class of a region, and what counts its visits, are told with its name, as in "MPI_Recv mpi_point2point".
func processes(n int) *threads {
	x := &threads{regions: map[string]uint32{}, events: make([][]trace.Event, n)}
	x.source.Header.Complete = true
	x.source.Definitions.Objects = []trace.Object{{Kind: wire.MessagesObject, Region: trace.NoRegion}, {Kind: wire.Group, Region: trace.NoRegion}, {Kind: wire.Group, Region: trace.NoRegion}}
	for i := range n {
		x.source.Definitions.Processes = append(x.source.Definitions.Processes, trace.Process{PID: i})
		x.source.Definitions.Locations = append(x.source.Definitions.Locations, trace.Location{Process: i, Number: 1, GoID: 1, Name: "thread"})
	}
	return x
}

func (x *threads) add(loc int, t int64, kind wire.Kind, id uint32, word uint64) *threads {
	x.events[loc] = append(x.events[loc], trace.Event{Time: t, Kind: kind, ID: id, Word: word})
	return x
}

// enter enters a region.
func (x *threads) enter(loc int, t int64, region string) *threads {
	name, class, _ := strings.Cut(region, " ")
	class, counts, _ := strings.Cut(class, " ")
	if _, known := x.regions[region]; !known {
		x.regions[region] = uint32(len(x.source.Definitions.Regions))
		x.source.Definitions.Regions = append(x.source.Definitions.Regions, trace.Region{Name: name, Class: class, Counts: counts})
	}
	return x.add(loc, t, wire.Enter, x.regions[region], 0)
}

func (x *threads) leave(loc int, t int64) *threads { return x.add(loc, t, wire.Exit, 0, 0) }

// sends and receives are calls for a message of one byte; queues are numbers.
func (x *threads) sends(loc int, from, to int64, queue uint32) *threads {
	x.enter(loc, from, "MPI_Send mpi_point2point").add(loc, from, wire.Dispatched, queue<<1, 1)
	return x.add(loc, to, wire.Called, wire.SendsOne, ofMessages).leave(loc, to)
}

func (x *threads) receives(loc int, from, to int64, queue uint32) *threads {
	x.enter(loc, from, "MPI_Recv mpi_point2point").add(loc, to, wire.Arrived, queue<<1, 1)
	return x.add(loc, to, wire.Called, 0, ofMessages).leave(loc, to)
}

// meets is a call in which all meet.
func (x *threads) meets(loc int, from, to int64, region string, as wire.Meeting) *threads {
	object := uint64(ofWorld)
	if as == wire.AllBegin || as == wire.AllEnd {
		object = ofProgram
	}
	return x.enter(loc, from, region).add(loc, to, wire.Met, uint32(as), object).leave(loc, to)
}

// analyze returns the result of an analysis, by as many workers, and of as many chunks of each location.
func (x *threads) analyze(t *testing.T, workers int) *report.Experiment {
	x.source.Chunks = nil
	var pieces [][]trace.Event
	for k := range workers {
		for i, all := range x.events {
			process := &x.source.Definitions.Processes[x.source.Definitions.Locations[i].Process]
			process.End = max(process.End, all[len(all)-1].Time)
			if list := all[k*len(all)/workers : (k+1)*len(all)/workers]; len(list) > 0 {
				x.source.Chunks = append(x.source.Chunks, trace.SourceChunk{Location: trace.LocationID(i), First: list[0].Time, Last: list[len(list)-1].Time, Events: len(list)})
				pieces = append(pieces, list)
			}
		}
	}
	x.source.Decoder = func() func(int, *trace.Batch) error {
		return func(chunk int, to *trace.Batch) error {
			to.Events = append(to.Events, pieces[chunk]...)
			return nil
		}
	}
	e, err := analyzer.Analyze(trace.FromSource(&x.source), analyzer.Options{Patterns: patterns.All(), Workers: workers})
	require.NoError(t, err)
	return e
}

// cells returns all values of a metric itself, as "region location value".
func cells(t *testing.T, e *report.Experiment, metric string) []string {
	m := e.MetricIndex(metric)
	require.GreaterOrEqual(t, m, 0, metric)
	list := []string{}
	for _, c := range e.Cells(m) {
		list = append(list, fmt.Sprint(e.Regions[e.Paths[c.Path].Region].Name, " ", e.Locations[c.Location].Trace, " ", c.Value))
	}
	slices.Sort(list)
	return list
}

// uneven is a program of two processes: the first works for 60 and the second for 20, then they meet at a barrier, and after that the first works for 10, the second for 50.
func uneven() *threads {
	x := processes(2)
	for loc, work := range [][2]int64{{60, 10}, {20, 50}} {
		x.enter(loc, 0, "main").meets(loc, 0, 10, "MPI_Init mpi_init_exit", wire.AllBegin)
		x.enter(loc, 10, "first").leave(loc, 10+work[0])
		x.meets(loc, 10+work[0], 72, "MPI_Barrier mpi_sync_collective", wire.AllArrive)
		x.enter(loc, 72, "second").leave(loc, 72+work[1])
		x.meets(loc, 72+work[1], 130, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 130)
	}
	return x
}

// TestImpact: the critical path has 10 of MPI_Init, 60 of first and 2 of the barrier on 0, 50 of second on 1; that is 122. The processes work for 10+60+2+10+8 = 90, and
// 10+20+2+50+8 = 90, with MPI_Finalize. Each lacks 32. What they have less than the path is 40 of second on 0, and 40 of first on 1.
func TestImpact(t *testing.T) {
	for workers := range 3 {
		e := uneven().analyze(t, workers+1)
		require.Equal(t, []string{"MPI_Barrier 0 2", "MPI_Barrier 1 2", "MPI_Init 0 10", "MPI_Init 1 10", "first 0 60", "first 1 20", "second 0 10", "second 1 50"}, cells(t, e, "critical_path_activities"))
		require.Equal(t, []string{"MPI_Finalize 0 8", "MPI_Finalize 1 8"}, cells(t, e, "non_critical_path_activities"))
		require.Equal(t, []string{"first 0 32", "second 1 32"}, cells(t, e, "intra_partition_imbalance"))
		require.Empty(t, cells(t, e, "inter_partition_imbalance"))
	}
}

// TestPartitions: one process does nothing but first, the other nothing but second; all that they wait is because of the other's work.
func TestPartitions(t *testing.T) {
	x := processes(2)
	for loc, work := range []string{"first", "second"} {
		x.enter(loc, 0, "main").meets(loc, 0, 0, "MPI_Init mpi_init_exit", wire.AllBegin)
		x.enter(loc, 0, work).leave(loc, int64(30+40*loc))
		x.meets(loc, int64(30+40*loc), 70, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 70)
	}
	e := x.analyze(t, 2)
	require.Equal(t, []string{"second 1 70"}, cells(t, e, "critical_path_activities"))
	require.Equal(t, []string{"first 0 30"}, cells(t, e, "non_critical_path_activities"))
	require.Equal(t, []string{"second 1 40"}, cells(t, e, "inter_partition_imbalance"))
	require.Empty(t, cells(t, e, "intra_partition_imbalance"))
}

// TestEven: where all do the same, nobody lacks anything.
func TestEven(t *testing.T) {
	x := processes(3)
	for loc := range 3 {
		x.enter(loc, 0, "main").meets(loc, 0, 5, "MPI_Init mpi_init_exit", wire.AllBegin).enter(loc, 5, "work").leave(loc, 50)
		x.meets(loc, 50, 52, "MPI_Barrier mpi_sync_collective", wire.AllArrive).meets(loc, 52, 53, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 53)
	}
	e := x.analyze(t, 2)
	for _, m := range []string{"intra_partition_imbalance", "inter_partition_imbalance", "delay_barrier", "delay_barrier_longterm"} {
		require.Empty(t, cells(t, e, m), m)
	}
	require.Equal(t, []string{"MPI_Barrier 0 2", "MPI_Barrier 1 2", "MPI_Barrier 2 2", "MPI_Init 0 5", "MPI_Init 1 5", "MPI_Init 2 5", "work 0 45", "work 1 45", "work 2 45"}, cells(t, e, "critical_path_activities"))
}

// TestThreadsOfProcesses: threads of all processes that have one name are a group: their work is compared, and what they wait for is one finding. 40 is the mean of 60 and 20, 30 that of 10 and 50.
func TestThreadsOfProcesses(t *testing.T) {
	e := uneven().analyze(t, 1)
	require.Len(t, e.Groups, 1)
	require.Equal(t, 2, e.Groups[0].Count)
	require.Equal(t, []string{"first 0 20", "second 1 20"}, cells(t, e, "overload"))
	require.Equal(t, []string{"first 1 20", "second 0 20"}, cells(t, e, "underload"))
	require.Len(t, e.Findings, 2, "of the barrier and the end")

	apart := chain()
	apart.source.Definitions.Locations[1].Name = "other"
	e = apart.analyze(t, 1)
	require.Len(t, e.Groups, 2)
	i := slices.IndexFunc(e.Findings, func(f report.Finding) bool { return e.Metrics[f.Metric].Name == "mpi_latesender" })
	require.Len(t, e.Findings[i].Lines, 2, "of both groups")
}

// TestParticipants: of three processes, all are in first, for 10, 20 and 30; two are in second, for 30 each, so that the third lacks the mean of 20; one alone is in third, for 30, of which 20 are more than the
// mean of 10, and 10 lack each of the others.
func TestParticipants(t *testing.T) {
	x := processes(3)
	for loc := range 3 {
		x.enter(loc, 0, "main").meets(loc, 0, 0, "MPI_Init mpi_init_exit", wire.AllBegin).enter(loc, 0, "first").leave(loc, int64(10*(loc+1)))
	}
	x.enter(0, 10, "second").leave(0, 40).enter(1, 20, "second").leave(1, 50).enter(2, 30, "third").leave(2, 60)
	for loc, t := range []int64{40, 50, 60} {
		x.meets(loc, t, 60, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 60)
	}
	for workers := range 2 {
		e := x.analyze(t, workers+1)
		require.Equal(t, []string{"third 2 20"}, cells(t, e, "imbalance_above_single"))
		require.Equal(t, []string{"first 2 10", "second 0 10", "second 1 10"}, cells(t, e, "overload"), "the rest of it")
		require.Equal(t, []string{"third 0 10", "third 1 10"}, cells(t, e, "imbalance_below_singularity"))
		require.Equal(t, []string{"second 2 20"}, cells(t, e, "imbalance_below_bypass"), "the rest of it")
		require.Equal(t, []string{"first 0 10"}, cells(t, e, "underload"), "the rest of it")
	}
	for _, m := range []string{"imbalance_above_single", "imbalance_below_bypass", "imbalance_below_singularity"} {
		require.Empty(t, cells(t, uneven().analyze(t, 1), m), m)
	}
}

// TestTeams: of two processes with a second thread each, the first threads are compared in serial, 10 and 30, in alone, 10 and nothing, and in main itself, nothing and 10; all are in team, 40, 20, 20 and nothing: 20 are the mean. One of them is in
// inner, 8, of which 2 are the mean. Outside of teams nobody is said not to take part.
func TestTeams(t *testing.T) {
	x := processes(4)
	for i := range x.source.Definitions.Locations {
		l := &x.source.Definitions.Locations[i]
		l.Process, l.Number, l.GoID, l.Name = i/2, uint64(i%2+1), uint64(i%2+1), []string{"master", "worker"}[i%2]
	}
	x.source.Definitions.Processes = x.source.Definitions.Processes[:2]
	x.enter(0, 0, "main").enter(0, 0, "serial").leave(0, 10).enter(0, 10, "alone").leave(0, 20).enter(0, 20, "team").leave(0, 60).leave(0, 60)
	x.enter(1, 20, "main").enter(1, 20, "team").leave(1, 40).enter(1, 40, "team").enter(1, 40, "inner").leave(1, 48).leave(1, 48).leave(1, 48)
	x.enter(2, 0, "main").enter(2, 0, "serial").leave(2, 30).enter(2, 30, "team").leave(2, 50).leave(2, 60)
	x.enter(3, 20, "(idle) omp_idle_threads").leave(3, 60)
	x.source.Definitions.Regions[x.regions["team"]].Parallel = true
	for workers := range 2 {
		e := x.analyze(t, workers+1)
		require.Equal(t, []string{"alone 0 5", "main 2 5", "serial 2 10", "team 0 20"}, cells(t, e, "overload"), "the rest of it")
		require.Equal(t, []string{"inner 1 6"}, cells(t, e, "imbalance_above_single"))
		require.Equal(t, []string{"alone 2 5", "main 0 5", "serial 0 10"}, cells(t, e, "underload"), "the rest of it")
		require.Equal(t, []string{"team 3 20"}, cells(t, e, "imbalance_below_bypass"), "the rest of it")
		require.Equal(t, []string{"inner 0 2", "inner 2 2", "inner 3 2"}, cells(t, e, "imbalance_below_singularity"))
	}
	x.source.Definitions.Regions[x.regions["team"]].Parallel = false // then workers are compared with each other
	e := x.analyze(t, 1)
	require.Equal(t, []string{"main 2 5", "serial 2 10", "team 0 10"}, cells(t, e, "overload"))
	require.Equal(t, []string{"alone 0 5", "inner 1 4", "team 1 10"}, cells(t, e, "imbalance_above_single"))
}

// TestDelays: the second waits 40 at the barrier for the first, because of 40 that first took longer there.
func TestDelays(t *testing.T) {
	e := uneven().analyze(t, 2)
	require.Equal(t, []string{"first 0 40"}, cells(t, e, "delay_barrier"))
	require.Empty(t, cells(t, e, "delay_barrier_longterm"))
}

// TestDelaysPastOthers: what waits in scans and for windows cost is not told, so that they count as what their call paths take. The first waits 10 at the barrier for the second, which since MPI_Init has worked
// for 40 and been in the other operation for 52, while the first has worked for 80, and been there for 2.
func TestDelaysPastOthers(t *testing.T) {
	for region, as := range map[string]wire.Meeting{"MPI_Scan mpi_collective": wire.LowerSend | wire.Sends | wire.Receives, "MPI_Win_create mpi_mgmt_win": wire.AtCreate, "MPI_Win_free mpi_mgmt_win": wire.AtFree,
		"MPI_Win_fence mpi_rma_sync_active": wire.AtFence} {
		x := processes(2)
		for loc, work := range [][2]int64{{60, 20}, {10, 30}} {
			x.enter(loc, 0, "main").meets(loc, 0, 10, "MPI_Init mpi_init_exit", wire.AllBegin)
			x.enter(loc, 10, "work").leave(loc, 10+work[0])
			x.meets(loc, 10+work[0], 72, region, as.Numbered(uint32(loc)))
			x.enter(loc, 72, "work").leave(loc, 72+work[1])
			x.meets(loc, 72+work[1], 103, "MPI_Barrier mpi_sync_collective", wire.AllArrive)
			x.meets(loc, 103, 104, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 104)
		}
		for workers := range 2 {
			e := x.analyze(t, workers+1)
			require.Equal(t, []string{"MPI_Barrier 0 10"}, cells(t, e, "mpi_barrier_wait"), region)
			require.Equal(t, []string{region[:strings.Index(region, " ")] + " 1 10"}, cells(t, e, "delay_barrier"), region)
		}
	}
}

// chain is a program of three processes: 0 works for 60 before it sends to 1, which works for 10 before it receives, and for 10 more before it sends to 2, which receives at once.
func chain() *threads {
	x := processes(3)
	for loc := range 3 {
		x.enter(loc, 0, "main").meets(loc, 0, 10, "MPI_Init mpi_init_exit", wire.AllBegin)
	}
	x.enter(0, 10, "work").leave(0, 70).sends(0, 70, 71, 1)
	x.enter(1, 10, "work").leave(1, 20).receives(1, 20, 71, 1).enter(1, 71, "work").leave(1, 81).sends(1, 81, 82, 2)
	x.receives(2, 10, 82, 2)
	for loc, t := range []int64{71, 82, 82} {
		x.meets(loc, t, 90, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 90)
	}
	return x
}

// TestChain: 1 waits 50 for 0, which worked 50 longer: that costs 50. 2 waits 71 for 1, which since MPI_Init has worked for 20, been in MPI_Recv for 1 beside waiting, and waited 50: 21 too much, of 71 in all, so
// that each costs as much as it is. The wait of 50 is passed on to 0: all of it is because of its work, of which it costs 50 more.
func TestChain(t *testing.T) {
	for workers := range 3 {
		e := chain().analyze(t, workers+1)
		require.Equal(t, []string{"MPI_Recv 1 50", "MPI_Recv 2 71"}, cells(t, e, "mpi_latesender"))
		require.Equal(t, []string{"work 0 50", "work 1 20"}, trim(cells(t, e, "delay_latesender"), "MPI_Recv 1 1"))
		require.Equal(t, []string{"work 0 50"}, cells(t, e, "delay_latesender_longterm"))
		require.Equal(t, []string{"MPI_Recv 2 50"}, cells(t, e, "mpi_wait_indirect_latesender"))
		require.Equal(t, []string{"MPI_Recv 1 50", "MPI_Recv 2 21"}, cells(t, e, "mpi_wait_direct_latesender"))
		require.Equal(t, []string{"MPI_Recv 1 50"}, cells(t, e, "mpi_wait_propagating_ls"))
		require.Equal(t, []string{"MPI_Recv 2 71"}, cells(t, e, "mpi_wait_terminal_ls"))
	}
}

// TestCausesInWords: the report says so, with all costs of a call path.
func TestCausesInWords(t *testing.T) {
	var text strings.Builder
	require.NoError(t, report.Text(&text, chain().analyze(t, 1), report.TextOptions{}))
	require.Regexp(t, `(?m)^The waiting was caused in +mostly on\n +120 ns +99\.2 %  main ▸ work +thread\[0\] 83 %\n +1 ns +0\.8 %  main ▸ MPI_Recv +thread\[1\]$`, text.String())
	text.Reset()
	require.NoError(t, report.Text(&text, uneven().analyze(t, 1), report.TextOptions{}))
	require.Contains(t, text.String(), "average of similar threads")
}

// trim returns a list without one of its elements, which must be there.
func trim(list []string, one string) []string {
	i := slices.Index(list, one)
	if i < 0 {
		return append(list, "no "+one)
	}
	return slices.Delete(list, i, i+1)
}

// TestCostsAddUp: what is waited for is the sum of what causes it, up to rounding, if all excess is known.
func TestCostsAddUp(t *testing.T) {
	e := chain().analyze(t, 1)
	sum := func(names ...string) (d float64) {
		for _, name := range names {
			for _, c := range e.Cells(e.MetricIndex(name)) {
				d += float64(c.Value)
			}
		}
		return d
	}
	require.Less(t, math.Abs(sum("mpi_latesender")-sum("delay_latesender", "delay_latesender_longterm")), 2.0)
}

// TestCounted: visits are counted by what calls do, and so are the bytes that they put and get.
func TestCounted(t *testing.T) {
	x := processes(1).enter(0, 0, "main")
	for i := range int64(3) {
		x.enter(0, 10*i, "MPI_Put mpi_rma_communication comms_rma_puts").add(0, 10*i+5, wire.Transferred, 2, 7).leave(0, 10*i+9)
	}
	x.enter(0, 30, "MPI_Get mpi_rma_communication comms_rma_gets").add(0, 35, wire.Transferred, 3, 2).leave(0, 39)
	x.enter(0, 40, "MPI_Win_fence mpi_rma_sync_active syncs_rma_active").leave(0, 45).leave(0, 50)
	e := x.analyze(t, 1)
	got := map[string]int64{}
	for _, name := range []string{"comms_rma_puts", "comms_rma_gets", "comms_rma_atomics", "syncs_rma_active", "bytes_put", "bytes_get", "mpi_rma_communication"} {
		for _, c := range e.Cells(e.MetricIndex(name)) {
			got[name+" "+e.Regions[e.Paths[c.Path].Region].Name] += c.Value
		}
	}
	require.Equal(t, map[string]int64{"comms_rma_puts MPI_Put": 3, "comms_rma_gets MPI_Get": 1, "syncs_rma_active MPI_Win_fence": 1, "bytes_put MPI_Put": 21, "bytes_get MPI_Get": 2,
		"mpi_rma_communication MPI_Put": 27, "mpi_rma_communication MPI_Get": 9}, got)
}

package analyzer_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// inChunks returns an archive of another format with these events of locations, in chunks of n events.
func inChunks(s trace.Source, events [][]trace.Event, n int) *trace.Archive {
	var pieces [][]trace.Event
	for loc, list := range events {
		for ; len(list) > 0; list = list[min(n, len(list)):] {
			piece := list[:min(n, len(list))]
			pieces = append(pieces, piece)
			s.Chunks = append(s.Chunks, trace.SourceChunk{Location: trace.LocationID(loc), First: piece[0].Time, Last: piece[len(piece)-1].Time, Events: len(piece)})
		}
	}
	s.Decoder = func() func(int, *trace.Batch) error {
		return func(chunk int, to *trace.Batch) error {
			to.Events = append(to.Events, pieces[chunk]...)
			return nil
		}
	}
	return trace.FromSource(&s)
}

// parallelSource is two processes with two locations each, and regions of MPI and OpenMP.
func parallelSource() (s trace.Source) {
	s.Header.Complete = true
	for i := range 2 {
		s.Definitions.Processes = append(s.Definitions.Processes, trace.Process{PID: i, End: 1000, Exit: -1})
		for k := range 2 {
			s.Definitions.Locations = append(s.Definitions.Locations, trace.Location{Process: i, Number: uint64(k + 1), GoID: uint64(k + 1), Name: "thread"})
		}
	}
	for name, class := range map[string]string{"main": "", "MPI_Recv": "mpi_point2point", "MPI_Barrier": "mpi_sync_collective", "barrier": "omp_ebarrier", "strange": "no_such_metric"} {
		s.Definitions.Regions = append(s.Definitions.Regions, trace.Region{Name: name, Class: class})
	}
	s.Definitions.Objects = []trace.Object{{Kind: wire.MessagesObject, Region: trace.NoRegion}, {Kind: wire.Group, Region: trace.NoRegion}, {Kind: wire.Group, Region: trace.NoRegion}}
	return s
}

// alike demands that the result of events does not depend on chunks, workers or memory, and what must hold for every trace; it returns the number of findings.
func alike(t *testing.T, source trace.Source, events [][]trace.Event, seed uint64) (findings int) {
	var want string
	for _, c := range []struct{ events, workers int }{{100, 1}, {3, 3}, {1, 2}} {
		e, err := analyzer.Analyze(inChunks(source, events, c.events), analyzer.Options{Patterns: patterns.All(), Workers: c.workers, Memory: int64(c.workers / 3 * 1000)})
		require.NoError(t, err)
		invariants(t, e)
		e.Starts = nil // they are of the chunks
		if want == "" {
			want, findings = written(t, e), len(e.Findings)
		}
		require.Equal(t, want, written(t, e), "seed %d %v", seed, c)
	}
	return findings
}

// TestParallelEvents: whatever events of MPI and teams come in, results do not depend on chunks, workers or memory, and what must hold for every trace holds.
func TestParallelEvents(t *testing.T) {
	findings := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 2))
		source, events := parallelSource(), make([][]trace.Event, 4)
		for loc := range events {
			now := r.Int64N(10)
			for range 1 + r.IntN(60) {
				e := trace.Event{Time: now, Kind: wire.Enter, ID: r.Uint32N(6)}
				if now += r.Int64N(9); r.IntN(3) > 0 {
					e.Kind = wire.Called + wire.Kind(r.IntN(8))
					if e.ID, e.Word = r.Uint32N(6), r.Uint64N(4); e.Kind == wire.Met {
						e.ID = uint32(seed)%10 | r.Uint32N(8)<<5 | uint32(loc)<<8
					}
				} else if r.IntN(2) > 0 {
					e.Kind, e.ID = []wire.Kind{wire.Exit, wire.Forking, wire.Joining, wire.Running}[max(0, r.IntN(6)-2)], 0
				}
				events[loc] = append(events[loc], e)
			}
		}
		findings += alike(t, source, events, seed)
	}
	require.Greater(t, findings, 50)
}

// TestLaterEvents: nor do they if processes begin collective operations that do not block, in one order, and finish them in any.
func TestLaterEvents(t *testing.T) {
	operations := []wire.Meeting{wire.AllArrive, wire.RootSends, wire.RootReceives, wire.AllExchange, wire.LowerSend}
	waited := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		source, events := parallelSource(), make([][]trace.Event, 4)
		source.Definitions.Regions = []trace.Region{{Name: "main"}, {Name: "MPI_Ibarrier", Class: "mpi_collective"}, {Name: "MPI_Wait", Class: "mpi_point2point"}}
		for loc := range events {
			now, open := int64(0), []uint32{}
			add := func(kind wire.Kind, id uint32, word uint64) {
				now += r.Int64N(9)
				events[loc] = append(events[loc], trace.Event{Time: now, Kind: kind, ID: id, Word: word})
			}
			for n := uint32(0); n < 12 || len(open) > 0; {
				if add(wire.Enter, 1, 0); n < 12 && r.IntN(2) > 0 {
					add(wire.Requested, n, 0)
					open = append(open, n)
					n++
				} else if len(open) > 0 {
					events[loc][len(events[loc])-1].ID = 2
					i := r.IntN(len(open))
					add(wire.Finished, open[i], 0)
					what := operations[open[i]%5] | wire.Meeting(r.Uint32N(8))<<5 | wire.Meeting(loc)<<8
					add(wire.MetLater, uint32(what), uint64(2+open[i]%2))
					open = append(open[:i], open[i+1:]...)
				}
				add(wire.Called, r.Uint32N(4), 1)
				add(wire.Exit, 0, 0)
			}
		}
		waited += alike(t, source, events, seed)
	}
	require.Greater(t, waited, 60)
}

// TestWindowEvents: nor do they if processes have a lock of a window by turns, or at one time, as if they shared it.
func TestWindowEvents(t *testing.T) {
	waited := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		source, events := parallelSource(), make([][]trace.Event, 4)
		source.Definitions.Regions = []trace.Region{{Name: "MPI_Win_lock", Class: "mpi_rma_sync_passive"}, {Name: "MPI_Put", Class: "mpi_rma_communication"}}
		source.Definitions.Objects = append(source.Definitions.Objects, trace.Object{Kind: wire.WindowLock, Region: trace.NoRegion})
		for loc := range events {
			now := r.Int64N(9)
			call := func(region uint32, what wire.Hold) {
				events[loc] = append(events[loc], trace.Event{Time: now, Kind: wire.Enter, ID: region})
				now += r.Int64N(30)
				events[loc] = append(events[loc], trace.Event{Time: now, Kind: wire.Held, ID: uint32(what), Word: 4}, trace.Event{Time: now, Kind: wire.Exit})
				now += r.Int64N(5)
			}
			for range 1 + r.IntN(6) {
				lock := []wire.Hold{0, wire.HoldShared, wire.Hold(0).Of(1), wire.HoldShared | wire.HoldAll}[r.IntN(4)]
				call(0, wire.HoldBegins|lock)
				call(1, wire.HoldAccesses|lock)
				if r.IntN(9) > 0 {
					call(0, wire.HoldEnds|lock)
				}
			}
		}
		waited += alike(t, source, events, seed)
	}
	require.Greater(t, waited, 60)
}

// TestLeftOutEvents: nor do they if threads are idle while others work in teams.
func TestLeftOutEvents(t *testing.T) {
	waited := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		source, events := parallelSource(), make([][]trace.Event, 4)
		source.Definitions.Regions = []trace.Region{{Name: "main"}, {Name: "parallel"}, {Name: "(idle)", Class: "omp_idle_threads"}, {Name: "(team of others)", Class: "omp_limited_parallelism"}}
		source.Definitions.Objects = append(source.Definitions.Objects, trace.Object{Kind: wire.Idleness, Region: trace.NoRegion})
		for loc := range events {
			now := int64(0)
			add := func(kind wire.Kind, id uint32, word uint64) {
				events[loc] = append(events[loc], trace.Event{Time: now, Kind: kind, ID: id, Word: word})
				now += r.Int64N(9)
			}
			outer, inner, what := uint32(2), uint32(3), wire.TeamWithout
			if loc == 0 {
				outer, inner, what = 0, 1, wire.TeamWithout|wire.Root
			}
			add(wire.Enter, outer, 0)
			for range 10 {
				add(wire.Enter, inner, 0)
				add(wire.Met, uint32(what), 4)
				add(wire.Exit, 0, 0)
			}
			add(wire.Exit, 0, 0)
		}
		waited += alike(t, source, events, seed)
	}
	require.Greater(t, waited, 30)
}

// TestTeamManagement: the time from the fork to the work, and from there to the join, is that of the team's region, but no execution.
func TestTeamManagement(t *testing.T) {
	source := parallelSource()
	source.Definitions.Regions = []trace.Region{{Name: "main"}, {Name: "parallel"}, {Name: "barrier", Class: "omp_ibarrier"}}
	event := func(kind wire.Kind, t int64, region uint32) trace.Event {
		return trace.Event{Kind: kind, Time: t, ID: region}
	}
	events := make([][]trace.Event, 2)
	events[0] = []trace.Event{event(wire.Enter, 0, 0), event(wire.Enter, 10, 1), event(wire.Forking, 10, 0), event(wire.Running, 16, 0), event(wire.Enter, 30, 2),
		event(wire.Exit, 35, 0), event(wire.Joining, 36, 0), event(wire.Running, 40, 0), event(wire.Exit, 40, 0), event(wire.Exit, 50, 0), event(wire.End, 50, 0)}
	events[1] = []trace.Event{event(wire.Enter, 0, 0), event(wire.Enter, 10, 1), event(wire.Exit, 40, 0), event(wire.Exit, 50, 0), event(wire.End, 50, 0)}
	e, err := analyzer.Analyze(inChunks(source, events, 4), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	sums := map[string]int64{}
	for i, m := range e.Metrics {
		for _, c := range e.Cells(i) {
			sums[m.Name] += c.Value
		}
	}
	require.Equal(t, int64(6), sums["omp_fork"])
	require.Equal(t, int64(4), sums["omp_management"])
	require.Equal(t, int64(5), sums["omp_ibarrier"])
	require.Equal(t, int64(20+15+20+30), sums["execution"])
}

// A chunk of another format, which takes long to decode, is decoded once, however often its events are looked at.
func TestDecodedOnce(t *testing.T) {
	s := parallelSource()
	enter := func(t int64, region uint32) trace.Event { return trace.Event{Time: t, Kind: wire.Enter, ID: region} }
	var events [][]trace.Event
	for range s.Definitions.Locations {
		events = append(events, []trace.Event{enter(0, 0), enter(10, 1), {Time: 20, Kind: wire.Exit}, {Time: 30, Kind: wire.Exit}, {Time: 40, Kind: wire.End}})
	}
	var decoded sync.Map
	source := s
	source.Decoder = func() func(int, *trace.Batch) error {
		return func(chunk int, to *trace.Batch) error {
			_, before := decoded.LoadOrStore(chunk, true)
			require.False(t, before, "chunk %d", chunk)
			to.Events = append(to.Events, events[chunk]...)
			return nil
		}
	}
	for i, list := range events {
		source.Chunks = append(source.Chunks, trace.SourceChunk{Location: trace.LocationID(i), Last: 40, Events: len(list)})
	}
	e, err := analyzer.Analyze(trace.FromSource(&source), analyzer.Options{Patterns: patterns.All(), Workers: 2})
	require.NoError(t, err)
	require.Equal(t, int64(160), e.Total(e.MetricIndex(metric.Time)), "all four locations")
}

package otf2

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// eventsOf returns the events of an archive of package trace, by location.
func eventsOf(t testing.TB, a *trace.Archive) [][]trace.Event {
	all := make([][]trace.Event, len(a.Definitions().Locations))
	d, buf := a.NewDecoder(), new(trace.Buffer)
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, buf)
		require.NoError(t, err)
		for _, b := range batches {
			all[b.Location] = append(all[b.Location], b.Events...)
			for i, e := range b.Events {
				if e.Kind == wire.Counters { // what it says, not where in the chunk
					sum := uint64(0)
					for _, v := range b.CounterValues(e) {
						sum = 31*sum + v
					}
					all[b.Location][len(all[b.Location])-len(b.Events)+i].Word = sum
				}
				require.True(t, c.First <= e.Time && e.Time <= c.Last, "%v at %d, not within %d and %d", e.Kind, e.Time, c.First, c.Last)
			}
		}
	}
	return all
}

// TestSource: of other people's archives, whatever their chunks are, the same events come, with times that ascend and levels that are open.
func TestSource(t *testing.T) {
	for _, name := range archives(t) {
		a, err := Open(name)
		require.NoError(t, err)
		if events(a) > 3000 {
			continue
		}
		t.Run(called(name), func(t *testing.T) {
			want := a.Trace()
			require.Empty(t, want.Problems())
			require.Empty(t, want.Check())
			got := copyOf(t, a, Anchor{EventChunk: 256, DefinitionChunk: 4096}).Trace()
			require.GreaterOrEqual(t, len(got.Chunks()), len(want.Chunks()))
			require.Equal(t, want.Definitions(), got.Definitions())
			require.Equal(t, eventsOf(t, want), eventsOf(t, got))
		})
	}
}

// write makes an archive of events, each of which is a location, a time, a kind and its value, in chunks of a size. Its regions are 0 to 3, main to inner.
func write(t testing.TB, chunk uint64, events [][]uint64) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, Anchor{EventChunk: chunk})
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e6, 100, 1000, 0)
	for i, text := range []string{"main", "parallel", "loop", "inner"} {
		define("String", []string{text}, uint64(i))
		define("Region", nil, uint64(i), uint64(i), uint64(i), 0, 1<<32-1, 0, 0, uint64(i), 1, 2, 0)
	}
	define("LocationGroup", nil, 0, 0, 1, 0, 1<<32-1)
	streams := map[uint64]*EventWriter{}
	for _, e := range events {
		if streams[e[0]] == nil {
			define("Location", nil, e[0], 0, 1, uint64(len(events)), 0)
			streams[e[0]], err = w.Events(e[0])
			require.NoError(t, err)
		}
		streams[e[0]].Write(&Event{Record: Record{SpecOf(Events, uint8(e[2])), e[3:], nil}, Time: e[1]})
	}
	return closed(t, w, streams, name)
}

// closed ends an archive and opens it.
func closed(t testing.TB, w *Writer, streams map[uint64]*EventWriter, name string) *Archive {
	for _, s := range streams {
		require.NoError(t, s.Close())
	}
	require.NoError(t, w.Close())
	a, err := Open(name)
	require.NoError(t, err)
	return a
}

// TestTeams: a thread of a team is below the call path of the fork, from the fork to the join, also if the team is nested in another one, and wherever chunks end. Before and after, it is
// idle, as long as its process lasts; a thread that is not in the outer team is left out of that.
func TestTeams(t *testing.T) {
	const enter, leave, fork, join, begin, end = idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd
	events := [][]uint64{
		{0, 100, enter, 0}, {0, 110, fork, 3, 2}, {0, 115, begin, 7}, {0, 116, enter, 1}, {0, 117, enter, 2}, {0, 130, leave, 2}, {0, 131, leave, 1},
		{0, 132, end, 7}, {0, 140, join, 3}, {0, 150, leave, 0},
		{1, 120, begin, 7}, {1, 121, enter, 1}, {1, 122, fork, 3, 2}, {1, 123, begin, 8}, {1, 124, enter, 3}, {1, 126, leave, 3}, {1, 127, end, 8}, {1, 128, join, 3},
		{1, 129, leave, 1}, {1, 130, end, 7},
		{2, 125, begin, 8}, {2, 125, enter, 3}, {2, 126, leave, 3}, {2, 126, end, 8},
	}
	in := func(region uint32, us int64, elsewhere uint64) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Enter, ID: region, Word: elsewhere}
	}
	out := func(us int64, beyond uint32) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Exit, ID: beyond}
	}
	forking := func(us int64) trace.Event { return trace.Event{Time: us * 1000, Kind: wire.Forking} }
	running := func(us int64) trace.Event { return trace.Event{Time: us * 1000, Kind: wire.Running} }
	joining := func(us int64) trace.Event { return trace.Event{Time: us * 1000, Kind: wire.Joining} }
	finish := func(us int64) trace.Event { return trace.Event{Time: us * 1000, Kind: wire.End} }
	const outer, inner, left, idle, without, elsewhere = 3, 4, 5, 6, 7, trace.Elsewhere // objects, regions
	worked := func(us int64, as wire.Meeting) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Met, ID: uint32(wire.TeamWithout | as), Word: left}
	}
	forked := func(us int64, team uint64, as wire.Meeting) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Met, ID: uint32(wire.TeamFork | as), Word: team}
	}
	want := [][]trace.Event{
		{in(0, 0, 0), forked(10, outer, wire.Root), in(1, 10, 0), forking(10), running(16), in(2, 17, 0), out(30, 0), joining(31), worked(40, wire.Root), running(40), out(40, 0), out(50, 0), finish(50)},
		{in(idle, 0, elsewhere), forked(10, outer, 0), out(10, 0), in(0, 10, elsewhere), in(1, 10, 0), forking(10), running(21), forked(22, inner, wire.Root), in(3, 22, 0), forking(22), running(24), joining(26), worked(28, wire.Root), running(28), out(28, 0), joining(29), running(40),
			out(40, 1), in(idle, 40, elsewhere), finish(50)},
		{in(idle, 0, elsewhere), in(without, 10, elsewhere), worked(22, 0), out(22, 0), forked(22, inner, 0), out(22, 0), in(0, 22, elsewhere), in(1, 22, elsewhere), in(3, 22, 0), forking(22), running(25), joining(26), running(28), out(28, 2), in(idle, 28, elsewhere), in(without, 28, elsewhere), worked(40, 0), out(40, 0), finish(50)},
	}
	for _, chunk := range []uint64{0, 48, 64, 96} {
		require.Equal(t, want, eventsOf(t, write(t, chunk, events).Trace()), "chunks of %d bytes", chunk)
	}
}

// TestTracesOfDamage: an archive of which anything is missing is one of package trace nevertheless, with a problem for each damage, and all its other events.
func TestTracesOfDamage(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "traces.otf2")
	small(t, name, Anchor{})
	file := filepath.Join(dir, "traces", "0.evt")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	for n := range content {
		require.NoError(t, os.WriteFile(file, content[:n], 0o600))
		a, err := Open(name)
		require.NoError(t, err)
		x := a.Trace()
		d, buf, lost, events := x.NewDecoder(), new(trace.Buffer), len(x.Problems()), 0
		for _, c := range x.Chunks() {
			batches, err := d.Decode(c, buf)
			if err != nil {
				lost++
			}
			if len(batches) > 0 && batches[0].Location == 1 {
				events += len(batches[0].Events)
			}
		}
		require.Equal(t, 21, events, "of the location that is whole, and its end")
		if n < len(content)-1 {
			require.Positive(t, lost, "cut to %d bytes", n)
		}
	}
}

// TestHugeTimes: whatever times damage leads to, what all locations spend together, in ns, is a number.
func TestHugeTimes(t *testing.T) {
	a := write(t, 0, [][]uint64{{0, 100, idEnter, 0}, {0, 1 << 62, idLeave, 0}, {1, 1, idEnter, 0}, {1, 1<<64 - 1, idLeave, 0}})
	x := a.Trace()
	ticks, sum := x.InTicks()
	require.NotNil(t, ticks)
	total := int64(0)
	for _, events := range eventsOf(t, ticks) {
		spent := sum.Duration(events[len(events)-1].Time - events[0].Time)
		require.Positive(t, spent)
		total += spent
	}
	require.Greater(t, total, int64(math.MaxInt64/16), "years")
	for _, locations := range []int{1, 1000, 1 << 20} {
		for _, resolution := range []uint64{1, 1e6, 1e9, 3e9} {
			most := int64(latest(locations, resolution))
			require.Less(t, trace.Ticks(resolution).Duration(2*most), math.MaxInt64/int64(locations), "%d locations, %d ticks a second", locations, resolution)
		}
	}
}

// FuzzTeams: whatever order events of teams, locks and messages come in, on two locations, times ascend, and from any event on reading can go on from what is known there.
func FuzzTeams(f *testing.F) {
	f.Add([]byte{0, 4, 0, 2, 0, 0, 1, 4, 1, 0, 1, 1, 1, 5, 0, 1, 0, 5, 0, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), 400)] // all that is known is copied at each event
		kinds := []uint8{idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd, idProgramBegin, idProgramEnd, idMeasurementOnOff,
			idThreadAcquireLock, idThreadReleaseLock, idOmpAcquireLock, idMpiSend, idMpiIsend, idMpiRecv, idMpiIrecv, idMpiIsendComplete, idMpiIrecvRequest, idMpiCollectiveEnd, idNonBlockingRequest, idNonBlockingComplete,
			idRmaRequestLock, idRmaReleaseLock, idRmaPut, idThreadTaskSwitch, idThreadTaskComplete}
		s := &source{a: twoThreads(), programs: map[uint64]uint32{}}
		s.define()
		s.classify()
		all, walks, events := make([]survey, 2), []*walk{newWalk(0), newWalk(0)}, [2][]Event{}
		for i := 0; i+1 < len(b); i += 2 {
			l, value := b[i]&1, uint64(b[i]>>1&3)
			spec := SpecOf(Events, kinds[int(b[i+1])%len(kinds)])
			values := []uint64{value, value & 1, value, value, value, value}[:len(spec.Head)]
			e := Event{Record: Record{Spec: spec, Values: values}, Time: uint64(i)}
			v := &all[l]
			if v.forks.of == nil {
				v.forks.of = map[team][]forked{}
			}
			v.chunks, v.starts = append(v.chunks, Chunk{Time: e.Time}), append(v.starts, walks[l].clone())
			v.event(s, walks[l], &e)
			if id := spec.ID; id == idMpiSend || id == idMpiIsend || id == idMpiRecv || id == idMpiIrecv {
				v.message(s, s.of[l], &e)
			}
			walks[l].last = max(walks[l].last, s.since(e.Time))
			events[l] = append(events[l], e)
		}
		s.gather(all)
		chunk := 0
		for l, list := range events {
			w := newWalk(0)
			w.worker = l == 1
			for _, e := range list {
				from, last := s.starts[chunk].clone(), w.last
				from.last, from.worker = w.last, w.worker
				all := func(w *walk) []trace.Event { return s.passes(s.of[l], &e, w, s.event(&e, w, s.forked[l], nil)) }
				want := all(w)
				require.Equal(t, want, all(from))
				for _, x := range want {
					require.GreaterOrEqual(t, x.Time, last)
					if last = x.Time; x.Kind == wire.Enter {
						require.Less(t, int(x.ID), len(s.Definitions.Regions))
					}
				}
				w.last = max(w.last, s.since(e.Time))
				chunk++
			}
		}
	})
}

// twoThreads returns the definitions of a process of two threads, with regions in which they lock, meet, and pass messages.
func twoThreads() *Archive {
	a := newArchive("memory.otf2")
	define := func(kind string, texts []string, values ...uint64) {
		a.define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e9, 0, 1000, 0)
	for i, name := range []string{"main", "MPI_Recv", "!$omp critical @a.c:1", "!$omp barrier @a.c:2"} {
		define("String", []string{name}, uint64(i))
		paradigm := []uint64{1, mpi, openMP, openMP}[i]
		define("Region", nil, uint64(i), uint64(i), 0, 0, none, 0, 0, uint64(i), []uint64{1, 28, roleCritical, roleBarrier}[i], paradigm, 0)
	}
	define("LocationGroup", nil, 0, 0, 1, 0, none)
	define("Location", nil, 0, 0, 1, 9, 0)
	define("Location", nil, 1, 0, 1, 9, 0)
	define("Group", nil, 0, 0, 0, 1, 0, commLocations, mpi, 0)
	define("Group", nil, 1, 0, 0, 1, 0, 5, mpi, 0)
	define("Comm", nil, 0, 0, 1, none, 0)
	define("RmaWin", nil, 0, 0, 0, 0)
	a.build()
	return a
}

// lacking is an archive of a process of three threads: all work in a team from 10 to 40 µs and from 100 to 120, the first two alone from 60 to 90. Until 130 the first one goes on.
func lacking(t *testing.T, chunk uint64, more ...[]uint64) *Archive {
	return lackingUntil(t, chunk, 138, more...)
}

// lackingUntil is that archive, in which the third thread records at some time that the first team has ended.
func lackingUntil(t *testing.T, chunk, ended uint64, more ...[]uint64) *Archive {
	const enter, leave, fork, join, begin, end = idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd
	works := func(loc, from, to, team uint64) [][]uint64 {
		return [][]uint64{{loc, from, begin, team}, {loc, from, enter, 1}, {loc, to, leave, 1}, {loc, to, end, team}}
	}
	return write(t, chunk, slices.Concat([][]uint64{{0, 100, enter, 0}, {0, 110, fork, 3, 3}}, works(0, 112, 138, 7), [][]uint64{{0, 140, join, 3}, {0, 160, fork, 3, 2}}, works(0, 161, 189, 8),
		[][]uint64{{0, 190, join, 3}, {0, 200, fork, 3, 3}}, works(0, 201, 219, 7), [][]uint64{{0, 220, join, 3}, {0, 230, leave, 0}},
		works(1, 112, 138, 7), works(1, 162, 188, 8), works(1, 202, 218, 7), works(2, 112, 138, 7)[:3], [][]uint64{{2, ended, end, 7}}, more, works(2, 202, 218, 7)))
}

// TestLeftOut: the third thread is idle from 40 to 100, but from 60 to 90 because the team of the others is made without it, by the first one. Like the second one it is idle until 10, from 40 to 60, from 90 to 100, and in
// the end from 120 to 130: 50 in all. So it is wherever chunks end, and if it records the end of the first team only while the others work in the next one.
func TestLeftOut(t *testing.T) {
	for i, chunk := range []uint64{0, 0, 48, 48, 64, 64, 96, 96} {
		e, err := analyzer.Analyze(lackingUntil(t, chunk, []uint64{138, 165}[i%2]).Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		sums := map[string]int64{}
		for i, m := range e.Metrics {
			for _, c := range e.Cells(i) {
				sums[fmt.Sprint(m.Name, " ", c.Location)] += c.Value
			}
		}
		require.Equal(t, []int64{0, 50e3, 50e3}, []int64{sums["omp_idle_threads 0"], sums["omp_idle_threads 1"], sums["omp_idle_threads 2"]}, "chunks of %d bytes", chunk)
		require.Equal(t, []int64{0, 0, 30e3}, []int64{sums["omp_limited_parallelism 0"], sums["omp_limited_parallelism 1"], sums["omp_limited_parallelism 2"]}, "chunks of %d bytes", chunk)
	}
}

// TestNextTeamBeforeJoin: the third thread works in a team of the first one until 20 µs, which that joins only at 40, and from 25 to 34 in one that the second one has forked. What it does there, a loop from 26 to 33, begins and ends when it
// does, wherever chunks end: the team before has it until 25.
func TestNextTeamBeforeJoin(t *testing.T) {
	const enter, leave, fork, join, begin, end = idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd
	for _, chunk := range []uint64{0, 48, 64, 96} {
		a := write(t, chunk, [][]uint64{{0, 100, enter, 0}, {0, 110, fork, 3, 2}, {0, 110, begin, 7}, {0, 110, enter, 1}, {0, 119, leave, 1}, {0, 120, end, 7}, {0, 140, join, 3}, {0, 150, leave, 0},
			{1, 100, enter, 0}, {1, 115, fork, 3, 2}, {1, 115, begin, 8}, {1, 115, enter, 1}, {1, 135, leave, 1}, {1, 135, end, 8}, {1, 150, join, 3}, {1, 150, leave, 0},
			{2, 110, begin, 7}, {2, 110, enter, 1}, {2, 119, leave, 1}, {2, 120, end, 7}, {2, 125, begin, 8}, {2, 125, enter, 1}, {2, 126, enter, 2}, {2, 133, leave, 2}, {2, 133, leave, 1}, {2, 134, end, 8}})
		e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		sums := map[string]int64{}
		for _, c := range e.Cells(e.MetricIndex("execution")) {
			if c.Location == 2 {
				sums[e.Regions[e.Paths[c.Path].Region].Name] += c.Value
			}
		}
		require.Equal(t, map[string]int64{"parallel": 10e3, "loop": 7e3}, sums, "chunks of %d bytes", chunk)
	}
}

// TestLeftOutAndFlushed: from 70 to 80 the recorder writes the events of the third thread, which is left out of the team of the others before and after that.
func TestLeftOutAndFlushed(t *testing.T) {
	for _, chunk := range []uint64{0, 48} {
		e, err := analyzer.Analyze(lacking(t, chunk, []uint64{2, 170, idBufferFlush, 180}).Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		sums := map[string]int64{}
		for i, m := range e.Metrics {
			for _, c := range e.Cells(i) {
				if c.Location == 2 {
					sums[m.Name] += c.Value
				}
			}
		}
		require.Equal(t, []int64{50e3, 20e3, 10e3}, []int64{sums["omp_idle_threads"], sums["omp_limited_parallelism"], sums["overhead"]}, "chunks of %d bytes", chunk)
	}
}

// TestLeftOutOften: a thread is left out of more teams, each of 2 µs, than a chunk tells of: in its first team, in its last one, and between, 10,000 each time. No chunk has more than its part of the events, and
// together they are those of the thread.
func TestLeftOutOften(t *testing.T) {
	const n = 30_000
	var events [][]uint64
	for i := range uint64(n) {
		at, team := 100+4*i, uint64(7)
		threads := []uint64{0, 1}
		if i == n/3 || i == n*2/3 {
			threads, team = append(threads, 2), 8
		}
		events = append(events, []uint64{0, at, idThreadFork, 3, 2})
		for _, loc := range threads {
			events = append(events, []uint64{loc, at, idThreadTeamBegin, team}, []uint64{loc, at, idEnter, 1}, []uint64{loc, at + 2, idLeave, 1}, []uint64{loc, at + 2, idThreadTeamEnd, team})
		}
		events = append(events, []uint64{0, at + 2, idThreadJoin, 3})
	}
	a := write(t, 0, events).Trace()
	d := a.NewDecoder()
	var got []trace.Event
	for _, c := range a.Chunks() {
		if c.Locations[0] != 2 {
			continue
		}
		batches, err := d.Decode(c, new(trace.Buffer))
		require.NoError(t, err)
		for _, b := range batches {
			require.LessOrEqual(t, len(b.Events), 3*leftOutAtOnce+50)
			got = append(got, b.Events...)
		}
	}
	require.True(t, slices.IsSortedFunc(got, func(x, y trace.Event) int { return cmp.Compare(x.Time, y.Time) }))
	require.Empty(t, a.Check())
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 2})
	require.NoError(t, err)
	left := map[uint32]int64{}
	for _, c := range e.Cells(e.MetricIndex("omp_limited_parallelism")) {
		left[c.Location] += c.Value
	}
	require.Equal(t, map[uint32]int64{2: (n - 2) * 2000}, left)
}

// TestNotLeftOut: where all threads are in all teams, nothing is told of that.
func TestNotLeftOut(t *testing.T) {
	const fork, join, begin, end = idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd
	a := write(t, 0, [][]uint64{{0, 100, idEnter, 0}, {0, 110, fork, 3, 2}, {0, 112, begin, 7}, {0, 112, idEnter, 1}, {0, 138, idLeave, 1}, {0, 138, end, 7}, {0, 140, join, 3}, {0, 150, idLeave, 0},
		{1, 112, begin, 7}, {1, 112, idEnter, 1}, {1, 138, idLeave, 1}, {1, 138, end, 7}})
	x := a.Trace()
	require.Empty(t, slices.DeleteFunc(slices.Clone(x.Definitions().Objects), func(o trace.Object) bool { return o.Kind != wire.Idleness }))
	for _, events := range eventsOf(t, x) {
		require.False(t, slices.ContainsFunc(events, func(e trace.Event) bool {
			return e.Kind == wire.Met && wire.Meeting(e.ID).Operation() == wire.TeamWithout
		}))
	}
}

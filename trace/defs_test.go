package trace

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

// TestProcesses: each process has numbers of its own and a clock of its own; times of all meet on the
// monotonic clock of the host.
func TestProcesses(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{Resolution: 1, Mono: 5e9, Wall: 1})
	require.NoError(t, err)
	a, err := w.AddProcess(ProcessInfo{PID: 10, Frequency: 2e9, Start: Stamp{Ticks: 1e12, Mono: 6e9}})
	require.NoError(t, err)
	b, err := w.AddProcess(ProcessInfo{PID: 11, Parent: 10, Frequency: 1e9, Start: Stamp{Ticks: 77, Mono: 5.5e9}})
	require.NoError(t, err)
	require.NoError(t, a.Define(wire.Def{Type: wire.DefRegion, ID: 4, Name: "a"}))
	require.NoError(t, b.Define(wire.Def{Type: wire.DefRegion, ID: 4, Name: "b"}))
	require.NoError(t, b.Define(wire.Def{Type: wire.DefCounters, Names: []string{"task-clock"}}))
	require.NoError(t, b.Define(wire.Def{Type: wire.DefObject, ID: 1, Object: wire.Mutex, Region: 4}))
	require.NoError(t, b.Chunk(RawChunk{Location: 3, GoID: 9, Base: 77, Words: []uint64{wire.Head(wire.Enter, 4, 1000)}}))
	require.NoError(t, a.Chunk(RawChunk{Location: 1, GoID: 1, Base: 1e12, Words: []uint64{wire.Head(wire.Enter, 4, 1000)}}))
	require.NoError(t, b.Exited(-1, Stamp{Ticks: 77 + 5000, Mono: 5.5e9 + 5000}))
	require.NoError(t, a.Warnings(map[string]uint64{"lost": 3}))
	require.NoError(t, w.Close())

	r := open(t, out.Bytes())
	require.Empty(t, r.Check())
	d := r.Definitions()
	require.Equal(t, []Process{{PID: 10, Start: 1e9, End: 1e9 + 500, Exit: -1, Warnings: map[string]uint64{"lost": 3}},
		{PID: 11, Parent: 10, Start: 0.5e9, End: 0.5e9 + 5000, Exit: -1, Counters: []string{"task-clock"}}}, d.Processes)
	require.Equal(t, 1, r.Header().Root)
	require.Equal(t, []Location{{Process: 0, Number: 1, GoID: 1, Events: 1}, {Process: 1, Number: 3, GoID: 9, Events: 1}}, d.Locations)
	require.Equal(t, []Region{{Name: "a"}, {Name: "b", Process: 1}}, d.Regions)
	require.Equal(t, []Object{{Kind: wire.Mutex, Region: 1, Process: 1}}, d.Objects)
	m := r.Merge()
	l, e, _, err := m.Next()
	require.NoError(t, err)
	require.Equal(t, LocationID(1), l)
	require.Equal(t, Event{Time: 0.5e9 + 1000, ID: 1, Kind: wire.Enter}, e)
	l, e, _, err = m.Next()
	require.NoError(t, err)
	require.Equal(t, LocationID(0), l)
	require.Equal(t, Event{Time: 1e9 + 500, ID: 0, Kind: wire.Enter}, e)
}

// TestUndefined: what is not defined is given a definition that says so.
func TestUndefined(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{})
	require.NoError(t, err)
	require.NoError(t, p.Define(wire.Def{Type: wire.DefObject, ID: 2, Object: wire.Mutex, Region: 8}))
	require.NoError(t, p.Chunk(RawChunk{Location: 1, Words: []uint64{
		wire.Head(wire.LockBegin, 5, 64), 1, wire.Head(wire.Leave, 0, 64), wire.Head(wire.Release, 0, 64), 2,
		wire.Head(wire.SendBegin, 0, 64), 0, wire.Head(wire.Sample, 9, 1), 4}}))
	require.NoError(t, w.Close())
	a := open(t, out.Bytes())
	require.Len(t, a.Problems(), 2)
	require.EqualError(t, a.Problems()[0], "test: offset 0: region 5 of process 0 is not defined")
	require.Len(t, a.Check(), 3) // the object too
	d := a.Definitions()
	require.Equal(t, []Region{{Name: "unknown region"}, {Name: "unknown region 5"}}, d.Regions)
	require.Equal(t, []Metric{{Name: "unknown metric 9"}}, d.Metrics)
	require.Equal(t, []Object{{Kind: wire.Mutex, Region: NoRegion}, {Region: NoRegion}}, d.Objects)
	b, err := a.NewDecoder().Decode(a.Chunks()[0], new(Buffer))
	require.NoError(t, err)
	object, _ := b[0].Events[0].Object()
	require.EqualValues(t, 1, object)
	object, _ = b[0].Events[2].Object()
	require.EqualValues(t, 0, object)
	object, _ = b[0].Events[3].Object()
	require.Equal(t, NoObject, object)
}

// TestNestingIsChecked: Check finds levels that do not fit together.
func TestNestingIsChecked(t *testing.T) {
	for want, words := range map[string][]uint64{
		"exit: levels to close: 1, open: 0":        {wire.Head(wire.Exit, 0, 0)},
		"exit: levels to close: 3, open: 1":        {wire.Head(wire.Enter, 0, 0), wire.Head(wire.Exit, 2, 0)},
		"leave: does not end an open operation":    {wire.Head(wire.Enter, 0, 0), wire.Head(wire.Leave, 0, 0)},
		"blocked: a lock has no case of a timer":   {wire.Head(wire.LockBegin, 0, 0), 0, wire.Head(wire.Blocked, wire.Timed, 0)},
		"blocked: no operation is open":            {wire.Head(wire.Enter, 0, 0), wire.Head(wire.Blocked, 0, 0)},
		"exit: closes a sleep":                     {wire.Head(wire.SleepBegin, 0, 0), wire.Head(wire.Exit, 0, 0)},
		"sleep: is inside a sleep":                 {wire.Head(wire.SleepBegin, 0, 0), wire.Head(wire.SleepBegin, 0, 0)},
		"oncerun: no once is open":                 {wire.Head(wire.OnceRun, 0, 0)},
		"chose: does not end an open operation":    {wire.Head(wire.SleepBegin, 0, 0), wire.Head(wire.Chose, uint32(wire.Sent), 0), 0},
		"taskleft: no region has so many in it: 1": {wire.Head(wire.Enter, 0, 0), wire.Head(wire.TaskLeft, 1, 0), 1},
		"passed: ends a lock":                      {wire.Head(wire.LockBegin, 0, 0), 0, wire.Head(wire.Passed, 0, 0), 1},
	} {
		var out bytes.Buffer
		w, err := NewWriter(&out, Options{})
		require.NoError(t, err)
		p, err := w.AddProcess(ProcessInfo{})
		require.NoError(t, err)
		require.NoError(t, p.Chunk(RawChunk{Location: 1, Words: words}))
		require.NoError(t, w.Close())
		problems := open(t, out.Bytes()).Check()
		require.Len(t, problems, 1, want)
		require.Contains(t, problems[0].What, want)
	}
}

// TestDecodersWorkInParallel is for the race detector.
func TestDecodersWorkInParallel(t *testing.T) {
	a := open(t, manyLocations(t, 20000))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { readRaw(t, a) })
	}
	wg.Wait()
}

// TestTable compares with a map, for numbers dense and sparse and in any order.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range testkit.Cases(200) {
		var table table[uint64]
		want := map[uint64]uint64{}
		spread := uint64(1) << rng.UintN(40)
		for range rng.IntN(3000) {
			n := rng.Uint64N(spread)
			v, made := table.get(n)
			_, known := want[n]
			if made == known || *v != want[n] { // an assertion takes longer than all else
				require.Fail(t, "get", "%d: %t, %d; it was there: %t, %d", n, made, *v, known, want[n])
			}
			want[n] = rng.Uint64()
			*v = want[n]
		}
		require.Equal(t, len(want), table.count)
		require.LessOrEqual(t, len(table.dense), 4*len(want)+16)
		last := int64(-1)
		table.each(func(n uint64, v *uint64) {
			if int64(n) <= last || *v != want[n] || v != table.find(n) {
				require.Fail(t, "each", "%d behind %d: %d instead of %d at %p, found at %p", n, last, *v, want[n], v, table.find(n))
			}
			last = int64(n)
			delete(want, n)
		})
		require.Empty(t, want)
		require.Nil(t, table.find(spread+1))
	}
}

// TestProcessor: the processor, its rate, how many there are at last, and what recording cost, are kept; an archive without them has none.
func TestProcessor(t *testing.T) {
	known := Processor{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 0xcf, Stepping: 2, Name: "Some Processor"}
	dir := t.TempDir()
	w, err := Create(dir, Options{})
	require.NoError(t, err)
	for _, i := range []ProcessInfo{{PID: 1}, {PID: 2, Processor: known, Hertz: 2.1e9}, {PID: 3, Processor: Processor{Arch: "arm64", Model: -1}},
		{PID: 4, Processors: 3}, {PID: 5, Processor: known, Processors: 1 << 30}, {PID: 6, Processors: -1}} {
		_, err = w.AddProcess(i)
		require.NoError(t, err)
	}
	changed, err := w.AddProcess(ProcessInfo{PID: 7, Processor: known, Processors: 8})
	require.NoError(t, err)
	for _, n := range []int{4, 2, 0} {
		require.NoError(t, changed.Processors(n))
	}
	require.NoError(t, changed.Cost(0))
	require.NoError(t, changed.Cost(17))
	unknown, err := w.AddProcess(ProcessInfo{PID: 8})
	require.NoError(t, err)
	require.NoError(t, unknown.Cost(18))
	require.NoError(t, w.Close())
	a, err := Open(dir)
	require.NoError(t, err)
	defer a.Close()
	require.Empty(t, a.Problems())
	p := a.Definitions().Processes
	require.Equal(t, []Processor{{}, known, {Arch: "arm64", Model: -1}}, []Processor{p[0].Processor, p[1].Processor, p[2].Processor})
	require.Equal(t, []uint64{0, 2.1e9, 0}, []uint64{p[0].Hertz, p[1].Hertz, p[2].Hertz})
	require.Equal(t, []Processor{{}, known, {}}, []Processor{p[3].Processor, p[4].Processor, p[5].Processor})
	for i, n := range []int{0, 0, 0, 3, maxProcessors, 0, 2} {
		require.Equal(t, n, p[i].Processors, "process %d", i)
	}
	require.Equal(t, []int64{0, 17, 18}, []int64{p[5].Cost, p[6].Cost, p[7].Cost})
	require.Zero(t, p[7].Processors)
}

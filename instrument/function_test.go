//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

var functions [4]instrument.Function

// A file that is instrumented has a table of [4]uint64.
const _ = uint(32-unsafe.Sizeof(functions[0])) * uint(unsafe.Sizeof(functions[0])-32)

//go:noinline
func visited(n int) {
	defer instrument.ExitFunction(instrument.EnterFunction(&functions[0]))
	if n > 0 {
		visited(n - 1)
	}
}

//go:noinline
func panics() {
	defer instrument.ExitFunction(instrument.EnterFunction(&functions[1]))
	panic("")
}

// Functions are regions with their names and places, once each, also after a panic and in later sessions.
func TestFunctions(t *testing.T) {
	visited(1) // nothing records
	forModes(t, func(t *testing.T, c shm.Config) {
		r := record(t, c, func() {
			visited(1)
			func() {
				defer func() { recover() }()
				panics()
			}()
			visited(0)
		})
		const one, other = "enter instrument_test.visited", "enter instrument_test.panics"
		require.Equal(t, []string{one, one, "exit", "exit", other, "exit", one, "exit"}, texts(r.only()))
		require.Empty(t, r.warnings)
		var names []string
		for _, d := range r.regions {
			if strings.Contains(d.Func, "visited") {
				require.Equal(t, wire.Def{Type: wire.DefRegion, ID: d.ID, Name: "instrument_test.visited", Func: "tracerec/instrument_test.visited", File: d.File, Line: d.Line}, d)
				names = append(names, d.Name)
			}
		}
		require.Len(t, names, 1)
	})
}

// What package testing runs is a region with its name, except what runs all.
func TestNamedFunctions(t *testing.T) {
	entry := func(f func()) *uintptr { return *(**uintptr)(unsafe.Pointer(&f)) }
	r := record(t, shm.Config{}, func() {
		for range 2 {
			for _, name := range []string{"TestA/b", "TestA/c", "", "Main"} {
				instrument.ExitFunction(instrument.EnterRun(name, entry(panics)))
			}
		}
	})
	var want []string
	for range 2 {
		want = append(want, "enter TestA/b", "exit", "enter TestA/c", "exit")
	}
	require.Equal(t, want, texts(r.only()))
}

// Visits of a function that is not recorded any more are counted, by all goroutines; what was open ends as it should.
func TestUnrecordedVisits(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		r := record(t, c, func() {
			visited(0)
			open := instrument.EnterFunction(&functions[0])
			instrument.Thin(&functions[0])
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					for range 100 {
						visited(0)
					}
				})
			}
			all.Wait()
			instrument.ExitFunction(open)
		})
		require.Equal(t, []string{"enter instrument_test.visited", "exit", "enter instrument_test.visited", "exit"}, texts(r.only()))
		require.Equal(t, map[string]uint64{"visits of instrument_test.visited that were too short and too many to record": 1000}, r.warnings)
	})
	r := record(t, shm.Config{}, func() { visited(0) }) // the next session begins anew
	require.Len(t, r.only(), 2)
	require.Empty(t, r.warnings)
}

// A function is thinned when its visits are short and take more than a fiftieth of the processor time.
func TestTooMuch(t *testing.T) {
	const n, ns, short = instrument.LookedAt, 30, 600
	cost := uint64(n * n * ns)
	require.True(t, instrument.TooMuch(ns, short, n*short-1, 50*cost-1))
	require.False(t, instrument.TooMuch(ns, short, n*short, 50*cost-1), "visits are not short")
	require.False(t, instrument.TooMuch(ns, short, n*short-1, 50*cost), "it is not much")
	require.False(t, instrument.TooMuch(ns, short, 0, 0), "the processor time is not known")
}

// However many visits a function has, each is either recorded or counted.
func TestVisitsAreRecordedOrCounted(t *testing.T) {
	const visits = 1 << 21
	r := record(t, shm.Config{Buffer: 256 << 20}, func() {
		for range visits {
			visited(0)
		}
	})
	recorded, counted := uint64(0), uint64(0)
	for _, e := range r.only() {
		if e.kind == wire.Enter {
			recorded++
		}
	}
	for name, n := range r.warnings {
		require.Contains(t, name, "too many to record")
		counted += n
	}
	require.Equal(t, uint64(visits), recorded+counted)
}

func BenchmarkFunction(b *testing.B) {
	b.Run("off", func(b *testing.B) { loop(b, func() { visited(0) }) })
	b.Run("on", func(b *testing.B) { attach(b); loop(b, func() { visited(0) }) })
}

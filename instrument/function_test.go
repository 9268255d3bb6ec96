//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"math/rand/v2"
	"slices"
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
	if c := functions[0].Counted(); c == 0 {
		defer instrument.ExitFunction(instrument.EnterFunction(&functions[0]))
	} else if c != 1 {
		instrument.CountVisit(&functions[0])
	}
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

//go:noinline
func handles() {
	defer instrument.ExitFunction(instrument.EnterHandler(1))
	defer instrument.ExitFunction(instrument.EnterAlways(&functions[2]))
}

// A function that handles requests is a region in that of its type, which is at no place of the program. Its visits are all recorded, and none is looked at.
func TestHandlers(t *testing.T) {
	handles() // nothing records
	forModes(t, func(t *testing.T, c shm.Config) {
		const visits = 4 * instrument.LookedAt
		r := record(t, c, func() {
			for range visits {
				handles()
			}
		})
		require.Equal(t, slices.Repeat([]string{"enter echo.HandlerFunc", "enter instrument_test.handles", "exit", "exit"}, visits), texts(r.only()))
		require.Empty(t, r.warnings)
		require.Zero(t, functions[2].Looks())
		for id, d := range r.regions {
			if d.Name == "echo.HandlerFunc" {
				require.Equal(t, wire.Def{Type: wire.DefRegion, ID: id, Name: d.Name, Func: "github.com/labstack/echo/v4.HandlerFunc"}, d)
			}
		}
	})
}

// A method of gRPC is a region of the type of the interceptor that is told of it, without the package of its service.
func TestMethods(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		for range 2 {
			for _, method := range []string{"/grpc.health.v1.Health/Check", "/Guide/Get", "odd", ""} {
				instrument.ExitFunction(instrument.EnterMethod(method, 0))
			}
		}
		instrument.ExitFunction(instrument.EnterMethod("/guide.Guide/Watch", 1))
	})
	one := []string{"enter Health/Check", "exit", "enter Guide/Get", "exit", "enter odd", "exit"}
	require.Equal(t, slices.Concat(one, one, []string{"enter Guide/Watch", "exit"}), texts(r.only()))
	of := map[string]string{}
	for _, d := range r.regions {
		of[d.Name] = d.Func
	}
	require.Equal(t, "google.golang.org/grpc.UnaryServerInterceptor", of["Guide/Get"])
	require.Equal(t, "google.golang.org/grpc.StreamServerInterceptor", of["Guide/Watch"])
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
			require.NotZero(t, functions[0].Counted())
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

// Functions are recorded as long as that costs little. When it costs too much, the shortest of those that matter go, as many as it takes; a long
// one never does.
func TestTooMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some, all := 0, 0
	for range 10_000 {
		ns, enough := 1+random.Uint64N(200), 8+random.Uint64N(2000)
		long := 100 * ns
		var counts, means, could []uint64
		of := map[uint64]uint64{} // counts by mean
		for left := enough; left > 0; {
			n, mean := 1+random.Uint64N(min(left, 1+random.Uint64N(enough))), 1+random.Uint64N(1+random.Uint64N(10*long))
			if of[mean] > 0 {
				continue
			}
			counts, means, left, of[mean] = append(counts, n), append(means, mean), left-n, n
			if mean < long && n*instrument.Little >= enough {
				could = append(could, mean)
			}
		}
		slices.Sort(could)
		cost := func(visits uint64) int64 { return int64(instrument.LookedAt * ns * visits) }
		cpu := 1 + random.Uint64N(2*instrument.Share*uint64(cost(enough)))
		may := int64(cpu / instrument.Share)
		r := instrument.NewRate(ns, long, enough)
		got := r.TooMany(counts, means, cpu)
		if may >= cost(enough) {
			require.Empty(t, got)
			require.Equal(t, may-cost(enough), r.Left())
			continue
		}
		require.Zero(t, r.Left())
		require.True(t, slices.Equal(could[:len(got)], got), "%v of %v", got, could)
		rest, before := enough, enough
		for _, mean := range got {
			before, rest = rest, rest-of[mean]
		}
		if len(got) > 0 {
			require.Greater(t, cost(before), may, "one less is enough")
		}
		if len(got) < len(could) {
			some++
			require.LessOrEqual(t, cost(rest), may, "one more is needed")
		} else {
			all++
		}
	}
	require.Greater(t, some, 500)
	require.Greater(t, all, 500)
}

// What was not used before may be used at once, but not more than some moments of it.
func TestTooManyAfterAWhile(t *testing.T) {
	const ns, enough = 50, 100
	const cost = instrument.LookedAt * ns * enough
	r := instrument.NewRate(ns, 100*ns, enough)
	counts, means := []uint64{enough}, []uint64{1}
	require.Empty(t, r.TooMany(counts, means, 0), "the processor time is not known")
	r = instrument.NewRate(ns, 100*ns, enough)
	require.Empty(t, r.TooMany(counts, means, 1000*instrument.Share*cost))
	for range instrument.Spare {
		require.Empty(t, r.TooMany(counts, means, 1))
	}
	require.Equal(t, means, r.TooMany(counts, means, 1))
}

// Each visit of a function is either recorded or counted, until enough are counted. Then it is said that there were more.
func TestVisitsAreRecordedOrCounted(t *testing.T) {
	for _, visits := range []uint64{shm.Enough - 1, 1 << 21} {
		r := record(t, shm.Config{Buffer: 256 << 20}, func() {
			visited(0)
			instrument.Thin(&functions[0])
			for range visits {
				visited(0)
			}
		})
		require.Len(t, r.only(), 2)
		require.Len(t, r.warnings, 1)
		for name, n := range r.warnings {
			region, more, ok := wire.Unrecorded(name)
			require.True(t, ok, name)
			require.Equal(t, "instrument_test.visited", region)
			if more = !more; visits < shm.Enough {
				require.True(t, more)
				require.Equal(t, visits, n)
			} else {
				require.False(t, more)
				require.Less(t, n, visits)
				require.GreaterOrEqual(t, n, uint64(shm.Enough))
			}
		}
	}
	r := record(t, shm.Config{}, func() { visited(0) }) // the next session begins anew
	require.Len(t, r.only(), 2)
}

func BenchmarkFunction(b *testing.B) {
	b.Run("off", func(b *testing.B) { loop(b, func() { visited(0) }) })
	b.Run("on", func(b *testing.B) { attach(b); loop(b, func() { visited(0) }) })
}

//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// roles are what this test program does as a child of itself.
var roles = map[string]func(){"stress": stress, "wait": func() { io.Copy(io.Discard, os.Stdin) }}

// modes are the ways to find goroutines.
var modes = map[string]shm.Config{"descriptors": {}, "portable": {Portable: true}}

func forModes(t *testing.T, f func(t *testing.T, c shm.Config)) {
	for name, c := range modes {
		t.Run(name, func(t *testing.T) { f(t, c) })
	}
}

var handle = instrument.NewRegion("handle")

func TestRegionsNest(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		var outerAt, innerAt, handleAt string
		r := record(t, c, func() {
			outerAt = line(1)
			defer instrument.Region("outer").End()
			for range 2 {
				innerAt = line(1)
				s := instrument.Region("inner")
				handleAt = line(1)
				handle.Enter().End()
				s.End()
			}
		})
		events := r.only()
		require.Equal(t, []string{"enter outer", "enter inner", "enter handle", "exit", "exit",
			"enter inner", "enter handle", "exit", "exit", "exit"}, texts(events))
		require.Equal(t, outerAt, events[0].at)
		require.Equal(t, innerAt, events[1].at)
		require.Equal(t, handleAt, events[2].at)
		require.Empty(t, r.warnings)
	})
}

// A region made beforehand is where it is entered, at each of its places, also when the call is not inlined.
func TestHandleIsWhereItIsEntered(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		var want []string
		r := record(t, c, func() {
			for range 2 {
				want = append(want, line(1))
				handle.Enter().End()
				want = append(want, line(1))
				handle.Enter().End()
				enter := handle.Enter
				want = append(want, line(1))
				enter().End()
				for _, h := range []*instrument.Handle{handle, instrument.NewRegion("another")} {
					want = append(want, line(1))
					h.Enter().End()
				}
			}
		})
		var got, names []string
		for _, e := range r.only() {
			if e.at != "" {
				got, names = append(got, e.at), append(names, e.String())
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, "enter another", names[4])
		require.Equal(t, "enter handle", names[3])
	})
}

func TestEndsOutOfOrder(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		r := record(t, c, func() {
			outer := instrument.Region("outer")
			instrument.Region("left open")
			instrument.Region("left open too")
			outer.End()
			outer.End()
			next := handle.Enter()
			outer.End() // at the same depth as next
			next.End()
		})
		require.Equal(t, []string{"enter outer", "enter left open", "enter left open too", "exit 2", "enter handle", "exit"}, texts(r.only()))
		require.Equal(t, map[string]uint64{"regions closed by an outer end": 2}, r.warnings)
	})
}

func TestEndOnAnotherGoroutine(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		r := record(t, c, func() {
			s := instrument.Region("mine")
			done := make(chan bool)
			go func() { s.End(); close(done) }()
			<-done
			s.End()
		})
		require.Equal(t, []string{"enter mine", "exit"}, texts(r.only()))
		require.Equal(t, map[string]uint64{"ends on another goroutine": 1}, r.warnings)
	})
}

func TestDynamicNames(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		name := []byte("a")
		for i := range 6 {
			name[0] = 'a' + byte(i%3) // the same memory holds another name
			instrument.Region(unsafe.String(&name[0], 1)).End()
		}
	})
	require.Equal(t, []string{"enter a", "exit", "enter b", "exit", "enter c", "exit",
		"enter a", "exit", "enter b", "exit", "enter c", "exit"}, texts(r.only()))
	require.Len(t, r.regions, 4, "three, and the one for unknown places")
}

func TestSessions(t *testing.T) {
	require.False(t, instrument.Enabled())
	var open instrument.Span
	record(t, shm.Config{}, func() {
		require.True(t, instrument.Enabled())
		require.Error(t, instrument.Attach(shm.Config{Dir: t.TempDir()}))
		open = handle.Enter()
	})
	open.End()
	r := record(t, shm.Config{}, func() {
		open.End() // of the session before
		handle.Enter().End()
	})
	require.Equal(t, []string{"enter handle", "exit"}, texts(r.only()))
	require.Empty(t, r.warnings)
	require.Error(t, instrument.Attach(shm.Config{Dir: "/nonexistent"}))
	require.False(t, instrument.Enabled())
}

// Every goroutine is a location of its own, though they use the same few descriptors again.
func TestGoroutinesByThemselves(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		const n = 300
		r := record(t, c, func() {
			for range n {
				done := make(chan bool)
				go func() {
					defer close(done)
					defer instrument.Region("r").End()
				}()
				<-done
			}
		})
		require.Len(t, r.locations, n)
		for _, events := range r.locations {
			require.Equal(t, []string{"enter r", "exit"}, texts(events))
		}
	})
}

func TestManyGoroutinesAtOnce(t *testing.T) {
	const n = 20000
	r := record(t, shm.Config{}, func() {
		var wg instrument.WaitGroup
		gate := make(chan bool)
		for range n {
			wg.Go(func() {
				s := handle.Enter()
				<-gate
				s.End()
			})
		}
		close(gate)
		wg.Wait()
		ended()
	})
	spawned := r.spawned()
	require.Len(t, spawned, n)
	for _, events := range spawned {
		require.Equal(t, []string{"enter handle", "exit", "done"}, texts(events[1:4]))
	}
	require.Empty(t, r.warnings)
}

// fill records pairs of regions two deep and returns how many events these are.
func fill(pairs int) int {
	for range pairs {
		s := instrument.Region("outer")
		instrument.Region("inner").End()
		s.End()
	}
	return 4 * pairs
}

func TestFullBufferDropsWholeLevels(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		c.Buffer, c.Dir = 2<<20, t.TempDir()
		pairs, others := 80000, 0
		if c.Portable { // asking for a goroutine's number takes long: others, who ask twice for a chunk, fill most of the buffer
			pairs, others = 3000, 6700
		}
		require.NoError(t, instrument.Attach(c))
		before := instrument.Region("before")
		for range others {
			done := make(chan bool)
			go func() { handle.Enter().End(); close(done) }()
			<-done
		}
		inner := instrument.Region("and inner")
		events := fill(pairs)
		inner.End() // lost
		before.End()
		files, _ := filepath.Glob(filepath.Join(c.Dir, "*"))
		v, err := shm.Open(files[0])
		require.NoError(t, err)
		saved := v.TakeRetired(nil)
		require.NotEmpty(t, saved)
		for i, chunk := range saved {
			saved[i].Words = slices.Clone(chunk.Words)
			v.Free(chunk)
		}
		instrument.Region("after").End()
		instrument.Detach()
		lost := v.Warnings()["events lost"]
		v.Close()
		require.NotZero(t, lost)

		r := decode(t, c.Dir, saved...)
		require.Equal(t, 1+others, len(r.locations))
		all := r.locations[1]
		tail := texts(all[len(all)-3:])
		require.Equal(t, []string{"enter after", "exit"}, tail[1:])
		note := all[len(all)-3]
		require.Equal(t, wire.Lost, note.kind)
		require.LessOrEqual(t, uint32(2), note.id, "the two that were open when the loss began, at least")
		require.Zero(t, r.checkNesting(1, all))
		require.Equal(t, lost, note.words[0])
		require.Equal(t, events+4, int(lost)+len(all)-3, "each event is in the record, or counted")
	})
}

func TestBlockWaitsForRoom(t *testing.T) {
	dir := t.TempDir()
	stop := startDrain(t, shm.Config{Dir: dir, Buffer: 2 << 20, Block: true})
	fill(200000)
	require.Zero(t, stop()["events lost"])
}

func TestNoAllocations(t *testing.T) {
	var mu instrument.Mutex
	var rw instrument.RWMutex
	var wg instrument.WaitGroup
	var once instrument.Once
	cond := instrument.NewCond(&mu)
	metric := instrument.NewMetric("m", "")
	ch, other := make(chan int, 1), make(chan int, 1)
	nothing := func() {}
	calls := map[string]func(){
		"handle": func() { handle.Enter().End() },
		"name":   func() { defer instrument.Region("name").End() },
		"lock":   func() { mu.Lock(); mu.Unlock(); mu.TryLock(); mu.Unlock() },
		"rwlock": func() { rw.Lock(); rw.Unlock(); rw.RLock(); rw.RUnlock() },
		"join":   func() { wg.Add(1); wg.Done(); wg.Wait() },
		"once":   func() { once.Do(nothing) },
		"signal": func() { cond.Signal(); cond.Broadcast() },
		"metric": func() { metric.Sample(1) },
		"sleep":  func() { instrument.Sleep(0) },
		"chan":   func() { instrument.Send(ch, 1); instrument.Recv(ch) },
		"select": func() {
			sel := instrument.Select()
			select {
			case other <- 1:
				sel.Sent(other)
			case <-other:
				sel.Received(other, true)
			}
		},
	}
	check := func() {
		for name, call := range calls {
			require.Zero(t, testing.AllocsPerRun(100, call), name)
		}
	}
	check()
	record(t, shm.Config{}, check)
}

// A pair of region events takes two words.
func TestBytesPerEvent(t *testing.T) {
	const pairs = 50000
	r := record(t, shm.Config{}, func() { fill(pairs / 2) })
	v, err := shm.Open(r.buffer)
	require.NoError(t, err)
	defer v.Close()
	bytes := 0
	for _, c := range v.Owned() {
		bytes += shm.ChunkHeader + 8*len(c.Words)
	}
	require.InDelta(t, 16, float64(bytes)/pairs, 0.2)
}

// Attached by the environment, under a collector that runs all the time.
func TestStressAsChild(t *testing.T) {
	for _, env := range [][]string{{"GOGC=1", "GOMAXPROCS=4"}, {"GOMAXPROCS=1"}, {"GODEBUG=gccheckmark=0,clobberfree=1"}} {
		t.Run(strings.Join(env, " "), func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(append(os.Environ(), env...), "INSTRUMENT_TEST_ROLE=stress",
				shm.Environment+"="+shm.Config{Dir: dir}.String())
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Empty(t, out)
			r := decode(t, dir)
			require.Empty(t, r.warnings)
			require.Equal(t, stressed, r.count(wire.SendBegin))
			require.Equal(t, stressed, r.count(wire.LockBegin))
			require.Equal(t, stressed, r.count(wire.Release))
			require.Equal(t, 8, r.count(wire.Begin))
		})
	}
}

const stressed = 8 * 200

func stress() {
	var wg instrument.WaitGroup
	var mu instrument.Mutex
	for range 8 {
		wg.Go(func() {
			for i := range stressed / 8 {
				ch := make(chan []byte, 1)
				func() {
					defer instrument.Region("work").End()
					deep(i % 50)
					instrument.Send(ch, make([]byte, 1000))
				}()
				instrument.Recv(ch)
				mu.Lock()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	ended()
}

// deep makes stacks grow and move.
func deep(n int) int {
	var frame [256]byte
	if n > 0 {
		s := handle.Enter()
		defer s.End()
		return deep(n-1) + int(frame[n])
	}
	return 0
}

func TestEnvironmentErrors(t *testing.T) {
	for value, said := range map[string]string{
		"dir=/nonexistent":  `^$`, // the recording is over
		"nonsense":          `^tracerec: process \d+ is not recorded: TRACEREC: unknown option "nonsense"\n$`,
		"dir=" + os.Args[0]: `^tracerec: process \d+ is not recorded: create .*: not a directory\n$`,
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "INSTRUMENT_TEST_ROLE=stress", shm.Environment+"="+value)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "the program runs on")
		require.Regexp(t, said, string(out))
	}
}

// What is documented to be inlined is inlined, and nothing escapes.
func TestGuardsAreInlined(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", "tracerec/instrument").CombinedOutput()
	require.NoError(t, err)
	for _, f := range []string{"Region", "(*Handle).Enter", "Span.End", "Enabled", "Select", "Selection.Sent",
		"Selection.Received", "Selection.Default", "(*Once).Do", "(*Metric).Sample", "(*WaitGroup).Done"} {
		require.True(t, strings.Contains(string(out), "can inline "+f+"\n"), f)
	}
	for _, line := range strings.Split(string(out), "\n") {
		file, _, _ := strings.Cut(strings.TrimPrefix(line, "./"), ":")
		if slices.Contains([]string{"event.go", "slot.go", "channel.go", "lock.go", "once.go", "region.go"}, filepath.Base(file)) &&
			!strings.Contains(line, "&Handle{") {
			require.NotContains(t, line, "escapes to heap")
			require.NotContains(t, line, "moved to heap")
		}
	}
}

// Functions are called as pprof calls them.
func TestShortNames(t *testing.T) {
	for name, want := range map[string]string{
		"main.main.func1":                           "main.main.func1",
		"example.org/a/store.(*DB).Get.func2.1":     "store.(*DB).Get.func2.1",
		"example.org/ants/v2.(*poolCommon).purge":   "ants.(*poolCommon).purge",
		"example.org/ants/v12.run":                  "ants.run",
		"example.org/video.v2.run":                  "video.v2.run",
		"v2.run":                                    "v2.run",
		"example.org/a/p.F[go.shape.example/b.T]":   "p.F[go.shape.example/b.T]",
		"example.org/a/v2/pool.(*P[example/b.T]).g": "pool.(*P[example/b.T]).g",
		"": "",
	} {
		require.Equal(t, want, instrument.ShortName(name))
	}
}

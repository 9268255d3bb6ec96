//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

// count returns how many events of a kind were recorded.
func (r *recording) count(k wire.Kind) int { return len(r.places(k)) }

// places returns where the events of a kind happened.
func (r *recording) places(k wire.Kind) (at []string) {
	for _, events := range r.locations {
		for i := range events {
			if e := &events[i]; e.kind == k {
				at = append(at, e.at)
			}
		}
	}
	return at
}

// spawned returns the events of the locations that Go started, in order of their numbers.
func (r *recording) spawned() (all [][]event) {
	for _, number := range slices.Sorted(maps.Keys(r.locations)) {
		if events := r.locations[number]; slices.ContainsFunc(events[:min(2, len(events))], isBegin) {
			all = append(all, events)
		}
	}
	return all
}

func isBegin(e event) bool { return e.kind == wire.Begin }

func TestChannelOperations(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		var sendAt string
		r := record(t, c, func() {
			ch := make(chan int, 3)
			sendAt = line(1)
			instrument.Send(ch, 1)
			instrument.Send(ch, 2)
			require.Equal(t, 1, instrument.Recv(ch))
			instrument.Close(ch)
			var got []int
			for v := range instrument.Range(ch) {
				got = append(got, v)
			}
			require.Equal(t, []int{2}, got)
			_, ok := instrument.Recv2(ch)
			require.False(t, ok)
			require.PanicsWithError(t, "send on closed channel", func() { instrument.Send(ch, 3) })
			require.PanicsWithError(t, "close of closed channel", func() { instrument.Close(ch) })
		})
		events := r.only()
		require.Equal(t, []string{"send send", "leave", "send send", "leave", "recv recv", "leave", "close close",
			"recv recv", "leave", "recv recv", "leave 1", "recv recv", "leave 1", "send send", "leave 2", "close close"}, texts(events))
		require.Equal(t, sendAt, events[0].at)
		object, _ := events[0].object()
		require.Equal(t, wire.Def{Type: wire.DefObject, ID: object, Object: wire.Channel, Size: 3, Region: events[0].id}, r.objects[object])
		require.Len(t, r.objects, 1)
	})
}

func TestBlockedChannelOperations(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		var wg sync.WaitGroup
		ch := make(chan string)
		wg.Add(1)
		instrument.Go(func() {
			defer wg.Done()
			instrument.Recv(ch)
		})
		waits(t, "chan receive")
		instrument.Send(ch, "x")
		wg.Wait()
		ended()
	})
	spawned := r.spawned()
	require.Len(t, spawned, 1)
	require.Equal(t, []string{"recv recv", "blocked", "leave", "end"}, texts(spawned[0][1:]))
	require.Contains(t, spawned[0][0].region, "TestBlockedChannelOperations.func1.1")
}

func TestCloseDuringSend(t *testing.T) {
	if testkit.Race {
		t.Skip("sending on a channel that is closed at the same time is a race")
	}
	r := record(t, shm.Config{}, func() {
		ch := make(chan string)
		done := make(chan any)
		instrument.Go(func() {
			defer func() { done <- recover() }()
			instrument.Send(ch, "y")
		})
		waits(t, "chan send")
		instrument.Close(ch)
		require.ErrorContains(t, (<-done).(error), "send on closed channel")
		ended()
	})
	require.Equal(t, []string{"send send", "blocked", "leave 2", "end"}, texts(r.spawned()[0][1:]))
}

func TestCounters(t *testing.T) {
	const name = wire.ProcessCounter + "alloc-objects"
	r := record(t, shm.Config{Counters: []string{name + "|/gc/heap/allocs:objects"}}, func() {
		s := instrument.Region("r")
		ch := make(chan int)
		instrument.Go(func() { instrument.Send(ch, 1) })
		waits(t, "chan send")
		instrument.Recv(ch)
		instrument.Sleep(time.Millisecond)
		s.End()
		ended()
	})
	require.Equal(t, []string{"counters 2", "enter r", "create go", "recv recv", "leave", "sleep sleep", "counters 2", "blocked",
		"counters 2", "leave", "counters 2", "exit"}, texts(r.locations[1]))
	require.Equal(t, []string{"counters 2", "begin", "send send", "counters 2", "blocked", "counters 2", "leave", "counters 2", "end"},
		cutRegion(texts(r.spawned()[0])))
}

// cutRegion shortens "begin FUNCTION" to "begin".
func cutRegion(s []string) []string {
	for i := range s {
		if strings.HasPrefix(s[i], "begin ") {
			s[i] = "begin"
		}
	}
	return s
}

func TestChannelAddressesAreUsedAgain(t *testing.T) {
	const channels = 3000
	addresses := map[uintptr]bool{}
	r := record(t, shm.Config{}, func() {
		for i := range channels {
			ch := make(chan int, 1)
			addresses[reflect.ValueOf(ch).Pointer()] = true
			instrument.Send(ch, i)
			instrument.Recv(ch)
			if i%100 == 0 {
				runtime.GC()
			}
		}
	})
	require.Less(t, len(addresses), channels, "some were used again")
	require.Len(t, r.objects, channels)
	seen := map[uint32]int{}
	for _, e := range r.only() {
		if e.kind == wire.SendBegin || e.kind == wire.RecvBegin {
			object, _ := e.object()
			seen[object]++
		}
	}
	require.Len(t, seen, channels)
}

func TestSelect(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		in, out := make(chan int, 1), make(chan int, 1)
		choose := func() {
			sel := instrument.Select()
			select {
			case _, ok := <-in:
				sel.Received(in, ok)
			case out <- 1:
				sel.Sent(out)
			default:
				sel.Default()
			}
		}
		choose()
		choose()
		in <- 1
		choose()
		close(in)
		choose()
	})
	require.Equal(t, []string{"select select", "chose 4", "select select", "chose 3", "select select", "chose 5",
		"select select", "chose 1"}, texts(r.only()))
	require.Len(t, r.objects, 2)
}

func TestNilChannelBlocks(t *testing.T) {
	var ch chan int
	stuck := make(chan struct{})
	r := record(t, shm.Config{}, func() {
		instrument.Go(func() { close(stuck); instrument.Recv(ch) })
		<-stuck
		waits(t, "chan receive (nil chan)")
	})
	events := r.spawned()[0]
	require.Equal(t, []string{"recv recv", "blocked"}, texts(events[1:]))
	require.Equal(t, []uint64{0}, events[1].words)
}

func TestMutex(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		var deferAt, lockerAt string
		r := record(t, c, func() {
			var mu instrument.Mutex
			require.True(t, mu.TryLock())
			require.False(t, mu.TryLock())
			mu.Unlock()
			func() {
				deferAt = line(1)
				mu.Lock()
				defer mu.Unlock()
			}()
			var l sync.Locker = &mu
			lockerAt = line(1)
			l.Lock()
			l.Unlock()
		})
		events := r.only()
		require.Equal(t, []string{"lock lock", "leave", "lock lock", "leave 3", "unlock", "lock lock", "leave", "unlock",
			"lock lock", "leave", "unlock"}, texts(events))
		require.Equal(t, deferAt, events[5].at)
		require.Equal(t, lockerAt, events[8].at, "through an interface")
		require.Len(t, r.objects, 1)
	})
}

func TestRWMutex(t *testing.T) {
	var rlockAt string
	r := record(t, shm.Config{}, func() {
		var mu instrument.RWMutex
		l := mu.RLocker()
		rlockAt = line(1)
		l.Lock()
		require.True(t, mu.TryRLock())
		require.False(t, mu.TryLock())
		mu.RUnlock()
		l.Unlock()
		mu.Lock()
		require.False(t, mu.TryRLock())
		mu.Unlock()
	})
	events := r.only()
	require.Equal(t, []string{"lock rlock", "leave", "lock rlock", "leave", "lock lock", "leave 3", "unlock", "unlock",
		"lock lock", "leave", "lock rlock", "leave 3", "unlock"}, texts(events))
	require.Equal(t, rlockAt, events[0].at)
	var modes []uint32
	for _, e := range events {
		if e.kind == wire.LockBegin || e.kind == wire.Release {
			_, mode := e.object()
			modes = append(modes, mode)
		}
	}
	require.Equal(t, []uint32{1, 1, 0, 1, 1, 0, 1, 0}, modes)
}

func TestLocksExclude(t *testing.T) {
	for name, l := range map[string]sync.Locker{"mutex": new(instrument.Mutex), "rwmutex": new(instrument.RWMutex)} {
		t.Run(name, func(t *testing.T) {
			n := 0
			r := record(t, shm.Config{}, func() {
				var wg instrument.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 500 {
							l.Lock()
							n++
							l.Unlock()
						}
					})
				}
				wg.Wait()
			})
			require.Equal(t, 4000, n)
			require.Equal(t, 4000, r.count(wire.LockBegin))
			require.Equal(t, 4000, r.count(wire.Release))
			require.Equal(t, 8, r.count(wire.Done))
		})
	}
}

func TestWaitGroup(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		var wg instrument.WaitGroup
		wg.Wait()
		wg.Go(func() { waits(t, "sync.WaitGroup.Wait") })
		wg.Wait()
		require.PanicsWithValue(t, "sync: negative WaitGroup counter", wg.Done)
		ended()
	})
	require.Equal(t, []string{"wait wait", "leave", "add", "create go", "wait wait", "blocked", "leave", "done"}, texts(r.locations[1]))
	spawned := r.spawned()
	require.Equal(t, []string{"done", "end"}, texts(spawned[0][1:]))
	require.Contains(t, spawned[0][0].region, "TestWaitGroup", "the function given, not the one around it")
	require.Equal(t, []uint64{1}, spawned[0][0].words, "creator")
	require.Equal(t, []uint64{2}, r.locations[1][3].words, "created")
}

func TestGoexitEndsLocation(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		var wg instrument.WaitGroup
		wg.Go(func() {
			defer instrument.Region("deferred").End()
			instrument.Region("left open")
			runtime.Goexit()
		})
		wg.Wait()
		ended()
	})
	require.Equal(t, []string{"enter deferred", "enter left open", "exit 1", "done", "end"}, texts(r.spawned()[0][1:]))
	require.Equal(t, map[string]uint64{"regions closed by an outer end": 1}, r.warnings)
}

func TestCond(t *testing.T) {
	for name, make := range map[string]func(l sync.Locker) *instrument.Cond{
		"NewCond": instrument.NewCond,
		"literal": func(l sync.Locker) *instrument.Cond { return &instrument.Cond{L: l} },
	} {
		t.Run(name, func(t *testing.T) {
			var waitAt, signalAt, broadcastAt string
			r := record(t, shm.Config{}, func() {
				var mu instrument.Mutex
				c := make(&mu)
				var wg sync.WaitGroup
				ready := false
				wg.Add(1)
				instrument.Go(func() {
					defer wg.Done()
					mu.Lock()
					for !ready {
						waitAt = line(1)
						c.Wait()
					}
					mu.Unlock()
				})
				waits(t, "sync.Cond.Wait")
				mu.Lock()
				ready = true
				mu.Unlock()
				signalAt = line(1)
				c.Signal()
				wg.Wait()
				broadcastAt = line(1)
				c.Broadcast()
				ended()
			})
			events := r.spawned()[0]
			require.Equal(t, []string{"lock lock", "leave", "condwait condwait", "blocked", "unlock", "lock lock", "leave",
				"leave", "unlock", "end"}, texts(events[1:]))
			require.Equal(t, waitAt, events[3].at)
			require.Equal(t, waitAt, events[6].at)
			require.Equal(t, []string{signalAt}, r.places(wire.Signal))
			require.Equal(t, []string{broadcastAt}, r.places(wire.Broadcast))
			require.Len(t, r.objects, 2)
		})
	}
}

func TestOnce(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		var once, bad instrument.Once
		n := 0
		for range 3 {
			once.Do(func() { n++ })
		}
		require.Equal(t, 1, n)
		require.PanicsWithValue(t, "no", func() { bad.Do(func() { panic("no") }) })
		bad.Do(func() { t.Error("a function that panicked has run") })
	})
	require.Equal(t, []string{
		"once once", "oncerun", "enter instrument_test.TestOnce.func1.1", "exit", "leave",
		"once once", "oncerun", "enter instrument_test.TestOnce.func1.2.1", "exit", "leave 2",
	}, texts(r.only()))
}

func TestOnceWaits(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		var once instrument.Once
		var wg instrument.WaitGroup
		ran := false
		for range 2 {
			wg.Go(func() {
				once.Do(func() { waits(t, "sync.Mutex.Lock"); ran = true })
				if !ran {
					t.Error("Do returned before the function had ended")
				}
			})
		}
		wg.Wait()
	})
	require.Equal(t, 1, r.count(wire.OnceRun))
	require.Equal(t, 2, r.count(wire.OnceBegin))
}

func TestOnceFunctions(t *testing.T) {
	n := 0
	f := instrument.OnceFunc(func() { n++ })
	f()
	f()
	require.Equal(t, 1, n)
	v := instrument.OnceValue(func() int { n++; return n })
	require.Equal(t, 2, v())
	require.Equal(t, 2, v())
	v2 := instrument.OnceValues(func() (int, error) { n++; return n, nil })
	a, err := v2()
	require.NoError(t, err)
	require.Equal(t, 3, a)
	bad := instrument.OnceFunc(func() { panic("no") })
	require.PanicsWithValue(t, "no", bad)
	require.PanicsWithValue(t, "no", bad)
}

func TestBarrier(t *testing.T) {
	const size, rounds = 4, 20
	r := record(t, shm.Config{}, func() {
		b := instrument.NewBarrier(size)
		var wg instrument.WaitGroup
		var arrived [size]int
		for i := range size {
			wg.Go(func() {
				for round := range rounds {
					arrived[i] = round
					b.Wait()
					for _, a := range arrived {
						if a != round {
							t.Errorf("in round %d somebody is in %d", round, a)
						}
					}
					b.Wait()
				}
			})
		}
		wg.Wait()
	})
	require.Equal(t, 2*size*rounds, r.count(wire.BarrierBegin))
	generations := map[uint32]int{}
	for _, events := range r.spawned() {
		for _, e := range events {
			if e.kind == wire.BarrierBegin {
				_, generation := e.object()
				generations[generation]++
			}
		}
	}
	for g := range uint32(2 * rounds) {
		require.Equal(t, size, generations[g])
	}
	require.Panics(t, func() { instrument.NewBarrier(0) })
}

func TestSleepAndMetric(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		m := instrument.NewMetric("queue length", "items")
		instrument.Sleep(10 * time.Millisecond)
		m.Sample(-3)
		m.Sample(7)
	})
	events := r.only()
	require.Equal(t, []string{"sleep sleep", "blocked", "leave", "sample 1", "sample 1"}, texts(events))
	require.EqualValues(t, -3, int64(events[3].words[0]))
	require.Equal(t, map[uint32]wire.Def{1: {Type: wire.DefMetric, ID: 1, Name: "queue length", Unit: "items"}}, r.metrics)
}

//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"context"
	"io"
	"runtime/trace"
	"strconv"
	"sync"
	"testing"

	"tracerec/instrument"
	"tracerec/internal/clock"
	"tracerec/internal/shm"
)

// attach begins a session whose buffer a goroutine of this process empties, as a recorder would.
func attach(b *testing.B) {
	stop := startDrain(b, shm.Config{Dir: "/dev/shm"})
	b.Cleanup(func() { stop() })
	b.ReportAllocs()
	b.ResetTimer()
}

func BenchmarkClock(b *testing.B) {
	k := clock.Best()
	for b.Loop() {
		clock.Now(k)
	}
}

func BenchmarkRegion(b *testing.B) {
	handle := instrument.NewRegion("handle")
	pairs := map[string]func(){
		"handle":     func() { handle.Enter().End() },
		"defer+name": func() { defer instrument.Region("name").End() },
	}
	for _, name := range []string{"handle", "defer+name"} {
		b.Run(name+"/off", func(b *testing.B) { loop(b, pairs[name]) })
		b.Run(name+"/on", func(b *testing.B) { attach(b); loop(b, pairs[name]) })
	}
	ctx := context.Background()
	region := func() { trace.StartRegion(ctx, "name").End() }
	b.Run("runtime-trace/off", func(b *testing.B) { loop(b, region) })
	b.Run("runtime-trace/on", func(b *testing.B) {
		if err := trace.Start(io.Discard); err != nil {
			b.Fatal(err)
		}
		defer trace.Stop()
		loop(b, region)
	})
}

func loop(b *testing.B, f func()) {
	for range b.N {
		f()
	}
}

// BenchmarkCounters is a region with the counters of its thread read at both ends, beside one without.
func BenchmarkCounters(b *testing.B) {
	names := []string{"task-clock", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations"}
	for _, n := range []int{0, 1, 2, 4, 6} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			stop := startDrain(b, shm.Config{Dir: "/dev/shm", Counters: names[:n]})
			b.Cleanup(func() { stop() })
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				handle.Enter().End()
			}
		})
	}
}

// BenchmarkHandle has the region in the loop itself, without the call of a function value.
func BenchmarkHandle(b *testing.B) {
	for _, on := range []string{"off", "on"} {
		b.Run(on, func(b *testing.B) {
			if on == "on" {
				attach(b)
			}
			for range b.N {
				handle.Enter().End()
			}
		})
	}
}

//go:noinline
func deferNamed() { defer instrument.Region("name").End() }

//go:noinline
func deferNothing() {}

// BenchmarkDefer has the region in a function, beside the same function without it.
func BenchmarkDefer(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		for range b.N {
			deferNothing()
		}
	})
	pair := func(b *testing.B) {
		for range b.N {
			deferNamed()
		}
	}
	b.Run("off", pair)
	b.Run("on", func(b *testing.B) { attach(b); pair(b) })
}

func BenchmarkMutex(b *testing.B) {
	var bare sync.Mutex
	var mu instrument.Mutex
	b.Run("bare", func(b *testing.B) {
		for range b.N {
			bare.Lock()
			bare.Unlock()
		}
	})
	pair := func(b *testing.B) {
		for range b.N {
			mu.Lock()
			mu.Unlock()
		}
	}
	b.Run("off", pair)
	b.Run("on", func(b *testing.B) { attach(b); pair(b) })
}

func BenchmarkChannel(b *testing.B) {
	ch := make(chan int, 1)
	b.Run("bare", func(b *testing.B) {
		for range b.N {
			ch <- 1
			<-ch
		}
	})
	pair := func(b *testing.B) {
		for range b.N {
			instrument.Send(ch, 1)
			instrument.Recv(ch)
		}
	}
	b.Run("off", pair)
	b.Run("on", func(b *testing.B) { attach(b); pair(b) })
}

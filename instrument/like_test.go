//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// panicOf returns what f panics with.
func panicOf(f func()) (x any) {
	defer func() { x = recover() }()
	f()
	return nil
}

func TestPanicsAreTheOriginals(t *testing.T) {
	closed := make(chan int)
	close(closed)
	var none chan int
	var wg sync.WaitGroup
	var own instrument.WaitGroup
	pairs := map[string][2]func(){
		"send":       {func() { closed <- 1 }, func() { instrument.Send(closed, 1) }},
		"close":      {func() { close(closed) }, func() { instrument.Close(closed) }},
		"close nil":  {func() { close(none) }, func() { instrument.Close(none) }},
		"done":       {wg.Done, own.Done},
		"once value": {func() { sync.OnceFunc(func() { panic(t) })() }, func() { instrument.OnceFunc(func() { panic(t) })() }},
	}
	check := func() {
		for name, pair := range pairs {
			original, copied := panicOf(pair[0]), panicOf(pair[1])
			require.NotNil(t, original, name)
			require.Equal(t, original, copied, name)
			require.IsType(t, original, copied, name)
		}
	}
	check()
	record(t, shm.Config{}, check)
}

// Time stands still in a bubble, but not for the record.
func TestBubble(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		synctest.Test(t, func(t *testing.T) {
			var mu instrument.Mutex
			var wg instrument.WaitGroup
			ch := make(chan time.Time)
			wg.Go(func() {
				instrument.Sleep(time.Hour)
				mu.Lock()
				defer mu.Unlock()
				instrument.Send(ch, time.Now())
			})
			start := time.Now()
			require.Equal(t, time.Hour, instrument.Recv(ch).Sub(start))
			runtime.GC()
			wg.Wait()
			synctest.Wait()
		})
	})
	spawned := r.spawned()
	require.Len(t, spawned, 1)
	require.Equal(t, []string{"sleep sleep", "blocked", "leave", "lock lock", "leave"}, texts(spawned[0][1:6]))
	require.Equal(t, 1, r.count(wire.RecvBegin))
	require.Empty(t, r.warnings)
}

func TestCleanupsAreLocations(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		cleaned := make(chan bool)
		func() {
			garbage := new([1000]int)
			runtime.AddCleanup(garbage, func(int) {
				defer close(cleaned)
				defer instrument.Region("cleanup").End()
			}, 0)
		}()
		for done := false; !done; {
			runtime.GC()
			select {
			case <-cleaned:
				done = true
			case <-time.After(time.Millisecond):
			}
		}
	})
	require.Equal(t, []string{"enter cleanup", "exit"}, texts(r.only()))
}

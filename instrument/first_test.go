//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
)

// TestFirstUse: the first use of an object waits for nobody who adds something else, and gives it one number, however many use it at once.
func TestFirstUse(t *testing.T) {
	record(t, shm.Config{}, func() {
		const goroutines = 8
		var shared instrument.Mutex
		var got [goroutines]uint32
		instrument.WithTablesLocked(func() {
			var wg sync.WaitGroup
			for i := range goroutines {
				wg.Go(func() {
					own := new(instrument.Mutex)
					got[i] = instrument.FirstUse(&shared)
					if own := instrument.FirstUse(own); own == got[i] || own == 0 {
						t.Errorf("two objects are number %d", own)
					}
				})
			}
			wg.Wait()
		})
		for _, id := range got {
			require.Equal(t, got[0], id)
			require.NotZero(t, id)
		}
	})
}

// TestDefinedOnce: an object is defined once, also if several goroutines use it for the first time at once.
func TestDefinedOnce(t *testing.T) {
	const rounds = 2000
	r := record(t, shm.Config{}, func() {
		var list [rounds]struct {
			met   atomic.Int32
			own   instrument.Mutex // has its number
			plain instrument.PlainMutex
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for i := range list {
					x := &list[i]
					x.met.Add(1)
					for tries := 1; x.met.Load() < 2; tries++ {
						if tries%1000 == 0 {
							runtime.Gosched()
						}
					}
					x.own.Lock()
					x.own.Unlock()
					x.plain.Lock()
					x.plain.Unlock()
				}
			})
		}
		wg.Wait()
	})
	require.Equal(t, 2*rounds, len(r.objects))
}

// TestLateUse: a call that began in a session that is over leaves an object to the next one.
func TestLateUse(t *testing.T) {
	var before *instrument.Session
	record(t, shm.Config{}, func() { before = instrument.Current() })
	record(t, shm.Config{}, func() {
		var mu instrument.Mutex
		id := instrument.FirstUse(&mu)
		require.Zero(t, before.FirstUse(&mu))
		require.Equal(t, id, instrument.FirstUse(&mu))
	})
}

// TestApart: what many goroutines write at once is in cache lines of its own.
func TestApart(t *testing.T) {
	require.Equal(t, [3]uintptr{64, 64, 64}, instrument.Apart)
}

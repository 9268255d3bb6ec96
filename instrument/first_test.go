package instrument_test

import (
	"sync"
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

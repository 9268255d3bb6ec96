package mpx

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// enlisted returns how many multiplexers the rotator serves, and whether it lives.
func (r *rotator) enlisted() (n int, running bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.due), r.running
}

func TestOneRotatorServesAllThreads(t *testing.T) {
	names, total := cells(4)
	var done sync.WaitGroup
	for thread := range 4 {
		done.Go(func() {
			f := newFake(1+thread%2, total)
			m := New(f, thread, Options{Slice: time.Duration(1+thread) * time.Millisecond / 4})
			s, err := m.NewSet(names...)
			require.NoError(t, err)
			require.NoError(t, s.Start())
			for m.Stats().Switches < 40 {
				f.run(DefaultMinCycles)
				time.Sleep(10 * time.Microsecond)
			}
			require.NoError(t, s.Stop())
			v := make([]Value, len(names))
			require.NoError(t, s.Read(v))
			for k := range v {
				require.True(t, v[k].Enough)
				require.GreaterOrEqual(t, v[k].Slices, 10)
			}
			stats := m.Stats()
			require.GreaterOrEqual(t, stats.Rotations, 20)
			require.Positive(t, stats.Time)
			require.Zero(t, stats.Slots)
		})
	}
	done.Wait()
	n, _ := shared.enlisted()
	require.Zero(t, n)
	testkit.Until(t, "the rotator's end, as there is nothing to rotate", func() bool {
		_, running := shared.enlisted()
		return !running
	})
}

func TestNothingIsRotatedWhereNobodyWaits(t *testing.T) {
	names, total := cells(2)
	f := newFake(2, total)
	m := New(f, 1, Options{Slice: time.Microsecond})
	s := newSet(t, m, names...)
	require.NoError(t, s.Start())
	n, _ := shared.enlisted()
	require.Zero(t, n)
	f.run(slice)
	require.NoError(t, s.Stop())
	require.True(t, read(t, s)[0].Whole)
	require.Zero(t, m.Stats().Rotations)
}

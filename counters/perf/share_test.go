//go:build linux

package perf_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/counters/perf"
	"tracerec/counters/substrate"
)

// running is an event set with what was stored to its cells before it was started.
type running struct {
	set    *counters.EventSet
	cells  []int
	before []int64
}

// Event sets nest and overlap at will as long as they watch four places altogether; every one counts exactly. A set for
// which no register is left is refused, and disturbs nobody.
func TestEventSetsShareRegisters(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var sets []running
	stored := make([]int64, 6)
	check := func(r running) {
		v := make([]int64, len(r.cells))
		require.NoError(t, r.set.Read(v))
		for i, c := range r.cells {
			require.Equal(t, stored[c]-r.before[i], v[i], "cell %d of %v", c, r.cells)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	refused, shared := 0, 0
	for range 400 {
		switch action := random.IntN(5); {
		case action == 0 && len(sets) < 8:
			r := running{set: counters.New(perf.New()), cells: random.Perm(6)[:1+random.IntN(4)]}
			err := r.set.AddAll(perf.Watches(r.cells...)...)
			if err == nil {
				err = r.set.Start()
			}
			if errors.Is(err, substrate.ErrNoCounters) || errors.Is(err, substrate.ErrConflict) {
				require.NotEmpty(t, sets, "%v alone: %v", r.cells, err)
				refused++
				continue
			}
			perf.SkipUnlessPossible(t, err)
			for _, c := range r.cells {
				r.before = append(r.before, stored[c])
			}
			if sets = append(sets, r); registers(sets) > 4 {
				shared++
			}
		case action == 1 && len(sets) > 0:
			i := random.IntN(len(sets))
			check(sets[i])
			require.NoError(t, sets[i].set.Stop(nil))
			sets = append(sets[:i], sets[i+1:]...)
		default:
			c, n := random.IntN(6), random.IntN(20)
			perf.Store(c, n)
			stored[c] += int64(n)
		}
	}
	for _, r := range sets {
		check(r)
		require.NoError(t, r.set.Stop(nil))
	}
	require.NotZero(t, refused)
	require.NotZero(t, shared)
	t.Logf("%d sets were refused, %d times more was counted than there are registers", refused, shared)
}

// registers returns how many the sets would take if they did not share.
func registers(sets []running) (n int) {
	for _, r := range sets {
		n += len(r.cells)
	}
	return n
}

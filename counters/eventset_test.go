package counters

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLifeCycle(t *testing.T) {
	var s EventSet
	require.ErrorIs(t, s.Start(), ErrEmpty)
	require.ErrorIs(t, s.Add("nonsense"), ErrUnknownEvent)
	require.NoError(t, s.Add("go:gc-cycles"))
	require.ErrorIs(t, s.Add("go:gc-cycles"), ErrDuplicate)
	v := make([]int64, 1)
	require.ErrorIs(t, s.Read(v), ErrNotRunning)
	require.NoError(t, s.Start())
	require.ErrorIs(t, s.Start(), ErrRunning)
	require.ErrorIs(t, s.Add("go:alloc-bytes"), ErrRunning)
	runtime.GC()
	require.NoError(t, s.Read(v))
	require.False(t, s.Certain())
	require.GreaterOrEqual(t, v[0], int64(1))
	require.NoError(t, s.Stop(v))
	require.ErrorIs(t, s.Stop(nil), ErrNotRunning)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Start(), ErrDestroyed)
}

func TestMixedSubstrates(t *testing.T) {
	if err := Available("task-clock"); err != nil {
		t.Skip(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var s EventSet
	require.NoError(t, s.AddAll("go:gc-cycles", "task-clock", "go:alloc-bytes", "page-faults"))
	require.NoError(t, s.Start())
	runtime.GC()
	v := make([]int64, 4)
	require.NoError(t, s.Stop(v))
	require.GreaterOrEqual(t, v[0], int64(1), "gc cycles")
	require.NotZero(t, v[1], "task-clock")
	require.NotZero(t, v[2], "allocated bytes")
	require.NoError(t, s.Close())
}

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
	_, err := s.Read(make([]uint64, 1))
	require.ErrorIs(t, err, ErrNotRunning)
	require.NoError(t, s.Start())
	require.ErrorIs(t, s.Start(), ErrRunning)
	require.ErrorIs(t, s.Add("go:alloc-bytes"), ErrRunning)
	runtime.GC()
	v := make([]uint64, 1)
	certain, err := s.Read(v)
	require.NoError(t, err)
	require.False(t, certain)
	require.GreaterOrEqual(t, v[0], uint64(1))
	_, err = s.Stop(v)
	require.NoError(t, err)
	_, err = s.Stop(nil)
	require.ErrorIs(t, err, ErrNotRunning)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Start(), ErrClosed)
}

func TestMixedSubstrates(t *testing.T) {
	if err := Available("task-clock"); err != nil {
		t.Skip(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var s EventSet
	for _, n := range []string{"go:gc-cycles", "task-clock", "go:alloc-bytes", "page-faults"} {
		require.NoError(t, s.Add(n))
	}
	require.NoError(t, s.Start())
	runtime.GC()
	v := make([]uint64, 4)
	_, err := s.Stop(v)
	require.NoError(t, err)
	require.GreaterOrEqual(t, v[0], uint64(1), "gc cycles")
	require.NotZero(t, v[1], "task-clock")
	require.NotZero(t, v[2], "allocated bytes")
}

package counters

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/scripted"
)

// What is refused for want of counters is told with what this program's own sets count on the thread, which may be the reason.
func TestRefusalsNameOtherSets(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sub := scripted.New(scripted.Config{Counters: 3, Events: []scripted.Event{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}})
	set := func(names ...string) *EventSet {
		s := New(sub)
		require.NoError(t, s.AddAll(names...))
		return s
	}
	first, second, third := set("b", "a"), set("c", "a"), set("a")
	for _, s := range []*EventSet{first, second, third} {
		require.NoError(t, s.Start())
	}
	other := New(sub)
	require.ErrorContains(t, other.Add("d"), "(running event sets of this program count there: a, b, c)")
	require.NoError(t, first.Stop(nil))
	require.NoError(t, third.Stop(nil))
	require.NoError(t, second.Stop(nil))
	require.NoError(t, other.Add("d"))
	err := other.AddAll("a", "b", "c")
	require.ErrorIs(t, err, ErrNoCounters)
	require.NotContains(t, err.Error(), "running event sets", "four do not fit whoever counts")
	for _, s := range []*EventSet{first, second, third, other} {
		require.NoError(t, s.Close())
	}
}

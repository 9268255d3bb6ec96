package perfevent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	seen, codes := map[string]bool{}, map[Event]bool{}
	for _, n := range All() {
		code := Event{Type: n.Type, Config: n.Config}
		require.False(t, codes[code], n.Name)
		codes[code] = true
		require.NotEmpty(t, n.Description)
		for _, name := range []string{n.Name, n.Alias} {
			found, ok := Find(name)
			require.Equal(t, name != "", ok)
			require.True(t, !ok || found == n, name)
			require.False(t, ok && seen[name], name)
			seen[name] = true
		}
	}
	require.Len(t, All(), SoftwareCodes+HardwareCodes+2*(4*3+2+1+1))
	misses, ok := Find("dTLB-store-misses")
	require.True(t, ok)
	event := misses.Event()
	require.Equal(t, Attr{Type: Cache, Size: 136, Config: 0x10103}, event.Attr())
	_, ok = Find("iTLB-stores")
	require.False(t, ok)
}

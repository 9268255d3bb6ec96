package instrument

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Those that wait for a lock come first, then the most; of the rest it is only told how many they are.
func TestOlderText(t *testing.T) {
	kinds := map[older]int{{"main", "chan receive"}: 1, {"main.a", "sync.Mutex.Lock"}: 1, {"main.b", "select"}: 30}
	require.Equal(t, "goroutines that waited all the time, since before the recording began, are not in it: "+
		"main.a [sync.Mutex.Lock], main.b ×30 [select], main [chan receive] (a goroutine dump shows where)", olderText(kinds, 32))
	kinds[older{"main.c", "IO wait"}], kinds[older{"main.d", "IO wait"}], kinds[older{"main.e", "sleep"}] = 4, 3, 2
	require.Contains(t, olderText(kinds, 41), "main.c ×4 [IO wait], main.d ×3 [IO wait], main.e ×2 [sleep], 1 more (a")
}

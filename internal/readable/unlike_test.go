package readable

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestElideUnlike: names that would be cut to the same text keep what differs.
func TestElideUnlike(t *testing.T) {
	a, b := "BenchmarkLimiter/type:mutex;procs:4;goroutines:8", "BenchmarkLimiter/type:atomic;procs:4;goroutines:8"
	require.Equal(t, Elide(a, 24), Elide(b, 24))
	require.Equal(t, "Benchm…mutex;p…outines:8", ElideUnlike(a, []string{a, b}, 24))
	require.Equal(t, "Benchm…atomic;…outines:8", ElideUnlike(b, []string{a, b}, 24))
	require.Equal(t, Elide(a, 24), ElideUnlike(a, []string{a}, 24))
	require.Equal(t, Elide(a, 24), ElideUnlike(a, nil, 24))
	require.Equal(t, "short", ElideUnlike("short", []string{a}, 24))
	long := func(i, j int) string { // which differ in two places
		return strings.Repeat("x", 30) + string(rune('a'+i)) + strings.Repeat("y", 30) + string(rune('a'+j)) + strings.Repeat("z", 30)
	}
	all := []string{long(0, 0), long(0, 1), long(1, 0)}
	for _, s := range all[:2] {
		require.Equal(t, s, ElideUnlike(s, all, 24), "it stays whole")
	}
	require.NotEqual(t, all[2], ElideUnlike(all[2], all, 24))
}

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryWaitIsMade(t *testing.T) {
	const length = 5 * time.Millisecond
	plants := plantAll(length)
	require.Len(t, plants, len(cases))
	for _, p := range plants {
		require.GreaterOrEqual(t, p.Length, int64(length)/2, p.Name) // those of busy are computed loops
	}
}

func TestBlameHolders(t *testing.T) {
	// The long holder has the lock in [0, 100), a short one in [100, 110); two waiters ask at 20 and 105.
	got := chargeHolders([]acquisition{
		{asked: 20, got: 110, released: 120},
		{asked: 0, got: 0, released: 100, long: true},
		{asked: 30, got: 100, released: 110},
		{asked: 105, got: 120, released: 130},
	})
	require.Equal(t, charges{Long: 80 + 70, All: 80 + 70 + 10 + 5 + 10}, got)
}

func TestCrowdIsSerial(t *testing.T) {
	b := crowd(4, 3)
	require.Positive(t, b.All)
	require.LessOrEqual(t, b.Long, b.All)
}

//go:build linux

package shm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
)

func TestReserve(t *testing.T) {
	b, err := Create(Config{Dir: t.TempDir(), Buffer: 4 << 20}, clock.Monotonic, 0)
	require.NoError(t, err)
	require.Zero(t, b.Reserve(), "the first growth has room")
	waits := 0
	for {
		if b.Reserve() > 0 {
			waits++
		}
		if chunk, _ := b.Alloc(Large, Label{}); chunk == 0 {
			break
		}
	}
	require.Equal(t, 2+(4<<20/blockSize-1)/growth, waits, "once for each further growth, the first two of which are small")
	require.Zero(t, b.Reserve(), "there is no more to get")
	require.Zero(t, b.h.counts[MemoryRefused].Load())
}

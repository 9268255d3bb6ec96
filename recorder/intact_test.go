//go:build linux

package recorder

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
)

// TestIntact cuts off a buffer while it is read: the reader takes no harm, the file is as long as it was, and is read no more.
func TestIntact(t *testing.T) {
	b, err := shm.Create(shm.Config{Dir: t.TempDir(), Buffer: 4 << 20}, clock.Monotonic, 0)
	require.NoError(t, err)
	for range 4 {
		b.Alloc(shm.Large, shm.Label{})
	}
	v, err := shm.Open(b.Path())
	require.NoError(t, err)
	defer v.Close()
	info, err := os.Stat(b.Path())
	require.NoError(t, err)
	p := &process{view: v}
	read := 0
	reading := func() error {
		read++
		require.NoError(t, os.Truncate(b.Path(), 4096))
		v.Owned()
		read++
		return nil
	}
	require.NoError(t, p.intact(reading))
	require.Equal(t, 1, read, "the fault ended it")
	require.True(t, p.cut)
	after, err := os.Stat(b.Path())
	require.NoError(t, err)
	require.Equal(t, info.Size(), after.Size())
	require.NoError(t, p.intact(reading))
	require.Equal(t, 1, read)

	require.Panics(t, func() { (&process{view: v}).intact(func() error { panic("another defect") }) })
}

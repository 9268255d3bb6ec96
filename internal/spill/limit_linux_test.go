package spill

import (
	"os/signal"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// limitFiles limits the size of files that this process writes.
func limitFiles(t *testing.T, size uint64) {
	signal.Ignore(unix.SIGXFSZ)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}))
}

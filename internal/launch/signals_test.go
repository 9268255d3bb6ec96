//go:build linux

package launch

import (
	"os/signal"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/internal/testkit"
)

// TestIgnoredSignals: what is ignored stays so until the program is started, is caught until its end, and ignored again for the next one.
func TestIgnoredSignals(t *testing.T) {
	signal.Ignore(unix.SIGUSR1)
	defer signal.Reset(unix.SIGUSR1)
	for range 2 {
		s := Before()
		require.True(t, signal.Ignored(unix.SIGUSR1))
		require.False(t, s.Own(unix.SIGUSR1))
		require.True(t, s.Own(unix.SIGUSR2))
		require.NoError(t, unix.Kill(unix.Getpid(), unix.SIGUSR1)) // nobody gets it
		require.NoError(t, unix.Kill(unix.Getpid(), unix.SIGUSR2))
		require.Equal(t, unix.SIGUSR2, testkit.Receive(t, "a signal", s.C))
		s.Started()
		require.NoError(t, unix.Kill(unix.Getpid(), unix.SIGUSR1))
		require.Equal(t, unix.SIGUSR1, testkit.Receive(t, "a signal", s.C))
		require.True(t, s.For(unix.SIGUSR1))
		require.False(t, s.For(unix.SIGPIPE))
		s.Stop()
		require.True(t, signal.Ignored(unix.SIGUSR1))
		_, open := <-s.C
		require.False(t, open)
	}
}

// TestOtherSignals: those that no program is sent are left alone.
func TestOtherSignals(t *testing.T) {
	s := Before()
	s.Started()
	require.NoError(t, unix.Kill(unix.Getpid(), unix.SIGWINCH))
	s.Stop()
	sig, open := <-s.C
	require.False(t, open, sig)
}

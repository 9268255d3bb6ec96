//go:build linux

package simulated

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/substrate"
	"tracerec/internal/testkit"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/service"
)

// Event sets count on the simulator, for goroutines that change threads, by portable names and others.
func TestSets(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "./testdata/programs/sets"))
	require.NoError(t, err)
	m, err := cache.Named("bgl")
	require.NoError(t, err)
	for seed := range uint64(3) {
		c, err := count.New(m, count.Options{CPUs: 2})
		require.NoError(t, err)
		s, err := service.New(c, service.Options{})
		require.NoError(t, err)
		var printed bytes.Buffer
		k, err := linux.New(program, linux.Options{Args: []string{"sets"}, Stdout: &printed, Stderr: &printed, CPUs: 2, Seed: seed, Observer: c, Services: s})
		require.NoError(t, err)
		status, err := k.Run()
		require.NoError(t, err)
		require.NoError(t, k.Close())
		require.NoError(t, s.Close())
		require.Equal(t, "done\n", printed.String())
		require.Zero(t, status)
	}
}

// Elsewhere there is nothing.
func TestElsewhere(t *testing.T) {
	if Available() {
		t.Skip("this is the simulator")
	}
	for _, s := range []*Substrate{Goroutines(), Threads()} {
		require.Equal(t, "simulator", s.Name())
		require.Empty(t, s.Events())
		_, err := s.Resolve("sim:PAPI_TOT_INS")
		require.ErrorIs(t, err, substrate.ErrUnavailable)
		_, err = s.Resolve("PAPI_TOT_INS")
		require.ErrorIs(t, err, substrate.ErrUnknownEvent)
		_, err = s.Open([]string{"sim:PAPI_TOT_INS"}, substrate.Options{})
		require.ErrorIs(t, err, substrate.ErrUnavailable)
		_, _, ok := s.Preset("PAPI_TOT_INS")
		require.False(t, ok)
	}
}

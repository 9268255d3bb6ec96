//go:build linux

package count

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// Whatever scope is asked for, the parts are the whole, and nothing depends on how often it was asked for.
func TestScopes(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	c, executed, _ := observe(t, compile(t, "work"), "bgl", false, 2, 1)
	const process = 1000 // the first
	whole, kernel := c.Of(process, OfProcess, 0)
	require.Equal(t, executed, whole[Instructions])
	require.Equal(t, 300*whole[SystemCalls], kernel[KernelCycles])

	var threads, parts, accounts Values
	for id := range c.process(process).threads {
		v, _ := c.Of(process, OfThread, uint64(id))
		threads.Add(&v)
		require.False(t, c.Alive(process, id), "thread %d has ended with the run", id)
	}
	require.Greater(t, len(c.process(process).threads), 2)
	for d := range domains {
		v, _ := c.Of(process, OfDomain, uint64(d))
		parts.Add(&v)
	}
	goroutines := 0
	for _, a := range c.Accounts() {
		if a.Domain == Kernel {
			continue
		}
		accounts.Add(&a.Values)
		if a.Goroutine != 0 {
			v, _ := c.Of(process, OfGoroutine, a.Goroutine)
			require.Equal(t, a.Values, v)
			goroutines++
		}
	}
	require.Greater(t, goroutines, 10)
	require.Equal(t, whole, threads)
	require.Equal(t, whole, parts)
	require.Equal(t, whole, accounts)
	for s := range scopes {
		v, _ := c.Of(process, s, 1<<40)
		if s != OfProcess {
			require.Zero(t, v, "there is none of that number")
		}
		v, _ = c.Of(7, s, 1)
		require.Zero(t, v, "there is no such process")
	}
	for _, e := range c.Events() {
		want, err := c.Value(&whole, e.Name)
		require.NoError(t, err)
		require.Equal(t, want, c.Evaluate(&e, &whole), e.Name)
	}
}

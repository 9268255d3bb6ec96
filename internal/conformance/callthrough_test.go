//go:build linux

package conformance

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/simulated"
	"tracerec/internal/testkit"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/service"
)

func TestCallThrough(t *testing.T) {
	if !simulated.Available() {
		t.Skip("not on the simulator: TestInside runs it there")
	}
	Run(t, callThrough())
}

func TestCallThroughThreads(t *testing.T) {
	if !simulated.Available() {
		t.Skip("not on the simulator: TestInside runs it there")
	}
	Run(t, callThroughThreads())
}

// Both run on the simulator, all behaviours that are not skipped for a reason.
func TestInside(t *testing.T) {
	switch {
	case testkit.Race:
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	case testing.Short():
		t.Skip("it builds this package's tests for another processor")
	case simulated.Available():
		t.Skip("this is the simulator")
	}
	program, err := os.ReadFile(testkit.BuildTests(t, testkit.RISCV, "."))
	require.NoError(t, err)

	c, err := count.New(nil, count.Options{CPUs: 2})
	require.NoError(t, err)
	s, err := service.New(c, service.Options{})
	require.NoError(t, err)
	var printed bytes.Buffer
	k, err := linux.New(program, linux.Options{Args: []string{"conformance.test", "-test.v", "-test.run=^TestCallThrough"}, Env: []string{"TMPDIR=/tmp"},
		Mounts: []linux.Mount{{Guest: "/tmp", Host: t.TempDir(), Write: true}}, Stdout: &printed, Stderr: &printed,
		CPUs: 2, Observer: c, Services: s, MaxInstructions: 20e9})
	require.NoError(t, err)
	status, err := k.Run()
	require.NoError(t, err, printed.String())
	require.NoError(t, k.Close())
	require.NoError(t, s.Close())
	require.Zero(t, status, printed.String())

	// What was run and skipped is what the document says.
	for _, h := range []Harness{callThrough(), callThroughThreads()} {
		run := 0
		for _, b := range behaviours() {
			if h.lacks(&b) == "" {
				run++
			}
		}
		m := regexp.MustCompile(`(?m)` + regexp.QuoteMeta(h.Name) + `: (\d+) behaviours run, (\d+) skipped`).FindStringSubmatch(printed.String())
		require.NotNil(t, m, printed.String())
		t.Log(m[0])
		require.Equal(t, []int{run, len(behaviours()) - run}, []int{number(t, m[1]), number(t, m[2])})
	}
	t.Logf("%d million instructions", k.Instructions()/1e6)
}

func number(t *testing.T, digits string) int {
	n, err := strconv.Atoi(digits)
	require.NoError(t, err)
	return n
}

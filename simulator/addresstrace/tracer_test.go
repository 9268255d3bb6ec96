//go:build linux

package addresstrace

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/service"
)

// A guest has a part of itself traced.
func TestSwitched(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "./testdata/programs/switched"))
	require.NoError(t, err)
	c, err := count.New(nil, count.Options{Program: program})
	require.NoError(t, err)
	var trace, printed bytes.Buffer
	w, err := NewWriter(&trace, Binary)
	require.NoError(t, err)
	tracer := NewTracer(w, false)
	s, err := service.New(c, service.Options{Trace: tracer})
	require.NoError(t, err)
	k, err := linux.New(program, linux.Options{Stdout: &printed, Stderr: &printed, Observer: linux.Tee(c, tracer), Services: s})
	require.NoError(t, err)
	status, err := k.Run()
	require.NoError(t, err)
	require.Zero(t, status, printed.String())
	require.NoError(t, k.Close())
	require.NoError(t, w.Close())

	var code, data bounds
	_, err = fmt.Sscan(printed.String(), &code.begin, &code.end, &data.begin, &data.end)
	require.NoError(t, err)
	all, err := records(trace.Bytes())
	require.NoError(t, err)
	require.Equal(t, CPU, all[0].Op)
	require.Equal(t, Thread, all[1].Op)
	fetches, writes, outside, times := 0, 0, 0, 0
	for _, r := range all {
		switch {
		case r.Op == CPU:
			times++
		case r.Op <= Fetch && times == 2:
			outside++
		case r.Op == Fetch:
			require.True(t, code.hold(r.Address))
			fetches++
		case r.Op == Write:
			require.Equal(t, Record{Write, 4, data.begin + 4*uint64(writes)}, r)
			writes++
		}
	}
	require.Equal(t, 500, writes)
	require.GreaterOrEqual(t, fetches, 1000*3)
	require.NotZero(t, outside, "the second time, all is traced between the calls")
	require.Less(t, outside, 100)
}

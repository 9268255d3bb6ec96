package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/otf2"
)

// TestOpenCLByHand: what a program with one kernel waited for is what follows from the ticks in its archive. They are those that `tracerec dump` prints.
func TestOpenCLByHand(t *testing.T) {
	const file = "../../../shared/data/otf2/casita/1_ocl_deps/traces.otf2"
	if _, err := otf2.Open(file); err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	const resolution = 2194922618.0
	ticks := map[string]int64{
		// The stream is there (RmaWinCreate) until clEnqueueWriteBuffer begins; the kernel and the other copy were enqueued before what comes before them had ended.
		"gpu_late_launch": 105222952491370 - 105222857403278,
		// WAIT FOR COMMAND QUEUE begins, and the last copy ends. The call around it, clFinish, waits no more.
		"gpu_host_wait": 105222952705085 - 105222952675518,
		// clEnqueueNDRangeKernel begins, and the first copy ends; clEnqueueReadBuffer begins, and the kernel ends.
		"gpu_queued":            105222952633930 - 105222952595590 + 105222952688195 - 105222952648101,
		"gpu_kernel_executions": 105222952688195 - 105222952662086,
		"gpu_copy_executions":   105222952633930 - 105222952628721 + 105222952705085 - 105222952703332,
	}
	for name, want := range ticks {
		got := 0.0
		for _, cells := range profileOf(t, file, []string{name}, 1e9) {
			got += cells[name]
		}
		require.InDelta(t, float64(want)/resolution, got, 2e-9, name)
	}
}

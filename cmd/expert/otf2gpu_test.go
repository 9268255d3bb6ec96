package main

import (
	"strconv"
	"strings"
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

// deviceWork is what a stream did, or a call of a thread, in ticks.
type deviceWork struct {
	name       string
	begin, end uint64
}

// commandsOf returns the calls of CUDA on the threads of each process, and the kernels and copies on its stream.
func commandsOf(t *testing.T, a *otf2.Archive) (calls, executed map[uint64][]deviceWork) {
	const enter, leave, put, get, complete, stream = 12, 13, 46, 47, 49, 2
	calls, executed = map[uint64][]deviceWork{}, map[uint64][]deviceWork{}
	r := a.NewReader()
	defer r.Close()
	for _, l := range a.Locations {
		chunks, problems := a.Chunks(l)
		require.Empty(t, problems)
		var open []deviceWork
		ended := func(end uint64) {
			x := open[len(open)-1]
			open, x.end = open[:len(open)-1], end
			if l.Kind == stream {
				executed[l.Group] = append(executed[l.Group], x)
			} else if strings.HasPrefix(x.name, "cuMemcpy") || strings.HasSuffix(x.name, "Synchronize") {
				calls[l.Group] = append(calls[l.Group], x)
			}
		}
		for _, c := range chunks {
			for require.NoError(t, r.Open(c)); r.Next(); {
				switch e := &r.Event; e.Spec.ID {
				case enter:
					open = append(open, deviceWork{name: a.NameOf(otf2.Regions, e.Values[0]), begin: e.Time})
				case put, get:
					open = append(open, deviceWork{name: "copy", begin: e.Time})
				case leave, complete:
					ended(e.Time)
				}
			}
		}
	}
	return calls, executed
}

// TestCUDAByHand: for how long the threads of a real program waited for their GPUs is what follows for each call alone from all that was executed while it lasted.
func TestCUDAByHand(t *testing.T) {
	const file = "../../../shared/data/otf2/casita/2_jacobi_blame_cpu_015/traces.otf2"
	a, err := otf2.Open(file)
	if err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	want, waits := uint64(0), 0
	calls, executed := commandsOf(t, a)
	for process, list := range calls {
		for _, c := range list {
			copied, last := uint64(0), uint64(0)
			for _, x := range executed[process] {
				if x.name == "copy" && c.begin < x.end && x.end <= c.end {
					copied = max(copied, x.end)
				}
			}
			for _, x := range executed[process] {
				kernel := x.name != "copy" && x.end <= copied
				if c.begin < x.end && x.end <= c.end && (kernel || strings.HasSuffix(c.name, "Synchronize")) {
					last = max(last, x.end)
				}
			}
			if last > 0 {
				want += last - c.begin
				waits++
			}
		}
	}
	require.Positive(t, want)
	got := int64(0)
	for line := range strings.Lines(run(t, "dump", "--recorded-clocks", "--metrics", "gpu_host_wait", "--format", "tsv", file)) {
		v, _ := strconv.ParseInt(strings.Split(line, "\t")[5], 10, 64) // the first line has words
		got += v
	}
	require.InDelta(t, float64(want), float64(got), 20*0.5, "each cell is rounded to ns")
	t.Logf("%d waits, %d ns", waits, got)
}

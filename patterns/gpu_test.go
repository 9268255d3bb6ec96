package patterns_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// commands is what a location has to do with a stream from begin to end. The streams in these tests are the locations from 10 on.
func commands(loc uint32, what wire.Command, begin, end int64, stream uint32) analyzer.Op {
	return analyzer.Op{Kind: wire.Commanded, Loc: loc, Begin: begin, Blocked: atOnce, End: end, Path: uint32(begin), Mode: stream, Outcome: wire.Outcome(what)}
}

func launches(loc uint32, t int64, stream uint32) analyzer.Op {
	return commands(loc, wire.Launches, t, t, stream)
}

func hands(loc uint32, t int64, stream uint32) analyzer.Op {
	return commands(loc, wire.Hands, t, t, stream)
}

func names(loc uint32, t int64, stream uint32) analyzer.Op {
	return commands(loc, wire.Names, t, t, stream)
}

func synchronizes(loc uint32, begin, end int64) analyzer.Op {
	return commands(loc, wire.Synchronizes, begin, end, 0)
}

func copies(loc uint32, begin, end int64) analyzer.Op {
	return commands(loc, wire.Copies, begin, end, 0)
}

// executes makes the operations of stream 1, 2 … of kernels, and copies with a negative begin, by begin and end; it is idle from idle on.
func executes(stream uint32, idle int64, list ...[2]int64) (ops []analyzer.Op) {
	for _, x := range list {
		what, begin := wire.Executed, x[0]
		if begin < 0 {
			what, begin = wire.Copied, -begin
		}
		ops = append(ops, commands(9+stream, wire.Idled, idle, begin, stream), commands(9+stream, what, begin, x[1], stream))
		idle = x[1]
	}
	return ops
}

func together(lists ...[]analyzer.Op) (ops []analyzer.Op) {
	for _, l := range lists {
		ops = append(ops, l...)
	}
	return ops
}

func TestHostWaitsForDevice(t *testing.T) {
	run(t, []scenario{
		// launched at 20, from 25 to 70; awaited from 30 on: 40
		{name: "it synchronizes while a kernel runs", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), synchronizes(0, 30, 75)}, executes(1, 20, [2]int64{25, 70})),
			want: []string{"gpu_host_wait 0 30-70 by 10@25"}},
		{name: "the kernel has ended before", kind: wire.Device,
			ops: together([]analyzer.Op{launches(0, 20, 1), synchronizes(0, 72, 75)}, executes(1, 20, [2]int64{25, 70}))},
		{name: "the last of several", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), launches(0, 22, 1), synchronizes(0, 30, 95)}, executes(1, 20, [2]int64{25, 70}, [2]int64{71, 90})),
			want: []string{"gpu_host_wait 0 30-90 by 10@71"}},
		{name: "it waits for one stream while another one goes on", kind: wire.Device,
			ops: together([]analyzer.Op{launches(0, 20, 1), launches(0, 22, 2), names(0, 30, 1), synchronizes(0, 30, 75)},
				executes(1, 20, [2]int64{25, 50}), executes(2, 22, [2]int64{25, 70})),
			want: []string{"gpu_host_wait 0 30-50 by 10@25"}},
		{name: "of all streams, for the last", kind: wire.Device,
			ops: together([]analyzer.Op{launches(0, 20, 1), launches(0, 22, 2), synchronizes(0, 30, 75)},
				executes(1, 20, [2]int64{25, 50}), executes(2, 22, [2]int64{25, 70})),
			want: []string{"gpu_host_wait 0 30-70 by 11@25"}},
		{name: "a copy waits for the kernel, not for itself", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), copies(0, 30, 90)}, executes(1, 20, [2]int64{25, 70}, [2]int64{-72, 85})),
			want: []string{"gpu_host_wait 0 30-70 by 10@25"}},
		{name: "a copy that only begins, while a kernel ends", kind: wire.Device,
			ops: together([]analyzer.Op{launches(0, 20, 1), copies(0, 60, 72)}, executes(1, 20, [2]int64{25, 70}, [2]int64{-72, 85}))},
		{name: "of calls in calls, the innermost", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), synchronizes(0, 32, 74), synchronizes(0, 30, 75)}, executes(1, 20, [2]int64{25, 70})),
			want: []string{"gpu_host_wait 0 32-70 by 10@25"}},
		{name: "also where the outer one comes first", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), synchronizes(0, 30, 75), synchronizes(0, 32, 74)}, executes(1, 20, [2]int64{25, 70})),
			want: []string{"gpu_host_wait 0 32-70 by 10@25"}},
	})
}

func TestLateLaunch(t *testing.T) {
	run(t, []scenario{
		// idle from 70 to 100, launched at 95: 25 of it is waiting, 5 is what it takes to begin
		{name: "idle until it is launched", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), launches(0, 95, 1)}, executes(1, 20, [2]int64{25, 70}, [2]int64{100, 120})),
			want: []string{"gpu_late_launch 10 70-95 by 0@95"}},
		{name: "launched before, it begins late", kind: wire.Device,
			ops: together([]analyzer.Op{launches(0, 20, 1), launches(0, 60, 1)}, executes(1, 20, [2]int64{25, 70}, [2]int64{100, 120}))},
		{name: "from its begin on", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1)}, executes(1, 5, [2]int64{25, 70})),
			want: []string{"gpu_late_launch 10 5-20 by 0@20"}},
		{name: "clocks: never longer than until it began", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), launches(0, 103, 1)}, executes(1, 20, [2]int64{25, 70}, [2]int64{100, 120})),
			want: []string{"gpu_late_launch 10 70-100 by 0@103"}},
		{name: "a kernel that is lost, and its launch", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), launches(0, 95, 1), launches(0, 130, 1)}, executes(1, 20, [2]int64{25, 70}, [2]int64{135, 150})),
			want: []string{"gpu_late_launch 10 70-130 by 0@130"}},
		{name: "of two threads, in the order of their launches", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(1, 20, 1), launches(0, 95, 1)}, executes(1, 10, [2]int64{25, 70}, [2]int64{100, 120})),
			want: []string{"gpu_late_launch 10 10-20 by 1@20", "gpu_late_launch 10 70-95 by 0@95"}},
		{name: "until a copy is asked for, on a stream that is named or not", kind: wire.Device,
			ops:  together([]analyzer.Op{hands(0, 20, 0), hands(0, 40, 2), hands(0, 95, 0)}, executes(1, 10, [2]int64{-25, 70}, [2]int64{-100, 120}), executes(2, 10, [2]int64{-45, 50})),
			want: []string{"gpu_late_launch 10 10-20 by 0@20", "gpu_late_launch 10 70-95 by 0@95", "gpu_late_launch 11 10-40 by 0@40"}},
		{name: "until a call copies that waits for it, whatever was asked for before", kind: wire.Device,
			ops:  together([]analyzer.Op{hands(0, 20, 0), copies(0, 95, 130), hands(1, 100, 0)}, executes(1, 10, [2]int64{-25, 70}, [2]int64{-101, 120})),
			want: []string{"gpu_late_launch 10 10-20 by 0@20", "gpu_late_launch 10 70-95 by 0@95"}},
		{name: "clocks: of a copy before its call nothing is known", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), copies(0, 125, 130)}, executes(1, 10, [2]int64{25, 70}, [2]int64{-101, 120})),
			want: []string{"gpu_late_launch 10 10-20 by 0@20"}},
		{name: "a copy is no kernel", kind: wire.Device,
			ops:  together([]analyzer.Op{launches(0, 20, 1), hands(0, 75, 0)}, executes(1, 10, [2]int64{25, 70}, [2]int64{-100, 120})),
			want: []string{"gpu_late_launch 10 10-20 by 0@20", "gpu_late_launch 10 70-75 by 0@75"}},
	})
}

// TestDeviceAgrees compares what is found on streams, of which nothing is lost, with what is found by looking at all operations for each one.
func TestDeviceAgrees(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		ops, kernels, launched := []analyzer.Op{}, map[uint32][][2]int64{}, map[uint32][]analyzer.Op{}
		free, now := map[uint32]int64{}, int64(100)
		for range 20 {
			now += 1 + r.Int64N(20)
			stream, loc := 1+r.Uint32N(2), r.Uint32N(2)
			if r.IntN(3) > 0 {
				begin := max(free[stream], now) + r.Int64N(3)
				free[stream] = begin + 1 + r.Int64N(30)
				kernels[stream] = append(kernels[stream], [2]int64{begin, free[stream]})
				launched[stream] = append(launched[stream], launches(loc, now, stream))
				ops = append(ops, launches(loc, now, stream))
				continue
			}
			until := free[stream]
			if r.IntN(2) > 0 {
				ops = append(ops, names(loc, now, stream))
			} else {
				until = max(free[1], free[2])
			}
			end := max(now, until) + 1 + r.Int64N(3)
			ops = append(ops, synchronizes(loc, now, end))
			now = end
		}
		want := []string{}
		add := func(name, s string) { found[name]++; want = append(want, name+s) }
		for stream, list := range kernels {
			idle := int64(1)
			for k, x := range list {
				if l := launched[stream][k]; l.Begin > idle && x[0] > idle {
					add("gpu_late_launch", fmt.Sprintf(" %d %d-%d by %d@%d", 9+stream, idle, min(l.Begin, x[0]), l.Loc, l.Begin))
				}
				idle = x[1]
			}
		}
		for i, o := range ops {
			if o.Outcome != wire.Outcome(wire.Synchronizes) {
				continue
			}
			last, by := [2]int64{}, uint32(0)
			for stream := uint32(1); stream <= 2; stream++ {
				for _, x := range kernels[stream] {
					named := i > 0 && ops[i-1].Outcome == wire.Outcome(wire.Names)
					if x[1] > o.Begin && x[1] <= o.End && x[1] > last[1] && (!named || ops[i-1].Mode == stream) {
						last, by = x, stream
					}
				}
			}
			if by > 0 {
				add("gpu_host_wait", fmt.Sprintf(" %d %d-%d by %d@%d", o.Loc, o.Begin, last[1], 9+by, last[0]))
			}
		}
		ops = append(append(ops, executes(1, 1, kernels[1]...)...), executes(2, 1, kernels[2]...)...)
		sorted, waits, _ := match(wire.Device, 0, ops)
		require.ElementsMatch(t, want, show(sorted, waits), "seed %d", seed)
	}
	require.Greater(t, found["gpu_late_launch"], 1000)
	require.Greater(t, found["gpu_host_wait"], 1000)
}

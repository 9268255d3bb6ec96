//go:build linux

// Command guest runs on the simulator, for the figures command: the paper's loops on some threads. Package mpx multiplexes their events
// on the simulated PMU, and the simulator counts the truth in the same run. It prints an [outcome] as JSON.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"tracerec/counters"
	"tracerec/counters/mpx"
	"tracerec/counters/perf"
	"tracerec/counters/substrate"
	"tracerec/lab/figures/loops"
	"tracerec/simulator/guest"
)

// The paper's events, as the simulator's kernel names them, and the simulator itself.
var (
	multiplexed = []string{"cycles", "cpu/PAPI_L1_DCM/", "cpu/PAPI_FP_OPS/", "cpu/PAPI_LD_INS/"}
	counted     = []string{"PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_FP_OPS", "PAPI_LD_INS"}
	scheduling  = []string{"context-switches", "cpu-migrations"} // which take none of the unit's counters
)

// run says what to do.
type run struct {
	pattern             string
	iterations, threads int
	passes              int
	slice               time.Duration
	least               uint64 // cycles that make a slice
	mode                string // off: no MPX; rotator: as it is; self: the thread that is measured rotates
	ready, start        chan bool
}

// thread is what was measured of one thread.
type thread struct {
	Truth     []uint64 // counted by the simulator, in the order of the events
	Values    []value  // none without MPX
	Rotations int
	Scheduled []int64 // how often the thread lost its processor, and got another one
}

// value is what matters here of an [mpx.Value].
type value struct {
	Count          int64
	Slices         int
	Enough         bool
	Counted, Total int64
}

func main() {
	r := run{ready: make(chan bool), start: make(chan bool)}
	flag.StringVar(&r.pattern, "pattern", "tiled", "")
	flag.IntVar(&r.iterations, "iterations", 1<<17, "")
	flag.IntVar(&r.threads, "threads", 1, "")
	flag.IntVar(&r.passes, "passes", 8, "")
	flag.DurationVar(&r.slice, "slice", mpx.DefaultSlice, "")
	flag.Uint64Var(&r.least, "least", 0, "")
	flag.StringVar(&r.mode, "mode", "rotator", "")
	flag.Parse()
	debug.SetGCPercent(-1)
	runtime.MemProfileRate = 0
	runtime.GOMAXPROCS(r.threads + 2) // so that the rotator never waits for a thread that is measured to yield
	threads, err := r.all()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(threads)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
		os.Exit(1)
	}
}

// all runs the threads, which start together.
func (r *run) all() ([]thread, error) {
	threads, errs := make([]thread, r.threads), make([]error, r.threads)
	done := make(chan bool)
	for i := range threads {
		go func() {
			runtime.LockOSThread()
			threads[i], errs[i] = r.one(uint64(i), loops.New(r.passes))
			done <- true
		}()
	}
	for range threads {
		<-r.ready
	}
	close(r.start)
	for range threads {
		<-done
	}
	return threads, errors.Join(errs...)
}

// one measures the calling thread. The true counts are those between start and stop of the set.
func (r *run) one(seed uint64, x *loops.Arrays) (t thread, err error) {
	truth, err := guest.Init(guest.Thread)
	if err == nil {
		err = truth.Select(counted...)
	}
	kernels := counters.New(perf.New())
	if err == nil {
		err = kernels.AddAll(scheduling...)
	}
	var set *mpx.Set
	var m *mpx.Multiplexer
	if err == nil && r.mode != "off" {
		m = r.multiplexer(seed)
		set, err = m.NewSet(multiplexed...)
	}
	r.ready <- true
	<-r.start
	if err != nil {
		return t, err
	}
	x.Scrub()
	if err = kernels.Start(); err != nil {
		return t, err
	}
	if set == nil {
		err = r.measure(truth, x, nil)
	} else if err = set.Start(); err == nil {
		err = errors.Join(r.measure(truth, x, m), set.Stop())
	}
	if err != nil {
		return t, err
	}
	t.Scheduled = make([]int64, len(scheduling))
	if err = kernels.Stop(t.Scheduled); err != nil {
		return t, err
	}
	user, kernel := make([]uint64, len(counted)), make([]uint64, len(counted))
	if err = truth.Read(user, kernel); err != nil {
		return t, err
	}
	for i, n := range user {
		if kernel[i] != guest.Absent {
			n += kernel[i]
		}
		t.Truth = append(t.Truth, n)
	}
	if set == nil {
		return t, nil
	}
	v := make([]mpx.Value, len(multiplexed))
	err = set.Read(v)
	for _, v := range v {
		t.Values = append(t.Values, value{v.Count, v.Slices, v.Enough, v.Counted, v.Total})
	}
	t.Rotations = m.Stats().Rotations
	return t, err
}

func (r *run) multiplexer(seed uint64) *mpx.Multiplexer {
	o := mpx.Options{Slice: r.slice, Slots: 1, Seed: seed, MinCycles: r.least}
	if r.mode == "self" {
		o.Slice = -1
	}
	return mpx.New(any(perf.New()).(substrate.Slotter), syscall.Gettid(), o)
}

// measure does the loop; the thread rotates itself, as with the paper's signal, where there is no rotator.
func (r *run) measure(truth *guest.Counters, x *loops.Arrays, m *mpx.Multiplexer) error {
	if err := truth.Start(); err != nil {
		return err
	}
	if r.mode != "self" {
		x.Run(r.pattern, 0, r.iterations)
		return truth.Stop()
	}
	due := time.Now().Add(r.slice)
	for i := 0; i < r.iterations; i += loops.Tile {
		x.Run(r.pattern, i, min(i+loops.Tile, r.iterations))
		if now := time.Now(); now.After(due) {
			m.Rotate()
			due = now.Add(r.slice)
		}
	}
	return truth.Stop()
}

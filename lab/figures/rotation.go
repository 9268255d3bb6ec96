package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
)

// rotation is what it costs to give one slot another event.
type rotation struct {
	rotator   time.Duration    // on the thread that rotates: median
	measured  [3]time.Duration // the time that the thread loses that is measured: quartiles of the rounds
	frequency float64          // cycles a second
}

// rotationCost measures a thread that computes while it is rotated from another one every 200 µs, and while that one does
// nothing at these times. Only rotations that found it running count.
func rotationCost(from substrate.Slotter, thread int) (r rotation, err error) {
	m := mpx.New(from, thread, mpx.Options{Slice: -1, Slots: 1, MinCycles: 1})
	s, err := m.NewSet(watch(&quiet[0]), watch(&quiet[1]))
	if err != nil {
		return r, err
	}
	if err := s.Start(); err != nil {
		return r, err
	}
	const work = 5_000_000
	var lost, frequency []float64
	var took []time.Duration
	v := make([]mpx.Value, 2)
	for range 60 {
		if err := s.Reset(); err != nil {
			return r, err
		}
		alone, _ := disturbed(work, func() bool { return false })
		if err := s.Read(v); err != nil {
			return r, err
		}
		frequency = append(frequency, float64(max(v[0].Total, v[1].Total))/alone.Seconds())
		rotated, each := disturbed(work, func() bool {
			before := m.Stats().Switches
			m.Rotate()
			return m.Stats().Switches > before
		})
		if len(each) > 5 {
			lost = append(lost, float64(rotated-alone)/float64(len(each)))
		}
		took = append(took, each...)
	}
	slices.Sort(took)
	if len(took) > 0 {
		r.rotator = took[len(took)/2]
	}
	for i := range r.measured {
		r.measured[i] = time.Duration(quantile(lost, float64(i+1)/4))
	}
	r.frequency = quantile(frequency, 0.5)
	return r, s.Stop()
}

// disturbed returns the thread's time for some work while f is called on another thread every 200 µs, and how long each
// call took there that returned true.
func disturbed(work int, f func() bool) (ran time.Duration, took []time.Duration) {
	var stop atomic.Bool
	ready, done := make(chan bool), make(chan []time.Duration)
	go func() {
		ready <- true
		var took []time.Duration
		for !stop.Load() {
			begin := time.Now()
			if f() {
				took = append(took, time.Since(begin))
			}
			time.Sleep(200 * time.Microsecond)
		}
		done <- took
	}()
	<-ready
	begin := threadTime()
	spin(work)
	ran = threadTime() - begin
	stop.Store(true)
	return ran, <-done
}

func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return x[int(q*float64(len(x)-1))]
}

// processor returns the name of this machine's processor.
func processor() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// loadAverage says how busy this machine is.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	average, _, _ := strings.Cut(string(b), " ")
	return fmt.Sprintf("load average %s on %d processors at the end", average, runtime.NumCPU())
}

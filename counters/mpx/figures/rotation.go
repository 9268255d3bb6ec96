package main

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
)

// rotation is what it costs to give one slot another event.
type rotation struct {
	rotator   time.Duration // on the thread that rotates: median of all
	measured  time.Duration // on the thread that is measured: the time that it loses
	frequency float64       // cycles a second
}

// rotationCost measures a thread that computes while it is rotated from another one every 100 µs, and while that one only
// keeps time.
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
	for range 40 {
		if err := s.Reset(); err != nil {
			return r, err
		}
		alone, _ := disturbed(work, func() {})
		if err := s.Read(v); err != nil {
			return r, err
		}
		frequency = append(frequency, float64(max(v[0].Total, v[1].Total))/alone.Seconds())
		rotated, each := disturbed(work, m.Rotate)
		if len(each) > 0 {
			lost = append(lost, float64(rotated-alone)/float64(len(each)))
		}
		took = append(took, each...)
	}
	slices.Sort(took)
	if len(took) > 0 {
		r.rotator = took[len(took)/2]
	}
	r.measured, r.frequency = time.Duration(median(lost)), median(frequency)
	return r, s.Stop()
}

// disturbed returns the thread's time for some work while f is called on another thread every 100 µs, and how long each
// call took there.
func disturbed(work int, f func()) (ran time.Duration, took []time.Duration) {
	var stop atomic.Bool
	ready, done := make(chan bool), make(chan []time.Duration)
	go func() {
		ready <- true
		var took []time.Duration
		for !stop.Load() {
			begin := time.Now()
			f()
			took = append(took, time.Since(begin))
			for time.Since(begin) < 100*time.Microsecond && !stop.Load() {
				continue
			}
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

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
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

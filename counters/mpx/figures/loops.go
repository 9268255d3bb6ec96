package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"tracerec/counters/events"
	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
)

// The paper's loops (section 6): floating-point multiplications and additions on large arrays, in an order that keeps
// to the level-one cache, straight on, and at random places, which are the same in every run.
const (
	elements = 1 << 20 // of each array: 8 MiB
	tile     = 1 << 10 // 8 KiB of each of two arrays
	passes   = 64      // over a tile
)

var patterns = []string{"tiled", "untiled", "random"}

// arrays is what the loops work on.
type arrays struct {
	a, b  []float64
	index []uint32
}

func newArrays() *arrays {
	x := &arrays{make([]float64, elements), make([]float64, elements), make([]uint32, elements)}
	r := rand.New(rand.NewPCG(1, 2))
	for i, k := range r.Perm(elements) {
		x.b[i], x.index[i] = 0.5, uint32(k)
	}
	return x
}

// loop multiplies and adds n times.
func (x *arrays) loop(pattern string, n int) {
	a, b := x.a, x.b
	switch pattern {
	case "tiled":
		for i := range n {
			k := (i/(tile*passes)*tile + i%tile) % elements
			a[k] = a[k]*0.5 + b[k]
		}
	case "untiled":
		for i := range n {
			k := i % elements
			a[k] = a[k]*0.5 + b[k]
		}
	case "random":
		for i := range n {
			k := x.index[i%elements]
			a[k] = a[k]*0.5 + b[k]
		}
	}
}

// paperEvents returns the names of what the paper counts, as they are called here: cycles, misses of the level-one data
// cache, floating-point operations and loads.
func paperEvents() []string {
	flops := "PAPI_FP_OPS"
	if t, ok := events.For(events.Here()); ok {
		for _, name := range []string{"PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_FP_INS"} {
			if p, ok := t.Preset(name); ok {
				flops = p.Natives[0]
				break
			}
		}
	}
	return []string{"cycles", "L1-dcache-load-misses", flops, "L1-dcache-loads"}
}

// loopSample is one event of one run of a loop: multiplexed, and counted alone in another run.
type loopSample struct {
	pattern string
	power   int // 2^power iterations
	event   string
	alone   int64
	value   mpx.Value
}

// paperLoops runs the loops on the calling thread, with all events by turns and with each of them alone. The error says
// which of them cannot be counted here.
func paperLoops(from substrate.Slotter, thread int, names []string, c config) (out []loopSample, err error) {
	if err := countable(from, thread, names); err != nil {
		return nil, err
	}
	x := newArrays()
	for _, pattern := range patterns {
		for power := 17; power <= c.iterations; power++ {
			together, err := loopCounts(from, thread, names, c, func() { x.loop(pattern, 1<<power) })
			if err != nil {
				return out, err
			}
			for i, name := range names {
				alone, err := loopCounts(from, thread, []string{name}, c, func() { x.loop(pattern, 1<<power) })
				if err != nil {
					return out, err
				}
				out = append(out, loopSample{pattern, power, name, alone[0].Count, together[i]})
			}
		}
	}
	return out, nil
}

// countable opens each event once.
func countable(from substrate.Slotter, thread int, names []string) error {
	var errs []error
	for _, n := range names {
		s, err := from.OpenSlot(thread, n)
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", n, err))
		}
	}
	return errors.Join(errs...)
}

// loopCounts counts events on one slot while f runs.
func loopCounts(from substrate.Slotter, thread int, names []string, c config, f func()) ([]mpx.Value, error) {
	m := mpx.New(from, thread, mpx.Options{Slice: c.slice, Slots: 1})
	s, err := m.NewSet(names...)
	if err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	f()
	v := make([]mpx.Value, len(names))
	return v, errors.Join(s.Stop(), s.Read(v))
}

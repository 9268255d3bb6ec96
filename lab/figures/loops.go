package main

import (
	"errors"
	"fmt"

	"tracerec/counters/events"
	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
	"tracerec/lab/figures/loops"
)

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
	x := loops.New(ownPasses)
	for _, pattern := range loops.Patterns {
		for power := 17; power <= c.iterations; power++ {
			together, err := loopCounts(from, thread, names, c, func() { x.Run(pattern, 0, 1<<power) })
			if err != nil {
				return out, err
			}
			for i, name := range names {
				alone, err := loopCounts(from, thread, []string{name}, c, func() { x.Run(pattern, 0, 1<<power) })
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

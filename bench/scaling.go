package main

import (
	"errors"
	"fmt"
	"os"

	"tracerec/internal/tracetest"
	"tracerec/trace"
)

// scaling analyzes synthetic archives of growing size.
func (b *bench) scaling() error {
	base, err := execute(b.path("expert"), "patterns")
	if err != nil {
		return err
	}
	var first float64
	for i, size := range b.sizes {
		archive := b.path("synthetic.dir")
		if err := synthesize(archive, size); err != nil {
			return err
		}
		var s speed
		var last analyzed
		for range b.rounds {
			last = b.analyze(archive, "")
			if err := s.add(base, last); err != nil {
				return err
			}
		}
		perEvent := 1e9 / s.rate()
		if i == 0 {
			first = perEvent
		}
		b.table.add(line{
			what:  fmt.Sprintf("analysis of %.3g events", float64(last.events)),
			ours:  fmt.Sprintf("%.2f s, %s, %s, %.1f B/event", float64(last.events)/s.rate(), mega(s.rate()), megabytes(last.memory), s.memory()),
			ratio: fmt.Sprintf("%s of the time per event", times(perEvent/first)),
			goal:  "≥ 10 M/s, ≤ 16 B/event, linear",
		})
		if err := os.RemoveAll(archive); err != nil {
			return err
		}
	}
	return nil
}

// synthesize writes an archive of about so many events.
func synthesize(dir string, events int) error {
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		return err
	}
	return errors.Join(tracetest.Synthetic(w, events, 1), w.Close())
}

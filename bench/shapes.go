package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"tracerec/internal/tracetest"
	"tracerec/trace"
)

// limits are those under which archives of all shapes are analyzed, "" none.
var limits = []string{"", "1G", "256M"}

// shapes analyzes archives of programs that cost much of one thing each, with limits on memory. The result is the same under all.
func (b *bench) shapes() error {
	for _, size := range b.sizes {
		for i := range tracetest.Shapes {
			s := &tracetest.Shapes[i]
			archive := b.path(s.Name + ".dir")
			if err := writeShape(archive, s, size); err != nil {
				return err
			}
			if err := b.limited(s.Name, archive); err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			if err := os.RemoveAll(archive); err != nil {
				return err
			}
		}
	}
	return nil
}

// limited analyzes an archive under all limits.
func (b *bench) limited(what, archive string) error {
	var free analyzed
	for i, limit := range limits {
		a := b.analyze(archive, limit)
		if a.err != nil {
			return a.err
		}
		l := line{what: fmt.Sprintf("%s, %.3g events", what, float64(a.events)), ours: fmt.Sprintf("%.2f s of processors, %s, %s", a.processor().Seconds(),
			mega(float64(a.events)/a.elapsed.Seconds()), megabytes(a.memory))}
		if i == 0 {
			free = a
		} else {
			l.what += ", --memory " + limit
			l.ratio, l.goal = times(float64(a.elapsed)/float64(free.elapsed))+" of the time", "≤ "+limit+", ≤ 4×"
		}
		b.table.add(l)
		if a.output != free.output {
			return errors.New("the result depends on the limit")
		}
	}
	return nil
}

// writeShape writes an archive of a shape.
func writeShape(dir string, s *tracetest.Shape, events int) error {
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		return err
	}
	return errors.Join(s.Write(w, events, 1), w.Close())
}

// makeArchive is the command that only writes an archive.
func makeArchive(args []string) error {
	if len(args) != 3 {
		return errors.New("make SHAPE EVENTS DIRECTORY, or make hybrid EVENTS FILE")
	}
	n, err := strconv.ParseFloat(args[1], 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%s: not a number of events", args[1])
	}
	if args[0] == "hybrid" {
		return writeHybrid(args[2], int(n))
	}
	for i := range tracetest.Shapes {
		if s := &tracetest.Shapes[i]; s.Name == args[0] {
			return writeShape(args[2], s, int(n))
		}
	}
	return fmt.Errorf("%s: no shape", args[0])
}

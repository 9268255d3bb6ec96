package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tracerec/internal/otf2test"
)

// hybrids analyzes OTF2 archives of a program of MPI and OpenMP, with all patterns and root causes, within a limit on memory.
func (b *bench) hybrids() error {
	base, err := execute(b.path("expert"), "patterns")
	if err != nil {
		return err
	}
	const limit = "1G"
	for _, size := range b.sizes {
		archive := b.path("hybrid/traces.otf2")
		if err := writeHybrid(archive, size); err != nil {
			return err
		}
		for _, limit := range []string{"", limit} {
			a := b.analyze(archive, limit)
			if a.err != nil {
				return a.err
			}
			n := float64(size) // of OTF2: those of the analysis are more
			l := line{what: fmt.Sprintf("OTF2, MPI and OpenMP, %.3g events", n), goal: "≥ 6.2 M/s per core",
				ours: fmt.Sprintf("%.2f s, %.2f s of processors, %s per core, %s, %.1f B/event", a.elapsed.Seconds(), a.processor().Seconds(),
					mega(n/a.processor().Seconds()), megabytes(a.memory), float64(a.memory-base.memory)/n)}
			if limit != "" {
				l.what, l.goal = l.what+", --memory "+limit, l.goal+", ≤ "+limit
			}
			b.table.add(l)
		}
		if err := os.RemoveAll(filepath.Dir(archive)); err != nil {
			return err
		}
	}
	return nil
}

// writeHybrid writes such an archive.
func writeHybrid(name string, events int) error {
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	return errors.Join(err, otf2test.Hybrid{Processes: 8, Threads: 4, Events: events, Seed: 1}.Write(name))
}

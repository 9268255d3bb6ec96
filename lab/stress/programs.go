package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"tracerec/autoinst/operations/random"
)

// programs is what random programs are called among what is run.
const programs = "programs"

// random builds some random programs, runs them recorded, one after the other and then all at the same time, in some settings, and compares what they print with what they print
// unrecorded.
func (s *session) random(in setting, r *rand.Rand) error {
	const together, times, runs = 30, 1500, 6
	dir := filepath.Join(s.dir, "random")
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		return err
	}
	files := random.Files(r.Uint64(), together)
	files["go.mod"] = "module random\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	flags := []string{"-o"}
	if in.race {
		flags = []string{"-race", "-o"}
	}
	plain, file := filepath.Join(dir, "plain"), filepath.Join(dir, "recorded")
	if err := s.make(dir, append([]string{"go", "build"}, append(flags, plain, ".")...)...); err != nil {
		return err
	}
	if in.rewrite {
		flags = append([]string{"--rewrite"}, flags...)
	}
	if err := s.make(dir, append([]string{s.tracerec, "build"}, append(flags, file, ".")...)...); err != nil {
		return err
	}
	want, err := s.run(dir, nil, plain)
	if err != nil {
		return err
	}
	if in.race && want.status != 0 {
		fmt.Printf("%s: the race detector finds races in these programs unrecorded, or breaks: they end with status %d and are not compared\n", s.turn, want.status)
		return nil
	}
	text, err := os.ReadFile(want.output)
	if err != nil {
		return err
	}
	for i := range runs {
		var args []string
		if i > 0 {
			args = []string{strconv.Itoa(times)}
			in.procs, in.gogc = 1+r.IntN(16), gogcs[r.IntN(len(gogcs))]
		}
		e, err := s.run(dir, in.environment(), append(s.recorder(file), args...)...)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(e.output)
		if err != nil {
			return err
		}
		s.ran += together * max(1, times*len(args))
		if !bytes.Equal(text, got) || e.status != want.status {
			s.keep()
			s.fail("with %v, programs print something else, or end with status %d instead of %d", in, e.status, want.status)
		}
		if err := s.analyze(); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/lab/gotest"
)

// distribution are the packages of the Go distribution whose tests are run.
var distribution = []string{"sync", "context", "time", "net/http", "testing/synctest", "runtime"}

// flags are those of tests that take very long, or no time.
var flags = map[string]string{"runtime": "-test.short", "time": "-test.short", "sync": "-test.count=10", "context": "-test.count=50", "testing/synctest": "-test.count=20"}

// program is one that was built.
type program struct {
	name           string
	recorded, race bool
}

// build builds the tests of a package of the distribution, once.
func (s *session) build(p program) (string, error) {
	if file := s.programs[p]; file != "" {
		return file, nil
	}
	file := filepath.Join(s.dir, strings.ReplaceAll(p.name, "/", "."))
	command := []string{"go", "test", "-c", "-vet=off"}
	if p.recorded {
		command[0] = s.tracerec
		file += ".recorded"
	}
	if p.race {
		command = append(command, "-race")
		file += ".race"
	}
	if err := s.make(s.source, append(command, "-o", file, p.name)...); err != nil {
		return "", err
	}
	s.programs[p] = file
	return file, nil
}

// tests records the tests of a package of the distribution in a setting, and compares their outcomes with those of an unrecorded run. Where they differ, unrecorded tests run
// in the same setting, too: what any of them gives is right. The others are recorded again, to tell how often they differ.
func (s *session) tests(name string, in setting) error {
	plain, err := s.build(program{name, false, in.race})
	if err != nil {
		return err
	}
	file, err := s.build(program{name, true, in.race})
	if err != nil {
		return err
	}
	usual := program{name, false, in.race}
	if s.usual[usual] == nil {
		if s.usual[usual], err = s.outcomes(name, nil, plain); err != nil {
			return err
		}
	}
	got, err := s.outcomes(name, in.environment(), s.recorder(file)...)
	if err != nil {
		return err
	}
	s.compared += len(got)
	if err := s.analyze(); err != nil {
		return err
	}
	differ := differences(got, s.usual[usual])
	for range 3 {
		if len(differ) == 0 {
			break
		}
		tests, err := s.outcomes(name, in.environment(), plain)
		if err != nil {
			return err
		}
		differ = slices.DeleteFunc(differ, func(test string) bool { return tests[test] == got[test] })
	}
	if len(differ) == 0 {
		return nil
	}
	s.keep()
	again := map[string]int{}
	const often = 3
	for range often {
		tests, err := s.outcomes(name, in.environment(), s.recorder(file)...)
		if err != nil {
			return err
		}
		for _, test := range differ {
			if tests[test] == got[test] {
				again[test]++
			}
		}
	}
	for _, test := range differ {
		s.fail("%s: %q, unrecorded %q; recorded again so in %d of %d runs", test, got[test], s.usual[usual][test], again[test], often)
	}
	return nil
}

// differences returns the names of tests whose outcomes differ, in their order.
func differences(a, b map[string]string) (names []string) {
	for _, tests := range []map[string]string{a, b} {
		for name := range tests {
			if a[name] != b[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// outcomes runs the tests of a package where they are.
func (s *session) outcomes(name string, environment []string, command ...string) (map[string]string, error) {
	command = append(command, "-test.v=test2json")
	if flag := flags[name]; flag != "" {
		command = append(command, flag)
	}
	e, err := s.run(filepath.Join(s.source, name), environment, command...)
	if err != nil {
		return nil, err
	}
	output, err := os.Open(e.output)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	c := exec.CommandContext(s.context, "go", "tool", "test2json", "-p", name)
	c.Stdin = output
	events, err := c.Output()
	if err != nil {
		return nil, err
	}
	tests, _, err := gotest.Outcomes(bytes.NewReader(events))
	if err != nil {
		return nil, fmt.Errorf("%s: %w, status %d", name, err, e.status)
	}
	if e.status != 0 {
		tests[name] = "fail"
	}
	return tests, nil
}

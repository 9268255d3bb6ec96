package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os/exec"
	"strings"

	"tracerec/recorder"
)

// isExact tells whether a program was built with --exact-counters: the names of a Go program's functions are in a table of it, also if
// it has been stripped.
func isExact(program string) bool {
	if path, err := exec.LookPath(program); err == nil {
		program = path
	}
	f, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer f.Close()
	for _, s := range f.Sections {
		if strings.HasSuffix(s.Name, ".gopclntab") {
			table, err := s.Data()
			return err == nil && bytes.Contains(table, []byte("\x00runtime.tracerecOn\x00"))
		}
	}
	return false
}

// fitsOneRun says why no run of the program can measure the events together, nil if one can. watched is how many addresses it can watch.
func fitsOneRun(events []string, watched int, program string) error {
	n := 0
	for _, e := range events {
		for _, native := range nativesOf(e) {
			if kind(native) == watchpoint {
				n++
			}
		}
	}
	if n > watched {
		return fmt.Errorf("%d watchpoints, but one run has at most %d; give them in several sets, or let --plan do so", n, watched)
	}
	return recorder.Countable(events, program)
}

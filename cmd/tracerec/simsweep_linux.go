package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracerec/internal/readable"
	"tracerec/recorder/simulated"
	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
)

// mostCombinations is how many runs a sweep may have.
const mostCombinations = 10_000

// combination is a machine of a sweep, and what a run on it counted.
type combination struct {
	values  []string // of the parameters that are swept
	machine *cache.Machine

	result *simulated.Result
	output [sha256.Size]byte
	counts []eventValue
	err    error
}

// sweepResult is the outcome of a sweep in JSON.
type sweepResult struct {
	Program      string     `json:"program"`
	Machine      string     `json:"machine"`
	Only         string     `json:"only,omitempty"`
	Instructions uint64     `json:"instructions"` // the same in all runs
	Runs         []sweepRun `json:"runs"`
}

type sweepRun struct {
	Parameters map[string]string `json:"parameters"`
	Counts     map[string]uint64 `json:"counts"`
}

// runSweep runs the program on a machine for each combination of the parameters, and prints a table.
func (s *simulation) runSweep(o simulated.Options) error {
	for _, m := range o.Mounts {
		if m.Write && m.Guest != guestTemp {
			return fmt.Errorf("--mount %s: runs of a sweep would change each other's files; give it without :rw", m.Guest)
		}
	}
	names, all, err := s.combinations(o.Machine)
	if err != nil {
		return err
	}
	s.runAll(o, all)
	first := &all[0]
	for i := range all {
		c := &all[i]
		switch on := describe(names, c.values); {
		case c.err != nil:
			return s.ended(c.result, fmt.Errorf("%s: %w", on, c.err))
		case c.result.Instructions != first.result.Instructions || c.result.Status != first.result.Status || c.output != first.output:
			return &exit{cannotRun, fmt.Errorf("%s: the program did something else than with %s: %d instructions instead of %d, status %d instead of %d",
				on, describe(names, first.values), c.result.Instructions, first.result.Instructions, c.result.Status, first.result.Status)}
		}
	}
	if err := s.writeSweep(s.cmd.OutOrStdout(), names, all); err != nil {
		return err
	}
	if first.result.Status != 0 {
		return s.ended(first.result, nil)
	}
	return nil
}

// combinations returns the machines of the sweep: those of the first parameter change least often.
func (s *simulation) combinations(m *cache.Machine) (names []string, all []combination, err error) {
	all = []combination{{machine: m}}
	for _, text := range s.sweep {
		name, list, ok := strings.Cut(text, "=")
		values := strings.Split(list, ",")
		if !ok || len(all)*len(values) > mostCombinations {
			return nil, nil, fmt.Errorf("--sweep %s: not PARAMETER=VALUE,VALUE,… of at most %d combinations", text, mostCombinations)
		}
		if slices.Contains(names, name) {
			return nil, nil, fmt.Errorf("--sweep %s: %s is swept twice; give all its values at once", text, name)
		}
		names = append(names, name)
		var next []combination
		for _, c := range all {
			for _, v := range values {
				n := combination{values: append(c.values[:len(c.values):len(c.values)], v), machine: c.machine.Clone()}
				if err := n.machine.Set(name, v); err != nil {
					return nil, nil, fmt.Errorf("--sweep %s: %w", text, err)
				}
				next = append(next, n)
			}
		}
		all = next
	}
	for _, c := range all {
		if err := c.machine.Check(); err != nil {
			return nil, nil, fmt.Errorf("--sweep: %s: %w", describe(names, c.values), err)
		}
	}
	return names, all, nil
}

// describe says which combination it is.
func describe(names, values []string) string {
	var words []string
	for i, n := range names {
		words = append(words, n+"="+values[i])
	}
	return strings.Join(words, " ")
}

// runAll runs the program on all machines, on as many processors as the host has.
func (s *simulation) runAll(o simulated.Options, all []combination) {
	ctx, stop := untilSignal()
	defer stop()
	ctx, failed := context.WithCancel(ctx)
	defer failed()
	input := &sharedInput{from: s.cmd.InOrStdin()}
	next := make(chan *combination)
	var workers sync.WaitGroup
	for range min(len(all), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for c := range next {
				if c.err = s.runOne(ctx, o, input, c, c == &all[0]); c.err != nil {
					failed()
				}
			}
		})
	}
	for i := range all {
		next <- &all[i]
	}
	close(next)
	workers.Wait()
	for i := range all { // those that failed before others were interrupted
		if err := all[i].err; err != nil && !errors.Is(err, linux.ErrInterrupted) {
			all[0].err, all[0].result, all[0].values = err, all[i].result, all[i].values
			return
		}
	}
}

// runOne runs the program on one machine. What the first run says to standard error is shown.
func (s *simulation) runOne(ctx context.Context, o simulated.Options, input *sharedInput, c *combination, first bool) (err error) {
	temp, err := os.MkdirTemp(s.home, "tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	o.Mounts = append([]linux.Mount(nil), o.Mounts...)
	for i := range o.Mounts {
		if o.Mounts[i].Host == filepath.Join(s.home, "tmp") {
			o.Mounts[i].Host = temp
		}
	}
	sum := sha256.New()
	o.Context, o.Machine, o.Stdin, o.Stdout, o.Stderr = ctx, c.machine, &inputReader{of: input}, marked{sum, 1}, io.Writer(marked{sum, 2})
	if first {
		o.Stderr = io.MultiWriter(o.Stderr, s.cmd.ErrOrStderr())
	}
	if c.result, err = simulated.Run(o); err != nil {
		return err
	}
	sum.Sum(c.output[:0])
	c.counts, err = s.values(c.result.Counters, usualMetrics)
	c.result.Counters = nil
	return err
}

// marked hashes what is written, and to which stream.
type marked struct {
	hash.Hash
	stream byte
}

func (m marked) Write(b []byte) (int, error) {
	m.Hash.Write([]byte{m.stream})
	return m.Hash.Write(b)
}

// sharedInput is the standard input, which all runs read from its beginning.
type sharedInput struct {
	sync.Mutex
	from io.Reader
	got  []byte
	err  error
}

// inputReader reads it for one run.
type inputReader struct {
	of *sharedInput
	at int
}

func (r *inputReader) Read(b []byte) (int, error) {
	r.of.Lock()
	defer r.of.Unlock()
	for r.at+len(b) > len(r.of.got) && r.of.err == nil { // all runs get pieces of the same sizes
		chunk := make([]byte, 64<<10)
		var n int
		n, r.of.err = r.of.from.Read(chunk)
		r.of.got = append(r.of.got, chunk[:n]...)
	}
	n := copy(b, r.of.got[r.at:])
	if r.at += n; n == 0 && len(b) > 0 {
		return 0, r.of.err
	}
	return n, nil
}

// writeSweep writes the table.
func (s *simulation) writeSweep(w io.Writer, names []string, all []combination) error {
	instructions := all[0].result.Instructions
	if s.format == "json" {
		v := sweepResult{Program: s.program, Machine: s.machine, Only: s.only, Instructions: instructions}
		for _, c := range all {
			run := sweepRun{map[string]string{}, map[string]uint64{}}
			for i, n := range names {
				run.Parameters[n] = c.values[i]
			}
			for _, x := range c.counts {
				run.Counts[x.Name] = x.value
			}
			v.Runs = append(v.Runs, run)
		}
		return writeJSON(w, v)
	}
	rows := [][]string{append([]string(nil), names...)}
	for _, x := range all[0].counts {
		rows[0] = append(rows[0], x.Name)
	}
	for _, c := range all {
		row := append([]string(nil), c.values...)
		for _, x := range c.counts {
			text := readable.Grouped(x.value, 0)
			if s.format == "csv" {
				text = strconv.FormatUint(x.value, 10)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	if s.format == "csv" {
		return csv.NewWriter(w).WriteAll(rows)
	}
	out := aligned(rows)
	each := ""
	if len(all) > 1 {
		each = "each of "
	}
	fmt.Fprintf(out, "\n%s in %s%s of %s on %s\nStalls take no virtual time in them, as with --untimed.\n", readable.Plural(instructions, "instruction"), each,
		readable.Plural(len(all), "run"), s.program, s.machine)
	_, err := w.Write(out.Bytes())
	return err
}

// aligned puts cells one below the other, all to the right.
func aligned(rows [][]string) *bytes.Buffer {
	out := new(bytes.Buffer)
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], readable.Width(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(out, "%s%s", strings.Repeat(" ", 2*min(i, 1)), readable.Right(cell, widths[i]))
		}
		out.WriteByte('\n')
	}
	return out
}

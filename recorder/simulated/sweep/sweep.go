//go:build linux

// Package sweep runs a program once for each combination of parameters of a machine. All runs execute the same instructions; only the counts differ.
package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracerec/internal/readable"
	"tracerec/recorder/simulated"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
)

// most is how many runs a sweep may have.
const most = 10_000

// Sweep is the runs of a program on several machines.
type Sweep struct {
	Program string   // as it was named, like the next two
	Machine string   // which is varied
	Only    string   // whose counts are told, see [count.Counters.Only]
	Counts  []string // events; New makes it those that are usual
	names   []string // of parameters
	all     []combination
	home    string
}

// combination is a machine of a sweep, and what a run on it counted.
type combination struct {
	values  []string // of the parameters that are swept
	machine *cache.Machine

	result *simulated.Result
	output [sha256.Size]byte
	counts []count.Amount
	err    error
}

// Table is the outcome of a sweep in JSON.
type Table struct {
	Program      string `json:"program"`
	Machine      string `json:"machine"`
	Only         string `json:"only,omitempty"`
	Instructions uint64 `json:"instructions"` // the same in all runs
	Runs         []Row  `json:"runs"`
}

// Row is one run.
type Row struct {
	Parameters map[string]string `json:"parameters"`
	Counts     map[string]uint64 `json:"counts"`
}

// usual is counted if nothing else is asked for.
var usual = []string{"PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L3_DCM", "PAPI_BR_MSP"}

// New makes a sweep of parameters of a machine, PARAMETER=VALUE,… each. Those of the first change least often.
func New(m *cache.Machine, parameters []string) (*Sweep, error) {
	var names []string
	all := []combination{{machine: m}}
	for _, text := range parameters {
		name, list, ok := strings.Cut(text, "=")
		values := strings.Split(list, ",")
		if !ok || len(all)*len(values) > most {
			return nil, fmt.Errorf("%s: not PARAMETER=VALUE,VALUE,… with at most %d combinations in all", text, most)
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("%s: %s is given twice; give all its values in one --sweep", text, name)
		}
		names = append(names, name)
		var next []combination
		for _, c := range all {
			for _, v := range values {
				n := combination{values: append(c.values[:len(c.values):len(c.values)], v), machine: c.machine.Clone()}
				if err := n.machine.Set(name, v); err != nil {
					return nil, fmt.Errorf("%s: %w", text, err)
				}
				next = append(next, n)
			}
		}
		all = next
	}
	return &Sweep{names: names, all: all, Counts: usual}, nil
}

// Check tells which of the machines is none.
func (s *Sweep) Check() error {
	for _, c := range s.all {
		if err := c.machine.Check(); err != nil {
			return fmt.Errorf("%s: %w", describe(s.names, c.values), err)
		}
	}
	return nil
}

// describe says which combination it is.
func describe(names, values []string) string {
	var words []string
	for i, n := range names {
		words = append(words, n+"="+values[i])
	}
	return strings.Join(words, " ")
}

// ErrDiffers is wrapped by errors about programs that do something else on another machine.
var ErrDiffers = errors.New("the program behaved differently")

// Run runs the program on all machines, on as many processors as the host has; home is the directory that was shared with the guest, see
// [simulated.Options.Share]. The result is that of the run of which the error is, without one that of the first; what that says to standard error
// is shown.
func (s *Sweep) Run(o simulated.Options, home string) (*simulated.Result, error) {
	s.home = home
	s.runAll(o)
	first := &s.all[0]
	for i := range s.all {
		c := &s.all[i]
		switch on := describe(s.names, c.values); {
		case c.err != nil:
			return c.result, fmt.Errorf("%s: %w", on, c.err)
		case c.result.Instructions != first.result.Instructions || c.result.Status != first.result.Status || c.output != first.output:
			return c.result, fmt.Errorf("%s: %w than with %s: %d instructions instead of %d, status %d instead of %d", on, ErrDiffers,
				describe(s.names, first.values), c.result.Instructions, first.result.Instructions, c.result.Status, first.result.Status)
		}
	}
	return first.result, nil
}

// runAll runs the program on all machines.
func (s *Sweep) runAll(o simulated.Options) {
	all := s.all
	ctx, failed := context.WithCancel(o.Context)
	defer failed()
	input := &sharedInput{from: o.Stdin}
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
func (s *Sweep) runOne(ctx context.Context, o simulated.Options, input *sharedInput, c *combination, first bool) (err error) {
	temp, err := os.MkdirTemp(s.home, "tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	o.Mounts = append([]linux.Mount(nil), o.Mounts...)
	for i := range o.Mounts {
		if o.Mounts[i].Host == simulated.TempDir(s.home) {
			o.Mounts[i].Host = temp
		}
	}
	sum, shown := sha256.New(), o.Stderr
	o.Context, o.Machine, o.Stdin, o.Stdout, o.Stderr = ctx, c.machine, &inputReader{of: input}, marked{sum, 1}, io.Writer(marked{sum, 2})
	if first {
		o.Stderr = io.MultiWriter(o.Stderr, shown)
	}
	if c.result, err = simulated.Run(o); err != nil {
		return err
	}
	sum.Sum(c.output[:0])
	c.counts, err = c.result.Counters.Amounts(s.Only, s.Counts)
	c.result.Counters = nil
	return err
}

func (s *Sweep) table() Table {
	v := Table{Program: s.Program, Machine: s.Machine, Only: s.Only, Instructions: s.all[0].result.Instructions}
	for _, c := range s.all {
		r := Row{map[string]string{}, map[string]uint64{}}
		for i, n := range s.names {
			r.Parameters[n] = c.values[i]
		}
		for _, x := range c.counts {
			r.Counts[x.Name] = x.Value
		}
		v.Runs = append(v.Runs, r)
	}
	return v
}

// Write writes the table as text, json or csv.
func (s *Sweep) Write(w io.Writer, format string) error {
	names, all := s.names, s.all
	if format == "json" {
		return readable.JSON(w, s.table())
	}
	rows := [][]string{append([]string(nil), names...)}
	for _, x := range all[0].counts {
		rows[0] = append(rows[0], x.Name)
	}
	for _, c := range all {
		row := append([]string(nil), c.values...)
		for _, x := range c.counts {
			text := readable.Grouped(x.Value, 0)
			if format == "csv" {
				text = strconv.FormatUint(x.Value, 10)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	if format == "csv" {
		return csv.NewWriter(w).WriteAll(rows)
	}
	if err := readable.Table(w, rows, "r"); err != nil {
		return err
	}
	each := ""
	if len(all) > 1 {
		each = "each of "
	}
	_, err := fmt.Fprintf(w, "\n%s in %s%s of %s on %s\nStalls take no virtual time in these runs, as with --untimed.\n", readable.Plural(all[0].result.Instructions, "instruction"), each,
		readable.Plural(len(all), "run"), s.Program, s.Machine)
	return err
}

//go:build linux

// Package simulated runs programs on the simulator and records them: regions with exact counters, in virtual time, without
// any disturbance of the program. The same run twice makes the same archive, byte for byte.
package simulated

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/pmu"
)

// Options say what to run and on what.
type Options struct {
	Program string // the file, an ELF program for Linux on RISC-V
	Args    []string
	Sources map[string]string // directories of its source, see [Program]
	Env     []string
	Dir     string // the working directory, of the guest
	Mounts  []linux.Mount

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	Machine         *cache.Machine // nil for none: only what does not depend on caches and prediction is counted
	Classify        bool           // misses are told apart by kind
	Strict          bool           // what is not supported ends the run
	Untimed         bool           // stalls of the machine take no virtual time, so that the program runs the same way on every machine
	CPUs            int            // virtual processors; 0 is 1
	Seed            uint64
	MaxInstructions uint64
	MaxMemory       uint64        // bytes, see [linux.Options]; 0 is any number
	Timeout         time.Duration // of the host

	Context context.Context // interrupts the run; nil for none
	Break   []string        // ends the run at functions or addresses; behind a colon at which of the times: main.main, 0x11000:3
	Dump    io.Writer       // for the machine's state at the break that ends the run, or where it failed; nil for none

	Trace *addresstrace.Tracer // observes the run, too; nil for none
	PMU   *pmu.PMU             // of every processor, for perf events of the guest; nil for none

	Output string   // directory of the archive to record into; "" for none. An older archive there is moved aside
	Events []string // counted at the begin and end of regions, see [count.Counters.Events]; none for the usual ones. NAME:k is the kernel's part
	// Filter chooses the functions that become regions, by patterns of their names: * stands for any characters, and - before a pattern
	// excludes. The last one that fits decides. Without any, and for what none fits if the first excludes, functions of the program's own
	// packages do: all but the standard library. Calls of all others are counted in their callers.
	Filter []string
	// Frequent is the number of calls from which on a function whose calls take less than 2 µs on the average, virtual, is counted in
	// its callers; the archive says of how many calls. 0 is 100,000, less than 0 never.
	Frequent int
}

// Result is what a run did.
type Result struct {
	Status       int // 128+n when signal n ended it,
	Signal       int // this one; 0 for none
	Instructions uint64
	Time         time.Duration // virtual
	Counters     *count.Counters
	Break        string              // of Options.Break, which ended the run; "" for none
	Unsupported  []linux.Unsupported // what the program asked for in vain
	Archive      *Archive            // nil for none
}

// Run runs a program to its end. The result and the archive are there, as far as the run came, also with an error.
func Run(o Options) (r *Result, err error) {
	program, err := os.ReadFile(o.Program)
	if err != nil {
		return nil, err
	}
	r = new(Result)
	if r.Counters, err = count.New(o.Machine, count.Options{Program: program, CPUs: o.CPUs, Classify: o.Classify, Stalls: !o.Untimed}); err != nil {
		return nil, err
	}
	if o.Output != "" {
		s, failed := begin(&o, r)
		if failed != nil {
			return nil, failed
		}
		defer func() { err = s.finished(r, err) }()
	}
	services, err := o.services(r.Counters)
	if err != nil {
		return nil, err
	}
	defer services.Close()
	lo := o.kernel()
	lo.Observer, lo.Services, lo.Counting = o.observed(r.Counters), services, r.Counters
	return r, o.execute(program, lo, r)
}

// RunUncounted is [Run] without counters, or anything else that observes the program: of the result, Counters and Archive are nil. Nothing answers what
// programs ask of the simulator.
func RunUncounted(o Options) (*Result, error) {
	program, err := os.ReadFile(o.Program)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	o.PMU = nil // which would count
	return r, o.execute(program, o.kernel(), r)
}

// kernel returns the options of the machine's kernel, but for who observes.
func (o *Options) kernel() linux.Options {
	return linux.Options{Args: o.Args, Env: o.Env, Dir: o.Dir, Mounts: o.Mounts, Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr,
		CPUs: o.CPUs, Seed: o.Seed, MaxInstructions: o.MaxInstructions, MaxMemory: o.MaxMemory, Timeout: o.Timeout, Strict: o.Strict, PMU: o.PMU}
}

// execute runs the program on the simulator.
func (o *Options) execute(program []byte, lo linux.Options, r *Result) error {
	k, err := linux.New(program, lo)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Program, err)
	}
	defer k.Close()
	return o.run(k, program, r)
}

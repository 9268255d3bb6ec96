//go:build linux

package simulated

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/service"
)

// observed lets the address trace, if there is one, observe the run as well.
func (o *Options) observed(first linux.Observer) linux.Observer {
	if o.Trace == nil {
		return first
	}
	return linux.Tee(first, o.Trace)
}

// services returns what the guest can call through to.
func (o *Options) services(c *count.Counters) (*service.Services, error) {
	var so service.Options
	for _, m := range o.Mounts {
		if m.Guest == o.Dir {
			so.Files = m.Host
		}
	}
	if o.Trace != nil {
		so.Trace = o.Trace
	}
	return service.New(c, so)
}

// ErrBreakpoint is the error of a breakpoint that cannot be.
var ErrBreakpoint = errors.New("break")

// breakpoint is where a run ends, and at which of the times it gets there.
type breakpoint struct {
	name  string
	at    uint64
	after int
}

// run executes the program to its end, to a breakpoint, or until it is interrupted, and writes the machine's state if it is wanted.
func (o *Options) run(k *linux.Kernel, program []byte, r *Result) (err error) {
	breaks, err := o.breakpoints(k, program)
	if err != nil {
		return err
	}
	if o.Context != nil {
		defer context.AfterFunc(o.Context, k.Interrupt)()
	}
	for {
		r.Status, err = k.Run()
		if !errors.Is(err, linux.ErrBreak) || reached(breaks, k.Broke(), r) {
			break
		}
	}
	r.Signal, r.Unsupported, r.Instructions, r.Time = k.Signal(), k.Unsupported(), k.Instructions(), k.Time()
	if err != nil && o.Dump != nil {
		if failed := k.Dump(o.Dump); failed != nil {
			return fmt.Errorf("state of the machine: %w", failed)
		}
	}
	if r.Break != "" {
		return nil
	}
	return err
}

// reached tells whether the run ends at a breakpoint.
func reached(breaks []breakpoint, at uint64, r *Result) bool {
	for i := range breaks {
		b := &breaks[i]
		if b.at != at {
			continue
		}
		if b.after--; b.after == 0 && r.Break == "" {
			r.Break = b.name
		}
	}
	return r.Break != ""
}

// breakpoints sets those of the options: the address of an instruction or the name of a function, and behind a colon at
// which of the times.
func (o *Options) breakpoints(k *linux.Kernel, program []byte) (list []breakpoint, err error) {
	for _, name := range o.Break {
		b := breakpoint{name: name, after: 1}
		where, times, more := strings.Cut(name, ":")
		if more {
			if b.after, err = strconv.Atoi(times); err != nil || b.after < 1 {
				return nil, fmt.Errorf("%w at %s: %q is not a number of times", ErrBreakpoint, name, times)
			}
		}
		if b.at, err = address(program, where); err != nil {
			return nil, fmt.Errorf("%w at %s: %w", ErrBreakpoint, name, err)
		}
		if err := k.Break(b.at); err != nil {
			return nil, fmt.Errorf("%w at %s: %w", ErrBreakpoint, name, err)
		}
		list = append(list, b)
	}
	return list, nil
}

// address returns the address of a function, or the one that was given.
func address(program []byte, where string) (uint64, error) {
	if at, err := strconv.ParseUint(where, 0, 64); err == nil {
		return at, nil
	}
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return 0, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return 0, errors.New("the program has no table of functions; give an address")
	}
	for _, s := range symbols {
		if s.Name == where && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			return s.Value, nil
		}
	}
	return 0, errors.New("the program has no such function; it may have been inlined")
}

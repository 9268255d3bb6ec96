package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/size"
	"tracerec/recorder"
)

// newRun returns the command that records a program; tracerec without a command is the same.
func newRun(use string) *cobra.Command {
	o := recorder.Defaults(recorder.DefaultDir)
	cmd := &cobra.Command{
		Use:  use,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program to record; see tracerec --help")
			}
			o.Say = sayTo(cmd.ErrOrStderr())
			status, err := recorder.Run(o, args)
			if err != nil || status != 0 {
				return &exit{status, err}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&o.Dir, "output", "o", o.Dir, "trace directory to write; an older archive of that name is moved aside")
	f.StringSliceVarP(&o.Counters, "counters", "c", nil, "counters to sample at region enter and exit, for instance task-clock,page-faults; tracerec counters lists them")
	f.Var((*size.Bytes)(&o.Buffer), "buffer", "most memory for the measurement buffer of a process")
	f.BoolVar(&o.Block, "block", false, "let the program wait when its buffer is full, instead of dropping regions")
	f.Var((*resolution)(&o.Resolution), "resolution", "resolution of stored times, 64ns or 1ns")
	f.DurationVar(&o.Patience, "patience", o.Patience, "how long to wait for instrumented children that outlive the program")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing after the run unless something was lost")
	return cmd
}

// resolution is the resolution of stored times in nanoseconds.
type resolution int64

func (r *resolution) String() string { return time.Duration(*r).String() }

func (r *resolution) Set(text string) error {
	switch text {
	case "1", "1ns":
		*r = 1
	case "64", "64ns":
		*r = 64
	default:
		return errors.New("neither 1ns nor 64ns")
	}
	return nil
}

func (*resolution) Type() string { return "1ns|64ns" }

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/size"
	"tracerec/recorder"
)

// newRun returns the command that records a program; tracerec without a command is the same.
func newRun(use string) *cobra.Command {
	o := recorder.Defaults(recorder.DefaultDir)
	var live string
	cmd := &cobra.Command{
		Use:  use,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program to record; see tracerec --help")
			}
			if o.Patience < 0 {
				return fmt.Errorf("--patience %v: less than nothing", o.Patience)
			}
			o.Say = sayTo(cmd.ErrOrStderr())
			if cmd.Flags().Changed("live") {
				leave, err := liveBeside(o.Dir, live)
				if err != nil {
					return err
				}
				defer leave()
			}
			status, err := recorder.Run(o, args)
			if err != nil || status != 0 {
				return &exit{status, err}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&o.Dir, "output", "o", o.Dir, "trace directory to write")
	f.StringSliceVarP(&o.Counters, "counters", "c", nil, "counters to sample, see tracerec counters")
	f.Var((*size.Bytes)(&o.Buffer), "buffer", "most buffer memory for a process")
	f.BoolVar(&o.Block, "block", false, "wait when buffers are full; lose nothing")
	f.Var((*resolution)(&o.Resolution), "resolution", "resolution of stored times")
	f.DurationVar(&o.Patience, "patience", o.Patience, "wait this long for its children")
	f.StringVar(&live, "live", "", "watch it meanwhile, by region; tracerec live does so from another terminal")
	f.Lookup("live").NoOptDefVal = "executing"
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing unless something was lost")
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

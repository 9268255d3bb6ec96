package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracerec/counters/events"
	"tracerec/internal/size"
	"tracerec/metric/spec"
	"tracerec/recorder"
	"tracerec/recorder/live"
)

// newRecord returns the command that records a program; tracerec without a command is the same.
func newRecord(use string) *cobra.Command {
	o := recorder.Defaults(recorder.DefaultDir)
	var metric, window string
	var lists, specs []string
	cmd := &cobra.Command{
		Use:  use,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program to record; see tracerec --help")
			}
			if o.Patience < 0 {
				return fmt.Errorf("--patience %v: must not be negative", o.Patience)
			}
			var err error
			if o.Counters, err = chosenCounters(lists, specs, spec.CPU(events.Here())); err != nil {
				return err
			}
			if cmd.Flags().Changed("window") {
				if o.Window, err = recorder.ParseWindow(window); err != nil {
					return fmt.Errorf("--window: %w", err)
				}
			}
			o.Say = sayTo(cmd.ErrOrStderr())
			if cmd.Flags().Changed("live") {
				if leave, err := live.Beside(o.Dir, metric); err != nil {
					o.Say("--live: " + err.Error())
				} else {
					defer leave()
				}
			}
			return exited(recorder.Run(o, args))
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&o.Dir, "output", "o", o.Dir, "trace directory")
	f.StringArrayVarP(&lists, "counters", "c", nil, "read these counters, or a `SET`, at regions")
	f.StringArrayVar(&specs, "spec", nil, "specification of sets: a `NAME` or file")
	f.Var((*size.Bytes)(&o.Buffer), "buffer", "buffer memory of each process")
	f.BoolVar(&o.NoStates, "no-states", false, "do not record states of goroutines")
	f.BoolVar(&o.Block, "block", false, "when buffers are full, wait, if that can end")
	f.Var((*resolution)(&o.Resolution), "resolution", "resolution of stored times")
	f.DurationVar(&o.Patience, "patience", o.Patience, "longest wait for children")
	f.StringVar(&window, "window", "", "record only `FROM:TO`; see tracerec ctl")
	f.StringVar(&metric, "live", "", "show regions meanwhile; see tracerec live")
	f.Lookup("live").NoOptDefVal = "executing"
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "print nothing unless something was lost")
	return cmd
}

// chosenCounters returns the counters that -c and --spec ask for: lists of names, and sets of the specifications by name. A
// specification with one set stands for that; without any, those for the processor count.
func chosenCounters(lists, specs []string, cpu spec.CPU) (names []string, err error) {
	if len(lists) == 0 && len(specs) == 0 {
		return nil, nil
	}
	var loaded []*spec.Spec
	if len(specs) > 0 || slices.ContainsFunc(lists, spec.MayBeSet) { // reading them takes as long as many a program
		if loaded, err = spec.Choose(cpu, specs...); err != nil {
			return nil, fmt.Errorf("--spec: %w", err)
		}
	}
	if len(lists) == 0 {
		if s := loaded[0]; len(s.Sets) != 1 {
			var sets []string
			for _, x := range s.Sets {
				sets = append(sets, x.Name)
			}
			return nil, fmt.Errorf("--spec %s has %d sets of counters; choose one with -c: %s", strings.Join(specs, ", "), len(sets), strings.Join(sets, ", "))
		}
		return loaded[0].Sets[0].Events, nil
	}
	for _, list := range lists {
		set, err := spec.SetOf(list, loaded)
		if err != nil {
			return nil, fmt.Errorf("-c %w", err)
		}
		names = append(names, set.Events...)
	}
	return names, nil
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

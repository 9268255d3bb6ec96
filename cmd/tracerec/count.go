package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/counters/count"
	"tracerec/internal/command"
	"tracerec/internal/readable"
)

// countOptions are the flags of tracerec count.
type countOptions struct {
	count.Options
	format *command.Format
	output string

	given func(flag string) bool // whether a flag was set
}

func newCount() *cobra.Command {
	o := countOptions{Options: count.Options{CPU: -1}, format: command.NewFormat("text", "json")}
	cmd := &cobra.Command{
		Use:   "count [flags] [--] CMD [ARG…]",
		Short: "Count events of any program, without instrumentation",
		Long: `tracerec count runs CMD and counts events of CMD and everything that it starts,
from the first instruction of CMD to its end. It writes the counts to standard
error, or to a file. Input, output and exit status are those of CMD.

With -p it counts a running process, with --cpu everything that runs on a
processor: until CMD ends, or without CMD until a signal (Ctrl-C).

An event that cannot be counted is listed with the reason, never as zero. If no
event can be counted, the exit status is 2, unless CMD failed. Counts of
multiplexed events (--multiplex) are estimates, and marked.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Args, o.given = args, cmd.Flags().Changed
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringSliceVarP(&o.Events, "event", "e", nil, "events to count; see tracerec counters")
	f.IntVarP(&o.PID, "pid", "p", 0, "count this process instead of CMD, with all its threads")
	f.IntVar(&o.CPU, "cpu", -1, "count all that runs on this processor")
	f.BoolVar(&o.Multiplex, "multiplex", false, "let events take turns if there are too few counters")
	f.BoolVar(&o.Inherit, "inherit", true, "also count what CMD starts")
	f.IntVar(&o.Repeat, "repeat", 1, "run CMD this often; show means and spread")
	f.Var(o.format, "format", o.format.Usage())
	f.StringVarP(&o.output, "output", "o", "", "write the counts to this file, not standard error")
	return cmd
}

// check says what is wrong with the options.
func (o *countOptions) check() error {
	switch {
	case o.Repeat < 1:
		return fmt.Errorf("--repeat %d: must be at least 1", o.Repeat)
	case o.PID < 0, o.PID == 0 && o.given("pid"):
		return fmt.Errorf("-p %d: not a process ID", o.PID)
	case o.CPU < 0 && o.given("cpu"):
		return fmt.Errorf("--cpu %d: not a processor; the first one is 0", o.CPU)
	case o.PID > 0 && o.CPU >= 0:
		return errors.New("-p and --cpu: count a process or a processor, not both")
	case len(o.Args) == 0 && o.PID == 0 && o.CPU < 0:
		return errors.New("no command to count; see tracerec count --help")
	case o.Events != nil && len(o.Events) == 0:
		return errors.New("-e: no events named")
	case len(o.Args) == 0 && o.Repeat > 1:
		return errors.New("--repeat needs a command to run")
	}
	for i, e := range o.Events {
		if o.Events[i] = strings.TrimSpace(e); e == "" {
			return errors.New("-e: an event without a name")
		}
		if slices.Contains(o.Events[:i], o.Events[i]) {
			return fmt.Errorf("-e: %s is named twice", o.Events[i])
		}
	}
	return nil
}

// run counts and writes the result to the file that is named, or else to standard error.
func (o *countOptions) run(stderr io.Writer) error {
	out, closeOut := stderr, func() error { return nil }
	if o.output != "" {
		f, err := os.Create(o.output)
		if err != nil {
			return err
		}
		out, closeOut = f, f.Close
	}
	t, err := count.Run(o.Options)
	if t == nil {
		return errors.Join(err, closeOut())
	}
	if err == nil && t.Late {
		sayTo(stderr)("the program could not be stopped before its first instruction; counting began shortly after it")
	}
	write := t.Text
	if o.format.Value == "json" {
		write = func(w io.Writer) error { return readable.JSON(w, t) }
	}
	if err = errors.Join(write(out), err, closeOut()); err != nil && t.Status == 0 {
		return err
	}
	return exited(t.Status, err)
}

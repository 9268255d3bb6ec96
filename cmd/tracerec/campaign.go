package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/internal/size"
	"tracerec/metric/spec"
	"tracerec/recorder"
)

// campaignDir is where a campaign writes unless told.
const campaignDir = "campaign.dir"

func newCampaign() *cobra.Command {
	c := campaign{options: recorder.Defaults(""), dir: campaignDir, repeat: 1}
	cmd := &cobra.Command{
		Use:   "campaign [flags] [--] PROGRAM [ARG…]",
		Short: "Record a program once per set of counters, into one report",
		Long: `campaign runs the program once for each set of counters, analyzes each run, and
merges all into one report, DIR/campaign.cubex, whose hierarchies and ratios are
derived of the counters of all runs together. Traces and reports of the single
runs are kept in DIR, too. An older DIR is kept under another name.

The sets are those that -c gives, a name of a set of the specification or a list
of counters each; else those of the specification; else as few as possible are
planned for the counters that are available here, such that the inputs of a
computation are of one run. Without --spec it is the specification that is
shipped for this processor, and that for Go programs.

With --repeat each set is measured several times, so that the report knows how
values differ from run to run. Runs that do not agree, counters that are not
available, and runs that fail are told, and noted in the report. What a run that
fails measured is kept but not merged, unless all end with the same status. The
program's input is read by its first run.

Exit status: the program's if it is the same for all runs, 1 if some failed,
127 or 126 when the program is not found or cannot be started, 2 for bad usage.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program to record; see tracerec campaign --help")
			}
			if c.repeat < 1 {
				return fmt.Errorf("--repeat %d: less than one run", c.repeat)
			}
			c.say, c.args = sayTo(cmd.ErrOrStderr()), args
			c.options.Say = c.say
			return exited(c.run())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&c.dir, "output", "o", c.dir, "folder to write")
	f.StringArrayVar(&c.specs, "spec", nil, "specification, with its sets: a `NAME` or file")
	f.StringArrayVarP(&c.lists, "counters", "c", nil, "a `SET` of counters; may be repeated")
	f.BoolVar(&c.plan, "plan", false, "plan sets, whatever sets the specification has")
	f.BoolVarP(&c.dry, "dry-run", "n", false, "only say which sets would be measured, and why")
	f.IntVar(&c.repeat, "repeat", c.repeat, "how many times each set is measured")
	f.Var((*size.Bytes)(&c.options.Buffer), "buffer", "most buffer memory for a process")
	f.BoolVar(&c.options.Block, "block", false, "wait when buffers are full; lose nothing")
	f.Var((*resolution)(&c.options.Resolution), "resolution", "resolution of stored times")
	f.DurationVar(&c.options.Patience, "patience", c.options.Patience, "wait this long for its children")
	return cmd
}

// loadSpecs reads the specifications that the user names, as one, or those for this processor.
func loadSpecs(names []string, cpu spec.CPU) (list []*spec.Spec, err error) {
	if len(names) > 0 {
		s, err := spec.Load(names...)
		if err != nil {
			return nil, fmt.Errorf("--spec: %w", err)
		}
		return []*spec.Spec{s}, nil
	}
	for _, name := range spec.For(cpu) {
		s, err := spec.Open(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// splitEvents splits a list of events at its commas, other than those between the slashes of an event of a unit:
// cpu/event=0x3c,umask=0/.
func splitEvents(list string) (names []string) {
	within := false
	for i, begin := 0, 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && !within:
			if name := strings.TrimSpace(list[begin:i]); name != "" {
				names = append(names, name)
			}
			begin, within = i+1, false
		case list[i] == '/' && !within:
			end := strings.IndexByte(list[i+1:], '/')
			within = end >= 0 && strings.Contains(list[i+1:i+1+end], "=")
		case list[i] == '/':
			within = false
		}
	}
	return names
}

// mayBeSet tells whether the value of -c may be the name of a set that is shipped: these are identifiers.
func mayBeSet(text string) bool { return !strings.ContainsAny(text, "-:,/ ") }

// setOf returns what -c asks for: a set of a specification by its name, or a list of counters.
func setOf(text string, specs []*spec.Spec) (spec.Set, error) {
	for _, s := range specs {
		if i := slices.IndexFunc(s.Sets, func(x spec.Set) bool { return x.Name == text }); i >= 0 {
			return s.Sets[i], nil
		}
	}
	names := splitEvents(text)
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return spec.Set{}, fmt.Errorf("-c %s: %s is in it twice", text, n)
		}
	}
	if len(names) == 0 {
		return spec.Set{}, fmt.Errorf("-c %q: no counters", text)
	}
	return spec.Set{Events: names}, nil
}

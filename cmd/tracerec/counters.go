package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/counters/survey"
	"tracerec/internal/command"
	"tracerec/internal/readable"
	"tracerec/recorder"
)

// countersOptions are the flags of tracerec counters.
type countersOptions struct {
	all, presets, native, cost, hardware bool
	with                                 []string
	format                               *command.Format
}

func newCounters() *cobra.Command {
	o := countersOptions{format: command.NewFormat("text", "json")}
	cmd := &cobra.Command{
		Use:   "counters [flags] [PATTERN]",
		Short: "List what can be counted here, alone or together, and at what cost",
		Long: `tracerec counters lists what can be counted on this machine.

With --native or --presets, PATTERN selects events by name or description: it is
a part of either, or a name with * and ?.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !o.native && !o.presets {
				return fmt.Errorf("PATTERN %q needs --native or --presets", args[0])
			}
			if o.with = slices.DeleteFunc(o.with, func(n string) bool { return strings.TrimSpace(n) == "" }); len(o.with) == 0 && cmd.Flags().Changed("with") {
				return errors.New("--with: no events named")
			}
			for _, n := range o.with {
				if at, ok := strings.CutPrefix(n, "mem:"); ok && !strings.HasPrefix(at, "0x") && (at == "" || at[0] < '0' || at[0] > '9') {
					return fmt.Errorf("--with %s: variables need a program; give any address instead, such as mem:0x1000/8:w", n)
				}
			}
			if set := views(cmd); len(set) > 1 {
				return fmt.Errorf("%s: use only one of them", strings.Join(set, " and "))
			}
			if text := survey.NoTables(); text != "" {
				sayTo(cmd.ErrOrStderr())(text)
			}
			v, err := o.look(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if o.format.Value == "text" {
				return v.Text(cmd.OutOrStdout())
			}
			return readable.JSON(cmd.OutOrStdout(), v)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "describe all counters and what they cost")
	f.BoolVarP(&o.presets, "presets", "p", false, "list PAPI presets, and what they stand for here")
	f.BoolVarP(&o.native, "native", "n", false, "list events of the kernel and of this processor")
	f.StringSliceVarP(&o.with, "with", "w", nil, "list what can be counted together with these events")
	f.BoolVarP(&o.cost, "cost", "c", false, "measure what event sets cost: reading, start, stop")
	f.BoolVarP(&o.hardware, "hardware", "H", false, "describe the machine: caches, TLBs, cores, counters")
	f.Var(o.format, "format", o.format.Usage())
	return cmd
}

// views lists the flags that were given of those that ask for a view.
func views(cmd *cobra.Command) (set []string) {
	for _, name := range []string{"all", "presets", "native", "with", "cost", "hardware"} {
		if cmd.Flags().Changed(name) {
			set = append(set, "--"+name)
		}
	}
	return set
}

// look answers what the flags ask.
func (o countersOptions) look(pattern string) (survey.Answer, error) {
	switch {
	case o.hardware:
		return survey.Here(), nil
	case o.presets:
		return survey.Presets(pattern)
	case o.native:
		return survey.Natives(pattern)
	case o.cost:
		return survey.Costs()
	}
	self, _ := os.Executable() // stands for the program that is recorded
	sampled := func(event string) error { return recorder.Countable([]string{event}, self) }
	if o.with != nil {
		return survey.Beside(o.with, sampled)
	}
	return survey.All(o.all, o.all || o.format.Value == "json", sampled), nil
}

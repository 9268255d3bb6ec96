package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracerec/campaign"
	"tracerec/internal/command"
	"tracerec/internal/size"
	"tracerec/recorder"
)

// campaignDir is where a campaign writes unless told.
const campaignDir = "campaign.dir"

func newCampaign() *cobra.Command {
	o := campaign.Options{Recording: recorder.Defaults(""), Dir: campaignDir, Repeat: 1, Version: command.Version()}
	cmd := &cobra.Command{
		Use:   "campaign [flags] [--] PROGRAM [ARG…]",
		Short: "Record a program once for each event set, into one report",
		Long: `campaign runs the program once for each set of counters, analyzes each run, and
merges the results into one report, DIR/campaign.cubex. Its hierarchies and
ratios are derived from the counters of all runs. Traces and reports of the
single runs are kept in DIR, too. An older DIR is renamed, not overwritten.

-c gives the sets: each is a list of counters, or the name of a set of the
specification. Without -c, the sets are those of the specification. If it has
none, campaign plans as few sets as possible for the available counters, and
keeps the inputs of a computation in one run. By default, the specifications are
those shipped for this processor and for Go programs.

--repeat measures each set several times, so that the report knows how values
vary from run to run. Warnings, which are also in the report, name runs that do
not agree, counters that are not available, and runs that failed. The result of
a failed run is kept but not merged, unless all runs end with the same status.
Only the first run reads the program's input.

Exit status: that of the program if it is the same for all runs, 1 if some runs
failed, 127 or 126 if the program is not found or cannot be started, 2 for wrong
usage.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program to record; see tracerec campaign --help")
			}
			if o.Repeat < 1 {
				return fmt.Errorf("--repeat %d: must be at least 1", o.Repeat)
			}
			o.Say, o.Args = sayTo(cmd.ErrOrStderr()), args
			o.Recording.Say = o.Say
			return exited(campaign.Start(o))
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&o.Dir, "output", "o", o.Dir, "directory to write")
	f.StringArrayVar(&o.Specs, "spec", nil, "specification, with its sets: a `NAME` or file")
	f.StringArrayVarP(&o.Sets, "counters", "c", nil, "a `SET` of counters; may be repeated")
	f.BoolVar(&o.Plan, "plan", false, "plan sets, even if the specification has some")
	f.BoolVarP(&o.Dry, "dry-run", "n", false, "only print which sets would be measured, and why")
	f.IntVar(&o.Repeat, "repeat", o.Repeat, "measure each set this many times")
	f.Var((*size.Bytes)(&o.Recording.Buffer), "buffer", "buffer memory of each process")
	f.BoolVar(&o.Recording.Block, "block", false, "when buffers are full, wait, if that can end")
	f.Var((*resolution)(&o.Recording.Resolution), "resolution", "resolution of stored times")
	f.DurationVar(&o.Recording.Patience, "patience", o.Recording.Patience, "longest wait for children")
	return cmd
}

package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/composite"
)

// mergeRuns merges reports. What is made of counters is made of those of all reports, by the specifications that the user names, or those
// for the processors that the reports are from.
func mergeRuns(cmd *cobra.Command, in []algebra.Input) (*algebra.Result, error) {
	list, err := chosenSpecs(cmd)
	if err != nil {
		return nil, err
	}
	for _, r := range in {
		if len(specs(cmd)) > 0 {
			break
		}
		cpu := spec.CPU{}
		if e, err := report.Read(r.Cube); err == nil { // others, such as reports made of several, do not tell
			cpu = spec.CPU(e.Header.CPU)
		}
		shipped, err := spec.Choose(cpu)
		if err != nil {
			return nil, err
		}
		for _, s := range shipped {
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	r, err := composite.Merge(list, in...)
	if err != nil {
		return nil, err
	}
	return &algebra.Result{Cube: r.Cube, Notes: r.Notes}, nil
}

func newCompare() *cobra.Command {
	var all, parent bool
	format := command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "compare REPORT…",
		Short: "Print counters of several platforms side by side",
		Long: `compare prints counter hierarchies and ratios of several reports in columns: of
one program on several platforms, whose counters have different names but whose
metrics are the same. Numbers are for the whole program, followed by the share
of the root of the hierarchy. Metrics that only one platform has are left out
unless they are generic; --all shows them.

For runs on one platform, use diff.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no REPORT; give reports, or trace directories, of programs recorded with counters")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, done, err := openInputs(cmd, args)
			defer done()
			if err != nil {
				return err
			}
			c, err := composite.Compare(all, in...)
			if err != nil {
				return err
			}
			if format.Value == "json" {
				return c.JSON(cmd.OutOrStdout())
			}
			return c.Text(cmd.OutOrStdout(), parent)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also metrics of one platform only")
	cmd.Flags().BoolVar(&parent, "of-parent", false, "shares of the parent, not of the root of the hierarchy")
	cmd.Flags().Var(format, "format", format.Usage())
	addInput(cmd)
	return cmd
}

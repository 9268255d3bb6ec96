package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/report/algebra"
	"tracerec/report/limit"
	"tracerec/report/query"
)

func newCheck() *cobra.Command {
	var limits []string
	var config, baseline, tolerance string
	format := command.NewFormat("text", "json", "github")
	cmd := &cobra.Command{
		Use:   "check INPUT",
		Short: "Hold a report against limits, for continuous integration",
		Long: `check holds a report, or the analysis of a trace directory, against limits. For
each limit it prints whether it held; if not, also where most of the value is.

A limit is METRIC[@PLACE][=BOUND]. Bounds:
    5%                    of the root of the metric's tree, usually time
  20% of critical_path  of another metric
  200ms, 3000           a time (ns us ms s min h), a count (k M G T Ki Mi Gi Ti)
  +10%, +200ms          more than in the baseline
    none                  the baseline's value plus its noise or --tolerance

PLACE names call paths by their last regions: main/solve is solve called from
main, and everything below it. Shares are shares of what is there. A / at the
beginning makes the first name a root. * matches any part of a name, ** any
number of regions; \ removes the special meaning of the next character.

Exit status: 0 if all limits held, 1 if one was exceeded, 2 if one cannot be
evaluated.`,
		Example: `  expert check trace.dir --max lock_competition=5% --max late_sender@solve=200ms
  expert check new.cubex --baseline old.cubex --tolerance 10% --max critical_path`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := limit.Collect(limits, config)
			if err != nil {
				return err
			}
			o := limit.Options{Tolerance: -1}
			if tolerance != "" {
				if o.Tolerance, err = limit.ParsePercent(tolerance); err != nil {
					return fmt.Errorf("--tolerance: %w", err)
				}
			}
			if baseline != "" {
				base, done, err := openChecked(cmd, baseline)
				if err != nil {
					return err
				}
				defer done()
				o.Baseline = base
			} else if tolerance != "" {
				return errors.New("--tolerance without --baseline")
			}
			r, done, err := openChecked(cmd, args[0])
			if err != nil {
				return err
			}
			defer done()
			return check(cmd.OutOrStdout(), r, list, o, format.Value)
		},
	}
	cmd.Flags().StringArrayVar(&limits, "max", nil, "a `limit`; may be given several times")
	cmd.Flags().StringVar(&config, "limits", "", "read limits from `FILE`, one on each line, # begins a comment")
	cmd.Flags().StringVar(&baseline, "baseline", "", "`REPORT` to compare with: of one run, or a mean of several")
	cmd.Flags().StringVar(&tolerance, "tolerance", "", "what values may be above the baseline's, in `PERCENT`")
	cmd.Flags().Var(format, "format", format.Usage())
	addInput(cmd)
	return cmd
}

// errExceeded ends the program with the status for exceeded limits, which the output tells of.
var errExceeded = errors.New("a limit was exceeded")

// check prints what comes out and returns errExceeded if a limit was.
func check(w io.Writer, r *limit.Report, list []limit.Limit, o limit.Options, format string) error {
	result, err := limit.Check(r, list, o)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		err = limit.JSON(w, result)
	case "github":
		err = limit.GitHub(w, result, limit.InRepository)
	default:
		err = limit.Text(w, result)
	}
	if err == nil && !result.Held() {
		err = errExceeded
	}
	return err
}

// openChecked opens a report as it is displayed.
func openChecked(cmd *cobra.Command, input string) (*limit.Report, func(), error) {
	in, err := openReport(cmd, input)
	if err != nil {
		return nil, nil, err
	}
	in.warn(cmd)
	model, _, err := query.Display(in.Cube)
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	r := &limit.Report{Name: in.Name, Model: model, Spread: algebra.SpreadOf(in.Cube)}
	if in.Experiment != nil {
		r.OnPath = in.Experiment.OnCriticalPath()
	}
	return r, func() { in.Close() }, nil
}

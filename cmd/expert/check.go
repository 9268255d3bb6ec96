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
		Long:  limit.Help,
		Example: `  expert check trace.dir --max lock_competition=5% --max late_sender@solve=200ms
  expert check app.trace --max 'p99(GET /search)=50ms'
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
	err = limit.Write(w, result, format)
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
	r := &limit.Report{Name: in.Name, Model: model, Spread: algebra.SpreadOf(in.Cube), Requests: in.requests()}
	if in.Experiment != nil {
		r.OnPath = in.Experiment.OnCriticalPath()
	}
	return r, func() { in.Close() }, nil
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/internal/readable"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/explain"
	"tracerec/report/query"
)

// explain prints what a report means that has no findings of its own.
func (in *reportInput) explain(cmd *cobra.Command, format string, top int) error {
	if cmd.Flags().Changed("output") {
		return fmt.Errorf("%s: -o writes the report of a trace, and this is one of another tool, or one made of several; copy it", in.Name)
	}
	m, problems, err := query.Display(in.Cube)
	if err == nil {
		err = m.Load()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	w := cmd.OutOrStdout()
	if x, err := algebra.ChangesOf(in.Cube); err == nil {
		if o := (algebra.TextOptions{Top: top}); format == "json" {
			return x.JSON(w, o)
		} else {
			return x.Text(w, o)
		}
	}
	if err := in.properties(); err != nil {
		return err
	}
	x := explain.Of(m, algebra.SpreadOf(in.Cube))
	x.Warnings = append(x.Warnings, problems...)
	if format == "json" {
		return x.JSON(w, in.Experiment)
	}
	if err := x.Text(w, in.Name, top); err != nil || in.Experiment == nil {
		return err
	}
	return report.CountersText(w, in.Experiment, report.TextOptions{Top: top, Color: readable.Colored(w)})
}

// properties finds what is wrong by the counters of a report that was made of several, which does not say so itself.
func (in *reportInput) properties() error {
	if in.Experiment == nil || !in.Experiment.Merged {
		return nil
	}
	if err := analyzer.FindProperties(in.Experiment, patterns.Properties()); err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	return nil
}

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/explain"
	"tracerec/report/query"
)

// explain prints what a report means that has no findings of its own.
func (in *reportInput) explain(cmd *cobra.Command, format string, top int) error {
	if cmd.Flags().Changed("output") {
		return fmt.Errorf("%s: -o writes the report of a trace, and this is one of another tool, or one made of several; copy it", in.Name)
	}
	m, problems, err := display(in.Cube)
	if err == nil {
		err = undamaged(m)
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
	merged, err := in.merged()
	if err != nil {
		return err
	}
	x := explain.Of(m, algebra.SpreadOf(in.Cube))
	x.Warnings = append(x.Warnings, problems...)
	if format == "json" {
		return x.JSON(w, merged)
	}
	if err := x.Text(w, in.Name, top); err != nil || merged == nil {
		return err
	}
	return report.CountersText(w, merged, report.TextOptions{Top: top, Color: colored(w)})
}

// merged returns what a report made of several says of counters, nil if it is none or has none.
func (in *reportInput) merged() (*report.Experiment, error) {
	if in.Experiment != nil {
		return nil, nil
	}
	e, err := report.ReadMerged(in.Cube)
	if errors.Is(err, report.ErrForeign) {
		return nil, nil
	}
	if err == nil {
		err = analyzer.FindProperties(e, patterns.Properties())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return e, nil
}

// undamaged computes all totals, which need all that the file holds, and returns what is wrong with it.
func undamaged(m *query.Model) error {
	for _, q := range m.Metrics {
		_, err := m.Total(query.What{Metric: q})
		if damage := (*cube.FormatError)(nil); errors.As(err, &damage) {
			return damage
		}
	}
	return nil
}

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/internal/typo"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
)

func newPatterns() *cobra.Command {
	return &cobra.Command{
		Use:   "patterns [NAME]",
		Short: "Explain a metric: what it means, how it is computed, what to do",
		Long: `patterns explains a metric: a wait state or another metric of time, a metric or
ratio of a shipped specification, a counter used by one, or a known problem that
findings are recognised as. Without NAME it lists the metrics of time, the
properties of counters, and the problems.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := metrics()
			if len(args) == 0 {
				return report.MetricTree(cmd.OutOrStdout(), list)
			}
			for _, m := range list {
				if m.Name == args[0] {
					return report.DescribeMetric(cmd.OutOrStdout(), m)
				}
				if onPath := report.OnCriticalPath(m); m.Kind == metric.WaitState && onPath.Name == args[0] {
					return report.DescribeMetric(cmd.OutOrStdout(), onPath)
				}
			}
			text, err := report.DescribeCounter(args[0])
			if err != nil || text != "" {
				fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			return fmt.Errorf("no metric %q%s; expert patterns lists them all", args[0], similar(args[0], list))
		},
	}
}

// metrics returns the metrics of all patterns, parents before children, the properties of counters, and the known problems.
func metrics() []metric.Metric {
	var list []metric.Metric
	for _, p := range patterns.All() {
		list = append(list, p.Metric)
	}
	for _, p := range patterns.Properties() {
		list = append(list, p.Metric)
	}
	return append(list, report.Problems()...)
}

// similar suggests metrics whose name or title has the text in it, or whose name may be mistyped.
func similar(text string, list []metric.Metric) string {
	var names []string
	for _, m := range list {
		if strings.Contains(m.Name, text) || strings.Contains(strings.ToLower(m.Title), strings.ToLower(text)) || typo.Near(text, m.Name) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (perhaps " + strings.Join(names, ", ") + ")"
}

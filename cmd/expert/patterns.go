package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/internal/readable"
	"tracerec/internal/typo"
	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/report"
)

func newPatterns() *cobra.Command {
	return &cobra.Command{
		Use:   "patterns [NAME]",
		Short: "Say what a metric means, how it is computed, and what to do about it",
		Long: `patterns says what a metric means: a wait state or another metric of time, a
metric or ratio of a specification that is shipped, or a counter that they are
made of. Without NAME it lists those of time and the properties of counters.`,
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
				if onPath := report.OnCriticalPath(m); m.Wait && onPath.Name == args[0] {
					return report.DescribeMetric(cmd.OutOrStdout(), onPath)
				}
			}
			text, err := describeCounters(args[0])
			if err != nil || text != "" {
				fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			return fmt.Errorf("no metric %q%s; expert patterns lists them all", args[0], similar(args[0], list))
		},
	}
}

// metrics returns the metrics of all patterns, parents before children, and the properties of counters.
func metrics() []metric.Metric {
	var list []metric.Metric
	for _, p := range patterns.All() {
		list = append(list, p.Metric)
	}
	for _, p := range patterns.Properties() {
		list = append(list, p.Metric)
	}
	return list
}

// describeCounters says what a metric or ratio of the shipped specifications means, each meaning once, or which of them are made of a
// counter; "" if there is none of that name.
func describeCounters(name string) (string, error) {
	name = strings.TrimPrefix(strings.TrimSuffix(name, "_uncertain"), metric.Mark)
	var order, users []string
	by := map[string][]string{} // names of specifications, by what they say
	for _, file := range spec.Shipped() {
		s, err := spec.Open(file)
		if err != nil {
			return "", err
		}
		r := s.Resolve(s.Events())
		var said []string
		for i := range r.Nodes {
			if n := &r.Nodes[i]; n.Label == name || n.Name == name {
				said = append(said, meaning(name, "metric of counters, "+n.Unit, n.Description))
			}
		}
		for _, q := range r.Ratios {
			if q.Name == name {
				said = append(said, meaning(name, q.Unit, q.Description)+wrapped("Computed as "+q.Expression.String()))
			}
		}
		for _, text := range said {
			if by[text] == nil {
				order = append(order, text)
			}
			if !slices.Contains(by[text], s.Name) {
				by[text] = append(by[text], s.Name)
			}
		}
		if slices.Contains(s.Events(), name) {
			users = append(users, s.Name)
		}
	}
	var b strings.Builder
	for _, text := range order {
		fmt.Fprintf(&b, "%s%s", text, wrapped("Specification "+strings.Join(by[text], ", ")))
	}
	switch {
	case b.Len() > 0:
	case strings.HasPrefix(name, "mem:"):
		b.WriteString(meaning(name, "counter", "accesses to memory at an address, counted by a debug register; :r counts those that read or write, :w those that write"))
	case len(users) > 0:
		b.WriteString(meaning(name, "counter", "an event as it was measured; tracerec counters "+name+" says what it counts"))
		b.WriteString(wrapped("Specification " + strings.Join(users, ", ")))
	}
	return b.String(), nil
}

// meaning writes a name with what it is and means.
func meaning(name, kind, text string) string {
	return fmt.Sprintf("%s (%s)\n%s", name, kind, wrapped(text))
}

// wrapped breaks a text into indented lines of at most 80 columns.
func wrapped(text string) string {
	var b strings.Builder
	for _, line := range readable.Wrap(text, 78) {
		b.WriteString("  " + line + "\n")
	}
	return b.String()
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

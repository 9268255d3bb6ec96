package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// MetricTree writes the names and titles of metrics, indented as a tree.
func MetricTree(w io.Writer, metrics []metric.Metric) error {
	var out bytes.Buffer
	for i, depth := range depths(metrics) {
		m := &metrics[i]
		fmt.Fprintln(&out, strings.TrimRight(left(strings.Repeat("  ", depth)+m.Name, 32)+m.Title, " "))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// DescribeMetric writes everything there is to know about a metric, as text of 80 columns.
func DescribeMetric(w io.Writer, m metric.Metric) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s (%s, %s)\n", m.Title, m.Name, kindText(&m, ""))
	if m.Parent != "" {
		fmt.Fprintf(&out, "part of %s\n", m.Parent)
	}
	for _, part := range []struct{ title, text string }{{"", m.Description}, {"Computed as", m.Formula}, {"What to do", m.Advice}} {
		if part.text == "" {
			continue
		}
		out.WriteByte('\n')
		if part.title != "" {
			fmt.Fprintln(&out, part.title)
		}
		out.WriteString(indented(part.text))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// MetricsMarkdown writes the reference page of all metrics.
func MetricsMarkdown(w io.Writer, metrics []metric.Metric) error {
	var out bytes.Buffer
	out.WriteString("# Metrics and wait states\n\n" +
		"Generated from the patterns' own descriptions by `go generate ./cmd/expert`; do not edit.\n\n" +
		"A child's severity is part of its parent's. Times are sums over goroutines. Properties of counters, at the end, are\n" +
		"found at call paths where there are too many of some events; they are not time. Behind them are known problems: what a\n" +
		"chain of waits is called. `expert patterns NAME` shows the same text in a terminal.\n\n")
	levels := depths(metrics)
	for i, m := range metrics {
		fmt.Fprintf(&out, "%s- [%s](#%s) %s\n", strings.Repeat("  ", levels[i]), m.Name, m.Name, m.Title)
	}
	for _, m := range metrics {
		kind := kindText(&m, "unit ")
		if m.Parent != "" {
			kind += ", part of [" + m.Parent + "](#" + m.Parent + ")"
		}
		fmt.Fprintf(&out, "\n## %s\n\n**%s** (%s)\n", m.Name, m.Title, kind)
		for _, part := range []struct{ title, text string }{{"", m.Description}, {"*Computed as:* ", m.Formula}, {"*What to do:* ", m.Advice}} {
			if part.text != "" {
				fmt.Fprintf(&out, "\n%s%s", part.title, readable.Block("", part.text, 110))
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// kindText says what a metric is, and its unit behind a word.
func kindText(m *metric.Metric, unit string) string {
	switch unit += m.Unit.String(); m.Kind {
	case metric.WaitState:
		return "wait state, " + unit
	case metric.Property:
		return "property of counters"
	case metric.Problem:
		return "known problem"
	}
	return unit
}

// depths returns the level of each metric in its tree; roots are 0. Parents come before children.
func depths(metrics []metric.Metric) []int {
	levels := make([]int, len(metrics))
	byName := map[string]int{}
	for i, m := range metrics {
		if m.Parent != "" {
			levels[i] = byName[m.Parent] + 1
		}
		byName[m.Name] = levels[i]
	}
	return levels
}

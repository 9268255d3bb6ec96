package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tracerec/internal/readable"
	"tracerec/report/query"
)

// metricLine is what there is to say about a metric of a report.
type metricLine struct {
	Name   string   `json:"name"`
	Parent string   `json:"parent"` // name of the metric above, "" at the top
	Title  string   `json:"title"`
	Unit   string   `json:"unit"`
	Kind   string   `json:"kind"`  // as CUBE names it: EXCLUSIVE, INCLUSIVE, POSTDERIVED, …
	Total  *float64 `json:"total"` // of the whole program, in the unit; null where there is none
	Error  string   `json:"error"` // why there is none

	text  string
	depth int
}

func newMetrics() *cobra.Command {
	format := newFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "metrics INPUT",
		Short: "List the metrics of a report",
		Long: `metrics lists the metrics of INPUT, a report or a trace directory, as the other
commands name them: name, title, total of the whole program, and kind. Those
whose kind is derived are computed from others.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := openReport(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			m, _, err := display(in.Cube)
			if err != nil {
				return err
			}
			list := metricLines(m)
			if format.value == "json" {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(map[string]any{"metrics": list})
			}
			return writeMetrics(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().Var(format, "format", format.usage())
	addInput(cmd)
	return cmd
}

// metricLines describes the visible metrics of a report, parents before children.
func metricLines(m *query.Model) []metricLine {
	list := []metricLine{}
	for _, q := range m.Metrics {
		x := metricLine{Name: q.Name, Title: q.Title, Unit: q.Unit, Kind: q.Kind.String(), text: "?"}
		for p := q.Parent; p != nil; p = p.Parent {
			if x.depth++; x.Parent == "" {
				x.Parent = p.Name
			}
		}
		v, err := m.Total(query.What{Metric: q})
		switch total := v.Float64(); {
		case err != nil:
			x.Error = err.Error()
		case math.IsNaN(total) || math.IsInf(total, 0):
			x.text = "–"
		default:
			x.Total, x.text = &total, readable.Quantity(total, q.Unit)
		}
		list = append(list, x)
	}
	return list
}

func writeMetrics(w io.Writer, list []metricLine) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, x := range list {
		fmt.Fprintf(t, "%s%s\t%s\t%s\t%s\n", strings.Repeat("  ", x.depth), readable.Clean(x.Name), readable.Clean(x.Title), x.text,
			strings.ToLower(strings.ReplaceAll(x.Kind, "_", " ")))
	}
	return t.Flush()
}

// completeMetrics completes the flag that names metrics with those of the report that the command line names.
func completeMetrics(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 || args[0] == fromStdin || isDir(args[0]) { // a trace would have to be analyzed
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := openCube(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer c.Close()
	m, _, err := display(c)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, q := range m.Metrics {
		names = append(names, q.Name+"\t"+q.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracerec/counters"
	"tracerec/counters/sample"
)

// counterRow is what is told about a counter, and its form in JSON.
type counterRow struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"` // thread or process
	Unit        string `json:"unit"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Available   bool   `json:"available"`
	Reason      string `json:"reason,omitempty"`     // why it is not available
	Cost        int64  `json:"reading_ns,omitempty"` // what one reading takes
}

func newCounters() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "counters",
		Short: "List the counters there are here, and what reading them costs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch format {
			case "text":
				return writeCounters(cmd.OutOrStdout(), surveyCounters())
			case "json":
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(map[string]any{"counters": surveyCounters(), "together": sample.MaxEvents})
			}
			return fmt.Errorf("unknown format %q: neither text nor json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// surveyCounters tries all counters.
func surveyCounters() []counterRow {
	var rows []counterRow
	for _, s := range counters.Substrates() {
		for _, e := range s.Events() {
			row := counterRow{Name: e.Name, Scope: "thread", Unit: e.Unit, Description: e.Description, Source: s.Name()}
			if e.Process {
				row.Scope = "process"
			}
			cost, err := counters.Cost(e.Name)
			if row.Available, row.Cost = err == nil, cost.Nanoseconds(); err != nil {
				row.Reason = strings.TrimPrefix(err.Error(), "counter "+e.Name+": ")
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// writeCounters writes a table of 80 columns.
func writeCounters(w io.Writer, rows []counterRow) error {
	const row = "%-17s %-8s %-7s %9s  %s\n"
	var out strings.Builder
	fmt.Fprintf(&out, row, "counter", "of the", "unit", "1 reading", "what it counts")
	for _, r := range rows {
		cost, text := "-", "not here: "+r.Reason
		if r.Available {
			cost, text = time.Duration(r.Cost).Round(10).String(), r.Description
		}
		for i, line := range fold(text, 34) {
			if i == 0 {
				fmt.Fprintf(&out, row, r.Name, r.Scope, r.Unit, cost, line)
			} else {
				fmt.Fprintf(&out, "%46s%s\n", "", line)
			}
		}
	}
	fmt.Fprintf(&out, `
Up to %d of them can be sampled together, at every begin and end of a region:
    tracerec -c task-clock,page-faults ./app
A counter of the process counts what all goroutines did meanwhile.
`, sample.MaxEvents)
	_, err := io.WriteString(w, out.String())
	return err
}

// fold breaks text into lines of at most width bytes, if its words allow.
func fold(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines) - 1; n >= 0 && len(lines[n])+1+len(word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

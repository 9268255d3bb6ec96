package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// table collects the lines of the result.
type table struct{ lines []line }

// line compares one figure with a peer's.
type line struct {
	what, ours, peer, ratio, goal string
}

// add appends a line and shows it at once on standard error, as the whole takes minutes.
func (t *table) add(l line) {
	t.lines = append(t.lines, l)
	fmt.Fprintf(os.Stderr, "%s: %s  %s  %s\n", l.what, l.ours, l.peer, l.ratio)
}

func (t *table) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%s, %s/%s, %d processors, %s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuModel())
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\ttracerec\tpeer\tratio\tto reach")
	for _, l := range t.lines {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", l.what, l.ours, l.peer, l.ratio, l.goal)
	}
	return out.Flush()
}

// cpuModel names the processor where the system tells it.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for l := range strings.Lines(string(info)) {
			if name, model, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(model)
			}
		}
	}
	return "unknown processor"
}

// median is the middle of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func nanoseconds(v float64) string { return fmt.Sprintf("%.1f ns", v) }
func times(v float64) string       { return fmt.Sprintf("%.2f×", v) }
func mega(v float64) string        { return fmt.Sprintf("%.2f M/s", v/1e6) }

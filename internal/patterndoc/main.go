// Command patterndoc writes docs/patterns.md: what every metric means, from the patterns' own descriptions.
package main

import (
	"bytes"
	"fmt"
	"os"

	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: patterndoc FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], page(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "patterndoc:", err)
		os.Exit(1)
	}
}

// page returns the document.
func page() []byte {
	var metrics []metric.Metric
	for _, p := range patterns.All() {
		metrics = append(metrics, p.Metric)
	}
	for _, p := range patterns.Properties() {
		metrics = append(metrics, p.Metric)
	}
	metrics = append(metrics, report.Problems()...)
	var out bytes.Buffer
	if err := report.MetricsMarkdown(&out, metrics); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

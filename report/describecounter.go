package report

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/metric/spec"
)

// DescribeCounter says what a metric or ratio of the shipped specifications means, each meaning once, or which of them are made of a
// counter; "" if there is none of that name.
func DescribeCounter(name string) (string, error) {
	name = strings.TrimPrefix(strings.TrimSuffix(name, "_uncertain"), metric.Mark)
	var users []string
	var by readable.Groups[string] // names of specifications, by what they say
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
				said = append(said, meaning(name, q.Unit, q.Description)+indented("Computed as "+q.Expression.String()))
			}
		}
		for _, text := range said {
			if !slices.Contains(by.Names[text], s.Name) {
				by.Add(text, s.Name)
			}
		}
		if slices.Contains(s.Events(), name) {
			users = append(users, s.Name)
		}
	}
	var b strings.Builder
	for _, text := range by.Order {
		fmt.Fprintf(&b, "%s%s", text, indented("Specification "+strings.Join(by.Names[text], ", ")))
	}
	switch {
	case b.Len() > 0:
	case strings.HasPrefix(name, "mem:"):
		b.WriteString(meaning(name, "counter", "accesses to memory at an address, counted by a debug register; :r counts those that read or write, :w those that write"))
	case len(users) > 0:
		b.WriteString(meaning(name, "counter", "an event as it was measured; tracerec counters "+name+" says what it counts"))
		b.WriteString(indented("Specification " + strings.Join(users, ", ")))
	}
	return b.String(), nil
}

// meaning writes a name with what it is and means.
func meaning(name, kind, text string) string {
	return fmt.Sprintf("%s (%s)\n%s", name, kind, indented(text))
}

// indented breaks a text into indented lines of at most 80 columns.
func indented(text string) string { return readable.Block("  ", text, readable.Columns) }

package report

import (
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
)

// Lookup finds metrics by what specifications call them.
type Lookup struct {
	metrics  []metric.Metric
	nodes    map[string]int // of hierarchies
	counters map[string]int
}

// NewLookup prepares for questions to a list of metrics. Of several hierarchies with the same name the first is found.
func NewLookup(metrics []metric.Metric) *Lookup {
	l := &Lookup{metrics, map[string]int{}, map[string]int{}}
	note := func(to map[string]int, i int) {
		if _, known := to[metrics[i].Title]; !known {
			to[metrics[i].Title] = i
		}
	}
	for i := range metrics {
		switch m := &metrics[i]; {
		case m.Kind == metric.Counter:
			note(l.counters, i)
		case m.Hierarchy != "" && !m.Margin():
			note(l.nodes, i)
		}
	}
	return l
}

// Find returns the number of the metric of a hierarchy, or else of a counter, that has a name in a specification.
func (l *Lookup) Find(name string) (int, bool) {
	if i, ok := l.nodes[name]; ok {
		return i, true
	}
	for _, as := range []string{name, name + ":u"} {
		if i, ok := l.counters[as]; ok {
			return i, true
		}
	}
	return 0, false
}

// Shared says that a metric is only of counters of the whole process, of which nothing is certain.
func (l *Lookup) Shared(i int) bool {
	m := &l.metrics[i]
	if m.Kind == metric.Counter {
		return strings.HasPrefix(m.Title, wholeProcess)
	}
	formula, _, _ := strings.Cut(m.Formula, ";") // as spec.Node.FormText writes it
	any := false
	for _, word := range strings.FieldsFunc(formula, func(c rune) bool { return strings.ContainsRune(" +−×", c) }) {
		if strings.Trim(word, "0123456789") == "" {
			continue // a coefficient
		}
		if any = true; !strings.HasPrefix(word, wholeProcess) {
			return false
		}
	}
	return any
}

// Operands finds the metrics that the formula of a ratio names, and false if one is not there. If one is a counter of the whole process, of
// which nothing is certain, what is uncertain counts, for all of them: a quotient is of both or of neither.
func (l *Lookup) Operands(e *spec.Expr) (list []Operand, ok bool) {
	all := false
	for _, name := range e.Names() {
		i, found := l.Find(name)
		if !found {
			return nil, false
		}
		list = append(list, Operand{Name: name, Metric: i})
		all = all || l.Shared(i)
	}
	for i := range list {
		list[i].All = all
	}
	return list, len(list) > 0
}

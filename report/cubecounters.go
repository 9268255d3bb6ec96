package report

import (
	"fmt"

	"tracerec/metric/spec"
	"tracerec/report/cube"
)

// hidden is an operand of ratios whose values are in a hidden metric of the cube: CubePL cannot say its name, or the metric has a part
// that could not be attributed exactly, which does not count.
type hidden struct {
	Operand
	name, hierarchy string
}

// hiddenOperands lists them, each once; free makes a name that is not taken.
func (e *Experiment) hiddenOperands(free func(string) string) (list []hidden) {
	seen := map[Operand]bool{}
	for i := range e.Ratios {
		for _, o := range e.operands(&e.Ratios[i]) {
			name := e.Metrics[o.Metric].Name
			if seen[o] || CubeName(name) == name && (o.All || e.uncertainOf(o.Metric) < 0) {
				continue
			}
			seen[o] = true
			list = append(list, hidden{o, free("operand_" + CubeName(name)), e.Ratios[i].Hierarchy})
		}
	}
	return list
}

// operands lists what a ratio is evaluated of: its operands, and what is certain and what is not of the roots of their trees.
func (e *Experiment) operands(r *Ratio) (list []Operand) {
	for _, o := range r.Operands {
		list = append(list, Operand{Metric: o.Metric, All: o.All})
		if certain, uncertain, ok := e.doubt(o); ok {
			list = append(list, certain, uncertain)
		}
	}
	return list
}

// doubt returns what is certain and what is not of the tree of an operand; false if all of it is, or all of it counts.
func (e *Experiment) doubt(o Operand) (certain, uncertain Operand, ok bool) {
	root := e.root(o.Metric)
	apart := e.uncertainOf(root)
	return Operand{Metric: root}, Operand{Metric: apart, All: true}, !o.All && apart >= 0
}

// cubeRatios adds the ratios and the hidden metrics. Their numbers are behind those of all other metrics.
func (e *Experiment) cubeRatios(c *cube.Cube) {
	used := map[string]bool{}
	for i := range e.Metrics {
		used[e.Metrics[i].Name] = true
	}
	free := func(name string) string {
		for base, n := name, 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		used[name] = true
		return name
	}
	id := 2*len(e.Metrics) + 1
	add := func(m *cube.Metric) {
		m.ID = id
		id++
		c.Metrics = append(c.Metrics, m)
	}
	names := map[Operand]string{}
	for _, h := range e.hiddenOperands(free) {
		m := &e.Metrics[h.Metric]
		names[h.Operand] = h.name
		add(&cube.Metric{Name: h.name, Title: m.Label(), DType: "INT64", Unit: unitOf(m), Kind: cube.Exclusive, Ghost: true,
			Doc: "What ratios are computed of: " + CubeName(m.Name) + ".", Attrs: []cube.Attr{{Key: HierarchyAttr, Value: h.hierarchy}}})
	}
	for i := range e.Ratios {
		r := &e.Ratios[i]
		nameOf := func(o Operand) string {
			if h, ok := names[Operand{Metric: o.Metric, All: o.All}]; ok {
				return h
			}
			return e.Metrics[o.Metric].Name
		}
		var doubts []string
		for _, o := range r.Operands {
			if certain, uncertain, ok := e.doubt(o); ok {
				doubts = append(doubts, DoubtGuard(nameOf(certain), nameOf(uncertain)))
			}
		}
		x := RatioMetric(r, func(name string) string {
			for _, o := range r.Operands {
				if o.Name == name {
					return nameOf(o)
				}
			}
			return spec.Time
		}, doubts...)
		x.Name = free(x.Name)
		add(x)
	}
}

// uncertainOf returns the part of a metric that could not be attributed exactly, -1 if there is none.
func (e *Experiment) uncertainOf(i int) int {
	for k := i + 1; k < len(e.Metrics); k++ {
		if apart(&e.Metrics[k]) && e.Metrics[k].Parent == e.Metrics[i].Name {
			return k
		}
	}
	return -1
}

// cubeOperands sets the rows of the hidden metrics.
func (e *Experiment) cubeOperands(c *cube.Cube) error {
	byID := map[int]*cube.Metric{}
	for _, m := range c.AllMetrics() {
		byID[m.ID] = m
	}
	for i, h := range e.hiddenOperands(func(name string) string { return name }) {
		if err := setRows(c, byID[2*len(e.Metrics)+1+i], e.inclusive(h.Metric, h.All)); err != nil {
			return err
		}
	}
	return nil
}

// inclusive returns the severities of a metric with those of the metrics below it, with or without what could not be attributed exactly.
func (e *Experiment) inclusive(metric int, all bool) []Cell {
	var sum []Cell
	if metric < len(e.Severity) {
		sum = e.Severity[metric]
	}
	for k := metric + 1; k < len(e.Metrics); k++ {
		if e.Metrics[k].Parent == e.Metrics[metric].Name && (all || !apart(&e.Metrics[k])) {
			sum = addCells(sum, e.inclusive(k, all), 1)
		}
	}
	return sum
}

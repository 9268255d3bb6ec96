package report

import (
	"fmt"
	"slices"

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
			if seen[o] || CubeName(name) == name && e.storedAs(o) {
				continue
			}
			seen[o] = true
			list = append(list, hidden{o, free("operand_" + CubeName(name)), e.Ratios[i].Hierarchy})
		}
	}
	return list
}

// operands lists what a ratio is evaluated of: its operands, and what is not certain of those of which that does not count.
func (e *Experiment) operands(r *Ratio) (list []Operand) {
	for _, o := range r.Operands {
		list = append(list, Operand{Metric: o.Metric, All: o.All})
		more, less := e.margins(o.Metric)
		for _, k := range []int{more, less} {
			if k >= 0 && !o.All {
				list = append(list, Operand{Metric: k})
			}
		}
	}
	return list
}

// cubeRatios adds the ratios and the hidden metrics. Their numbers are behind those of all other metrics.
func (e *Experiment) cubeRatios(c *cube.Cube) error {
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
		x, err := RatioMetric(r, func(name string) (of [3]string) {
			k := slices.IndexFunc(r.Operands, func(o Operand) bool { return o.Name == name })
			if k < 0 {
				return [3]string{spec.Time}
			}
			o := r.Operands[k]
			if of[0] = nameOf(o); o.All {
				return of
			}
			more, less := e.margins(o.Metric)
			for side, margin := range []int{more, less} {
				if margin >= 0 {
					of[1+side] = nameOf(Operand{Metric: margin})
				}
			}
			return of
		})
		if err != nil {
			return err
		}
		x.Name = free(x.Name)
		add(x)
	}
	return nil
}

// storedAs says that a cube's rows of a metric, which have all that is below it, are what an operand means.
func (e *Experiment) storedAs(o Operand) bool {
	more, less := e.margins(o.Metric)
	for _, k := range []int{more, less} {
		if k >= 0 && (e.Metrics[k].Parent == e.Metrics[o.Metric].Name) != o.All {
			return false
		}
	}
	return true
}

// cubeOperands sets the rows of the hidden metrics.
func (e *Experiment) cubeOperands() error {
	byID := map[int]*cube.Metric{}
	for _, m := range e.Cube.AllMetrics() {
		byID[m.ID] = m
	}
	for i, h := range e.hiddenOperands(func(name string) string { return name }) {
		if err := e.numbers.setRows(byID[2*len(e.Metrics)+1+i], len(e.Locations), e.inclusive(h.Metric, h.All)); err != nil {
			return err
		}
	}
	return nil
}

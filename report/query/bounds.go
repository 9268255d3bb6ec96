package query

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// Margin says that the metric is what of another is uncertain: a bound, that has itself no bounds.
func (q *Metric) Margin() bool { return IsMargin(q.Metric) }

// Form returns a metric that is a sum of counters as one, for [spec.ParseExpr]; "" if it is none.
func (q *Metric) Form() string {
	switch {
	case q.Margin() || cube.ValueOf(q.Attrs, RatioAttr) != "":
	case KindOf(q.Metric) == metric.Counter:
		return q.Name
	case cube.ValueOf(q.Attrs, HierarchyAttr) != "":
		text, _, _ := strings.Cut(cube.ValueOf(q.Attrs, FormulaAttr), ";") // behind it, what was not measured
		return strings.NewReplacer("−", "-", "×", "*").Replace(text)
	}
	return ""
}

// Difference says what a report is the difference of, "B − A"; "" if it is none.
func (m *Model) Difference() string { return cube.ValueOf(m.Cube.Attrs, DifferenceAttr) }

// margins notes which metrics say what of others is uncertain.
func (m *Model) margins() {
	for _, q := range m.all {
		if !q.Margin() {
			continue
		}
		of := q.Parent
		if name := cube.ValueOf(q.Attrs, UncertainOfAttr); name != "" {
			of = m.byName[name]
		}
		if of == nil {
			continue
		}
		if KindOf(q.Metric) == metric.Less {
			of.less = q
		} else {
			of.more = q
		}
	}
	for _, q := range m.all {
		q.ratio = m.ratioOf(q)
	}
	for _, q := range m.all {
		q.sides = m.sidesOf(q)
	}
}

// sidesOf returns the metrics of which one is the difference, nil for none: the first is subtracted. Whether they depend on the metric
// themselves has been found out by its expression.
func (m *Model) sidesOf(q *Metric) []*Metric {
	names := strings.Fields(cube.ValueOf(q.Attrs, SidesAttr))
	if len(names) != 2 || q.Err != nil || !q.sum() {
		return nil
	}
	var sides []*Metric
	for _, name := range names {
		if m.byName[name] == nil || !slices.ContainsFunc(q.formula.refs, func(r cubepl.Reference) bool { return r.Metric == name }) {
			return nil
		}
		sides = append(sides, m.byName[name])
	}
	return sides
}

// ratio is how a ratio of ours is computed, to say what it lies in.
type ratio struct {
	expression *spec.Expr
	least      float64
	operands   map[string][3]*Metric // value, and margins, nil for none
}

// ratioOf returns how a metric is computed if it is a ratio of ours with operands of which something is uncertain, else nil.
func (m *Model) ratioOf(q *Metric) *ratio {
	if q.Kind != cube.PostDerived || cube.ValueOf(q.Attrs, RatioAttr) != "true" {
		return nil
	}
	var names map[string][3]string
	if json.Unmarshal([]byte(cube.ValueOf(q.Attrs, OperandsAttr)), &names) != nil {
		return nil
	}
	e, err := spec.ParseExpr(cube.ValueOf(q.Attrs, FormulaAttr))
	if err != nil {
		return nil
	}
	r, uncertain := &ratio{e, 0, map[string][3]*Metric{}}, false
	r.least, _ = strconv.ParseFloat(cube.ValueOf(q.Attrs, LeastAttr), 64)
	if _, ok := names[metric.Time]; !ok {
		names[metric.Time] = [3]string{metric.Time}
	}
	for name, of := range names {
		var metrics [3]*Metric
		for i, metric := range of {
			metrics[i] = m.byName[metric]
			uncertain = uncertain || i > 0 && metrics[i] != nil
		}
		r.operands[name] = metrics
	}
	if !uncertain {
		return nil
	}
	return r
}

// Margins returns the metrics that say by how much this one may be more, and less.
func (q *Metric) Margins() (list []*Metric) {
	for _, margin := range []*Metric{q.more, q.less} {
		if margin != nil {
			list = append(list, margin)
		}
	}
	return list
}

// Bounded says that values of the metric may have bounds: see Bounds.
func (q *Metric) Bounded() bool {
	return q.more != nil || q.less != nil || q.ratio != nil || slices.ContainsFunc(q.sides, (*Metric).Bounded)
}

// Values asks for values of a metric in one way, such as ByPath on a part of the system.
type Values func(What) ([]cube.Value, error)

// Bounds returns what values of a metric lie in: the truth of what is selected is nowhere outside, whatever is not certain. It is nil if the
// values are certain. What a metric's visible children leave (What.Self) may have wider bounds than necessary where they are no sums of counters.
func (m *Model) Bounds(w What, ask Values) ([]spec.Interval, error) {
	if r := w.Metric.ratio; r != nil {
		return m.boundsOfRatio(r, ask)
	}
	if w.Metric.sides != nil && w.Metric.Bounded() {
		return m.boundsOfSides(w.Metric.sides, ask)
	}
	if w.Metric.Margin() || w.Stored {
		return nil, nil
	}
	if w.Self {
		if bounds, err := m.boundsOfRest(w.Metric, ask); bounds != nil || err != nil {
			return bounds, err
		}
	}
	margins := [2][]*Metric{{w.Metric.less}, {w.Metric.more}}
	taken := [2][]*Metric{}
	for _, child := range w.Metric.Children {
		if w.Self && !child.Margin() && w.Metric.subtracts(child) {
			taken[0], taken[1] = append(taken[0], child.more), append(taken[1], child.less)
		}
	}
	values, err := ask(w)
	if err != nil {
		return nil, err
	}
	bounds, certain := make([]spec.Interval, len(values)), true
	for i, v := range values {
		bounds[i] = spec.Point(v.Float64())
	}
	add := func(side int, list []*Metric, sign float64) error {
		for _, q := range list {
			if q == nil {
				continue
			}
			certain = false
			margin, err := ask(What{Metric: q})
			if err != nil {
				return err
			}
			for i, v := range margin {
				if side == 0 {
					bounds[i].Low += sign * v.Float64()
				} else {
					bounds[i].High += sign * v.Float64()
				}
			}
		}
		return nil
	}
	for side := range margins {
		if err := add(side, margins[side], 1); err != nil {
			return nil, err
		}
		if err := add(side, taken[side], -1); err != nil {
			return nil, err
		}
	}
	if certain {
		return nil, nil
	}
	return bounds, nil
}

// boundsOfRest returns what the rest lies in that a metric's visible children leave, as a sum of counters: what is not certain of one of them is the
// same in the metric and in its children. It is nil if they are no such sums.
func (m *Model) boundsOfRest(q *Metric, ask Values) (bounds []spec.Interval, err error) {
	text := q.Form()
	for _, child := range q.Children {
		if !child.Margin() && q.subtracts(child) {
			if text += " - (" + child.Form() + ")"; child.Form() == "" {
				return nil, nil
			}
		}
	}
	e, err := spec.ParseExpr(text)
	if err != nil {
		return nil, nil
	}
	operands, n := map[string][]spec.Interval{}, 0
	for _, name := range e.Names() {
		of := m.byName[name]
		if of == nil {
			return nil, nil
		}
		in, err := m.boundsOr(of, ask)
		if err != nil {
			return nil, err
		}
		operands[name], n = in, len(in)
	}
	for k := range n {
		i, ok := e.Interval(0, func(name string) (spec.Interval, bool) { return operands[name][k], true })
		if !ok {
			return nil, nil
		}
		bounds = append(bounds, i)
	}
	return bounds, nil
}

// boundsOr returns what values of a metric lie in, also if they are certain.
func (m *Model) boundsOr(q *Metric, ask Values) ([]spec.Interval, error) {
	in, err := m.Bounds(What{Metric: q}, ask)
	if in != nil || err != nil {
		return in, err
	}
	values, err := ask(What{Metric: q})
	for _, v := range values {
		in = append(in, spec.Point(v.Float64()))
	}
	return in, err
}

// Within asks for values and for what each of them lies in, nil where a value is certain or is none. A 0 that lies in an interval is no
// number: nothing of it is certain.
func (m *Model) Within(w What, ask Values) ([]cube.Value, []*spec.Interval, error) {
	values, err := ask(w)
	if err != nil {
		return nil, nil, err
	}
	within := make([]*spec.Interval, len(values))
	if !w.Metric.Bounded() {
		return values, within, nil
	}
	in, err := m.Bounds(w, ask)
	for i := range in {
		if !in[i].Certain() && !math.IsNaN(in[i].Low) {
			within[i] = &in[i]
		}
	}
	return values, within, err
}

// boundsOfSides returns what the difference of two metrics lies in.
func (m *Model) boundsOfSides(sides []*Metric, ask Values) ([]spec.Interval, error) {
	var of [2][]spec.Interval
	for i, q := range sides {
		in, err := m.boundsOr(q, ask)
		if err != nil {
			return nil, err
		}
		of[i] = in
	}
	for i, a := range of[0] {
		of[1][i] = of[1][i].Minus(a)
	}
	return of[1], nil
}

// boundsOfRatio returns what a ratio lies in, no numbers where it has no value.
func (m *Model) boundsOfRatio(r *ratio, ask Values) (bounds []spec.Interval, err error) {
	operands := map[string][3][]cube.Value{}
	n := 0
	for name, metrics := range r.operands {
		var of [3][]cube.Value
		for i, q := range metrics {
			if q == nil {
				continue
			}
			if of[i], err = ask(What{Metric: q, Stored: true}); err != nil {
				return nil, err
			}
			n = len(of[i])
		}
		operands[name] = of
	}
	for k := range n {
		i, ok := r.expression.Interval(r.least, func(name string) (spec.Interval, bool) {
			of := operands[name]
			if of[0] == nil {
				return spec.Interval{}, false
			}
			x := spec.Point(of[0][k].Float64())
			if of[1] != nil {
				x.High += of[1][k].Float64()
			}
			if of[2] != nil {
				x.Low += of[2][k].Float64()
			}
			return x, true
		})
		if !ok {
			i = spec.Point(math.NaN())
		}
		bounds = append(bounds, i)
	}
	return bounds, nil
}

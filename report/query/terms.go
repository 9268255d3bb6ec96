package query

import (
	"fmt"
	"math"
	"slices"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// term is a metric with a coefficient. What is selected is a sum of terms whose metrics are no such sums themselves, so that
// what is added in one place and taken away in another leaves nothing, not even an error of rounding.
type term struct {
	metric  *Metric
	flavour cubepl.Flavour // Same: as the call path is selected
	factor  float64
}

// sum says that a metric's values are those of other metrics, added.
func (q *Metric) sum() bool {
	return q.Kind == cube.PostDerived && q.formula != nil && q.formula.linear
}

// expand returns the terms of a metric.
func (m *Model) expand(q *Metric) ([]term, error) {
	if q.Err != nil {
		return nil, q.Err
	}
	if !q.sum() {
		return []term{{q, cubepl.Same, 1}}, nil
	}
	f := q.formula
	f.expanded.Do(func() {
		factors, err := m.factors(q, 0)
		for k, c := range factors {
			r := f.refs[k]
			if c == 0 {
				continue
			}
			operand := m.byName[r.Metric]
			if operand == nil {
				err = fmt.Errorf("%s: the report has no metric %s", q.Name, r.Metric)
				break
			}
			var of []term
			if of, err = m.expand(operand); err != nil {
				err = fmt.Errorf("%s: %w", q.Name, err)
				break
			}
			for _, t := range of {
				if t.factor *= c; t.flavour == cubepl.Same {
					t.flavour = r.CallFlavour
				}
				f.terms = add(f.terms, t)
			}
		}
		f.termsErr = err
	})
	return f.terms, f.termsErr
}

// add adds a term to a sum.
func add(list []term, t term) []term {
	i := slices.IndexFunc(list, func(x term) bool { return x.metric == t.metric && x.flavour == t.flavour })
	if i < 0 {
		return append(list, t)
	}
	if list[i].factor += t.factor; list[i].factor == 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// terms returns what is selected as a sum.
func (m *Model) terms(w What) ([]term, error) {
	list, err := m.expand(w.Metric)
	if err != nil || w.Stored || !w.Self && !slices.ContainsFunc(w.Metric.Children, w.Metric.apart) {
		return list, err
	}
	list = slices.Clone(list)
	for _, child := range w.Metric.Children {
		if !w.Metric.apart(child) && !(w.Self && w.Metric.subtracts(child)) {
			continue
		}
		of, err := m.expand(child)
		if err != nil {
			return nil, fmt.Errorf("%s without %s: %w", w.Metric.Name, child.Name, err)
		}
		for _, t := range of {
			t.factor = -t.factor
			list = add(list, t)
		}
	}
	return list, nil
}

// subtracts says that the values of a child are part of the metric's, so that an expanded metric is shown without them. A
// ratio has no parts.
func (q *Metric) subtracts(child *Metric) bool {
	if child.Index < 0 || !q.Additive || child.Unit != q.Unit {
		return false
	}
	return child.Additive || child.Err != nil && child.formula != nil
}

// rounding is the part of what is added and subtracted below which a rest is nothing but rounding.
const rounding = 1e-12

// combine returns a sum of vectors. Where something is taken away, rests that are rounding are zero.
func combine(n int, terms []term, of func(term) ([]cube.Value, error)) ([]cube.Value, error) {
	if len(terms) == 1 && terms[0].factor == 1 {
		return of(terms[0])
	}
	sum := make([]cube.Value, n)
	var size []float64
	rest := slices.ContainsFunc(terms, func(t term) bool { return t.factor < 0 })
	if rest {
		size = make([]float64, n)
	}
	for _, t := range terms {
		values, err := of(t)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			sum[i] = addScaled(sum[i], v, t.factor)
			if rest {
				size[i] += math.Abs(v.Float64() * t.factor)
			}
		}
	}
	for i := range size {
		if x := sum[i].Float64(); x != 0 && !sum[i].Integer() && math.Abs(x) <= rounding*size[i] {
			sum[i] = cube.Float(0)
		}
	}
	return sum, nil
}

// addScaled returns v + c·w, exactly if that is a sum of integers.
func addScaled(v, w cube.Value, c float64) cube.Value {
	switch c {
	case 0:
		return v
	case 1:
		return v.Add(w)
	case -1:
		return v.Sub(w)
	}
	if w.Integer() && c == math.Trunc(c) && math.Abs(c*w.Float64()) < 1<<53 {
		return v.Add(cube.Int(int64(c) * w.Int64()))
	}
	return v.Add(cube.Float(c * w.Float64()))
}

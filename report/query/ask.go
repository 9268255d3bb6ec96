package query

import (
	"fmt"
	"math"
	"slices"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// Total returns the metric's value for the whole program on the whole system.
func (m *Model) Total(w What) (cube.Value, error) {
	c, err := m.sumColumns(w, 1, func(q *Metric) (columns, error) { return m.whole(q, nil) })
	if err != nil {
		return cube.Value{}, err
	}
	return c.inclusive[0], nil
}

// ByPath returns the metric's values at all call paths, by CallPath.Index, on a part of the system or, if it is nil, on
// the whole. The slices must not be changed.
func (m *Model) ByPath(w What, at *Resource) (inclusive, exclusive []cube.Value, err error) {
	c, err := m.sumColumns(w, len(m.paths.parent), func(q *Metric) (columns, error) { return m.byPath(q, at) })
	return c.inclusive, c.exclusive, err
}

// ByRegion returns the metric's values of all regions, by their place in Cube.Regions, as ByPath does. What a region
// calls counts once in its inclusive value, also if it is called by itself.
func (m *Model) ByRegion(w What, at *Resource) (inclusive, exclusive []cube.Value, err error) {
	c, err := m.sumColumns(w, len(m.Cube.Regions), func(q *Metric) (columns, error) { return m.byRegion(q, at) })
	return c.inclusive, c.exclusive, err
}

// ByResource returns the metric's values at all parts of the system, by Resource.Index, at a call path, with or without
// those below it, or of the whole program if it is nil. The slice must not be changed.
func (m *Model) ByResource(w What, p *cube.CallPath, inclusive bool) ([]cube.Value, error) {
	s := everything
	if p != nil {
		s = selection{int32(p.Index()), none, inclusive}
	}
	return m.sumResources(w, s)
}

// RegionByResource is ByResource for a region, in all its call paths.
func (m *Model) RegionByResource(w What, r *cube.Region, inclusive bool) ([]cube.Value, error) {
	i := slices.Index(m.Cube.Regions, r)
	if i < 0 {
		return nil, fmt.Errorf("region %s is not of this report", r.Name)
	}
	return m.sumResources(w, selection{none, int32(i), inclusive})
}

// sumColumns adds up the terms of what is selected.
func (m *Model) sumColumns(w What, n int, of func(*Metric) (columns, error)) (sum columns, err error) {
	terms, err := m.terms(w)
	if err != nil {
		return columns{}, err
	}
	side := func(inclusive bool) ([]cube.Value, error) {
		return combine(n, terms, func(t term) ([]cube.Value, error) {
			c, err := of(t.metric)
			if t.selects(inclusive) {
				return c.inclusive, err
			}
			return c.exclusive, err
		})
	}
	if sum.inclusive, err = side(true); err != nil {
		return columns{}, err
	}
	sum.exclusive, err = side(false)
	return sum, err
}

// selects says whether the term is inclusive at a place that is.
func (t term) selects(inclusive bool) bool {
	return t.flavour == cubepl.Inclusive || t.flavour == cubepl.Same && inclusive
}

func (m *Model) sumResources(w What, s selection) ([]cube.Value, error) {
	terms, err := m.terms(w)
	if err != nil {
		return nil, err
	}
	return combine(len(m.Resources), terms, func(t term) ([]cube.Value, error) {
		x := s
		x.inclusive = t.selects(s.inclusive)
		return m.byResource(t.metric, x)
	})
}

// byPath returns a metric's values at all call paths.
func (m *Model) byPath(q *Metric, at *Resource) (columns, error) {
	n := len(m.paths.parent)
	switch {
	case q.Err != nil:
		return columns{}, q.Err
	case q.sum():
		return m.sumColumns(What{Metric: q, Stored: true}, n, func(q *Metric) (columns, error) { return m.byPath(q, at) })
	}
	return m.values.byPath.get(pathKey{q, at}, 2*n, at == nil, func() (columns, error) {
		if q.Kind == cube.PostDerived {
			return m.evaluate(q, at, n, func(i int32) selection { return selection{i, none, true} })
		}
		own, c, err := m.own(q, at)
		if err != nil {
			return columns{}, err
		}
		return m.alongPaths(c, own), c.problem()
	})
}

// byRegion returns a metric's values of all regions.
func (m *Model) byRegion(q *Metric, at *Resource) (columns, error) {
	n := len(m.Cube.Regions)
	switch {
	case q.Err != nil:
		return columns{}, q.Err
	case q.sum():
		return m.sumColumns(What{Metric: q, Stored: true}, n, func(q *Metric) (columns, error) { return m.byRegion(q, at) })
	}
	return m.values.byRegion.get(pathKey{q, at}, 2*n, at == nil, func() (columns, error) {
		if q.Kind == cube.PostDerived {
			return m.evaluate(q, at, n, func(i int32) selection { return selection{none, i, true} })
		}
		paths, err := m.byPath(q, at)
		if err != nil {
			return columns{}, err
		}
		c, sum := m.cells(q), columns{make([]cube.Value, n), make([]cube.Value, n)}
		for i, r := range m.paths.region {
			sum.exclusive[r] = c.plus(sum.exclusive[r], paths.exclusive[i])
			if m.paths.topmost[i] {
				sum.inclusive[r] = c.plus(sum.inclusive[r], paths.inclusive[i])
			}
		}
		return sum, c.problem()
	})
}

// whole returns a metric's value for all root call paths, with and without what is below.
func (m *Model) whole(q *Metric, at *Resource) (columns, error) {
	switch {
	case q.Err != nil:
		return columns{}, q.Err
	case q.sum():
		return m.sumColumns(What{Metric: q, Stored: true}, 1, func(q *Metric) (columns, error) { return m.whole(q, at) })
	case q.Kind == cube.PostDerived:
		return m.evaluate(q, at, 1, func(int32) selection { return everything })
	case at == nil && q.Kind == cube.Exclusive && q.DType.Integer():
		return m.values.whole.get(q, 2, true, func() (columns, error) { return m.sumRows(q) })
	}
	paths, err := m.byPath(q, at)
	if err != nil {
		return columns{}, err
	}
	c, sum := m.cells(q), columns{make([]cube.Value, 1), make([]cube.Value, 1)}
	for _, i := range m.paths.roots() {
		sum.inclusive[0] = c.plus(sum.inclusive[0], paths.inclusive[i])
		sum.exclusive[0] = c.plus(sum.exclusive[0], paths.exclusive[i])
	}
	return sum, c.problem()
}

// sumRows is whole for integers that are stored, whose sum does not depend on the order: call paths without a row take no memory.
func (m *Model) sumRows(q *Metric) (columns, error) {
	paths := q.Stored()
	sums := make([]cube.Value, len(paths))
	err := parallel(len(paths), len(paths)*len(m.leaves), func(i int) error {
		r, err := q.Row(paths[i])
		if err == nil {
			sums[i] = r.Sum()
		}
		return err
	})
	sum := columns{make([]cube.Value, 1), make([]cube.Value, 1)}
	for i, v := range sums {
		sum.inclusive[0] = sum.inclusive[0].Add(v)
		if paths[i].Parent == nil {
			sum.exclusive[0] = sum.exclusive[0].Add(v)
		}
	}
	return sum, err
}

// byResource returns a metric's values at all parts of the system.
func (m *Model) byResource(q *Metric, s selection) ([]cube.Value, error) {
	switch {
	case q.Err != nil:
		return nil, q.Err
	case q.sum():
		return m.sumResources(What{Metric: q, Stored: true}, s)
	}
	return m.values.byResource.get(resourceKey{q, s}, len(m.Resources), s == everything, func() ([]cube.Value, error) {
		if q.Kind == cube.PostDerived {
			return m.evaluateResources(q, s)
		}
		c := m.cells(q)
		byColumn, err := m.aggregateByColumn(c, s)
		if err != nil {
			return nil, err
		}
		return m.upSystem(c, byColumn), c.problem()
	})
}

// evaluate evaluates the expression of a post-derived metric for n selections, inclusive and exclusive.
func (m *Model) evaluate(q *Metric, at *Resource, n int, of func(int32) selection) (columns, error) {
	e := m.environment(q)
	e.at = at
	evaluator := m.valuesOf(q, e)
	c := columns{make([]cube.Value, n), make([]cube.Value, n)}
	for i := range c.inclusive {
		e.sel = of(int32(i))
		for _, to := range []*cube.Value{&c.inclusive[i], &c.exclusive[i]} {
			var err error
			if *to, err = evaluator(); err != nil {
				return columns{}, err
			}
			e.sel.inclusive = false
		}
	}
	return c, nil
}

func (m *Model) evaluateResources(q *Metric, s selection) ([]cube.Value, error) {
	e := m.environment(q)
	e.sel, e.along = s, true
	evaluator := m.valuesOf(q, e)
	values := make([]cube.Value, len(m.Resources))
	for i, r := range m.Resources {
		e.at = r
		var err error
		if values[i], err = evaluator(); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// valuesOf returns a function that evaluates a post-derived metric where the environment is. Where it is not defined, the value is no
// number.
func (m *Model) valuesOf(q *Metric, e *environment) func() (cube.Value, error) {
	program := e.evaluator(q.formula.program)
	var defined *cubepl.Evaluator
	if q.formula.defined != nil {
		defined = e.evaluator(q.formula.defined)
	}
	return func() (cube.Value, error) {
		if defined != nil {
			if x, err := defined.Eval(); err != nil {
				return cube.Value{}, fmt.Errorf("%s: %w", q.Name, err)
			} else if x == 0 {
				return cube.Float(math.NaN()), nil
			}
		}
		x, err := program.Eval()
		if err != nil {
			return cube.Value{}, fmt.Errorf("%s: %w", q.Name, err)
		}
		return q.result(x), nil
	}
}

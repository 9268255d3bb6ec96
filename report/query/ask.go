package query

import (
	"fmt"

	"tracerec/report/cube"
)

// Total returns the metric's value for the whole program on the whole system.
func (m *Model) Total(w What) (cube.Value, error) {
	return m.self(w, func(q *Metric) (cube.Value, error) { return m.total(q) })
}

// ByPath returns the metric's values at all call paths, by CallPath.Index, on a part of the system or, if it is nil, on
// the whole. The slices must not be changed.
func (m *Model) ByPath(w What, at *Resource) (inclusive, exclusive []cube.Value, err error) {
	c, err := m.selfColumns(w, func(q *Metric) (columns, error) { return m.byPath(q, at) })
	return c.inclusive, c.exclusive, err
}

// ByRegion returns the metric's values of all regions, by their place in Cube.Regions, as ByPath does. What a region
// calls counts once in its inclusive value, also if it is called by itself.
func (m *Model) ByRegion(w What, at *Resource) (inclusive, exclusive []cube.Value, err error) {
	c, err := m.selfColumns(w, func(q *Metric) (columns, error) { return m.byRegion(q, at) })
	return c.inclusive, c.exclusive, err
}

// ByResource returns the metric's values at all parts of the system, by Resource.Index, at a call path, with or without
// those below it, or of the whole program if it is nil. The slice must not be changed.
func (m *Model) ByResource(w What, p *cube.CallPath, inclusive bool) ([]cube.Value, error) {
	s := everything
	if p != nil {
		s = selection{int32(p.Index()), none, inclusive}
	}
	return m.selfValues(w, func(q *Metric) ([]cube.Value, error) { return m.byResource(q, s) })
}

// RegionByResource is ByResource for a region, in all its call paths.
func (m *Model) RegionByResource(w What, r *cube.Region, inclusive bool) ([]cube.Value, error) {
	i := m.regionIndex(r)
	if i == none {
		return nil, fmt.Errorf("region %s is not of this report", r.Name)
	}
	return m.selfValues(w, func(q *Metric) ([]cube.Value, error) { return m.byResource(q, selection{none, i, inclusive}) })
}

// self evaluates a metric, and takes its visible children's values from it if they are not wanted.
func (m *Model) self(w What, of func(*Metric) (cube.Value, error)) (cube.Value, error) {
	v, err := of(w.Metric)
	for _, child := range w.without() {
		if err != nil {
			break
		}
		var x cube.Value
		x, err = of(child)
		v = v.Sub(x)
	}
	return v, err
}

func (m *Model) selfValues(w What, of func(*Metric) ([]cube.Value, error)) ([]cube.Value, error) {
	values, err := of(w.Metric)
	if err != nil || len(w.without()) == 0 {
		return values, err
	}
	values = append([]cube.Value(nil), values...)
	for _, child := range w.without() {
		less, err := of(child)
		if err != nil {
			return nil, err
		}
		for i, v := range less {
			values[i] = values[i].Sub(v)
		}
	}
	return values, nil
}

func (m *Model) selfColumns(w What, of func(*Metric) (columns, error)) (c columns, err error) {
	c.inclusive, err = m.selfValues(w, func(q *Metric) ([]cube.Value, error) { c, err := of(q); return c.inclusive, err })
	if err != nil {
		return columns{}, err
	}
	c.exclusive, err = m.selfValues(w, func(q *Metric) ([]cube.Value, error) { c, err := of(q); return c.exclusive, err })
	return c, err
}

// without lists the metrics whose values are taken from the metric's.
func (w What) without() []*Metric {
	if !w.Self {
		return nil
	}
	var list []*Metric
	for _, child := range w.Metric.Children {
		if child.Index >= 0 {
			list = append(list, child)
		}
	}
	return list
}

func (m *Model) byPath(q *Metric, at *Resource) (columns, error) {
	if q.Err != nil {
		return columns{}, q.Err
	}
	return m.values.byPath.get(pathKey{q, at}, 2*len(m.paths.parent), at == nil, func() (columns, error) {
		return m.foldByPath(q, m.cellsOf(q), at)
	})
}

func (m *Model) byRegion(q *Metric, at *Resource) (columns, error) {
	paths, err := m.byPath(q, at)
	if err != nil {
		return columns{}, err
	}
	n := len(m.Cube.Regions)
	c := columns{make([]cube.Value, n), make([]cube.Value, n)}
	for i, r := range m.paths.region {
		c.exclusive[r] = q.Fold(c.exclusive[r], paths.exclusive[i])
		if m.paths.topmost[i] {
			c.inclusive[r] = q.Fold(c.inclusive[r], paths.inclusive[i])
		}
	}
	return c, nil
}

func (m *Model) byResource(q *Metric, s selection) ([]cube.Value, error) {
	if q.Err != nil {
		return nil, q.Err
	}
	return m.values.byResource.get(resourceKey{q, s}, len(m.Resources), s == everything, func() ([]cube.Value, error) {
		c := m.cellsOf(q)
		byColumn, err := m.foldByColumn(q, c, s)
		if err != nil {
			return nil, err
		}
		return m.upSystem(c, byColumn), nil
	})
}

func (m *Model) total(q *Metric) (cube.Value, error) {
	c, err := m.byPath(q, nil)
	var v cube.Value
	if err == nil {
		for i, up := range m.paths.parent {
			if up < 0 {
				v = q.Fold(v, c.inclusive[i])
			}
		}
	}
	return v, err
}

func (m *Model) regionIndex(r *cube.Region) int32 {
	for i, x := range m.Cube.Regions {
		if x == r {
			return int32(i)
		}
	}
	return none
}

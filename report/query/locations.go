package query

import (
	"iter"
	"slices"

	"tracerec/report/cube"
)

// ByLocation yields the metric's values at a call path, by location.Column, for those who go over all call paths once. Values that
// are not yielded are zero. It is fast where few are set.
func (m *Model) ByLocation(w What, p *cube.CallPath, inclusive bool) (iter.Seq2[int, cube.Value], error) {
	q, s := w.Metric, selection{int32(p.Index()), none, inclusive}
	if q.stores(s) {
		r, err := q.Read(p)
		if err != nil {
			return nil, err
		}
		if len(q.Children) == 0 || w.Stored || !w.Self && !slices.ContainsFunc(q.Children, q.apart) {
			return r.All(), nil
		}
		if r.Zero() && q.childrenZero(p, s) {
			return func(func(int, cube.Value) bool) {}, nil
		}
	}
	values, err := m.ByResource(w, p, inclusive)
	if err != nil {
		return nil, err
	}
	return func(yield func(int, cube.Value) bool) {
		for column, leaf := range m.leaves {
			if v := values[leaf.Index]; !v.Zero() && !yield(column, v) {
				return
			}
		}
	}, nil
}

// childrenZero says that the children of a metric have no values where it has none.
func (q *Metric) childrenZero(p *cube.CallPath, s selection) bool {
	for _, child := range q.Children {
		if !child.stores(s) {
			return false
		}
		if r, err := child.Read(p); err != nil || !r.Zero() {
			return false
		}
	}
	return true
}

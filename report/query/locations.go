package query

import (
	"iter"
	"slices"

	"tracerec/report/cube"
)

// ByLocation yields the metric's values at a call path, by location.Column, for those who go over all call paths once. Values that
// are not yielded are zero. It is fast where few are set.
func (m *Model) ByLocation(w What, p *cube.CallPath, inclusive bool) (iter.Seq2[int, cube.Value], error) {
	terms, err := m.terms(w)
	if err != nil {
		return nil, err
	}
	rows, err := stored(terms, p, inclusive)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 1 && terms[0].factor == 1:
		return rows[0].All(), nil
	case len(rows) > 0:
		return combineRows(terms, rows)
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

// stored returns the rows of a call path that terms are the sum of, nil if one of them is no row.
func stored(terms []term, p *cube.CallPath, inclusive bool) (rows []cube.Row, err error) {
	for _, t := range terms {
		if !t.metric.stores(selection{int32(p.Index()), none, t.selects(inclusive)}) {
			return nil, nil
		}
		r, err := t.metric.Read(p)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// combineRows yields the sum of rows where one of them has a value.
func combineRows(terms []term, rows []cube.Row) (iter.Seq2[int, cube.Value], error) {
	var columns []int
	for _, r := range rows {
		for column, v := range r.All() {
			if !v.Zero() {
				columns = append(columns, column)
			}
		}
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	values, err := combine(len(columns), terms, func(term) ([]cube.Value, error) { // asked for in their order
		values := make([]cube.Value, len(columns))
		for column, v := range rows[0].All() {
			if at, ok := slices.BinarySearch(columns, column); ok {
				values[at] = v
			}
		}
		rows = rows[1:]
		return values, nil
	})
	if err != nil {
		return nil, err
	}
	return func(yield func(int, cube.Value) bool) {
		for i, column := range columns {
			if !values[i].Zero() && !yield(column, values[i]) {
				return
			}
		}
	}, nil
}

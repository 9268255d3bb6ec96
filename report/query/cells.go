package query

import "tracerec/report/cube"

// selection is what is selected of the program: a call path, a region, or everything.
type selection struct {
	path, region int32 // index, none
	inclusive    bool
}

const none = -1

// everything is the whole program.
var everything = selection{none, none, true}

// cellsOf returns the cells of a metric that has stored values.
func (m *Model) cellsOf(q *Metric) *cells {
	c := &cells{kind: q.Kind, fold: q.Fold, rows: make([]bool, len(m.paths.parent))}
	for _, p := range q.Stored() {
		c.rows[p.Index()] = true
	}
	c.row = func(path int) (cube.Row, error) { return q.Row(m.Cube.Paths()[path]) }
	return c
}

// byPath folds rows over the locations of a part of the system, and then along the call tree.
func (m *Model) foldByPath(q *Metric, c *cells, at *Resource) (columns, error) {
	n := len(c.rows)
	own := make([]cube.Value, n)
	err := parallel(n, n*len(m.Cube.Locations()), func(i int) error {
		if !c.rows[i] {
			return nil
		}
		r, err := c.row(i)
		if err == nil {
			own[i] = m.foldRow(q, r, at)
		}
		return err
	})
	if err != nil {
		return columns{}, err
	}
	return m.alongPaths(q, c, own), nil
}

// alongPaths makes inclusive and exclusive values of stored ones.
func (m *Model) alongPaths(q *Metric, c *cells, own []cube.Value) columns {
	other := append([]cube.Value(nil), own...)
	switch {
	case c.kind == cube.Exclusive:
		for i := len(own) - 1; i >= 0; i-- {
			if up := m.paths.parent[i]; up >= 0 {
				other[up] = c.fold(other[up], other[i])
			}
		}
		return columns{inclusive: other, exclusive: own}
	case c.kind == cube.Inclusive && !extreme(q.DType):
		for i, up := range m.paths.parent {
			if up >= 0 {
				other[up] = other[up].Sub(own[i])
			}
		}
	}
	return columns{inclusive: own, exclusive: other}
}

// foldRow folds the values of a row at the locations of a part of the system, all if it is nil.
func (m *Model) foldRow(q *Metric, r cube.Row, at *Resource) cube.Value {
	var v cube.Value
	switch {
	case extreme(q.DType): // zeros count
		for i := range r.Len() {
			if at == nil || at.has(i) {
				v = q.Fold(v, r.Value(i))
			}
		}
	case at == nil:
		for _, x := range r.All() {
			v = v.Add(x)
		}
	case len(at.columns) < r.Len()/16:
		for _, i := range at.columns {
			v = v.Add(r.Value(int(i)))
		}
	default:
		for i, x := range r.All() {
			if at.has(i) {
				v = v.Add(x)
			}
		}
	}
	return v
}

// step is a row to be added to a sum, or taken from it.
type step struct {
	path  int32
	minus bool
}

// steps lists the rows whose sum is the value of a selection.
func (m *Model) steps(q *Metric, c *cells, s selection) []step {
	var list []step
	add := func(i int32, minus bool) {
		if c.rows[i] {
			list = append(list, step{i, minus})
		}
	}
	one := func(i int32) {
		switch {
		case c.kind == cube.Exclusive && s.inclusive:
			for j := i; j < m.paths.end[i]; j++ {
				add(j, false)
			}
		case c.kind == cube.Inclusive && !s.inclusive && !extreme(q.DType):
			add(i, false)
			for j := i + 1; j < m.paths.end[i]; j = m.paths.end[j] {
				add(j, true)
			}
		default:
			add(i, false)
		}
	}
	switch {
	case s.path != none:
		one(s.path)
	case s.region != none:
		for _, i := range m.paths.of[s.region] {
			if !s.inclusive || m.paths.topmost[i] {
				one(i)
			}
		}
	default:
		for i := int32(0); int(i) < len(m.paths.end); i = m.paths.end[i] {
			one(i)
		}
	}
	return list
}

// block is the number of rows that are added up together. It must not depend on how many goroutines there are, as the order
// in which fractions are added shows in the last digit.
const block = 64

// foldByColumn adds up rows, which gives a value for each location.
func (m *Model) foldByColumn(q *Metric, c *cells, s selection) ([]cube.Value, error) {
	steps, n := m.steps(q, c, s), len(m.Cube.Locations())
	parts := make([][]cube.Value, (len(steps)+block-1)/block)
	err := parallel(len(parts), len(steps)*n, func(i int) error {
		values := make([]cube.Value, n)
		for _, step := range steps[i*block : min(len(steps), (i+1)*block)] {
			r, err := c.row(int(step.path))
			if err != nil {
				return err
			}
			addRow(q, values, r, step.minus)
		}
		parts[i] = values
		return nil
	})
	if err != nil || len(parts) == 0 {
		return make([]cube.Value, n), err
	}
	values := parts[0]
	for _, part := range parts[1:] {
		for i, v := range part {
			values[i] = c.fold(values[i], v)
		}
	}
	return values, nil
}

func addRow(q *Metric, values []cube.Value, r cube.Row, minus bool) {
	switch {
	case extreme(q.DType):
		for i := range values {
			values[i] = q.Fold(values[i], r.Value(i))
		}
	case minus:
		for i, v := range r.All() {
			values[i] = values[i].Sub(v)
		}
	default:
		for i, v := range r.All() {
			values[i] = values[i].Add(v)
		}
	}
}

// upSystem gives each part of the system the values of its locations together.
func (m *Model) upSystem(c *cells, byColumn []cube.Value) []cube.Value {
	values := make([]cube.Value, len(m.Resources))
	for i := len(m.Resources) - 1; i >= 0; i-- {
		r := m.Resources[i]
		if r.Location != nil {
			values[i] = byColumn[r.Location.Column()]
		}
		if r.Parent != nil {
			values[r.Parent.Index] = c.fold(values[r.Parent.Index], values[i])
		}
	}
	return values
}

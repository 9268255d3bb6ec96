package query

import (
	"slices"

	"tracerec/report/cube"
)

// own returns the values of all call paths, as the cells of a metric have them along the call tree, on a part of the system.
func (m *Model) own(q *Metric, at *Resource) ([]cube.Value, *cells, error) {
	c := m.cells(q)
	if q.formula != nil && q.formula.linear {
		own, err := m.linearOwn(q, at)
		return own, c, err
	}
	n := len(m.paths.parent)
	own := make([]cube.Value, n)
	err := c.parallel(n, n*len(m.leaves), func(i int) error {
		if !c.has(int32(i)) {
			return nil
		}
		r, err := c.row(int32(i))
		if err == nil {
			own[i] = c.foldRow(r, at)
		}
		return err
	})
	return own, c, err
}

// linearOwn computes the values of a linear pre-derived metric from sums of its operands.
func (m *Model) linearOwn(q *Metric, at *Resource) ([]cube.Value, error) {
	own := make([]cube.Value, len(m.paths.parent))
	of := make([]*columns, len(q.formula.refs))
	for i := range own {
		factors, err := m.factors(q, int32(i))
		if err != nil {
			return nil, err
		}
		for k, c := range factors {
			if c == 0 {
				continue
			}
			operand, s, err := m.operand(q, k, int32(i))
			if err != nil {
				return nil, err
			}
			if of[k] == nil {
				values, err := m.byPath(operand, at)
				if err != nil {
					return nil, err
				}
				of[k] = &values
			}
			if v := of[k].exclusive; !s.inclusive {
				own[i] = addScaled(own[i], v[i], c)
			} else {
				own[i] = addScaled(own[i], of[k].inclusive[i], c)
			}
		}
	}
	return own, nil
}

// parallel is the function of this name, except for what must be done in order.
func (c *cells) parallel(n, work int, do func(i int) error) error {
	if c.err != nil {
		work = 0
	}
	return parallel(n, work, do)
}

// alongPaths makes inclusive and exclusive values of those that the cells have.
func (m *Model) alongPaths(c *cells, own []cube.Value) columns {
	other := slices.Clone(own)
	switch {
	case c.kind == cube.Exclusive:
		for i := len(own) - 1; i >= 0; i-- {
			if up := m.paths.parent[i]; up >= 0 {
				other[up] = c.plus(other[up], other[i])
			}
		}
		return columns{inclusive: other, exclusive: own}
	case c.kind == cube.Inclusive && !extreme(c.metric.DType):
		for i, up := range m.paths.parent {
			if up >= 0 {
				other[up] = c.minus(other[up], own[i])
			}
		}
	}
	return columns{inclusive: own, exclusive: other}
}

// foldRow combines the values of a row at the locations of a part of the system, all if it is nil.
func (c *cells) foldRow(r row, at *Resource) cube.Value {
	var v cube.Value
	switch {
	case !c.plain: // zeros count
		for i := range r.Len() {
			if at == nil || at.has(i) {
				v = c.over(v, r.Value(i))
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

// steps lists the rows that make up the values of a selection.
func (m *Model) steps(c *cells, s selection) []step {
	var list []step
	add := func(i int32, minus bool) {
		if c.has(i) {
			list = append(list, step{i, minus})
		}
	}
	one := func(i int32) {
		switch {
		case c.kind == cube.Exclusive && s.inclusive:
			for j := i; j < m.paths.end[i]; j++ {
				add(j, false)
			}
		case c.kind == cube.Inclusive && !s.inclusive && !extreme(c.metric.DType):
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
		for _, i := range m.paths.roots() {
			one(i)
		}
	}
	return list
}

// block is the number of rows that are added up together. It must not depend on how many goroutines there are, as the order
// in which fractions are added shows in the last digit.
const block = 64

// foldByColumn combines rows, which gives a value for each location.
func (m *Model) foldByColumn(c *cells, s selection) ([]cube.Value, error) {
	steps, n := m.steps(c, s), len(m.leaves)
	parts := make([][]cube.Value, (len(steps)+block-1)/block)
	err := c.parallel(len(parts), len(steps)*n, func(i int) error {
		values := make([]cube.Value, n)
		for _, step := range steps[i*block : min(len(steps), (i+1)*block)] {
			r, err := c.row(step.path)
			if err != nil {
				return err
			}
			c.addRow(values, r, step.minus)
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
			values[i] = c.plus(values[i], v)
		}
	}
	return values, nil
}

func (c *cells) addRow(values []cube.Value, r row, minus bool) {
	switch {
	case !c.plain:
		combine := c.plus
		if minus {
			combine = c.minus
		}
		for i := range values {
			values[i] = combine(values[i], r.Value(i))
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
			values[r.Parent.Index] = c.over(values[r.Parent.Index], values[i])
		}
	}
	return values
}

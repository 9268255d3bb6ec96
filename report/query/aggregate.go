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
	if at == nil && c.expensive() {
		s, err := m.sweep(c)
		return s.byPath, c, err
	}
	n := len(m.paths.parent)
	own := make([]cube.Value, n)
	err := c.parallel(n, n*len(m.leaves), func(i int) error {
		if !c.has(int32(i)) {
			return nil
		}
		r, err := c.row(int32(i), at)
		if err == nil {
			own[i] = c.aggregateRow(r, at)
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

// expensive says that every cell must be computed, so that it should be done only once for sums by call path and by location.
func (c *cells) expensive() bool {
	f := c.metric.formula
	return f != nil && !f.linear && c.plain && c.kind == cube.Exclusive
}

// sweep is what one evaluation of all cells gives.
type sweep struct{ byPath, byColumn []cube.Value }

// sweep computes all cells once.
func (m *Model) sweep(c *cells) (sweep, error) {
	return m.values.sweeps.get(c.metric, 0, true, func() (sweep, error) {
		n := len(m.paths.parent)
		s := sweep{make([]cube.Value, n), make([]cube.Value, len(m.leaves))}
		parts := make([][]cube.Value, (n+block-1)/block)
		err := parallel(len(parts), n*len(m.leaves), func(i int) error {
			parts[i] = make([]cube.Value, len(m.leaves))
			for path := i * block; path < min(n, (i+1)*block); path++ {
				r, err := c.row(int32(path), nil)
				if err != nil {
					return err
				}
				for j, v := range r.All() {
					s.byPath[path] = s.byPath[path].Add(v)
					parts[i][j] = parts[i][j].Add(v)
				}
			}
			return nil
		})
		for _, part := range parts {
			for j, v := range part {
				s.byColumn[j] = s.byColumn[j].Add(v)
			}
		}
		return s, err
	})
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
	if extreme(c.metric.DType) && c.metric.formula == nil {
		return m.extremesAlongPaths(c, own)
	}
	other := slices.Clone(own)
	switch {
	case c.kind == cube.Exclusive:
		for i := len(own) - 1; i >= 0; i-- {
			if up := m.paths.parent[i]; up >= 0 {
				other[up] = c.plus(other[up], other[i])
			}
		}
		return columns{inclusive: other, exclusive: own}
	case c.kind == cube.Inclusive:
		for i, up := range m.paths.parent {
			if up >= 0 {
				other[up] = c.minus(other[up], own[i])
			}
		}
	}
	return columns{inclusive: own, exclusive: other}
}

// extremesAlongPaths is alongPaths for least and greatest values, of which nothing can be taken away. A call path without a row
// has zeros itself, but does not count for those above.
func (m *Model) extremesAlongPaths(c *cells, own []cube.Value) columns {
	below, v := make([]cube.Value, len(own)), columns{slices.Clone(own), slices.Clone(own)}
	for i := len(own) - 1; i >= 0; i-- {
		if v.exclusive[i] == (cube.Value{}) {
			v.exclusive[i] = cube.Float(0)
		}
		if v.inclusive[i] = v.exclusive[i]; c.kind != cube.Exclusive {
			continue
		}
		v.inclusive[i] = c.plus(v.inclusive[i], below[i])
		if up := m.paths.parent[i]; up >= 0 {
			below[up] = c.plus(c.plus(below[up], own[i]), below[i])
		}
	}
	return v
}

// aggregateRow combines the values of a row at the locations of a part of the system, all if it is nil.
func (c *cells) aggregateRow(r row, at *Resource) cube.Value {
	stored, ok := r.(cube.Row)
	switch {
	case ok && c.plain && at == nil:
		return stored.Sum()
	case ok && c.plain:
		return stored.SumAt(at.columns)
	}
	var v cube.Value
	if at == nil {
		for i := range r.Len() {
			v = c.over(v, r.Value(i))
		}
		return v
	}
	for _, i := range at.columns {
		v = c.over(v, r.Value(int(i)))
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
		if extreme(c.metric.DType) && !c.has(i) {
			list = append(list, step{i, false}) // zeros
		}
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

// aggregateByColumn combines rows, which gives a value for each location.
func (m *Model) aggregateByColumn(c *cells, s selection) ([]cube.Value, error) {
	if s == everything && c.expensive() {
		all, err := m.sweep(c)
		return all.byColumn, err
	}
	steps, n := m.steps(c, s), len(m.leaves)
	if list, ok, err := m.addends(c, steps); ok || err != nil {
		return m.sumByColumn(list, err)
	}
	parts := make([][]cube.Value, (len(steps)+block-1)/block)
	err := c.parallel(len(parts), len(steps)*n, func(i int) error {
		parts[i] = make([]cube.Value, n)
		for _, step := range steps[i*block : min(len(steps), (i+1)*block)] {
			r, err := c.row(step.path, nil)
			if err != nil {
				return err
			}
			combine := c.plus
			if step.minus {
				combine = c.minus
			}
			for j := range parts[i] { // zeros too
				parts[i][j] = combine(parts[i][j], r.Value(j))
			}
		}
		return nil
	})
	values := make([]cube.Value, n)
	for _, part := range parts {
		for i, v := range part {
			values[i] = c.plus(values[i], v)
		}
	}
	return values, err
}

// addend is a stored row in a sum.
type addend struct {
	metric *Metric
	path   int32
	factor float64
}

// addends lists the stored rows that steps are made of, if they are only added.
func (m *Model) addends(c *cells, steps []step) ([]addend, bool, error) {
	var list []addend
	if !c.plain {
		return nil, false, nil
	}
	for _, step := range steps {
		sign := 1.0
		if step.minus {
			sign = -1
		}
		switch f := c.metric.formula; {
		case f == nil:
			list = append(list, addend{c.metric, step.path, sign})
		case !f.linear:
			return nil, false, nil
		default:
			factors, err := m.factors(c.metric, step.path)
			if err != nil {
				return nil, false, err
			}
			for k, factor := range factors {
				if factor == 0 {
					continue
				}
				operand, s, err := m.operand(c.metric, k, step.path)
				if err != nil || !operand.stores(s) {
					return nil, false, err
				}
				list = append(list, addend{operand, step.path, sign * factor})
			}
		}
	}
	return list, true, nil
}

// sumByColumn adds up stored rows, as integers if that is what all of them have.
func (m *Model) sumByColumn(list []addend, err error) ([]cube.Value, error) {
	if err != nil {
		return nil, err
	}
	n, dtype := len(m.leaves), cube.DType("DOUBLE")
	if len(list) == 0 {
		return make([]cube.Value, n), nil // of no type yet, so that integers stay integers
	}
	fraction := func(a addend) bool { return !a.metric.DType.Integer() || a.factor != 1 && a.factor != -1 }
	if !slices.ContainsFunc(list, fraction) {
		dtype = "INT64"
		if !slices.ContainsFunc(list, func(a addend) bool { return a.metric.DType != list[0].metric.DType }) {
			dtype = list[0].metric.DType
		}
	}
	parts := make([]*cube.Sums, max(1, (len(list)+block-1)/block))
	err = parallel(len(parts), len(list)*n, func(i int) error {
		parts[i] = cube.NewSums(dtype, n)
		for _, a := range list[i*block : min(len(list), (i+1)*block)] {
			r, err := a.metric.Row(m.Cube.Paths()[a.path])
			if err != nil {
				return err
			}
			parts[i].Add(r, a.factor)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		parts[0].Merge(part)
	}
	values := make([]cube.Value, n)
	for i := range values {
		values[i] = parts[0].Value(i)
	}
	return values, nil
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

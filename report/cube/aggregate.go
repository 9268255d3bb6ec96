package cube

import (
	"errors"
	"fmt"
)

// ErrComposite is returned for sums of values that are more than one number.
var ErrComposite = errors.New("values are composite: they cannot be added")

// Aggregate combines two values of the metric, of different call paths or locations, into that of both: the sum, or what
// the type says.
func (m *Metric) Aggregate(v, w Value) Value {
	switch {
	case m.DType == "MINDOUBLE" && v.class != unknown && w.class != unknown:
		if w.less(v) {
			return w
		}
		return v
	case m.DType == "MAXDOUBLE" && v.class != unknown && w.class != unknown:
		if v.less(w) {
			return w
		}
		return v
	}
	return v.Add(w)
}

// Values returns the values of all locations at a call path, with those of the call paths below if inclusive. For a
// metric that is stored the other way they are computed: exclusive values by taking the children's from the inclusive
// ones, except those of least and greatest values, which cannot be taken apart and stay as stored.
func (m *Metric) Values(p *CallPath, inclusive bool) ([]Value, error) {
	if err := m.DType.known(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	if !m.DType.Numeric() {
		return nil, fmt.Errorf("%s: type %s: %w", m.Name, m.DType, ErrComposite)
	}
	values := make([]Value, len(m.cube.locations))
	for i := range values {
		values[i].class = m.DType.layout().class
	}
	if err := m.eachRow(p, func(i int, v Value) { values[i] = v }); err != nil {
		return nil, err
	}
	switch {
	case m.Kind == Exclusive && inclusive:
		return values, m.addBelow(p, values)
	case m.Kind == Inclusive && !inclusive && m.DType != "MINDOUBLE" && m.DType != "MAXDOUBLE":
		for _, child := range p.Children {
			if err := m.eachRow(child, func(i int, v Value) { values[i] = values[i].Sub(v) }); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// addBelow aggregates the rows of all call paths below p into values. Call paths without a row do not count.
func (m *Metric) addBelow(p *CallPath, values []Value) error {
	for _, child := range p.Children {
		if i, ok := m.find(child); ok {
			r, err := m.data.row(i)
			if err != nil {
				return err
			}
			m.aggregateRow(values, r)
		}
		if err := m.addBelow(child, values); err != nil {
			return err
		}
	}
	return nil
}

// aggregateRow aggregates a row into values, zeros too where they matter.
func (m *Metric) aggregateRow(values []Value, r Row) {
	if m.DType != "MINDOUBLE" && m.DType != "MAXDOUBLE" {
		for i, v := range r.All() {
			values[i] = values[i].Add(v)
		}
		return
	}
	for i := range values {
		values[i] = m.Aggregate(values[i], r.Value(i))
	}
}

func (m *Metric) eachRow(p *CallPath, each func(int, Value)) error {
	r, err := m.Row(p)
	if err != nil {
		return err
	}
	for i, v := range r.All() {
		each(i, v)
	}
	return nil
}

// find returns the number of the row of a call path.
func (m *Metric) find(p *CallPath) (int, bool) {
	if m.data == nil {
		return 0, false
	}
	return m.data.find(m.order().position[p.index])
}

// Total returns the value of the roots, with all below them, and all locations together.
func (m *Metric) Total() (Value, error) {
	var total Value
	for _, root := range m.cube.Roots {
		values, err := m.Values(root, true)
		if err != nil {
			return total, err
		}
		for _, v := range values {
			total = m.Aggregate(total, v)
		}
	}
	return total, nil
}

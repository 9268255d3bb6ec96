package composite

import (
	"fmt"
	"math/bits"
	"slices"

	"tracerec/metric/spec"
	"tracerec/report/cube"
)

// fill computes the values of a metric.
func (d *deriver) fill(m *made) error {
	if m.Kind.Derived() {
		return nil
	}
	common := d.common(m.form)
	sums := cube.NewAdder(len(d.cube.Locations()))
	for _, p := range d.paths(m.form) {
		for _, t := range m.form {
			c := d.counters[t.Event]
			if m.certain { // the rows of a counter include what is uncertain
				if err := add(sums, c.rows, p, t.Times*int64(common/c.n)); err != nil {
					return err
				}
			}
			if c.uncertain != nil && m.certain != m.uncertain {
				times := t.Times * int64(common/c.uncertainTimes)
				if m.certain {
					times = -times
				}
				if err := add(sums, c.uncertain, p, times); err != nil {
					return err
				}
			}
		}
		row, err := sums.Row(m.DType, common)
		if err == nil && !row.Zero() {
			err = m.Set(p, row)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// common returns a number that all counters of a form can be brought to: their values are sums of so many runs.
func (d *deriver) common(form []spec.Term) int {
	n := 1
	for _, t := range form {
		c := d.counters[t.Event]
		n = lcm(n, c.n)
		if c.uncertain != nil {
			n = lcm(n, c.uncertainTimes)
		}
	}
	return n
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// paths lists the call paths at which counters of a form have values.
func (d *deriver) paths(form []spec.Term) (list []*cube.CallPath) {
	for _, t := range form {
		for _, m := range []*cube.Metric{d.counters[t.Event].rows, d.counters[t.Event].uncertain} {
			if m == nil {
				continue
			}
			for _, p := range m.Stored() {
				list = append(list, p)
				if m.Kind == cube.Inclusive && p.Parent != nil {
					list = append(list, p.Parent) // whose own part is what its calls leave
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b *cube.CallPath) int { return a.Index() - b.Index() })
	return slices.Compact(list)
}

// add adds multiples of the values of a metric at a call path, without those below it.
func add(sums *cube.Adder, m *cube.Metric, p *cube.CallPath, times int64) error {
	if m.Kind == cube.Inclusive {
		values, err := m.Values(p, false)
		for i, v := range values {
			sums.Add(i, multiply(v, times))
		}
		return err
	}
	r, err := m.Row(p)
	if err != nil {
		return err
	}
	for i, v := range r.All() {
		sums.Add(i, multiply(v, times))
	}
	return nil
}

// multiply returns v·n, as an integer if v is one and that is not too large.
func multiply(v cube.Value, n int64) cube.Value {
	if v.Integer() {
		x := v.Int64()
		high, low := bits.Mul64(magnitude(x), magnitude(n))
		if high == 0 && low < 1<<63 {
			return cube.Int(x * n)
		}
	}
	return cube.Float(v.Float64() * float64(n))
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

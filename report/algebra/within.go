package algebra

import (
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// within is what the values of a metric in one run lie in, for the whole program and by call path.
type within struct {
	whole                spec.Interval
	inclusive, exclusive []spec.Interval
}

// bound notes what the values of a run lie in, of a metric that has bounds.
func (c *columns) bound(m *query.Model, what query.What, side int, run *query.Resource) error {
	if !what.Metric.Bounded() {
		return nil
	}
	if c.in == nil {
		c.in = &[2][]within{}
	}
	var x within
	whole, err := boundsOr(m, what, func(w query.What) ([]cube.Value, error) {
		all, err := m.ByResource(w, nil, true)
		if err != nil {
			return nil, err
		}
		return all[run.Index : run.Index+1], nil
	})
	if err != nil {
		return err
	}
	x.whole = whole[0]
	if x.inclusive, err = boundsOr(m, what, func(w query.What) ([]cube.Value, error) { v, _, err := m.ByPath(w, run); return v, err }); err != nil {
		return err
	}
	if x.exclusive, err = boundsOr(m, what, func(w query.What) ([]cube.Value, error) { _, v, err := m.ByPath(w, run); return v, err }); err != nil {
		return err
	}
	c.in[side] = append(c.in[side], x)
	return nil
}

// boundsOr returns what values lie in, also if they are certain.
func boundsOr(m *query.Model, w query.What, ask query.Values) ([]spec.Interval, error) {
	in, err := m.Bounds(w, ask)
	if err != nil || in != nil {
		return in, err
	}
	values, err := ask(w)
	for _, v := range values {
		in = append(in, spec.Point(v.Float64()))
	}
	return in, err
}

// between returns what the means of both sides lie in, at a call path or of the whole program if it is nil; nil if they are certain.
func (c *columns) between(p *cube.CallPath, inclusive bool) *[2]spec.Interval {
	if c.in == nil {
		return nil
	}
	var mean [2]spec.Interval
	for i, runs := range c.in {
		n := float64(len(runs))
		for _, run := range runs {
			x := run.whole
			switch {
			case p != nil && inclusive:
				x = run.inclusive[p.Index()]
			case p != nil:
				x = run.exclusive[p.Index()]
			}
			mean[i].Low += x.Low / n
			mean[i].High += x.High / n
		}
	}
	if mean[0].Certain() && mean[1].Certain() {
		return nil
	}
	return &mean
}

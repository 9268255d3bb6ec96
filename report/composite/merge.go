package composite

import (
	"tracerec/metric/spec"
	"tracerec/report/algebra"
)

// Merge makes one report of runs that may have measured different counters, and derives it. What was derived of single runs before is left out;
// all else is merged as by [algebra.Merge].
func Merge(specs []*spec.Spec, runs ...algebra.Input) (*Result, error) {
	measured := make([]algebra.Input, len(runs))
	for i, r := range runs {
		c, err := strip(r.Cube)
		if err != nil {
			return nil, err
		}
		measured[i] = algebra.Input{Name: r.Name, Cube: c}
	}
	m, err := algebra.Merge(measured...)
	if err != nil {
		return nil, err
	}
	d, err := Derive(m.Cube, specs...)
	if err != nil {
		return nil, err
	}
	return &Result{d.Cube, append(m.Notes, d.Notes...)}, nil
}

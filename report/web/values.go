package web

import (
	"math"
	"slices"

	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// calls answers with a metric's values by call path.
func (a *api) calls(q *question) (any, error) {
	w, at := q.what(), q.at()
	if err := q.only("metric", "self", "at"); err != nil {
		return nil, err
	}
	b, err := a.both(w, func(w query.What) (inclusive, exclusive []cube.Value, err error) { return a.model.ByPath(w, at) })
	if a.spread == nil || at != nil || err != nil {
		return b, nil
	}
	noise, err := marshal(a.noise(w))
	return append(append(append(b[:len(b)-1], `,"noise":`...), noise...), '}'), err
}

// noise returns how much values may differ by chance, by call path.
func (a *api) noise(w query.What) map[string][]float {
	at := a.spread.At
	if w.Self {
		at = a.spread.SelfAt
	}
	half := func(p *cube.CallPath, inclusive bool) float {
		if band, known := at(w.Metric.Metric, p, inclusive); known {
			return float(band.Noise)
		}
		return float(math.NaN())
	}
	inclusive, exclusive := make([]float, len(a.paths)), make([]float, len(a.paths))
	for i, p := range a.paths {
		inclusive[i], exclusive[i] = half(p, true), half(p, false)
	}
	return map[string][]float{"incl": inclusive, "excl": exclusive}
}

// flat answers with a metric's values by region.
func (a *api) flat(q *question) (any, error) {
	w, at := q.what(), q.at()
	if err := q.only("metric", "self", "at"); err != nil {
		return nil, err
	}
	b, _ := a.both(w, func(w query.What) (inclusive, exclusive []cube.Value, err error) { return a.model.ByRegion(w, at) })
	return b, nil
}

// bounded returns values, of which those are missing of which nothing is certain, and what they lie in.
func bounded(m *query.Model, w query.What, by query.Values) (column, ranges, error) {
	values, in, err := m.Within(w, by)
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(in, func(i *spec.Interval) bool { return i != nil }) {
		return values, nil, nil
	}
	values = slices.Clone(values)
	for i := range values {
		if in[i] != nil && values[i].Zero() {
			values[i] = nothing
		}
	}
	return values, in, nil
}

// total returns the value of a metric for the whole program, and what it lies in, nil if it is certain. What cannot be evaluated is missing.
func total(m *query.Model, w query.What) (cube.Value, *spec.Interval) {
	values, in, err := bounded(m, w, func(w query.What) ([]cube.Value, error) {
		v, err := m.Total(w)
		return []cube.Value{v}, err
	})
	switch {
	case err != nil:
		return nothing, nil
	case in == nil:
		return values[0], nil
	}
	return values[0], in[0]
}

// both encodes inclusive and exclusive values. A metric that cannot be evaluated is an answer as well.
func (a *api) both(w query.What, by func(query.What) (inclusive, exclusive []cube.Value, err error)) (encoded, error) {
	values, in, err := bounded(a.model, w, func(w query.What) ([]cube.Value, error) {
		inclusive, exclusive, err := by(w)
		return slices.Concat(inclusive, exclusive), err
	})
	n := len(values) / 2
	b := make([]byte, 0, 32+16*len(values))
	b = values[:n].appendTo(append(b, `{"incl":`...))
	b = values[n:].appendTo(append(b, `,"excl":`...))
	if in != nil {
		b = in[:n].appendTo(append(b, `,"in":{"incl":`...))
		b = append(in[n:].appendTo(append(b, `,"excl":`...)), '}')
	}
	return append(appendProblem(b, err), '}'), err
}

// appendProblem appends why values could not be evaluated.
func appendProblem(b []byte, err error) []byte {
	text := ""
	if err != nil {
		text = err.Error()
	}
	quoted, _ := marshal(text)
	return append(append(b, `,"error":`...), quoted...)
}

// system answers with a metric's values by part of the system, at a call path or a region, and how they are distributed.
func (a *api) system(q *question) (any, error) {
	w, p, r, inclusive := q.what(), q.path(), q.region(), q.yes("incl")
	if p != nil && r != nil {
		q.fail("either a call path or a region")
	}
	if err := q.only("metric", "self", "path", "region", "incl"); err != nil {
		return nil, err
	}
	values, in, err := bounded(a.model, w, func(w query.What) ([]cube.Value, error) {
		if r != nil {
			return a.model.RegionByResource(w, r, inclusive)
		}
		return a.model.ByResource(w, p, inclusive)
	})
	b := values.appendTo(append(make([]byte, 0, 128+16*len(values)), `{"values":`...))
	if in != nil {
		b = in.appendTo(append(b, `,"in":`...))
	}
	if err == nil {
		box, err := marshal(a.boxOf(values))
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"box":`...), box...)
	}
	return encoded(append(appendProblem(b, err), '}')), nil
}

// box is how the values of the locations are distributed.
type box struct {
	Min    float `json:"min"`
	Q1     float `json:"q1"`
	Median float `json:"median"`
	Q3     float `json:"q3"`
	Max    float `json:"max"`
	Mean   float `json:"mean"`
	N      int   `json:"n"`
}

// boxOf returns how values of all parts of the system are distributed over the locations that have one.
func (a *api) boxOf(values column) box {
	var list []cube.Value
	for _, r := range a.model.Resources {
		if r.Location != nil && !math.IsNaN(values[r.Index].Float64()) {
			list = append(list, values[r.Index])
		}
	}
	b := a.model.Distribution(list)
	return box{float(b.Min), float(b.Q1), float(b.Median), float(b.Q3), float(b.Max), float(b.Mean), b.N}
}

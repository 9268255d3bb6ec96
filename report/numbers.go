package report

import (
	"math"
	"slices"
	"sync"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// numbers are the parts of a cube by the numbers that an experiment has for them, and the questions to it.
type numbers struct {
	metrics  []*cube.Metric
	critical []*cube.Metric // the part on the critical path, by number of the metric; nil for none
	paths    []*cube.CallPath
	model    func() *query.Model
	path     func() []Cell // of the critical path
}

// connect prepares for questions to the cube, whose metrics and call paths have these numbers.
func (e *Experiment) connect(metrics, critical []*cube.Metric, paths []*cube.CallPath) {
	e.numbers = &numbers{metrics, critical, paths, sync.OnceValue(func() *query.Model {
		m, _ := query.New(e.Cube) // there is a cube
		return m
	}), sync.OnceValue(func() []Cell { return e.Cells(e.MetricIndex(metric.CriticalPath)) })}
}

// connectByID is connect for a cube whose numbers are those of the experiment.
func (e *Experiment) connectByID() {
	n := len(e.Metrics)
	metrics, critical, paths := make([]*cube.Metric, n), make([]*cube.Metric, n), make([]*cube.CallPath, len(e.Paths))
	for _, m := range e.Cube.AllMetrics() {
		switch {
		case m.ID < n:
			metrics[m.ID] = m
		case m.ID > n && m.ID <= 2*n && !m.Kind.Derived():
			critical[m.ID-n-1] = m
		}
	}
	for _, p := range e.Cube.Paths() {
		paths[p.ID] = p
	}
	e.connect(metrics, critical, paths)
}

// Total returns the severity of a metric over all call paths and locations, inclusive along the metric tree and with what is not certain,
// in the metric's unit. What cannot be read is zero, here and below: Cube.Load tells why.
func (e *Experiment) Total(metric int) int64 {
	if e.numbers == nil || metric < 0 {
		return 0
	}
	return e.numbers.total(query.What{Metric: e.numbers.metric(metric), Stored: true})
}

func (n *numbers) total(w query.What) int64 {
	v, err := n.model().Total(w)
	if err != nil {
		return 0
	}
	return rounded(v)
}

// metric returns what the model knows of a metric.
func (n *numbers) metric(i int) *query.Metric { return n.model().Of(n.metrics[i]) }

// rounded returns a value as an integer; one that none can hold becomes 0.
func rounded(v cube.Value) int64 {
	if v.Integer() {
		return v.Int64()
	}
	f := math.Round(v.Float64())
	if !(math.Abs(f) < 1<<62) {
		return 0
	}
	return int64(f)
}

// At returns the severity of a metric for a call path and location, without that of the metrics below.
func (e *Experiment) At(metric int, path, location uint32) int64 {
	if e.numbers == nil {
		return 0
	}
	value := func(m *cube.Metric) int64 {
		r, err := m.Row(e.numbers.paths[path])
		if err != nil {
			return 0
		}
		return r.Value(int(location)).Int64()
	}
	m := e.numbers.metrics[metric]
	v := value(m)
	for _, child := range m.Children {
		v -= value(child)
	}
	return v
}

// Cells returns the severities of a metric, without those of the metrics below, ascending by (Path, Location).
func (e *Experiment) Cells(metric int) []Cell {
	if e.numbers == nil || metric < 0 {
		return nil
	}
	q := e.numbers.metric(metric)
	cells := e.numbers.cells(q)
	for _, child := range q.Children {
		cells = addCells(cells, e.numbers.cells(child), -1)
	}
	return cells
}

// CriticalCells returns the part of a wait state's severities that is on the critical path, as Cells does.
func (e *Experiment) CriticalCells(metric int) []Cell {
	if e.numbers == nil || e.numbers.critical[metric] == nil {
		return nil
	}
	return e.numbers.cells(e.numbers.model().Of(e.numbers.critical[metric]))
}

// criticalPath returns where the critical path is.
func (e *Experiment) criticalPath() []Cell {
	if e.numbers == nil {
		return nil
	}
	return e.numbers.path()
}

// inclusive returns the severities of a metric with those of the metrics below it, without or with what is not certain, as the whole process
// counted it.
func (e *Experiment) inclusive(metric int, all bool) []Cell {
	if e.numbers == nil {
		return nil
	}
	q := e.numbers.metric(metric)
	cells := e.numbers.cells(q)
	for _, child := range q.Children {
		if child.Margin() && !q.Margin() {
			cells = addCells(cells, e.numbers.cells(child), -1)
		}
	}
	for _, margin := range q.Margins() {
		if all {
			cells = addCells(cells, e.numbers.cells(margin), 1)
		}
	}
	return cells
}

// cells returns all values of a metric that are not zero, none if they cannot be read.
func (n *numbers) cells(q *query.Metric) []Cell {
	cells := []Cell{}
	sum := 0.0 // of fractions: what rounding takes from one cell the next ones get, so that sums are right
	for path, p := range n.paths {
		values, err := n.model().ByLocation(query.What{Metric: q, Stored: true}, p, false)
		if err != nil {
			return nil
		}
		for column, v := range values {
			x := v.Int64()
			if !v.Integer() {
				before := rounded(cube.Float(sum))
				sum += v.Float64()
				x = rounded(cube.Float(sum)) - before
			}
			if x != 0 {
				cells = append(cells, Cell{uint32(path), uint32(column), x})
			}
		}
	}
	return cells
}

// bounds returns what is certain of the total of a metric, and what it lies in with what is not.
func (e *Experiment) bounds(metric int) (certain, low, high int64) {
	if e.numbers == nil || metric < 0 {
		return 0, 0, 0
	}
	sums := e.Sums()
	certain = sums.Total(metric, false)
	low, high = certain, certain
	for _, margin := range e.numbers.metric(metric).Margins() {
		if v := e.numbers.total(query.What{Metric: margin}); v < 0 {
			low += v
		} else {
			high += v
		}
	}
	return certain, low, high
}

// Sums are the values of some metrics by call path, without those of the call paths below, each summed over all locations.
type Sums struct {
	e      *Experiment
	paths  map[sumKey][]int64
	ratios map[string]*ratioValues
}

type sumKey struct {
	metric int
	all    bool
}

// Sums prepares for questions about the severities.
func (e *Experiment) Sums() *Sums {
	return &Sums{e: e, paths: map[sumKey][]int64{}, ratios: map[string]*ratioValues{}}
}

// add adds up what a metric is made of: what is certain of it, and if all is set what is not, too.
func (s *Sums) add(metric int, all bool, add func(query.What)) {
	if s.e.numbers == nil {
		return
	}
	q := s.e.numbers.metric(metric)
	add(query.What{Metric: q})
	for _, margin := range q.Margins() {
		if all {
			add(query.What{Metric: margin})
		}
	}
}

// Paths returns a metric with those below it, by call path, with or without the part that could not be attributed exactly.
func (s *Sums) Paths(metric int, all bool) []int64 {
	k := sumKey{metric, all}
	if v, ok := s.paths[k]; ok {
		return v
	}
	sum := make([]int64, len(s.e.Paths))
	s.add(metric, all, func(w query.What) {
		_, values, err := s.e.numbers.model().ByPath(w, nil)
		for i, p := range s.e.numbers.paths {
			if err == nil {
				sum[i] += rounded(values[p.Index()])
			}
		}
	})
	s.paths[k] = sum
	return sum
}

// Total is the sum of Paths.
func (s *Sums) Total(metric int, all bool) (sum int64) {
	s.add(metric, all, func(w query.What) { sum += s.e.numbers.total(w) })
	return sum
}

// Estimate is a value of what is certain, and the interval in which the truth lies.
type Estimate struct {
	Value float64
	spec.Interval
}

// ratioValues are the values of a ratio, the first for the whole program, the others by call path of the cube. One that is no number is none.
type ratioValues struct {
	values []cube.Value
	in     []*spec.Interval // nil: certain
}

// Ratio evaluates a ratio at a call path, or for the whole program if path is negative. There is no value where a denominator is not
// certainly large enough.
func (s *Sums) Ratio(r *Ratio, path int) (Estimate, bool) {
	x := s.ratios[r.Name]
	if x == nil {
		x = s.evaluate(r)
		s.ratios[r.Name] = x
	}
	i := 0
	if path >= 0 && s.e.numbers != nil {
		i = 1 + s.e.numbers.paths[path].Index()
	}
	if i >= len(x.values) || math.IsNaN(x.values[i].Float64()) {
		return Estimate{}, false
	}
	v := Estimate{Value: x.values[i].Float64()}
	if v.Interval = spec.Point(v.Value); x.in[i] != nil {
		v.Interval = *x.in[i]
	}
	return v, true
}

// evaluate asks for all values of a ratio; there are none where that fails.
func (s *Sums) evaluate(r *Ratio) *ratioValues {
	x := &ratioValues{}
	if s.e.numbers == nil {
		return x
	}
	m := s.e.numbers.model()
	at := slices.IndexFunc(m.Metrics, func(q *query.Metric) bool {
		return q.Title == r.Name && slices.Contains(q.Attrs, cube.Attr{Key: query.RatioAttr, Value: "true"})
	})
	if at < 0 {
		return x
	}
	values, in, err := m.Within(query.What{Metric: m.Metrics[at]}, func(w query.What) ([]cube.Value, error) {
		total, err := m.Total(w)
		if err != nil {
			return nil, err
		}
		_, paths, err := m.ByPath(w, nil)
		return append([]cube.Value{total}, paths...), err
	})
	if err == nil {
		x.values, x.in = values, in
	}
	return x
}

package limit

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Report is a report to hold against limits, or to hold another one against.
type Report struct {
	Name  string // of the file, for errors
	Model *query.Model
	// OnPath has, by metric, what of the waits of the whole program is on the critical path, ns, each moment counted once; nil if that is not known.
	OnPath map[string]int64
	// Requests are those that the run answered, nil if that is not known.
	Requests []report.Requests
	// Spread says how far repeated runs lie apart; nil if the report is of one run.
	Spread *algebra.Spread
}

// Options say what limits beside a baseline mean.
type Options struct {
	Baseline  *Report // nil: there is none
	Tolerance float64 // per cent that values may be above the baseline's; negative if not given
}

// Result is what came out, limit by limit.
type Result struct {
	Report   string
	Baseline string // "" without one
	Verdicts []Verdict
}

// Held says that no limit was exceeded.
func (r *Result) Held() bool {
	for _, v := range r.Verdicts {
		if !v.Held {
			return false
		}
	}
	return true
}

// Verdict is what came out of one limit. Numbers are in the unit of the metric.
type Verdict struct {
	Limit Limit
	Unit  string
	Value float64
	In    *spec.Interval // what the truth lies in, nil if the value is certain
	Max   float64
	MaxIn *spec.Interval // what the truth of that lies in, nil if it is certain: a share of what is not certain, or more than it
	Held  bool
	// Of names the metric that is 100 % of a share, and Whole is its value.
	Of    string
	Whole float64
	// Baseline is the value there, and Noise how much more is nothing but noise or tolerated.
	Baseline, Noise float64
	Tolerated       bool // it is the latter
	// Worst is the call path with most of the value; beside a baseline, that which grew most. Nil if there is none, or values
	// of call paths cannot be added.
	Worst *Spot
}

// Spot is where something is dear.
type Spot struct {
	Path     []string // names of regions, the outermost first
	File     string   // as the report has it, "" unknown
	Line     int
	Location string  // where most of it is, "" unknown
	Value    float64 // at the call path, without those below, on all locations
	Growth   float64 // above the baseline
	Slow     string  // in words: what slow requests do, if it is about these
}

// Check holds a report against limits. It fails if one of them cannot be evaluated.
func Check(r *Report, limits []Limit, o Options) (*Result, error) {
	result := &Result{Report: r.Name}
	if o.Baseline != nil {
		result.Baseline = o.Baseline.Name
	}
	for _, l := range limits {
		v, err := verdict(r, l, o)
		if err != nil {
			return nil, fmt.Errorf("limit %q: %w", l.String(), err)
		}
		result.Verdicts = append(result.Verdicts, v)
	}
	return result, nil
}

func verdict(r *Report, l Limit, o Options) (v Verdict, err error) {
	v.Limit = l
	at, err := r.measure(l.Metric, l)
	if err != nil {
		return v, err
	}
	v.Value, v.Unit, v.In = at.value, at.metric.Unit, at.in
	value, most := at.interval(), spec.Interval{}
	var base *measured
	switch {
	case v.ofRatio():
		v.Max = l.Bound.Number
		if isShare(v.Unit) {
			v.Max /= 100
		}
		most = spec.Point(v.Max)
	case l.Bound.Kind == share:
		value, most, err = v.share(r, at)
	case l.Bound.Kind == fixed:
		v.Max, err = number(l.Bound, at.metric)
		most = spec.Point(v.Max)
	default:
		base, most, err = v.beside(r, at, o)
	}
	if err != nil {
		return v, err
	}
	if v.Held = value.High <= most.Low; !v.Held && value.Low <= most.High {
		return v, fmt.Errorf("%s: %s is %s, and at most %s: that cannot be told, as not all of it is certain", r.Name, l.Metric,
			within(v.Value, v.In, v.Unit), within(v.Max, v.MaxIn, v.Unit))
	}
	if at.of != nil {
		v.Worst = at.slow()
		return v, nil
	}
	v.Worst, err = at.worst(base)
	return v, err
}

// ofRatio says that the bound is per cent, as the metric is itself: a ratio, which is part of no other.
func (v *Verdict) ofRatio() bool {
	return v.Limit.Bound.Kind == share && v.Limit.Bound.Of == "" && (isShare(v.Unit) || v.Unit == "%")
}

// isShare says that a unit is that of a ratio such as a "share of branches", which people see as per cent.
func isShare(unit string) bool { return strings.HasPrefix(unit, "share") }

// share sets the most that v may be, given as a share, and returns what two numbers lie in of which the first must not be more than the second.
func (v *Verdict) share(r *Report, at *measured) (value, most spec.Interval, err error) {
	v.Of = v.Limit.Bound.Of
	if v.Of == "" {
		root := at.metric
		for root.Parent != nil {
			root = root.Parent
		}
		if v.Of = root.Name; root == at.metric {
			return value, most, fmt.Errorf("%s is the root of its tree, so always 100 %% of it; give a number, or a share “of METRIC”", root.Name)
		}
	}
	whole, err := r.measure(v.Of, v.Limit)
	if err != nil {
		return value, most, err
	}
	if query.SecondsPer(whole.metric.Unit) != query.SecondsPer(at.metric.Unit) || query.SecondsPer(at.metric.Unit) == 0 && whole.metric.Unit != at.metric.Unit {
		return value, most, fmt.Errorf("%s is in %q and %s in %q: one is no share of the other", at.metric.Name, at.metric.Unit, v.Of, whole.metric.Unit)
	}
	v.Whole = whole.value
	number := v.Limit.Bound.Number
	v.Max = number * v.Whole / 100
	// A hundred times of both, because a quotient would be rounded.
	in := at.interval()
	value = spec.Interval{Low: 100 * in.Low, High: 100 * in.High}
	if in = whole.interval(); number > 0 {
		most = spec.Interval{Low: number * in.Low, High: number * in.High}
	}
	if whole.in == nil {
		return value, most, nil
	}
	v.MaxIn = &spec.Interval{Low: most.Low / 100, High: most.High / 100}
	if excess, ok := r.excess(at, whole, v.Limit); ok {
		value, most = excess, spec.Interval{}
	}
	return value, most, nil
}

// excess returns what lies between a hundred times a metric and so many times the whole that its share is limited to, if both are sums of
// counters: what is not certain of a counter that is in both is the same in both.
func (r *Report) excess(part, whole *measured, l Limit) (spec.Interval, bool) {
	p, w := part.metric.Form(), whole.metric.Form()
	e, err := spec.ParseExpr(fmt.Sprintf("100 * (%s) - %s * (%s)", p, plain(l.Bound.Number), w))
	if p == "" || w == "" || err != nil {
		return spec.Interval{}, false
	}
	return e.Interval(0, func(name string) (spec.Interval, bool) {
		at, err := measure(r, name, l.Place)
		if err != nil {
			return spec.Interval{}, false
		}
		return at.interval(), true
	})
}

// beside sets the most that v may be, given the baseline, and returns what that lies in.
func (v *Verdict) beside(r *Report, at *measured, o Options) (base *measured, most spec.Interval, err error) {
	if o.Baseline == nil {
		return nil, most, fmt.Errorf("no baseline to compare with; give --baseline, or a number")
	}
	if base, err = measure(o.Baseline, v.Limit.Metric, v.Limit.Place); err != nil {
		return nil, most, err
	}
	if base.metric.Unit != at.metric.Unit {
		return nil, most, fmt.Errorf("%s is in %q, in the baseline in %q", at.metric.Name, at.metric.Unit, base.metric.Unit)
	}
	noise := func(of float64) float64 { return math.Abs(of) * v.Limit.Bound.Number / 100 }
	switch b := v.Limit.Bound; b.Kind {
	case moreShare:
	case moreFixed:
		var more float64
		more, err = number(b, at.metric)
		noise = func(float64) float64 { return more }
	default:
		noise, v.Tolerated, err = noiseOf(r, at, o, base)
	}
	if err != nil {
		return nil, most, err
	}
	v.Baseline, v.Noise = base.value, noise(base.value)
	v.Max = v.Baseline + v.Noise
	in := base.interval()
	most = spec.Interval{Low: in.Low + noise(in.Low), High: in.High + noise(in.High)}
	if base.in != nil {
		v.MaxIn = &most
	}
	return base, most, nil
}

// noiseOf returns how far values may lie above one of the baseline for no reason, or as tolerated.
func noiseOf(r *Report, at *measured, o Options, base *measured) (noise func(of float64) float64, tolerated bool, err error) {
	width := algebra.Noise(r.band(at), o.Baseline.band(base))
	if at.of != nil {
		if at.of.Selected(r.Requests) || base.of.Selected(o.Baseline.Requests) {
			return nil, false, fmt.Errorf("%s cannot be compared: only requests that waited have a name in these traces; limit those of all (*)", at.metric.Name)
		}
		width = report.RequestNoise(*at.chance, *base.chance)
	}
	if math.IsNaN(width) && o.Tolerance < 0 && at.of != nil {
		return nil, false, fmt.Errorf("what of %s is chance is not known, or there are too few requests to tell: give --tolerance, or a bound", at.metric.Name)
	}
	if math.IsNaN(width) && o.Tolerance < 0 {
		return nil, false, fmt.Errorf("%s is of one run, so what is noise is unknown: give --tolerance, or the mean of several runs (expert mean)", o.Baseline.Name)
	}
	tolerance := func(of float64) float64 { return math.Abs(of) * o.Tolerance / 100 }
	tolerated = o.Tolerance >= 0 && !(width > tolerance(base.value))
	return func(of float64) float64 {
		if most := tolerance(of); o.Tolerance >= 0 && !(width > most) {
			return most
		}
		return width
	}, tolerated, nil
}

// band returns what the runs of a report tell of a measured value. Several call paths may vary together, so deviations are
// added.
func (r *Report) band(at *measured) algebra.Band {
	one := algebra.Band{N: 1, Mean: at.value, Min: at.value, Max: at.value, StdDev: math.NaN(), Noise: math.NaN()}
	if r.Spread == nil {
		return one
	}
	paths := at.paths
	if at.whole {
		paths = []*cube.CallPath{nil}
	}
	sum := algebra.Band{}
	for _, p := range paths {
		b, ok := r.Spread.At(at.metric.Metric, p, true)
		if !ok {
			return one
		}
		sum.N = b.N
		sum.StdDev += b.StdDev
	}
	sum.Mean = at.value
	return sum
}

// measured is a metric at a place.
type measured struct {
	model  *query.Model
	metric *query.Metric
	whole  bool             // the program
	paths  []*cube.CallPath // of the place, none below another
	value  float64
	in     *spec.Interval // what the truth lies in, nil if the value is certain

	of     *report.Requests // what is measured is a quantity of requests; nil if it is not
	chance *report.Quantity // and that
}

// interval returns what the truth lies in.
func (at *measured) interval() spec.Interval {
	if at.in != nil {
		return *at.in
	}
	return spec.Point(at.value)
}

// once returns what of waits is on the critical path as the findings count it, if the limit is of that; nil if it is not. Beside a baseline, which
// may be of several runs, the cubes' metrics are compared, as everywhere at call paths.
func (r *Report) once(l Limit) *measured {
	ns, is := r.OnPath[l.Metric]
	if !is || !l.Place.Whole() || l.Bound.Kind != share && l.Bound.Kind != fixed {
		return nil
	}
	m := r.Model.Metric(l.Metric)
	if m == nil { // none of it at any call path, but perhaps of metrics below it
		m = &query.Metric{Metric: &cube.Metric{Name: l.Metric, Unit: "ns"}, Parent: r.Model.Metric("waits_on_critical_path")}
	}
	return &measured{model: r.Model, metric: m, whole: true, paths: r.Model.Cube.Roots, value: float64(ns)}
}

// measure evaluates a metric at the place of a limit.
func (r *Report) measure(name string, l Limit) (*measured, error) {
	l.Metric = name
	if at := r.once(l); at != nil {
		return at, nil
	}
	return measure(r, name, l.Place)
}

// measure evaluates a metric at a place.
func measure(r *Report, name string, place Place) (*measured, error) {
	if at, err := r.measureRequests(name); at != nil || err != nil {
		return at, err
	}
	m := r.Model.Metric(name)
	if m == nil {
		return nil, unknown(r, name)
	}
	at := &measured{model: r.Model, metric: m, whole: place.Whole(), paths: r.Model.Cube.Roots}
	if m.Err != nil {
		return nil, fmt.Errorf("%s: %s cannot be evaluated: %w", r.Name, name, m.Err)
	}
	if !at.whole {
		at.paths = place.Find(r.Model.Cube)
	}
	ask := func(w query.What) ([]cube.Value, error) {
		if at.whole {
			v, err := r.Model.Total(w)
			return []cube.Value{v}, err
		}
		v, err := at.sum(w)
		return []cube.Value{v}, err
	}
	values, in, err := r.Model.Within(query.What{Metric: m}, ask)
	if err == nil {
		at.value, at.in = values[0].Float64(), in[0]
	}
	if err == nil && (math.IsNaN(at.value) || math.IsInf(at.value, 0)) {
		err = fmt.Errorf("the value is %v", at.value)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s cannot be evaluated: %w", r.Name, name, err)
	}
	return at, nil
}

// sum adds a metric over the call paths of the place.
func (at *measured) sum(w query.What) (cube.Value, error) {
	switch {
	case len(at.paths) == 0:
		return cube.Value{}, errors.New("no call path of that name; expert calltree shows which there are")
	case len(at.paths) > 1 && !at.metric.Additive:
		return cube.Value{}, fmt.Errorf("its values at %d call paths cannot be added; name one", len(at.paths))
	}
	inclusive, _, err := at.model.ByPath(w, nil)
	if err != nil {
		return cube.Value{}, err
	}
	var v cube.Value
	for _, p := range at.paths {
		v = v.Add(inclusive[p.Index()])
	}
	return v, nil
}

// unknown says that there is no such metric, and which there are that look like it.
func unknown(r *Report, name string) error {
	var like []string
	for _, m := range r.Model.Metrics {
		if len(like) < 5 && (strings.Contains(m.Name, name) || strings.Contains(name, m.Name) || strings.EqualFold(m.Title, name) || oneOff(m.Name, name)) {
			like = append(like, m.Name)
		}
	}
	if len(like) == 0 {
		return fmt.Errorf("%s has no metric %q", r.Name, name)
	}
	return fmt.Errorf("%s has no metric %q, but %s", r.Name, name, strings.Join(like, ", "))
}

// oneOff says that two names differ in one place: a letter more, less, other, or two swapped.
func oneOff(a, b string) bool {
	i, j := 0, 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	a, b = a[i:len(a)-j], b[i:len(b)-j]
	return max(len(a), len(b)) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// number converts the number of a bound to the unit of a metric.
func number(b Bound, m *query.Metric) (float64, error) {
	of := 1e9 * query.SecondsPer(m.Unit)
	factor, isTime := times[b.Unit]
	switch {
	case b.Number == 0:
		return 0, nil
	case of > 0 && isTime:
		return b.Number * factor / of, nil
	case of > 0:
		return 0, fmt.Errorf("%s is a time; write ns, us, ms, s, min or h after the number", m.Name)
	case isTime:
		return 0, fmt.Errorf("%s is not a time, but in %q", m.Name, m.Unit)
	case b.Unit != "":
		return b.Number * counts[b.Unit], nil
	}
	return b.Number, nil
}

package limit

import (
	"fmt"
	"math"
	"strings"

	"tracerec/metric/spec"
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
	In    *spec.Interval // what the truth lies in, nil if the value is exact
	Max   float64
	Held  bool
	// Of names the metric that is 100 % of a share, and Whole is its value.
	Of    string
	Whole float64
	// Baseline is the value there, and Noise how much more is nothing but noise or tolerated.
	Baseline, Noise float64
	// Dearest is the call path with most of the value; beside a baseline, that which grew most. Nil if there is none, or values
	// of call paths cannot be added.
	Dearest *Spot
}

// Spot is where something is dear.
type Spot struct {
	Path     []string // names of regions, the outermost first
	File     string   // as the report has it, "" unknown
	Line     int
	Location string  // where most of it is, "" unknown
	Value    float64 // at the call path, without those below, on all locations
	Growth   float64 // above the baseline
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
	if fixed := l.Bound.Kind == Fixed || v.ofRatio(); !fixed {
		if err := at.certain(r); err != nil {
			return v, err
		}
	}
	var base *measured
	switch {
	case v.ofRatio():
		v.Max = l.Bound.Number
		if isShare(v.Unit) {
			v.Max /= 100
		}
	case l.Bound.Kind == Share:
		err = v.share(r, at)
	case l.Bound.Kind == Fixed:
		v.Max, err = number(l.Bound, at.metric)
	default:
		base, err = v.beside(r, at, o)
	}
	if err != nil {
		return v, err
	}
	switch fixed := l.Bound.Kind == Fixed || v.ofRatio(); {
	case fixed && v.In != nil && v.In.Low <= v.Max && v.In.High > v.Max:
		return v, fmt.Errorf("%s: %s is %s, as not all of it is certain, and at most %s: that cannot be told", r.Name, l.Metric,
			v.within(), quantity(v.Max, v.Unit))
	case fixed && v.In != nil:
		v.Held = v.In.High <= v.Max
	case l.Bound.Kind == Share && !fixed:
		v.Held = v.Value*100 <= l.Bound.Number*v.Whole
	default:
		v.Held = v.Value <= v.Max
	}
	v.Dearest, err = at.dearest(base)
	return v, err
}

// ofRatio says that the bound is per cent, as the metric is itself: a ratio, which is part of no other.
func (v *Verdict) ofRatio() bool {
	return v.Limit.Bound.Kind == Share && v.Limit.Bound.Of == "" && (isShare(v.Unit) || v.Unit == "%")
}

// isShare says that a unit is that of a ratio such as a "share of branches", which people see as per cent.
func isShare(unit string) bool { return strings.HasPrefix(unit, "share") }

// share sets the most that v may be, given as a share.
func (v *Verdict) share(r *Report, at *measured) error {
	v.Of = v.Limit.Bound.Of
	if v.Of == "" {
		root := at.metric
		for root.Parent != nil {
			root = root.Parent
		}
		if v.Of = root.Name; root == at.metric {
			return fmt.Errorf("%s is the root of its tree, so always 100 %% of it; give a number, or a share “of METRIC”", root.Name)
		}
	}
	whole, err := r.measure(v.Of, v.Limit)
	if err != nil {
		return err
	}
	if scale(whole.metric.Unit) != scale(at.metric.Unit) || scale(at.metric.Unit) == 0 && whole.metric.Unit != at.metric.Unit {
		return fmt.Errorf("%s is in %q and %s in %q: one is no share of the other", at.metric.Name, at.metric.Unit, v.Of, whole.metric.Unit)
	}
	if err := whole.certain(r); err != nil {
		return err
	}
	v.Whole = whole.value
	v.Max = v.Limit.Bound.Number * v.Whole / 100
	return nil
}

// beside sets the most that v may be, given the baseline.
func (v *Verdict) beside(r *Report, at *measured, o Options) (*measured, error) {
	if o.Baseline == nil {
		return nil, fmt.Errorf("no baseline to compare with; give --baseline, or a number")
	}
	base, err := measure(o.Baseline, v.Limit.Metric, v.Limit.Place)
	if err != nil {
		return nil, err
	}
	if err := base.certain(o.Baseline); err != nil {
		return nil, err
	}
	if base.metric.Unit != at.metric.Unit {
		return nil, fmt.Errorf("%s is in %q, in the baseline in %q", at.metric.Name, at.metric.Unit, base.metric.Unit)
	}
	v.Baseline = base.value
	switch b := v.Limit.Bound; b.Kind {
	case MoreShare:
		v.Noise = math.Abs(v.Baseline) * b.Number / 100
	case More:
		v.Noise, err = number(b, at.metric)
	default:
		v.Noise, err = noise(r, at, o, base)
	}
	v.Max = v.Baseline + v.Noise
	return base, err
}

// noise returns how far values may lie above the baseline for no reason, or as tolerated.
func noise(r *Report, at *measured, o Options, base *measured) (float64, error) {
	width := algebra.Noise(r.band(at), o.Baseline.band(base))
	if tolerated := math.Abs(base.value) * o.Tolerance / 100; o.Tolerance >= 0 && !(width > tolerated) {
		width = tolerated
	}
	if math.IsNaN(width) {
		return 0, fmt.Errorf("%s is of one run, so what is noise is unknown: give --tolerance, or the mean of several runs (expert mean)", o.Baseline.Name)
	}
	return width, nil
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
	in     *spec.Interval // what the truth lies in, nil if the value is exact
}

// certain fails if nothing of the value is.
func (at *measured) certain(r *Report) error {
	if at.value == 0 && at.in != nil {
		return fmt.Errorf("%s: %s cannot be evaluated: nothing of it is certain", r.Name, at.metric.Name)
	}
	return nil
}

// once returns what of waits is on the critical path as the findings count it, if the limit is of that; nil if it is not. Beside a baseline, which
// may be of several runs, the cubes' metrics are compared, as everywhere at call paths.
func (r *Report) once(l Limit) *measured {
	ns, is := r.OnPath[l.Metric]
	if !is || !l.Place.Whole() || l.Bound.Kind != Share && l.Bound.Kind != Fixed {
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
	values, err := ask(query.What{Metric: m})
	if err == nil {
		at.value = values[0].Float64()
		if in, e := r.Model.Bounds(query.What{Metric: m}, ask); e != nil {
			err = e
		} else if in != nil && !in[0].Exact() && !math.IsNaN(in[0].Low) {
			at.in = &in[0]
		}
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
		return cube.Value{}, fmt.Errorf("no call path of that name")
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

// scale returns how many nanoseconds a unit of time is, 0 for other units.
func scale(unit string) float64 {
	switch unit {
	case "ns":
		return 1
	case "us", "usec", "µs":
		return 1e3
	case "ms", "msec":
		return 1e6
	case "s", "sec", "seconds":
		return 1e9
	}
	return 0
}

// number converts the number of a bound to the unit of a metric.
func number(b Bound, m *query.Metric) (float64, error) {
	of := scale(m.Unit)
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

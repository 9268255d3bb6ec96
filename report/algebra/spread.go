package algebra

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// Spread tells how values differ among the runs of which a report was made. It is safe for concurrent use.
type Spread struct {
	sides  [2][]*query.Resource // the runs: of the report or of the minuend, and of the subtrahend
	model  *query.Model         // of the report of the runs
	mu     sync.Mutex
	known  map[spreadKey]*columns
	whole  together
	titles map[*query.Metric]string // of metrics, each different
}

type spreadKey struct {
	metric string
	self   bool
}

// columns are the values of a metric in every run that measured it, for the whole program and by call path.
type columns struct {
	err                  error
	whole                [2][]float64   // by side and run; those of ratios are no sums of what there is by call path
	inclusive, exclusive [2][][]float64 // by side and run
	in                   *[2][]within   // the same of what values lie in; nil: they are certain
}

// Band describes the values of several runs at one metric and call path. Of a difference, Mean is the difference of the means, Min
// and Max the least and greatest of the differences of two runs, and StdDev that of both sides together.
type Band struct {
	N              int // runs
	Mean, Min, Max float64
	StdDev         float64 // of single runs; NaN if there is but one
	Noise          float64 // half width of the band of 95 %, see the description of the package; NaN if unknown
}

// SpreadOf returns the spread of a report that was made of repeated runs, nil of any other.
func SpreadOf(c *cube.Cube) *Spread {
	s, err := sidesOf(c)
	if err != nil || s == nil || len(s.sides[0]) < 2 && len(s.sides[1]) < 2 {
		return nil
	}
	return s
}

// sidesOf returns what is known of the runs of a report, also if they are single ones; nil if it is no mean and no difference.
func sidesOf(c *cube.Cube) (*Spread, error) {
	runs, err := runsOf(c)
	if err != nil || runs == nil {
		return nil, err
	}
	if spec, ok := query.Embedded(runs); ok && !sameMetrics(c, runs) { // the report is shown with other metrics than it was made with
		if runs, err = query.Remap(runs, spec); err != nil {
			return nil, err
		}
	}
	s := &Spread{known: map[spreadKey]*columns{}, whole: together{runs, map[string]bool{}, map[string]bool{}}}
	if s.model, err = query.New(runs); err != nil {
		return nil, err
	}
	s.titles = titles(s.model.Metrics)
	for _, r := range s.model.Resources {
		if r.Location != nil {
			i := slices.Index(runs.System[0].Groups, r.Location.Group)
			s.sides[i] = append(s.sides[i], r)
		}
	}
	return s, nil
}

// titles names metrics for people; those of the same title with that of the metric above.
func titles(list []*query.Metric) map[*query.Metric]string {
	n := map[string]int{}
	for _, m := range list {
		n[title(m)]++
	}
	names := map[*query.Metric]string{}
	for _, m := range list {
		names[m] = title(m)
		if n[title(m)] > 1 && m.Parent != nil {
			names[m] = title(m) + " (" + title(m.Parent) + ")"
		}
	}
	return names
}

func title(m *query.Metric) string {
	if m.Title != "" {
		return m.Title
	}
	return m.Name
}

// sameMetrics says that a report of runs has all metrics of a report.
func sameMetrics(c, runs *cube.Cube) bool {
	has := map[string]bool{}
	for _, m := range runs.AllMetrics() {
		has[m.Name] = true
	}
	return !slices.ContainsFunc(c.AllMetrics(), func(m *cube.Metric) bool { return !m.Ghost && !has[m.Name] && (m.Kind.Derived() || m.DType.Numeric()) })
}

// At returns the band of a metric at a call path, with or without what it calls, or for the whole program if it is nil. It returns
// false if the noise is not known. Its own name is all that counts of the metric.
func (s *Spread) At(m *cube.Metric, p *cube.CallPath, inclusive bool) (Band, bool) {
	return s.at(m.Name, false, p, inclusive)
}

// SelfAt is At for the metric without its visible children.
func (s *Spread) SelfAt(m *cube.Metric, p *cube.CallPath, inclusive bool) (Band, bool) {
	return s.at(m.Name, true, p, inclusive)
}

func (s *Spread) at(metric string, self bool, p *cube.CallPath, inclusive bool) (Band, bool) {
	a, b, err := s.bands(metric, self, p, inclusive)
	if err != nil || a.N == 0 {
		return Band{}, false
	}
	if len(s.sides[1]) == 0 {
		return a, !math.IsNaN(a.Noise)
	}
	noise, pooled := noise(a, b)
	return Band{N: a.N + b.N, Mean: a.Mean - b.Mean, Min: a.Min - b.Max, Max: a.Max - b.Min, StdDev: pooled, Noise: noise}, !math.IsNaN(noise)
}

// bands returns the bands of both sides.
func (s *Spread) bands(metric string, self bool, p *cube.CallPath, inclusive bool) (a, b Band, err error) {
	c := s.columns(metric, self)
	if c.err != nil {
		return a, b, c.err
	}
	for i, side := range s.sides {
		if len(side) > 0 && len(c.inclusive[i]) == 0 {
			return a, b, fmt.Errorf("metric %s was measured in no run of %s", metric, s.name(i))
		}
	}
	var of [2]Band
	for i := range of {
		var values []float64
		for run := range c.inclusive[i] {
			switch {
			case p == nil:
				values = append(values, c.whole[i][run])
			case inclusive:
				values = append(values, c.inclusive[i][run][p.Index()])
			default:
				values = append(values, c.exclusive[i][run][p.Index()])
			}
		}
		of[i] = bandOf(values)
	}
	return of[0], of[1], nil
}

// columns evaluates a metric for every run.
func (s *Spread) columns(metric string, self bool) *columns {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := spreadKey{metric, self}
	if c := s.known[k]; c != nil {
		return c
	}
	c := &columns{}
	s.known[k] = c
	m := s.model.Metric(metric)
	if m == nil {
		c.err = fmt.Errorf("metric %s is not known for single runs", metric)
		return c
	}
	for _, x := range append(visible(m, self), m) {
		if c.err = s.whole.check(x.Name); c.err != nil {
			return c
		}
	}
	what := query.What{Metric: m, Self: self}
	whole, err := s.model.ByResource(what, nil, true)
	if c.err = err; err != nil {
		return c
	}
	without := strings.Fields(cube.ValueOf(m.Attrs, unmeasuredAttr))
	for i, side := range s.sides {
		for _, run := range side {
			if slices.Contains(without, strconv.Itoa(run.Location.Column())) {
				continue
			}
			inclusive, exclusive, err := s.model.ByPath(what, run)
			if err != nil {
				c.err = err
				return c
			}
			c.whole[i] = append(c.whole[i], whole[run.Index].Float64())
			c.inclusive[i] = append(c.inclusive[i], floats(inclusive))
			c.exclusive[i] = append(c.exclusive[i], floats(exclusive))
			if c.err = c.bound(s.model, what, i, run); c.err != nil {
				return c
			}
		}
	}
	return c
}

// visible returns the metrics whose values are not part of a metric without its children.
func visible(m *query.Metric, self bool) (list []*query.Metric) {
	for _, x := range m.Children {
		if self && x.Index >= 0 {
			list = append(list, x)
		}
	}
	return list
}

func floats(values []cube.Value) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = v.Float64()
	}
	return list
}

// bandOf describes values of runs.
func bandOf(values []float64) Band {
	b := Band{N: len(values), StdDev: math.NaN(), Noise: math.NaN()}
	if b.N == 0 {
		return b
	}
	b.Min, b.Max = slices.Min(values), slices.Max(values)
	for _, v := range values {
		b.Mean += v
	}
	if b.Mean /= float64(b.N); b.Min == b.Max {
		b.Mean = b.Min // a quotient may have been rounded, and copies of a report do not vary
	}
	if b.N == 1 {
		return b
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - b.Mean) * (v - b.Mean)
	}
	b.StdDev = math.Sqrt(squares / float64(b.N-1))
	b.Noise = student(b.N-1) * b.StdDev / math.Sqrt(float64(b.N))
	return b
}

// Noise returns the half width of the band of 95 % of a.Mean − b.Mean, NaN if it is not known because both are single runs.
func Noise(a, b Band) float64 {
	half, _ := noise(a, b)
	return half
}

// noise also returns the standard deviation of both together.
func noise(a, b Band) (half, pooled float64) {
	freedom, squares := 0, 0.0
	for _, x := range []Band{a, b} {
		if x.N > 1 {
			freedom += x.N - 1
			squares += float64(x.N-1) * x.StdDev * x.StdDev
		}
	}
	if freedom == 0 || a.N == 0 || b.N == 0 {
		return math.NaN(), math.NaN()
	}
	pooled = math.Sqrt(squares / float64(freedom))
	return student(freedom) * pooled * math.Sqrt(1/float64(a.N)+1/float64(b.N)), pooled
}

// quantiles of Student's distribution that 2.5 % pass, for 1, 2, … degrees of freedom.
var quantiles = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// student returns the quantile of Student's distribution that 2.5 % pass.
func student(freedom int) float64 {
	if freedom <= len(quantiles) {
		return quantiles[freedom-1]
	}
	const z = 1.959964 // of the normal distribution; the rest is the expansion about it
	f := float64(freedom)
	return z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f)
}

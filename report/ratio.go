package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric/spec"
	"tracerec/report/cube"
)

// Ratio is a quotient of counters: instructions per cycle, a share of misses. It may only be evaluated on sums, so it has no severities
// and is never added to anything.
type Ratio struct {
	Name        string    `json:"name"`
	Unit        string    `json:"unit,omitempty"` // in words
	Description string    `json:"description,omitempty"`
	Hierarchy   string    `json:"hierarchy"` // specification that it is from
	Formula     string    `json:"formula"`   // as in a specification, see spec.ParseExpr
	Low         float64   `json:"low"`       // the scale for its display; equal: none
	High        float64   `json:"high"`
	Least       float64   `json:"least"` // a denominator must be at least this, else there is no value
	Operands    []Operand `json:"operands"`

	expression *spec.Expr // of Formula
}

// Operand is a name in the formula of a ratio.
type Operand struct {
	Name   string `json:"name"`
	Metric int    `json:"metric"` // index in Metrics
	// All says that what could not be attributed exactly counts, too, as for counters of the whole process, of which nothing can be.
	All bool `json:"all,omitempty"`
}

// Prepare reads the formula. It must be called before the ratio is evaluated.
func (r *Ratio) Prepare() error {
	e, err := spec.ParseExpr(r.Formula)
	if err != nil {
		return fmt.Errorf("ratio %s: %w", r.Name, err)
	}
	for _, name := range e.Names() {
		if !slices.ContainsFunc(r.Operands, func(o Operand) bool { return o.Name == name }) {
			return fmt.Errorf("ratio %s: nothing is known of %s", r.Name, name)
		}
	}
	r.expression = e
	return nil
}

// Evaluate evaluates the ratio; value gives the operands, and spec.Time in ns: what is certain of them, and what they lie in. ok is false
// where there is no value: a denominator is too small, or may be.
func (r *Ratio) Evaluate(value func(name string) (Estimate, bool)) (v Estimate, ok bool) {
	if r.expression == nil {
		return Estimate{}, false
	}
	v.Interval, ok = r.expression.Interval(r.Least, func(name string) (spec.Interval, bool) { x, ok := value(name); return x.Interval, ok })
	if !ok {
		return Estimate{}, false
	}
	v.Value, ok = r.expression.Value(r.Least, func(name string) (float64, bool) { x, ok := value(name); return x.Value, ok })
	return v, ok
}

// Estimate is a value of what is certain, and the interval in which the truth lies.
type Estimate struct {
	Value float64
	spec.Interval
}

// Sums are the values of some metrics by call path, without those of the call paths below, each summed over all locations.
type Sums struct {
	e     *Experiment
	below [][]int  // by metric: its children
	side  [][2]int // by metric: that by how much it may be more, and less, -1 for none
	paths map[sumKey][]int64
	total map[sumKey]int64
}

type sumKey struct {
	metric int
	all    bool
}

// Sums prepares for questions about the severities, which must have been read.
func (e *Experiment) Sums() *Sums {
	s := &Sums{e: e, below: make([][]int, len(e.Metrics)), paths: map[sumKey][]int64{}, total: map[sumKey]int64{}}
	for i, p := range parents(e.Metrics) {
		if p >= 0 {
			s.below[p] = append(s.below[p], i)
		}
	}
	for i := range e.Metrics {
		more, less := e.margins(i)
		s.side = append(s.side, [2]int{more, less})
	}
	return s
}

// Paths returns a metric with those below it, by call path, with or without the part that could not be attributed exactly.
func (s *Sums) Paths(metric int, all bool) []int64 {
	k := sumKey{metric, all}
	if v, ok := s.paths[k]; ok {
		return v
	}
	sum := make([]int64, len(s.e.Paths))
	s.collect(metric, all, sum)
	s.paths[k] = sum
	for _, v := range sum {
		s.total[k] += v
	}
	return sum
}

func (s *Sums) collect(metric int, all bool, sum []int64) {
	if metric < len(s.e.Severity) {
		for _, c := range s.e.Severity[metric] {
			sum[c.Path] += c.Value
		}
	}
	for _, child := range s.below[metric] {
		if !s.e.Metrics[child].Uncertain || s.e.Metrics[metric].Uncertain {
			s.collect(child, false, sum)
		}
	}
	for _, margin := range s.side[metric] {
		if all && margin >= 0 {
			s.collect(margin, false, sum)
		}
	}
}

// Estimate returns what is certain of a metric with those below it, and what it lies in, at a call path, or for the whole program if
// path is negative.
func (s *Sums) Estimate(metric, path int) Estimate {
	at := func(metric int) float64 {
		switch {
		case metric < 0:
			return 0
		case path < 0:
			return float64(s.Total(metric, false))
		}
		return float64(s.Paths(metric, false)[path])
	}
	v, side := at(metric), s.side[metric]
	return Estimate{v, spec.Interval{Low: v + at(side[1]), High: v + at(side[0])}}
}

// Total is the sum of Paths.
func (s *Sums) Total(metric int, all bool) int64 {
	s.Paths(metric, all)
	return s.total[sumKey{metric, all}]
}

// Ratio evaluates a ratio at a call path, or for the whole program if path is negative. There is none where a denominator is not
// certainly large enough.
func (s *Sums) Ratio(r *Ratio, path int) (Estimate, bool) {
	return r.Evaluate(func(name string) (Estimate, bool) {
		metric, all := s.e.MetricIndex(spec.Time), true
		if name != spec.Time {
			o := slices.IndexFunc(r.Operands, func(o Operand) bool { return o.Name == name })
			if o < 0 {
				return Estimate{}, false
			}
			metric, all = r.Operands[o].Metric, r.Operands[o].All
		}
		if metric < 0 || metric >= len(s.e.Metrics) {
			return Estimate{}, false
		}
		v := s.Estimate(metric, path)
		if all { // bounds for the goroutine, but counts of the process
			v.Value += v.High - v.Value + v.Low - v.Value
			v.Interval = spec.Exactly(v.Value)
		}
		return v, true
	})
}

// margins returns the metrics that say by how much one may be more and less, -1 for those that there are not.
func (e *Experiment) margins(metric int) (more, less int) {
	more, less = -1, -1
	for k := metric + 1; k < len(e.Metrics); k++ {
		if m := &e.Metrics[k]; !apart(m) || m.Bounds() != e.Metrics[metric].Name {
			continue
		} else if m.Less {
			less = k
		} else {
			more = k
		}
	}
	return more, less
}

// RatioText writes the value of a ratio: a share as 12.4 %, others with three digits.
func RatioText(v float64, unit string) string {
	if share := strings.HasPrefix(unit, "share"); share || unit == "%" {
		if share {
			v *= 100
		}
		if v > 0 && v < 0.05 {
			return "<0.1 %"
		}
		return strconv.FormatFloat(v, 'f', 1, 64) + " %"
	}
	switch a := math.Abs(v); {
	case a >= 1e15:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a != 0 && a < 0.01:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case v < 0:
		return "−" + digits(-v)
	}
	return digits(v)
}

// EstimateText writes the value of a ratio as what it lies in: 12.4–15.1 %, or one value if both ends are written the same.
func EstimateText(v Estimate, unit string) string {
	low, high := RatioText(v.Low, unit), RatioText(v.High, unit)
	if low == high {
		return low
	}
	return readable.Between(strings.TrimSuffix(low, " %"), high)
}

// Attributes of the metrics of cubes that hold counters, hierarchies of them, and ratios.
const (
	CounterAttr     = "counter"      // "true": as it was measured
	UncertainAttr   = "uncertain"    // "true": by how much another metric may be more, because not all could be attributed exactly; or UncertainLess
	UncertainLess   = "less"         // by how much it may be less: values are negative
	UncertainOfAttr = "uncertain_of" // the metric that an uncertain one is about, if that is not its parent
	HierarchyAttr   = "hierarchy"    // specification that the metric is derived with; merged reports are derived again
	IncompleteAttr  = "incomplete"   // "true": counters are lacking
	RatioAttr       = "ratio"        // "true"
	LowAttr         = "low"          // scale of a ratio
	HighAttr        = "high"
	LeastAttr       = "least"
	DefinedAttr     = "defined" // CubePL: the condition under which a ratio has a value
	FormulaAttr     = "formula"
	OperandsAttr    = "operands" // of a ratio, a JSON object: for each name in the formula the metrics with its value and both margins
)

// RatioMetric makes the metric of a cube that evaluates a ratio after aggregation. A name that CubePL cannot say makes the ratio useless to
// other tools, see CubeName.
func RatioMetric(r *Ratio, operand spec.Operands) *cube.Metric {
	m := &cube.Metric{Name: r.Name, Title: r.Name, DType: "DOUBLE", Unit: r.Unit, Kind: cube.PostDerived, Doc: r.Description}
	add := func(key, value string) { m.Attrs = append(m.Attrs, cube.Attr{Key: key, Value: value}) }
	add(RatioAttr, "true")
	add(HierarchyAttr, r.Hierarchy)
	add(FormulaAttr, r.Formula)
	add(LeastAttr, strconv.FormatFloat(r.Least, 'f', -1, 64))
	if r.Low != r.High {
		add(LowAttr, strconv.FormatFloat(r.Low, 'f', -1, 64))
		add(HighAttr, strconv.FormatFloat(r.High, 'f', -1, 64))
	}
	if r.expression == nil {
		return m
	}
	operands := map[string][3]string{}
	for _, name := range r.expression.Names() {
		operands[name] = operand(name)
	}
	text, _ := json.Marshal(operands) // strings always can be
	add(OperandsAttr, string(text))
	if guard := r.expression.Guard(r.Least, operand); guard != "" {
		add(DefinedAttr, guard)
	}
	m.Expressions = []cube.Expression{{Element: "cubepl", Text: r.expression.CubePL(r.Least, operand)}}
	return m
}

// CubeName makes a name that CubePL can say of any other: letters, digits and _.
func CubeName(name string) string {
	made := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, name)
	if made == "" || made[0] >= '0' && made[0] <= '9' || made[0] == '_' {
		made = "m" + made
	}
	return made
}

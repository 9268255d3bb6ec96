package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

// Value evaluates the ratio; value gives those of operands, and of spec.Time in ns. ok is false where there is none: a denominator is
// too small.
func (r *Ratio) Value(value func(name string) (float64, bool)) (v float64, ok bool) {
	if r.expression == nil {
		return 0, false
	}
	return r.expression.Value(r.Least, value)
}

// Sums are the values of some metrics by call path, without those of the call paths below, each summed over all locations.
type Sums struct {
	e     *Experiment
	below [][]int // by metric: its children
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
		if all || !s.e.Metrics[child].Uncertain {
			s.collect(child, all, sum)
		}
	}
}

// Total is the sum of Paths.
func (s *Sums) Total(metric int, all bool) int64 {
	s.Paths(metric, all)
	return s.total[sumKey{metric, all}]
}

// Ratio evaluates a ratio at a call path, or for the whole program if path is negative. There is none where much of an operand is not
// certain: the certain part alone would be too little, and all of it too much.
func (s *Sums) Ratio(r *Ratio, path int) (float64, bool) {
	at := func(metric int, all bool) (float64, bool) {
		if path < 0 {
			return float64(s.Total(metric, all)), true
		}
		return float64(s.Paths(metric, all)[path]), true
	}
	doubtful := false
	v, ok := r.Value(func(name string) (float64, bool) {
		if name == spec.Time {
			if i := s.e.MetricIndex("time"); i >= 0 {
				return at(i, true)
			}
			return 0, false
		}
		for _, o := range r.Operands {
			if o.Name == name && o.Metric >= 0 && o.Metric < len(s.e.Metrics) {
				root := s.e.root(o.Metric)
				certain, _ := at(root, false)
				all, _ := at(root, true)
				doubtful = doubtful || !o.All && all-certain > Doubt*certain
				return at(o.Metric, o.All)
			}
		}
		return 0, false
	})
	return v, ok && !doubtful
}

// Doubt is how large what is not certain of an operand may be, as a part of what is, for a ratio to have a value. Of a metric in a
// hierarchy, that is known for the root alone.
const Doubt = 0.1

// root returns the root of a metric's tree.
func (e *Experiment) root(metric int) int {
	for up := metric; up >= 0; up = e.MetricIndex(e.Metrics[metric].Parent) {
		metric = up
	}
	return metric
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
		return "-" + digits(-v)
	}
	return digits(v)
}

// Attributes of the metrics of cubes that hold counters, hierarchies of them, and ratios.
const (
	CounterAttr    = "counter"    // "true": as it was measured
	UncertainAttr  = "uncertain"  // "true": the part that could not be attributed exactly
	HierarchyAttr  = "hierarchy"  // specification that the metric is derived with; merged reports are derived again
	IncompleteAttr = "incomplete" // "true": counters are lacking
	RatioAttr      = "ratio"      // "true"
	LowAttr        = "low"        // scale of a ratio
	HighAttr       = "high"
	LeastAttr      = "least"
	DefinedAttr    = "defined" // CubePL: the condition under which a ratio has a value
	FormulaAttr    = "formula"
)

// RatioMetric makes the metric of a cube that evaluates a ratio after aggregation; operand returns the unique name of the metric that has
// the values of an operand, and doubts are conditions, see DoubtGuard. A name that CubePL cannot say makes the ratio useless to other
// tools, see CubeName.
func RatioMetric(r *Ratio, operand func(name string) string, doubts ...string) *cube.Metric {
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
	if guard := r.expression.Guard(r.Least, operand); guard != "" {
		doubts = append([]string{guard}, doubts...)
	}
	if len(doubts) > 0 {
		add(DefinedAttr, strings.Join(doubts, " and "))
	}
	m.Expressions = []cube.Expression{{Element: "cubepl", Text: r.expression.CubePL(r.Least, operand)}}
	return m
}

// DoubtGuard returns the condition, in CubePL, that not much of an operand is uncertain, given the unique names of the metrics with what
// is and what is not certain.
func DoubtGuard(certain, uncertain string) string {
	return fmt.Sprintf("(metric::%s() <= %g * metric::%s())", uncertain, Doubt, certain)
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

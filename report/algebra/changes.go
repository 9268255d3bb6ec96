package algebra

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// DiffHelp says what a difference is, to people.
const DiffHelp = `diff compares two reports or trace directories, for example before and after a
change of the program. It prints whether B is faster than A, where time was
gained and lost, what disappeared and what is new. If a side is the mean of
several runs (see expert mean), diff also says what is more than noise.

With -o it also writes the difference B − A, which is a report: savings are
negative. Call paths of an edited program match even if lines moved.`

// Change is a value of the two sides of a difference, means if they are of several runs.
type Change struct {
	Metric *query.Metric  // of the report of the runs; its name counts
	Path   *cube.CallPath // of the difference; nil: the whole program
	A, B   float64
	Noise  float64 // half width of the band in which A−B is noise, NaN if unknown
	// In is what A and B lie in, of which they are what is certain; nil if that is all. Where one has no value, that is no number.
	In *[2]spec.Interval

	title string // of the metric, such that no other has it
}

// Delta is how much more B has than A.
func (c Change) Delta() float64 { return c.B - c.A }

// Between returns what Delta lies in: between its ends is the truth.
func (c Change) Between() spec.Interval {
	if c.In == nil {
		return spec.Point(c.Delta())
	}
	return c.In[1].Minus(c.In[0])
}

// Beyond says that a change is more than noise; known is false if nobody knows.
func (c Change) Beyond() (beyond, known bool) {
	rounding := 1e-12 * math.Max(math.Abs(c.A), math.Abs(c.B))
	return math.Abs(c.Delta()) > c.Noise+rounding, !math.IsNaN(c.Noise)
}

func (c Change) size() float64 { return math.Abs(c.Delta()) }

// Changes says what changed between the two sides of a difference.
type Changes struct {
	A, B         string // names
	RunsA, RunsB int
	WallA, WallB []float64 // of the runs, seconds; empty if not known
	// Totals are the values of all visible metrics for the whole program, in the order of the metrics.
	Totals []Change
	// Calls divide the change of time among metrics without those below and call paths without those below, largest first. Together
	// they are the change of all time.
	Calls []Change
	// Others are the largest change of every other metric at one call path.
	Others []Change
	// Gone are the call paths that only A has, and New those that only B has, if the caller is in both; with all their time,
	// largest first.
	Gone, New []Change
	Unknown   []string // metrics that cannot be evaluated, and why
	// Requests are changes of latencies, which no cube has: set by who knows of them.
	Requests []RequestChange
	Serve    bool // so is this: both are services, which run until somebody ends them

	locations string // what time is summed over
}

// errNoDifference is returned for a report that is not the difference of two.
var errNoDifference = errors.New("report is not a difference")

// ChangesOf returns what changed between the two sides of the difference c: from A to B if it is B − A.
func ChangesOf(c *cube.Cube) (*Changes, error) {
	s, err := sidesOf(c)
	if err != nil {
		return nil, err
	}
	if s == nil || len(s.sides[1]) == 0 {
		return nil, errNoDifference
	}
	x := &Changes{RunsA: len(s.sides[0]), RunsB: len(s.sides[1])}
	x.A, x.B = s.name(0), s.name(1)
	x.WallA, x.WallB = s.walls(0), s.walls(1)
	x.locations = "locations"
	if query.Ours(c) {
		x.locations = "goroutines"
	}
	time := s.timeMetric()
	var shown *query.Model
	for _, m := range s.model.Metrics {
		total, err := s.change(m, false, nil, nil, true)
		if err != nil && shown == nil {
			shown, _ = query.New(c) // if that fails, so does what follows
		}
		if err != nil {
			total, err = totalOfSides(shown, m, err)
			total.title = s.titles[m]
		}
		if err != nil {
			x.Unknown = append(x.Unknown, err.Error())
			continue
		}
		x.Totals = append(x.Totals, total)
		switch {
		case below(m, time):
			x.Calls = append(x.Calls, s.calls(m, c)...)
		case m.Additive:
			if calls := s.calls(m, c); len(calls) > 0 {
				x.Others = append(x.Others, slices.MaxFunc(calls, func(a, b Change) int { return cmp.Compare(a.size(), b.size()) }))
			}
		}
	}
	sortChanges(x.Calls)
	if time != nil {
		s.comeAndGone(x, time, c)
	}
	return x, nil
}

// totalOfSides returns the change of a metric that is known for the sides of a difference, though not for the runs; or err.
func totalOfSides(shown *query.Model, m *query.Metric, err error) (Change, error) {
	if shown == nil || shown.Metric(m.Name) == nil {
		return Change{}, err
	}
	names := strings.Fields(cube.ValueOf(shown.Metric(m.Name).Attrs, query.SidesAttr))
	if len(names) != 2 {
		return Change{}, err
	}
	var sides [2]float64
	for i, name := range names {
		side := shown.Metric(name)
		if side == nil {
			return Change{}, err
		}
		v, failed := shown.Total(query.What{Metric: side})
		if failed != nil {
			return Change{}, failed
		}
		sides[i] = v.Float64()
	}
	return Change{Metric: m, A: sides[0], B: sides[1], Noise: math.NaN()}, nil
}

// sortChanges puts the largest first, and those that are no more than noise behind all others.
func sortChanges(list []Change) {
	slices.SortStableFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.size(), a.size()))
	})
}

// rank is 1 for a change that is no more than noise, else 0.
func (c Change) rank() int {
	if beyond, known := c.Beyond(); known && !beyond {
		return 1
	}
	return 0
}

// timeMetric returns the metric of all time, nil if there is none.
func (s *Spread) timeMetric() *query.Metric {
	if m := s.model.Metric(metric.Time); m != nil && m.Index >= 0 && m.Err == nil {
		return m
	}
	for _, m := range s.model.Metrics {
		if m.Parent == nil && (m.Unit == "ns" || m.Unit == "sec") {
			return m
		}
	}
	return nil
}

// below says that a metric is one or below it.
func below(m, top *query.Metric) bool {
	for ; m != nil; m = m.Parent {
		if m == top {
			return true
		}
	}
	return false
}

// change returns the values of both sides at a call path of the report of the runs, which is at in the difference.
func (s *Spread) change(m *query.Metric, self bool, p, at *cube.CallPath, inclusive bool) (Change, error) {
	a, b, err := s.bands(m.Name, self, p, inclusive)
	c := Change{Metric: m, Path: at, A: a.Mean, B: b.Mean, Noise: Noise(a, b), title: s.titles[m]}
	if err == nil {
		c.In = s.columns(m.Name, self).between(p, inclusive)
	}
	return c, err
}

// calls returns the changes of a metric without its children at all call paths without those below.
func (s *Spread) calls(m *query.Metric, c *cube.Cube) []Change {
	var list []Change
	for i, p := range s.model.Cube.Paths() {
		x, err := s.change(m, true, p, c.Paths()[i], false)
		if err == nil && (x.A != x.B || !x.Between().Certain()) {
			list = append(list, x)
		}
	}
	return list
}

// comeAndGone finds the call paths that only one side has.
func (s *Spread) comeAndGone(x *Changes, time *query.Metric, c *cube.Cube) {
	for i, p := range s.model.Cube.Paths() {
		v, err := s.change(time, false, p, c.Paths()[i], true)
		if err != nil {
			return
		}
		if p.Parent != nil {
			if above, err := s.change(time, false, p.Parent, nil, true); err != nil || above.A == 0 || above.B == 0 {
				continue
			}
		}
		switch {
		case v.A != 0 && v.B == 0:
			x.Gone = append(x.Gone, v)
		case v.A == 0 && v.B != 0:
			x.New = append(x.New, v)
		}
	}
	sortChanges(x.Gone)
	sortChanges(x.New)
}

// name names a side.
func (s *Spread) name(side int) string {
	return s.model.Cube.System[0].Groups[side].Name
}

// walls returns the run times of a side in seconds.
func (s *Spread) walls(side int) []float64 {
	var list []float64
	for _, r := range s.sides[side] {
		if ns, err := strconv.ParseFloat(cube.ValueOf(r.Location.Attrs, wallAttr), 64); err == nil && ns > 0 {
			list = append(list, ns/1e9)
		}
	}
	if len(list) < len(s.sides[side]) {
		return nil
	}
	return list
}

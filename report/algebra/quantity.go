package algebra

import (
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Attributes of a metric whose values are of several runs: it is derived from hidden metrics that hold sums.
const (
	runsAttr    = "expert:runs"    // how many; or, for each process, how many had it
	sumAttr     = "expert:sum"     // name of the metric with the sums of all runs
	squaresAttr = "expert:squares" // name of the metric with the sums of squares
	composeAttr = "compose"        // names of the metrics whose sum this one is
	incomplete  = "~"              // begins the title of a composition of which parts are missing
)

// quantity is a metric of the union with those of the inputs that it is.
type quantity struct {
	name     string
	versions []*cube.Metric // by input, nil where it is missing
	parent   *quantity
	children []*quantity
}

// first returns the first version.
func (q *quantity) first() *cube.Metric {
	return q.versions[slices.IndexFunc(q.versions, func(m *cube.Metric) bool { return m != nil })]
}

// quantities is the union of the metrics of the inputs, in trees.
type quantities struct {
	roots  []*quantity
	byName map[string]*quantity
}

// quantities matches metrics by name. One that is below different metrics is put below that with the least name; being below
// one counts more than being at the top.
func (u *union) quantities() *quantities {
	qs := &quantities{byName: map[string]*quantity{}}
	for i, in := range u.inputs {
		hidden := map[string]bool{}
		for _, m := range in.Cube.AllMetrics() {
			hidden[cube.ValueOf(m.Attrs, sumAttr)], hidden[cube.ValueOf(m.Attrs, squaresAttr)] = true, true
		}
		qs.add(i, len(u.inputs), nil, in.Cube.Metrics, hidden)
	}
	return qs
}

func (qs *quantities) add(input, inputs int, parent *quantity, list []*cube.Metric, hidden map[string]bool) {
	for _, m := range list {
		if hidden[m.Name] {
			continue
		}
		name := strings.TrimPrefix(m.Name, incomplete)
		q := qs.byName[name]
		if q == nil {
			q = &quantity{name: name, versions: make([]*cube.Metric, inputs)}
			qs.byName[name] = q
			qs.hang(q, parent)
		} else if q.parent != parent && parent != nil && (q.parent == nil || parent.name < q.parent.name) && !parent.below(q) {
			qs.unhang(q)
			qs.hang(q, parent)
		}
		q.versions[input] = m
		qs.add(input, inputs, q, m.Children, hidden)
	}
}

func (qs *quantities) hang(q, parent *quantity) {
	q.parent = parent
	if parent == nil {
		qs.roots = append(qs.roots, q)
	} else {
		parent.children = append(parent.children, q)
	}
}

func (qs *quantities) unhang(q *quantity) {
	list := &qs.roots
	if q.parent != nil {
		list = &q.parent.children
	}
	*list = slices.DeleteFunc(*list, func(x *quantity) bool { return x == q })
}

// below says that q is x or below it.
func (q *quantity) below(x *quantity) bool {
	for ; q != nil; q = q.parent {
		if q == x {
			return true
		}
	}
	return false
}

// extreme says that values are combined by taking the least or the greatest.
func extreme(m *cube.Metric) bool { return m.DType == "MINDOUBLE" || m.DType == "MAXDOUBLE" }

// fraction says that values have a fraction.
func fraction(d cube.DType) bool {
	return d == "DOUBLE" || d == "FLOAT" || d == "MINDOUBLE" || d == "MAXDOUBLE"
}

// measured is a metric with values, possibly of several runs.
type measured struct {
	*cube.Metric              // as it is shown
	rows         *cube.Metric // with the values of all runs, added and, if by is not nil, brought to the same denominator
	squares      *cube.Metric // with the sums of their squares, nil unknown
	n            int          // what the values are to be divided by
	by           []int        // by process: number of runs; nil: n everywhere
}

// measure says where the values of a metric are. It returns false for one that has none, because it is derived, or is nil.
func measure(c *cube.Cube, m *cube.Metric) (measured, bool) {
	if m == nil {
		return measured{}, false
	}
	if !m.Kind.Derived() {
		return measured{Metric: m, rows: m, n: 1}, true
	}
	x := measured{Metric: m, rows: c.Metric(cube.ValueOf(m.Attrs, sumAttr)), n: 1}
	if x.rows == nil || x.rows.Kind.Derived() {
		return measured{}, false
	}
	if name := cube.ValueOf(m.Attrs, squaresAttr); name != "" {
		x.squares = c.Metric(name)
	}
	words := strings.Fields(cube.ValueOf(m.Attrs, runsAttr))
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 || n > 1<<20 {
			return measured{}, false
		}
		x.by = append(x.by, n)
		if x.n = lcm(x.n, max(1, n)); x.n > 1<<40 {
			return measured{}, false
		}
	}
	if len(words) < 2 {
		x.by = nil
	}
	return x, len(words) > 0
}

// runs returns how many runs a process of the cube had, -1 being one that it does not have.
func (m measured) runs(process int) int {
	switch {
	case m.by == nil:
		return m.n
	case process < 0:
		return slices.Max(m.by)
	case process < len(m.by):
		return m.by[process]
	}
	return 1
}

// value divides a stored value by the number of runs.
func (m measured) value(v cube.Value) cube.Value { return divide(v, m.n) }

func divide(v cube.Value, n int) cube.Value {
	if n == 1 {
		return v
	}
	return cube.Float(v.Float64() / float64(n))
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// nothing says that a report that does not have a metric measured it nonetheless, and found nothing: reports of goroutines have a tree of the waits on
// the critical path, with those metrics only of which there are any.
func (in *operand) nothing(name string) bool {
	return query.Ours(in.Cube) && (name == metric.OnPath || strings.HasSuffix(name, metric.OnPathSuffix))
}

// count returns of how many runs an input is the mean.
func (in *operand) count() int {
	if in.runs == nil {
		return 1
	}
	return len(in.runs.Locations())
}

// clone returns a metric of a union that is like one of an input, without its place and what it says of runs.
func clone(m *cube.Metric) *cube.Metric {
	x := &cube.Metric{Name: m.Name, Title: m.Title, DType: m.DType, Unit: m.Unit, Val: m.Val, URL: m.URL, Doc: m.Doc, Kind: m.Kind,
		Ghost: m.Ghost, Options: slices.Clone(m.Options), Attrs: slices.Clone(m.Attrs)}
	for _, e := range m.Expressions {
		x.Expressions = append(x.Expressions, cube.Expression{Element: e.Element, Options: slices.Clone(e.Options), Text: e.Text})
	}
	for _, key := range []string{runsAttr, sumAttr, squaresAttr} {
		setAttr(&x.Attrs, key, "")
	}
	return x
}

// derive makes a metric one that is computed.
func derive(m *cube.Metric, expression string) {
	m.Kind, m.DType = cube.PostDerived, "DOUBLE"
	m.Expressions = []cube.Expression{{Element: "cubepl", Text: expression}}
}

// names gives metrics names that expressions can refer to and that no other metric has.
type names map[string]bool

func (n names) make(base, suffix string) string {
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == ':' || r == '=' { // what CUBE takes for a name
			return r
		}
		return '_'
	}, base) + suffix
	name := base
	for i := 2; n[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

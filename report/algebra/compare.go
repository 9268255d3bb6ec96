package algebra

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// Comparison says in what two reports differ.
type Comparison struct {
	Equal       bool
	Differences []string // the first of them, for people
	Count       int      // of all
	Values      int      // compared
}

// maxDifferences is how many differences a Comparison lists.
const maxDifferences = 20

// tolerance is by how many of the least steps that a number of 64 bits can make two equal values may differ.
const tolerance = 2

// Compare compares metrics, call trees, systems and values of two reports. Order and numbers in the files, names of machines and
// whatever else they say do not matter. Integers must be the same, other numbers nearly so.
func Compare(a, b Input) (*Comparison, error) { return compare(a, b, false) }

// compare is Compare, with call paths that may have moved as in a difference.
func compare(a, b Input, moved bool) (*Comparison, error) {
	u, err := unite([]Input{a, b}, moved)
	if err != nil {
		return nil, err
	}
	qs := u.quantities()
	c := &comparer{union: u, names: [2]string{a.Name, b.Name}}
	c.trees()
	if err := u.cube.Complete(); err != nil {
		return nil, err
	}
	if err := c.metrics(qs.roots); err != nil {
		return nil, err
	}
	c.Equal = c.Count == 0
	return &c.Comparison, nil
}

type comparer struct {
	*union
	Comparison
	names [2]string
}

func (c *comparer) say(format string, args ...any) {
	c.Count++
	if len(c.Differences) < maxDifferences {
		c.Differences = append(c.Differences, fmt.Sprintf(format, args...))
	}
}

// trees notes the call paths and locations that only one report has.
func (c *comparer) trees() {
	var visit func(list []*cube.CallPath, above string)
	has := [2]map[int32]bool{{}, {}}
	for i, in := range c.inputs {
		for _, p := range in.paths {
			has[i][p] = true
		}
	}
	visit = func(list []*cube.CallPath, above string) {
		for _, p := range list {
			name := above + p.Region.Name
			for i := range has {
				if !has[i][int32(p.ID)] {
					c.say("call path %s is only in %s", name+site(p), c.names[1-i])
				}
			}
			visit(p.Children, name+"/")
		}
	}
	visit(c.cube.Roots, "")
	for i, in := range c.inputs {
		missing := slices.Repeat([]bool{true}, len(c.units))
		for _, column := range in.columns {
			missing[column] = false
		}
		n := 0
		for _, m := range missing {
			if m {
				n++
			}
		}
		if n > 0 {
			c.say("%d locations are only in %s", n, c.names[1-i])
		}
	}
	for _, n := range c.notes {
		c.say("%s", n)
	}
}

// metrics compares metrics and what is below them.
func (c *comparer) metrics(list []*quantity) error {
	for _, q := range list {
		if err := c.metric(q); err != nil {
			return err
		}
		if err := c.metrics(q.children); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparer) metric(q *quantity) error {
	a, b := q.versions[0], q.versions[1]
	switch {
	case a == nil || b == nil:
		i := 0
		if a == nil {
			i = 1
		}
		c.say("metric %s is only in %s", q.name, c.names[i])
		return nil
	case a.Unit != b.Unit:
		c.say("metric %s is in %s in %s, in %s in %s", q.name, a.Unit, c.names[0], b.Unit, c.names[1])
	case parentOf(a) != parentOf(b):
		c.say("metric %s is below %q in %s, below %q in %s", q.name, parentOf(a), c.names[0], parentOf(b), c.names[1])
	}
	x, stored := measure(c.inputs[0].Cube, a)
	y, both := measure(c.inputs[1].Cube, b)
	switch {
	case stored != both:
		c.say("metric %s is computed in one report and has values in the other", q.name)
	case !stored:
		c.expressions(q, a, b)
	case a.DType.Numeric() && b.DType.Numeric():
		return c.values(q, x, y)
	default:
		return c.raw(q, a, b)
	}
	return nil
}

func parentOf(m *cube.Metric) string {
	if m.Parent == nil {
		return ""
	}
	return strings.TrimPrefix(m.Parent.Name, incomplete)
}

func (c *comparer) expressions(q *quantity, a, b *cube.Metric) {
	same := a.Kind == b.Kind && len(a.Expressions) == len(b.Expressions)
	for i := range a.Expressions {
		same = same && a.Expressions[i].Element == b.Expressions[i].Element && normal(a.Expressions[i].Text) == normal(b.Expressions[i].Text)
	}
	if !same {
		c.say("metric %s is computed in different ways", q.name)
	}
}

// normal returns an expression as it is written in one way only.
func normal(text string) string {
	p, err := cubepl.Parse(text)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return p.String()
}

// values compares the values of a metric.
func (c *comparer) values(q *quantity, x, y measured) error {
	kind := kindOf(c.inputs, q)
	terms := []*term{{in: c.inputs[0], metric: x.rows}, {in: c.inputs[1], metric: y.rows}}
	paths := c.cube.Paths()
	integers := x.n == 1 && y.n == 1 && !fraction(x.rows.DType) && !fraction(y.rows.DType)
	rows := [2][]cube.Value{make([]cube.Value, len(c.units)), make([]cube.Value, len(c.units))}
	var set []int // columns with a value
	for _, p := range c.stored(kind, terms) {
		for _, column := range set {
			rows[0][column], rows[1][column] = cube.Value{}, cube.Value{}
		}
		set = set[:0]
		for i, m := range []measured{x, y} {
			in := c.inputs[i]
			for _, from := range in.sources(p, kind) {
				err := values(m.rows, in.Cube.Paths()[from], kind, func(column int, v cube.Value) {
					to := in.columns[column]
					rows[i][to] = aggregate(m.rows, rows[i][to], m.value(v))
					set = append(set, int(to))
				})
				if err != nil {
					return fmt.Errorf("%s: %w", in.Name, err)
				}
			}
		}
		slices.Sort(set)
		set = slices.Compact(set)
		for _, column := range set {
			v, w := rows[0][column], rows[1][column]
			if v == (cube.Value{}) && w == (cube.Value{}) {
				continue
			}
			if c.Values++; !near(v, w, integers) {
				c.say("metric %s, call path %s, %s: %s in %s, %s in %s", q.name, pathName(paths[p])+site(paths[p]), c.location(column),
					show(v), c.names[0], show(w), c.names[1])
			}
		}
	}
	return nil
}

func show(v cube.Value) string {
	if v == (cube.Value{}) {
		return "0"
	}
	return v.String()
}

// near says that two values are the same, or nearly so if they are no integers.
func near(v, w cube.Value, integers bool) bool {
	if v == w {
		return true
	}
	if integers {
		return v.Sub(w).Zero()
	}
	x, y := v.Float64(), w.Float64()
	if x == y || math.IsNaN(x) && math.IsNaN(y) {
		return true
	}
	if math.Signbit(x) != math.Signbit(y) {
		return false
	}
	d := int64(math.Float64bits(x) - math.Float64bits(y))
	return d >= -tolerance && d <= tolerance
}

// raw compares the bytes of values that are more than a number.
func (c *comparer) raw(q *quantity, a, b *cube.Metric) error {
	if a.DType != b.DType || a.Kind != b.Kind {
		c.say("metric %s has values of type %s in %s, %s in %s", q.name, a.DType, c.names[0], b.DType, c.names[1])
		return nil
	}
	terms := []*term{{in: c.inputs[0], metric: a}, {in: c.inputs[1], metric: b}}
	for _, p := range c.stored(a.Kind, terms) {
		var rows [2]map[int32]string
		for i, t := range terms {
			rows[i] = map[int32]string{}
			for _, from := range t.in.sources(p, a.Kind) {
				r, err := t.metric.Read(t.in.Cube.Paths()[from])
				if err != nil {
					return fmt.Errorf("%s: %w", t.in.Name, err)
				}
				for column := range r.Len() {
					if raw := r.Raw(column); strings.Trim(string(raw), "\x00") != "" {
						rows[i][t.in.columns[column]] = string(raw)
					}
				}
			}
		}
		for column := range c.units {
			if c.Values++; rows[0][int32(column)] != rows[1][int32(column)] {
				c.say("metric %s, call path %s, %s: values differ", q.name, pathName(c.cube.Paths()[p])+site(c.cube.Paths()[p]), c.location(column))
			}
		}
	}
	return nil
}

// location names a column of the union.
func (c *comparer) location(column int) string {
	l := c.cube.Locations()[column]
	return l.Group.Name + " " + l.Name
}

// site says where a call path is called, or else where its region stands: that tells calls of one function from each other.
func site(p *cube.CallPath) string {
	file, line := p.Module, p.Line
	if line <= 0 {
		file, line = p.Region.Module, p.Region.Begin
	}
	if line <= 0 {
		return ""
	}
	return " (" + readable.Place(readable.Base(file), line) + ")"
}

// pathName names a call path by the regions on it.
func pathName(p *cube.CallPath) string {
	if p == nil {
		return "whole program"
	}
	name := p.Region.Name
	for p = p.Parent; p != nil; p = p.Parent {
		name = p.Region.Name + "/" + name
	}
	return name
}

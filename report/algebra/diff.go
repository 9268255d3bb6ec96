package algebra

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/cubepl"
	"tracerec/report/query"
)

// Diff returns what changed from a to b, at every metric, call path and location: b − a, so that what b saves is negative. Of what
// one of them does not have, the other has all; but a metric that one of them did not measure has no difference and is left out.
//
// Call paths are the same if they are so up to the lines of the source, which move when it is edited; see the description of the
// package. Names and lines are those of b.
//
// Values are subtracted. A derived metric that is a sum of others is computed from the differences. Where that would be wrong, as
// it is for ratios, and for least and greatest values, the metric is computed for either side, from hidden metrics that hold its
// values, and these are subtracted.
//
// What is uncertain of a metric is, in the difference, what is uncertain of either: it may be more by what there may be more in b and
// less in a, and less by what there may be less in b and more in a. So the truth lies within the bounds of the difference.
//
// Reports that bring along a hierarchy of metrics in which they want to be shown are compared in it.
func Diff(a, b Input) (*Result, error) {
	u, err := unite([]Input{b, a}, true)
	if err != nil {
		return nil, err
	}
	d := &differ{union: u, qs: u.quantities(), used: names{}, linears: map[string]bool{}, sides: [2]map[string]string{{}, {}}}
	for name := range d.qs.byName {
		d.used[name] = true
	}
	d.margins = d.qs.margins()
	u.cube.Metrics = append(d.metrics(d.qs.roots), d.mirrored(d.qs.roots)...)
	u.cube.Metrics = append(u.cube.Metrics, d.hidden...)
	if len(d.promoted) > 0 {
		u.notes.add("with a sign now, as differences may be less than zero: %s", enumerate(d.promoted))
	}
	if len(d.missing) > 0 {
		u.notes.add("measured in one of the reports only, and so without a difference: %s", enumerate(d.missing))
	}
	programs, args := u.called()
	slices.Reverse(programs) // the second input came first
	slices.Reverse(args)
	if len(programs) > 1 {
		u.notes.add("warning: the reports are of different programs (%s), so what differs is no change of either", strings.Join(programs, ", "))
	} else if len(args) > 1 {
		u.notes.add("the program had different arguments: %s", strings.Join(args, ", "))
	}
	if kinds := u.kinds(); len(kinds) > 1 {
		slices.Reverse(kinds)
		u.notes.add("warning: %s: what they know of call paths, operations and states is not the same, so what differs may be no change of the program", enumerate(kinds))
	}
	if err := u.finish(d.jobs); err != nil {
		return nil, err
	}
	setAttr(&u.cube.Attrs, query.DifferenceAttr, b.Name+" − "+a.Name)
	err = u.keepRuns(d.qs, []string{a.Name, b.Name}, [][]*operand{{u.inputs[1]}, {u.inputs[0]}})
	return &Result{u.cube, u.notes}, err
}

// differ makes the metrics of a difference. Side 0 is b, side 1 a, which is subtracted.
type differ struct {
	*union
	qs                *quantities
	margins           map[*quantity]margin // those that say what of others is uncertain
	used              names
	linears           map[string]bool      // known answers of linear
	sides             [2]map[string]string // names of the hidden metrics that hold a metric of one side
	hidden            []*cube.Metric
	jobs              []func() error
	promoted, missing []string
}

// metrics makes the metrics of the difference from trees of quantities.
func (d *differ) metrics(list []*quantity) []*cube.Metric {
	var made []*cube.Metric
	for _, q := range list {
		m := d.metric(q)
		below := append(d.metrics(q.children), d.mirrored(d.facing(q))...)
		if m == nil {
			made = append(made, below...)
			continue
		}
		m.Children = below
		made = append(made, m)
	}
	return made
}

// metric makes one metric, nil if there is no difference.
func (d *differ) metric(q *quantity) *cube.Metric {
	m := clone(q.first())
	x, ok := d.margins[q]
	switch {
	case ok && !d.bounded(x.of):
		return nil // what it is about is no difference, or its sides have bounds
	case ok:
		d.margin(m, q, x.opposite)
	case !d.comparable(q):
		if !m.Ghost {
			d.missing = append(d.missing, q.name)
		}
		return nil
	case !numeric(q):
		d.notes.add("metric %s is left out: values of type %s cannot be subtracted", q.name, m.DType)
		return nil
	case !d.linear(q.name):
		if m.Ghost {
			return nil // those that need it have it for either side
		}
		if defines(q) {
			d.notes.add("metric %s is left out: what its expression defines cannot be told apart for the two reports", q.name)
			return nil
		}
		of := [2]string{d.side(1, q), d.side(0, q)}
		derive(m, difference(of[1], of[0], slices.ContainsFunc(q.versions, func(v *cube.Metric) bool { return v != nil && extreme(v) })))
		setAttr(&m.Attrs, query.SidesAttr, of[0]+" "+of[1])
		setAttr(&m.Attrs, query.DefinedAttr, "") // the sides say where they are, and what they lie in
		setAttr(&m.Attrs, query.OperandsAttr, "")
	case m.Kind.Derived() && !d.stored(q):
		// stays as it is
	default:
		d.subtract(q, m)
	}
	return m
}

// difference returns the expression for the difference of two metrics. Where there is no least or greatest value Cube has the largest number
// that there is, and its negative, of which ten times as much is infinite: these are taken for 0, as is nothing.
func difference(minuend, subtrahend string, extreme bool) string {
	if !extreme {
		return fmt.Sprintf("metric::%s() - metric::%s()", minuend, subtrahend)
	}
	const side = "${%[1]s} = metric::%[2]s(); if (${%[1]s} * 10 == ${%[1]s} * 100) { ${%[1]s} = 0; }; "
	return "{ " + fmt.Sprintf(side, "a", minuend) + fmt.Sprintf(side, "b", subtrahend) + "return ${a} - ${b}; }"
}

// comparable says that both sides measured a metric.
func (d *differ) comparable(q *quantity) bool {
	for i, m := range q.versions {
		if m == nil && !d.inputs[i].nothing(q.name) {
			return false
		}
	}
	return true
}

func numeric(q *quantity) bool {
	return !slices.ContainsFunc(q.versions, func(m *cube.Metric) bool { return m != nil && !m.Kind.Derived() && !m.DType.Numeric() })
}

// stored says that all versions of a metric have values.
func (d *differ) stored(q *quantity) bool {
	for i, m := range q.versions {
		if _, ok := measure(d.inputs[i].Cube, m); m != nil && !ok {
			return false
		}
	}
	return true
}

// subtract makes a metric one that has values: the differences.
func (d *differ) subtract(q *quantity, m *cube.Metric) {
	m.Kind, m.Expressions = kindOf(d.inputs, q), nil
	m.DType = "INT64"
	terms := append(d.term(m, q, 0), d.term(m, q, 1)...)
	for _, t := range terms {
		if t.n == 1 && strings.HasPrefix(string(t.metric.DType), "UINT") {
			d.promoted = append(d.promoted, q.name)
		}
	}
	d.promoted = slices.Compact(d.promoted)
	d.job(m, terms, q.name, q.name)
}

// term returns what one side has part in the values of a metric, and gives the metric a type that has room for it.
func (d *differ) term(m *cube.Metric, q *quantity, side int) []*term {
	x, ok := measure(d.inputs[side].Cube, q.versions[side])
	if !ok {
		return nil
	}
	if x.n > 1 || fraction(x.rows.DType) {
		m.DType = "DOUBLE"
	}
	t := &term{in: d.inputs[side], metric: x.rows, n: x.n}
	if side == 0 {
		t.into = func(sum, v cube.Value, _ int) cube.Value { return sum.Add(x.value(v)) }
	} else {
		t.into = func(sum, v cube.Value, _ int) cube.Value { return sub(sum, x.value(v)) }
	}
	return []*term{t}
}

func sub(v, w cube.Value) cube.Value {
	if v == (cube.Value{}) {
		return cube.Int(0).Sub(w)
	}
	return v.Sub(w)
}

// job has the values of a metric filled in once the cube is complete, from terms, each of a metric with one of the names.
func (d *differ) job(m *cube.Metric, terms []*term, names ...string) {
	d.jobs = append(d.jobs, func() error {
		for i, t := range terms {
			t.totals = t.in.totalsOf(names[i], t.metric, len(d.cube.Paths()))
		}
		return d.fill(m, terms...)
	})
}

// linear says that the difference of a metric can be computed from differences.
func (d *differ) linear(name string) bool {
	known, ok := d.linears[name]
	if ok {
		return known
	}
	d.linears[name] = false // while it depends on itself
	q := d.qs.byName[name]
	if q == nil {
		return false
	}
	d.linears[name] = d.isLinear(q)
	return d.linears[name]
}

func (d *differ) isLinear(q *quantity) bool {
	if d.stored(q) {
		return !slices.ContainsFunc(q.versions, func(m *cube.Metric) bool { return m != nil && extreme(m) })
	}
	m := q.first()
	for _, v := range q.versions {
		if v != nil && (v.Kind != m.Kind || !slices.EqualFunc(v.Expressions, m.Expressions, sameExpression)) {
			return false
		}
	}
	for _, x := range m.Expressions {
		p, err := cubepl.Parse(x.Text)
		switch {
		case err != nil || x.Element != "cubepl" && x.Element != "cubeplinit":
			return false
		case x.Element == "cubeplinit" && len(p.Metrics())+len(p.Definitions()) > 0, x.Element == "cubepl" && !p.Linear(d.linear):
			return false
		}
	}
	return true
}

// defines says that expressions of a metric define others.
func defines(q *quantity) bool {
	for _, m := range q.versions {
		if m == nil {
			continue
		}
		for _, x := range m.Expressions {
			if p, err := cubepl.Parse(x.Text); err == nil && len(p.Definitions()) > 0 {
				return true
			}
		}
	}
	return false
}

func sameExpression(x, y cube.Expression) bool {
	return x.Element == y.Element && x.Text == y.Text && slices.Equal(x.Options, y.Options)
}

// side returns the name of a hidden metric that holds the values of one side.
func (d *differ) side(i int, q *quantity) string {
	if name, ok := d.sides[i][q.name]; ok {
		return name
	}
	name := d.used.make(q.name, [2]string{":b", ":a"}[i])
	d.sides[i][q.name] = name
	v := q.versions[i]
	if v == nil {
		v = q.first() // without values, all zero
	}
	m := clone(v)
	m.Name, m.Title, m.Ghost, m.Doc = name, d.inputs[i].Name+": "+m.Title, true, ""
	x, ok := measure(d.inputs[i].Cube, q.versions[i])
	switch {
	case ok:
		m.Kind, m.DType, m.Expressions = x.rows.Kind, x.rows.DType, nil
		if x.n > 1 {
			m.DType = "DOUBLE"
		}
		d.job(m, []*term{{in: d.inputs[i], metric: x.rows, n: x.n, into: func(sum, v cube.Value, _ int) cube.Value {
			return aggregate(x.rows, sum, x.value(v))
		}}}, q.name)
	case q.versions[i] == nil:
		m.Kind, m.DType, m.Expressions = cube.Exclusive, "DOUBLE", nil
	default:
		for k := range m.Expressions {
			m.Expressions[k].Text = d.renamed(i, m.Expressions[k].Text)
		}
		if guard := cube.ValueOf(m.Attrs, query.DefinedAttr); guard != "" {
			setAttr(&m.Attrs, query.DefinedAttr, d.renamed(i, guard))
		}
		d.operands(i, m)
		d.sidesOf(i, m, cube.ValueOf(v.Attrs, query.SidesAttr))
	}
	setAttr(&m.Attrs, query.KindAttr(metric.More).Key, "") // what it was about is another metric
	d.hidden = append(d.hidden, m)
	return name
}

// renamed returns an expression that refers to the metrics of one side.
func (d *differ) renamed(i int, text string) string {
	p, err := cubepl.Parse(text)
	if err != nil {
		return text // it stays wrong
	}
	return p.Rename(func(name string) string {
		if q := d.qs.byName[name]; q != nil {
			return d.side(i, q)
		}
		return name
	}).String()
}

// kindOf returns the kind in which the values of several reports are combined.
func kindOf(inputs []*operand, q *quantity) cube.Kind {
	kind, any := cube.Exclusive, false
	for i, m := range q.versions {
		x, ok := measure(inputs[i].Cube, m)
		switch {
		case !ok:
		case !any:
			kind, any = x.rows.Kind, true
		case kind != x.rows.Kind:
			return cube.Exclusive
		}
	}
	return kind
}

// enumerate lists a few names.
func enumerate(list []string) string { return readable.List(list, 5) }

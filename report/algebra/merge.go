package algebra

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// Merge unites reports: all metrics, call paths and locations of all of them. What several of them measured is averaged over those
// that did, process by process; a call path or a thread that one of them does not have counts as zero there, a metric or a process
// does not count.
//
// A metric with values of several runs is derived: the sum, which is a hidden metric, by the number of runs. Another hidden metric
// has the sum of the squares. So it does not matter in which order reports are merged.
//
// A metric that is measured in one report and computed in another is measured in the result. A metric composed of others is the sum
// of those parts that the result has, and its title begins with ~ until it has all.
func Merge(in ...Input) (*Result, error) { return merge(in, false) }

// Mean returns the mean of runs of one program. It differs from Merge in that a process that a run does not have counts as zero
// there, so the totals are the mean of the totals.
func Mean(in ...Input) (*Result, error) { return merge(in, true) }

func merge(in []Input, everywhere bool) (*Result, error) {
	switch len(in) {
	case 0:
		return nil, fmt.Errorf("no reports")
	case 1:
		return &Result{Cube: in[0].Cube}, nil
	}
	u, err := unite(in, false)
	if err != nil {
		return nil, err
	}
	m := &merger{union: u, qs: u.quantities(), everywhere: everywhere, used: names{}}
	for name := range m.qs.byName {
		m.used[name] = true
	}
	if everywhere || !u.parts() {
		u.sayPrograms()
	}
	u.cube.Metrics = append(m.metrics(m.qs.roots), m.hidden...)
	if err := u.finish(m.jobs); err != nil {
		return nil, err
	}
	m.sayDifference()
	if !everywhere && u.parts() {
		u.notes.add("the reports are about different processes, so they are no repeated runs: how they differ says nothing about noise")
		return &Result{u.cube, u.notes}, nil
	}
	err = u.keepRuns(m.qs, []string{"runs"}, [][]*operand{u.inputs})
	return &Result{u.cube, u.notes}, err
}

// sayPrograms warns if the inputs are not of one program, called in one way.
func (u *union) sayPrograms() {
	seen := map[string]bool{}
	for _, in := range u.inputs {
		if seen[in.Name] {
			u.notes.add("warning: %s is given more than once, and counts so", in.Name)
		}
		seen[in.Name] = true
	}
	if kinds := u.kinds(); len(kinds) > 1 {
		u.notes.add("warning: %s: what they know of call paths, operations and states is not the same, so values averaged over them say little", enumerate(kinds))
	}
	programs, args := u.called()
	if len(programs) > 1 {
		u.notes.add("warning: the reports are of different programs (%s): values averaged over them say nothing about any", strings.Join(programs, ", "))
		return
	}
	if len(args) > 1 {
		u.notes.add("warning: the program had different arguments (%s): values averaged over that are of neither, nor is their noise", strings.Join(args, ", "))
		return
	}
	first := map[int32]bool{}
	for _, p := range u.inputs[0].paths {
		first[p] = true
	}
	for _, in := range u.inputs[1:] {
		if len(in.paths) > 0 && len(first) > 0 && !slices.ContainsFunc(in.paths, func(p int32) bool { return first[p] }) {
			u.notes.add("warning: %s and %s have no call path in common: are they of different programs?", u.inputs[0].Name, in.Name)
		}
	}
}

// called returns the programs of the inputs, and how they were called, as far as that is known, each once, in their order. Those that have most call paths in common
// are one program, whatever their files are called.
func (u *union) called() (programs, args []string) {
	for _, in := range u.inputs {
		p := cube.ValueOf(in.Cube.Attrs, "program")
		if p == "" {
			continue
		}
		if p = path.Base(filepath.ToSlash(p)); !slices.Contains(programs, p) {
			programs = append(programs, p)
		}
		given := cube.ValueOf(in.Cube.Attrs, "args")
		if given == "" && in.runs != nil {
			continue // the runs of a mean may have had different ones
		}
		if given = cmp.Or(given, "none"); !slices.Contains(args, given) {
			args = append(args, given)
		}
	}
	if len(programs) > 1 && !slices.ContainsFunc(u.inputs[1:], func(in *operand) bool { return !akin(u.inputs[0], in) }) {
		programs = programs[:1]
	}
	return programs, args
}

// akin says whether two inputs have more than half of the call paths of the one with fewer of them in common, without roots, which match whatever they are called.
func akin(a, b *operand) bool {
	calls := func(in *operand) map[int32]bool {
		all := map[int32]bool{}
		for _, p := range in.Cube.Paths() {
			if p.Parent != nil {
				all[in.paths[p.Index()]] = true
			}
		}
		return all
	}
	first, second, common := calls(a), calls(b), 0
	for p := range second {
		if first[p] {
			common++
		}
	}
	return 2*common > min(len(first), len(second))
}

// kinds says of what kinds of recordings the inputs are, as far as that is known: of each kind one.
func (u *union) kinds() (list []string) {
	seen := map[string]bool{}
	for _, in := range u.inputs {
		kind := query.OriginOf(in.Cube)
		if kind == "" || seen[kind] {
			continue
		}
		seen[kind] = true
		article := "a "
		if strings.HasPrefix(kind, "O") {
			article = "an "
		}
		list = append(list, in.Name+" comes from "+article+kind)
	}
	return list
}

// parts says that an input does not have all processes of the union.
func (u *union) parts() bool {
	return slices.ContainsFunc(u.inputs, func(in *operand) bool { return slices.Contains(in.units, -1) })
}

// sayDifference keeps saying that the report is a difference if all inputs are.
func (m *merger) sayDifference() {
	var of []string
	for _, in := range m.inputs {
		if d := cube.ValueOf(in.Cube.Attrs, query.DifferenceAttr); d != "" {
			of = append(of, d)
		}
	}
	if len(of) < len(m.inputs) {
		if len(of) > 0 {
			m.notes.add("differences are mixed with other reports")
		}
		return
	}
	slices.Sort(of)
	of = slices.Compact(of)
	setAttr(&m.cube.Attrs, query.DifferenceAttr, strings.Join(of, "; "))
}

// merger makes the metrics of a merged report.
type merger struct {
	*union
	qs         *quantities
	everywhere bool
	used       names
	hidden     []*cube.Metric
	jobs       []func() error
}

func (m *merger) metrics(list []*quantity) []*cube.Metric {
	var made []*cube.Metric
	for _, q := range list {
		below := m.metrics(q.children)
		x := m.metric(q)
		if x == nil {
			made = append(made, below...)
			continue
		}
		x.Children = below
		made = append(made, x)
	}
	return made
}

// contribution is the part that one input has in a metric; without rows, it found nothing.
type contribution struct {
	measured
	in *operand
}

// metric makes one metric, nil if it cannot be united.
func (m *merger) metric(q *quantity) *cube.Metric {
	if !numeric(q) {
		m.notes.add("metric %s is left out: values of type %s cannot be averaged", q.name, q.first().DType)
		return nil
	}
	all := m.contributions(q, false)
	x := clone(q.first())
	x.Name = q.name
	x.Title = strings.TrimPrefix(x.Title, incomplete)
	switch {
	case len(all) > 0:
		x.Expressions = nil
		setAttr(&x.Attrs, composeAttr, "")
		m.average(q, x, all)
	case m.parts(q) != nil || partial(q.first()):
		if parts := m.contributions(q, true); len(parts) > 0 && q.sameParts() {
			x.Title = incomplete + x.Title
			m.average(q, x, parts)
		} else {
			m.compose(q, x)
		}
	default:
		m.sameExpressions(q)
	}
	return x
}

// contributions lists what the inputs measured of a metric, or parts of it.
func (m *merger) contributions(q *quantity, parts bool) []contribution {
	var all []contribution
	found := false
	for i, v := range q.versions {
		in := m.inputs[i]
		if x, ok := measure(in.Cube, v); ok && partial(v) == parts {
			all = append(all, contribution{x, in})
			found = true
		} else if v == nil && in.nothing(q.name) {
			all = append(all, contribution{measured{n: in.count()}, in})
		}
	}
	if !found {
		return nil
	}
	return all
}

// partial says that the values of a metric are only some of the parts of what it is called.
func partial(m *cube.Metric) bool {
	return strings.HasPrefix(m.Title, incomplete) || strings.HasPrefix(m.Name, incomplete)
}

// sameParts says that all versions have the same metrics below them, and so the same parts.
func (q *quantity) sameParts() bool {
	below := func(m *cube.Metric) []string {
		var list []string
		for _, child := range m.Children {
			list = append(list, strings.TrimPrefix(child.Name, incomplete))
		}
		slices.Sort(list)
		return list
	}
	first := below(q.first())
	return !slices.ContainsFunc(q.versions, func(m *cube.Metric) bool { return m != nil && !slices.Equal(below(m), first) })
}

// sameExpressions notes if a derived metric is not computed the same way everywhere.
func (m *merger) sameExpressions(q *quantity) {
	first := q.first()
	for _, v := range q.versions {
		if v != nil && !slices.EqualFunc(v.Expressions, first.Expressions, sameExpression) {
			m.notes.add("metric %s is computed in several ways: the first is taken", q.name)
		}
	}
}

// compose makes a metric the sum of its parts, as far as there are any.
func (m *merger) compose(q *quantity, x *cube.Metric) {
	whole := true
	parts := m.parts(q)
	if parts == nil {
		whole = false
		for _, below := range q.children {
			parts = append(parts, below.name)
		}
	}
	var sum []string
	for _, name := range parts {
		part := m.qs.byName[name]
		if part == nil {
			whole = false
			continue
		}
		whole = whole && m.whole(part, map[*quantity]bool{})
		sum = append(sum, "metric::"+name+"()")
	}
	if len(sum) == 0 {
		sum = []string{"0"}
	}
	derive(x, strings.Join(sum, " + "))
	setAttr(&x.Attrs, composeAttr, strings.Join(m.parts(q), " "))
	if !whole {
		x.Title = incomplete + x.Title
	}
}

// parts returns the names of the metrics of which one is the sum, nil if nobody says.
func (m *merger) parts(q *quantity) []string {
	var parts []string
	for _, v := range q.versions {
		if v == nil {
			continue
		}
		for _, name := range strings.Fields(cube.ValueOf(v.Attrs, composeAttr)) {
			if name = strings.TrimPrefix(name, incomplete); !slices.Contains(parts, name) {
				parts = append(parts, name)
			}
		}
	}
	slices.Sort(parts)
	return parts
}

// whole says that a metric is measured, or all of its parts are.
func (m *merger) whole(q *quantity, seen map[*quantity]bool) bool {
	for i, v := range q.versions {
		if _, ok := measure(m.inputs[i].Cube, v); ok && !partial(v) {
			return true
		}
	}
	parts := m.parts(q)
	if parts == nil || seen[q] {
		return !partial(q.first())
	}
	seen[q] = true
	for _, name := range parts {
		if part := m.qs.byName[name]; part == nil || !m.whole(part, seen) {
			return false
		}
	}
	return true
}

// average makes a metric the mean of what several inputs measured.
func (m *merger) average(q *quantity, x *cube.Metric, all []contribution) {
	kind := kindOf(m.inputs, q)
	dtype := sumType(all)
	if first := all[slices.IndexFunc(all, func(c contribution) bool { return c.rows != nil })].rows; extreme(first) {
		x.Kind, x.DType = kind, first.DType
		m.job(q.name, x, all, func(k int) func(sum, v cube.Value, column int) cube.Value {
			return func(sum, v cube.Value, _ int) cube.Value { return aggregate(all[k].rows, sum, v) }
		})
		return
	}
	by := m.runs(all)
	n := 1
	for _, runs := range by {
		n = lcm(n, max(1, runs))
	}
	sums := x
	if n == 1 {
		x.Kind, x.DType = kind, dtype
		if len(all) == 1 && all[0].rows != nil {
			x.DType = all[0].rows.DType
		}
	} else {
		sums = m.hide(x, q, ":sum", kind, dtype)
		derive(x, fmt.Sprintf("metric::%s() / %d", sums.Name, n))
		setAttr(&x.Attrs, sumAttr, sums.Name)
		setAttr(&x.Attrs, runsAttr, list(by))
		m.square(q, x, kind, all)
	}
	m.job(q.name, sums, all, func(k int) func(sum, v cube.Value, column int) cube.Value {
		c := all[k]
		return func(sum, v cube.Value, column int) cube.Value {
			// Stored are sums times what brings all processes to the same number of runs.
			unit := m.units[column]
			up, down := c.runs(c.in.units[unit])*n, c.n*max(1, by[unit])
			return sum.Add(scale(v, up, down, !fraction(c.rows.DType)))
		}
	})
}

// scale returns v·up/down, exactly if it is an integer that can be.
func scale(v cube.Value, up, down int, integer bool) cube.Value {
	switch {
	case integer && up == down:
		return v
	case integer && up%down == 0:
		return cube.Int(v.Int64() * int64(up/down))
	case up == down:
		return cube.Float(v.Float64())
	}
	return cube.Float(v.Float64() * (float64(up) / float64(down)))
}

// runs returns the number of runs by process that measured a metric.
func (m *merger) runs(all []contribution) []int {
	n := 0
	for _, unit := range m.units {
		n = max(n, unit+1)
	}
	by := make([]int, n)
	for _, c := range all {
		for unit, of := range c.in.units {
			if of >= 0 || m.everywhere {
				by[unit] += c.runs(of)
			}
		}
	}
	return by
}

// list writes numbers of runs, one if all are the same.
func list(by []int) string {
	if len(slices.Compact(slices.Clone(by))) == 1 {
		return strconv.Itoa(by[0])
	}
	words := make([]string, len(by))
	for i, n := range by {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

// hide makes a hidden metric for one that is shown.
func (m *merger) hide(x *cube.Metric, q *quantity, suffix string, kind cube.Kind, dtype cube.DType) *cube.Metric {
	h := &cube.Metric{Name: m.used.make(q.name, suffix), Title: x.Title + suffix, DType: dtype, Unit: x.Unit, Kind: kind, Ghost: true}
	m.hidden = append(m.hidden, h)
	return h
}

// square makes the hidden metric with the sums of squares, if all inputs know them.
func (m *merger) square(q *quantity, x *cube.Metric, kind cube.Kind, all []contribution) {
	for _, c := range all {
		if c.rows != nil && c.n > 1 && (c.squares == nil || !c.in.distinct()) {
			return
		}
	}
	h := m.hide(x, q, ":squares", kind, "DOUBLE")
	setAttr(&x.Attrs, squaresAttr, h.Name)
	m.jobs = append(m.jobs, func() error {
		var terms []*term
		for _, c := range all {
			if c.rows == nil {
				continue
			}
			t := &term{in: c.in, metric: c.rows, n: c.n, whole: true, into: func(sum, v cube.Value, _ int) cube.Value {
				return sum.Add(cube.Float(v.Float64() * v.Float64()))
			}}
			if c.n > 1 {
				t.metric, t.into = c.squares, func(sum, v cube.Value, _ int) cube.Value { return sum.Add(v) }
			}
			terms = append(terms, t)
		}
		return m.fill(h, terms...)
	})
}

// job has the values of a metric filled in once the cube is complete.
func (m *merger) job(name string, x *cube.Metric, all []contribution, into func(k int) func(sum, v cube.Value, column int) cube.Value) {
	m.jobs = append(m.jobs, func() error {
		var terms []*term
		for k, c := range all {
			if c.rows == nil {
				continue
			}
			terms = append(terms, &term{in: c.in, metric: c.rows, n: c.n, into: into(k), totals: c.in.totalsOf(name, c.rows, len(m.cube.Paths()))})
		}
		return m.fill(x, terms...)
	})
}

// sumType returns the type of sums. Those without a sign have a fraction, as sums of 64 bits may not fit.
func sumType(all []contribution) cube.DType {
	for _, c := range all {
		if c.rows != nil && (fraction(c.rows.DType) || c.rows.DType == "UINT64") {
			return "DOUBLE"
		}
	}
	return "INT64"
}

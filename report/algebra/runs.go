package algebra

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// runsMember is the name of the member that tells the runs apart of which a report was made: a report itself, with the same metrics
// and call paths, whose locations are the runs. A value is that of all locations of the run together. The runs of a difference are
// in two groups, those of the minuend first.
const runsMember = "expert.runs.cubex"

// wallAttr is the attribute of a run with the time from start to end of the program, ns.
const wallAttr = "wall_ns"

// unmeasuredAttr is the attribute of a metric in that report with the numbers of the runs that did not measure it.
const unmeasuredAttr = "expert:unmeasured"

// runsOf reads the runs of which a report was made, nil if it is not made of several.
func runsOf(c *cube.Cube) (*cube.Cube, error) {
	i := slices.IndexFunc(c.Members, func(m *cube.Member) bool { return m.Name == runsMember })
	if i < 0 {
		return nil, nil
	}
	content, err := io.ReadAll(c.Members[i].Open())
	if err != nil {
		return nil, err
	}
	runs, err := cube.Read(runsMember, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	if !sameTree(runs.Roots, c.Roots) || len(runs.System) != 1 || len(runs.System[0].Children) > 0 || len(runs.System[0].Groups) == 0 || len(runs.System[0].Groups) > 2 {
		return nil, fmt.Errorf("%s: does not belong to the report", runsMember)
	}
	return runs, nil
}

// sameTree says that call trees are the same up to lines.
func sameTree(a, b []*cube.CallPath) bool {
	return slices.EqualFunc(a, b, func(p, q *cube.CallPath) bool {
		return p.Region.Name == q.Region.Name && sameTree(p.Children, q.Children)
	})
}

// run is one run of an input.
type run struct {
	name   string
	in     *operand
	column int // in the input's runs
	digest uint64
}

// totals returns a function for the values of a metric in a run, by call path of the union; nil if there are none.
func (r run) totals(metric string) func(path int) (cube.Value, error) {
	if r.in.runs == nil {
		list := r.in.totals[metric]
		if list == nil {
			return nil
		}
		return func(path int) (cube.Value, error) { return list[path], nil }
	}
	m := r.in.runs.Metric(metric)
	if m == nil || m.Kind.Derived() || len(m.Stored()) == 0 {
		return nil
	}
	paths := r.in.runs.Paths()
	return func(path int) (v cube.Value, err error) {
		for _, p := range r.in.sources(int32(path), m.Kind) {
			row, err := m.Row(paths[p])
			if err != nil {
				return v, err
			}
			v = aggregate(m, v, row.Value(r.column))
		}
		return v, nil
	}
}

// measures says whether a run has a metric.
func (r run) measures(q *quantity, input int) bool {
	if q.versions[input] == nil {
		return r.in.nothing(q.name)
	}
	if r.in.runs == nil {
		return true
	}
	m := r.in.runs.Metric(q.name)
	return m != nil && !slices.Contains(strings.Fields(cube.ValueOf(m.Attrs, unmeasuredAttr)), strconv.Itoa(r.column))
}

// keepRuns adds the report of the runs, in groups of inputs, to the union.
func (u *union) keepRuns(qs *quantities, names []string, groups [][]*operand) error {
	c := &cube.Cube{Regions: u.cube.Regions, Roots: u.cube.Roots}
	node := &cube.SystemNode{Name: "runs", Class: "runs"}
	c.System = []*cube.SystemNode{node}
	var runs []run
	for i, inputs := range groups {
		g := &cube.LocationGroup{ID: i, Name: names[i], Rank: i, Type: "runs"}
		node.Groups = append(node.Groups, g)
		for k, r := range u.sorted(inputs) {
			l := &cube.Location{ID: len(runs), Name: r.name, Rank: k, Type: "run"}
			setAttr(&l.Attrs, wallAttr, r.wall())
			g.Locations = append(g.Locations, l)
			runs = append(runs, r)
		}
	}
	b := &runsBuilder{union: u, cube: c, runs: runs}
	c.Metrics = b.metrics(qs.roots)
	cube.NumberMetrics(c.Metrics)
	if err := c.Complete(); err != nil {
		return err
	}
	for _, q := range b.stored {
		if err := b.fill(q); err != nil {
			return err
		}
	}
	c.Members = slices.DeleteFunc(slices.Clone(u.cube.Members), func(m *cube.Member) bool { return m.Name != query.SpecMember })
	return u.keep(c)
}

// keep adds the report of the runs to the union.
func (u *union) keep(runs *cube.Cube) error {
	var content bytes.Buffer
	if err := runs.Write(&content); err != nil {
		return err
	}
	u.cube.Members = append(u.cube.Members, cube.MakeMember(runsMember, cube.Unfilled(content.Bytes(), 0)))
	return nil
}

// sorted lists the runs of inputs in an order that does not depend on that of the inputs.
func (u *union) sorted(inputs []*operand) []run {
	var runs []run
	for _, in := range inputs {
		if in.runs == nil {
			runs = append(runs, run{name: in.Name, in: in})
			continue
		}
		for i, l := range in.runs.Locations() {
			runs = append(runs, run{name: l.Name, in: in, column: i})
		}
	}
	for i := range runs {
		runs[i].digest = runs[i].hash()
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.digest, b.digest)) })
	return runs
}

// wall returns how long the run took, "" if it is not known.
func (r run) wall() string {
	if r.in.runs != nil {
		return cube.ValueOf(r.in.runs.Locations()[r.column].Attrs, wallAttr)
	}
	for _, m := range r.in.Cube.Members {
		var findings struct {
			Header struct {
				Wall int64 `json:"wall_ns"`
			}
		}
		if m.Name == query.SidecarMember && json.NewDecoder(m.Open()).Decode(&findings) == nil && findings.Header.Wall > 0 {
			return strconv.FormatInt(findings.Header.Wall, 10)
		}
	}
	return ""
}

// hash tells runs of the same name apart, by their values.
func (r run) hash() uint64 {
	h := fnv.New64a()
	sums := map[string]cube.Value{}
	if r.in.runs == nil {
		for name, list := range r.in.totals {
			for _, v := range list {
				sums[name] = sums[name].Add(v)
			}
		}
	} else {
		for _, m := range r.in.runs.AllMetrics() {
			for _, p := range m.Stored() {
				if row, err := m.Row(p); err == nil {
					sums[m.Name] = sums[m.Name].Add(row.Value(r.column))
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(h, "%s=%g\n", name, sums[name].Float64())
	}
	return h.Sum64()
}

// runsBuilder makes the report of the runs.
type runsBuilder struct {
	*union
	cube   *cube.Cube
	runs   []run
	stored []*runsMetric
}

// runsMetric is a metric with values in the report of the runs.
type runsMetric struct {
	*quantity
	metric *cube.Metric
}

func (b *runsBuilder) metrics(list []*quantity) []*cube.Metric {
	var made []*cube.Metric
	for _, q := range list {
		below := b.metrics(q.children)
		if !numeric(q) {
			made = append(made, below...)
			continue
		}
		m := clone(q.first())
		m.Doc, m.Children = "", below
		made = append(made, m)
		if d, ok := b.dtype(q); ok {
			m.Kind, m.DType, m.Expressions = kindOf(b.inputs, q), d, nil
			b.stored = append(b.stored, &runsMetric{q, m})
		}
		var without []string
		for i, r := range b.runs {
			if !r.measures(q, slices.Index(b.inputs, r.in)) {
				without = append(without, strconv.Itoa(i))
			}
		}
		setAttr(&m.Attrs, unmeasuredAttr, strings.Join(without, " "))
	}
	return made
}

// dtype returns the type of the values of a metric, and whether it has any.
func (b *runsBuilder) dtype(q *quantity) (d cube.DType, ok bool) {
	d = "INT64"
	for i, m := range q.versions {
		x, has := measure(b.inputs[i].Cube, m)
		if !has {
			continue
		}
		ok = true
		if extreme(x.rows) {
			return x.rows.DType, true
		}
		if runs := b.inputs[i].runs; runs != nil && runs.Metric(q.name) != nil {
			x = measured{rows: runs.Metric(q.name), n: 1}
		}
		if fraction(x.rows.DType) || x.n > 1 {
			d = "DOUBLE"
		}
	}
	return d, ok
}

func (b *runsBuilder) fill(q *runsMetric) error {
	totals := make([]func(int) (cube.Value, error), len(b.runs))
	found := false
	for i, r := range b.runs {
		totals[i] = r.totals(q.name)
		found = found || totals[i] != nil
	}
	if !found {
		return nil
	}
	values := make([]cube.Value, len(b.runs))
	for i, p := range b.cube.Paths() {
		zero := true
		for k, total := range totals {
			if total == nil {
				continue
			}
			v, err := total(i)
			if err != nil {
				return err
			}
			values[k] = v
			zero = zero && v.Zero()
		}
		if zero {
			continue
		}
		row, err := cube.MakeRow(q.metric.DType, values)
		if err != nil {
			return err
		}
		if err := q.metric.Set(p, row); err != nil {
			return err
		}
	}
	return nil
}

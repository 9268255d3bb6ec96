package composite

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Result is a report with what is to be said of it.
type Result struct {
	Cube  *cube.Cube
	Notes []string // those that begin with "warning: " say that values are not what they seem
}

// Derive makes hierarchies and ratios of the counters of a report, in place of those that it had. It shares everything else
// with the report, so closing one closes both. Specifications are applied one after the other.
//
// Values of a metric are its linear form of what certainly belongs to the locations; those of a root include what is
// uncertain, which is in trees of its own below it. They are integers, unless counters are means of several runs. See "A holistic hardware counter
// analysis", section 2.3.
func Derive(c *cube.Cube, specs ...*spec.Spec) (*Result, error) {
	d, err := derive(c, specs)
	if err != nil {
		return nil, err
	}
	if len(d.counters) == 0 {
		return &Result{Cube: c}, nil
	}
	if err := d.inconsistent(); err != nil {
		return nil, err
	}
	runs, err := algebra.Runs(d.cube)
	if err != nil || runs == nil {
		return &Result{d.cube, d.notes}, err
	}
	of, err := derive(runs, specs)
	if err != nil {
		return nil, err
	}
	of.setUnmeasured()
	if err := algebra.SetRuns(d.cube, of.cube); err != nil {
		return nil, err
	}
	disagreements, err := disagree(runs)
	return &Result{d.cube, append(disagreements, d.notes...)}, err
}

// DeriveExperiment does the same with an experiment. One without counters is not changed.
func DeriveExperiment(e *report.Experiment, specs ...*spec.Spec) error {
	d, err := derive(e.Cube, specs)
	if err != nil {
		return err
	}
	if len(d.counters) == 0 {
		e.Ratios, e.Properties, e.Unlisted, e.Notes = nil, nil, nil, nil
		return nil
	}
	return e.Derived(d.cube, d.ratios, d.unlisted, d.notes)
}

// strip returns a report without what was derived of its counters.
func strip(c *cube.Cube) (*cube.Cube, error) {
	gone := map[string]bool{} // hidden metrics with sums over runs
	for _, m := range c.AllMetrics() {
		if cube.ValueOf(m.Attrs, query.HierarchyAttr) != "" {
			gone[cube.ValueOf(m.Attrs, "expert:sum")], gone[cube.ValueOf(m.Attrs, "expert:squares")] = true, true
		}
	}
	s, err := c.WithMetrics(measuredOnly(c.Metrics, gone))
	if err != nil {
		return nil, err
	}
	s.Attrs = slices.DeleteFunc(slices.Clone(s.Attrs), func(a cube.Attr) bool { return a.Key == unlistedAttr || a.Key == specAttr })
	return s, nil
}

// Attributes of reports.
const (
	unlistedAttr = "counters in no hierarchy"
	specAttr     = "specification"
)

// measuredOnly copies trees of metrics without what is derived of counters.
func measuredOnly(list []*cube.Metric, gone map[string]bool) (kept []*cube.Metric) {
	for _, m := range list {
		if cube.ValueOf(m.Attrs, query.HierarchyAttr) != "" || gone[m.Name] {
			continue
		}
		x := *m
		x.Children = measuredOnly(m.Children, gone)
		kept = append(kept, &x)
	}
	return kept
}

// deriver makes metrics of the counters of a report.
type deriver struct {
	cube     *cube.Cube
	counters []*counter
	events   []string // names of the counters
	unlisted []string // those that no hierarchy shows
	used     map[string]bool
	metrics  []metric.Metric // all ordinary ones
	cubes    []*cube.Metric  // the same in the cube
	made     []*made
	roots    []*cube.Metric
	ratios   []report.Ratio
	of       map[*cube.Metric][]*cube.Metric // what the metrics of ratios are made of
	notes    []string
}

// counter is a metric as it was measured, with the part of it that could not be attributed exactly, if there is any.
type counter struct {
	metric            *cube.Metric
	unit              metric.Unit
	rows, uncertain   *cube.Metric
	n, uncertainTimes int // by which rows are to be divided
}

// made is a metric that is made of counters.
type made struct {
	*cube.Metric
	form      []spec.Term
	certain   bool // of what is certain
	uncertain bool // of what is not
	children  []*made
	label     string // of a node of a hierarchy, else ""
}

func derive(c *cube.Cube, specs []*spec.Spec) (*deriver, error) {
	c, err := strip(c)
	if err != nil {
		return nil, err
	}
	d := &deriver{cube: c, used: map[string]bool{}, cubes: report.Ordinary(c)}
	for _, m := range d.cubes {
		x, _ := report.MetricOf(m) // those of other tools have no unit of ours
		d.used[m.Name] = true
		d.metrics = append(d.metrics, x)
		d.addCounter(m, x.Unit)
	}
	if len(d.counters) == 0 {
		return d, nil
	}
	d.unlisted = slices.Clone(d.events)
	var names []string
	for _, s := range specs {
		r := s.Resolve(d.events)
		d.unlisted = slices.DeleteFunc(d.unlisted, func(e string) bool { return !slices.Contains(r.Unlisted, e) })
		d.addNodes(s, r)
		d.notes = append(append(d.notes, r.Dropped...), d.mixed(r)...)
		d.addRatios(s, r)
		names = append(names, s.Name)
	}
	if err := d.assemble(); err != nil {
		return nil, err
	}
	// These are files about the metrics as they were.
	d.cube.Members = slices.DeleteFunc(slices.Clone(d.cube.Members), func(m *cube.Member) bool { return m.Name == query.SidecarMember || m.Name == query.WaitsMember })
	d.setAttr(specAttr, strings.Join(names, ", "))
	d.setAttr(unlistedAttr, strings.Join(d.unlisted, ", "))
	return d, nil
}

// assemble makes the cube with all metrics and their values.
func (d *deriver) assemble() (err error) {
	roots := report.BeforeCounters(d.cube.Metrics, d.roots)
	report.Number(roots, d.cubes)
	if d.cube, err = d.cube.WithMetrics(roots); err != nil {
		return err
	}
	for _, m := range d.made {
		if err := d.fill(m); err != nil {
			return err
		}
	}
	d.cube, d.of, err = report.WithRatios(d.cube, d.ratios)
	return err
}

func (d *deriver) setAttr(key, value string) {
	if value != "" {
		d.cube.Attrs = append(d.cube.Attrs, cube.Attr{Key: key, Value: value})
	}
}

// addCounter notes a metric if it is a counter.
func (d *deriver) addCounter(m *cube.Metric, unit metric.Unit) {
	if query.KindOf(m) != metric.Counter {
		return
	}
	x := &counter{metric: m, unit: unit}
	var ok bool
	if x.rows, x.n, ok = algebra.Stored(d.cube, m); !ok {
		return
	}
	for _, child := range m.Children {
		if query.KindOf(child) == metric.More {
			x.uncertain, x.uncertainTimes, _ = algebra.Stored(d.cube, child)
		}
	}
	d.counters = append(d.counters, x)
	d.events = append(d.events, m.Title)
}

// addNodes makes the hierarchies of one specification.
func (d *deriver) addNodes(s *spec.Spec, r *spec.Resolved) {
	list := make([]*made, len(r.Nodes))
	root := 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		m := describe(s, r, n)
		if n.Parent < 0 {
			root = i
		}
		m.Name = d.free(n.Name, r.Nodes[root].Label)
		var parent *made
		if n.Parent >= 0 {
			parent = list[n.Parent]
		}
		list[i] = d.add(m, n.Form, parent)
		list[i].certain, list[i].uncertain, list[i].label = true, n.Parent < 0, n.Label
		if i+1 == len(r.Nodes) || r.Nodes[i+1].Parent < 0 {
			for side := range spec.Margins {
				d.addMargins(s, r, root, list[root:i+1], &spec.Margins[side])
			}
		}
	}
}

// addMargins makes the metrics that say by how much those of a hierarchy may be more, or less: below its root, node number root, a tree in its form,
// without what is certain.
func (d *deriver) addMargins(s *spec.Spec, r *spec.Resolved, root int, list []*made, margin *spec.Margin) {
	nodes := r.Nodes[root : root+len(list)]
	forms, wanted, tree := make([][]spec.Term, len(list)), make([]bool, len(list)), make([]*made, len(list))
	wanted[0] = margin.Kind == metric.More
	for i := len(list) - 1; i >= 0; i-- {
		forms[i] = slices.DeleteFunc(margin.Form(nodes[i].Form), func(t spec.Term) bool { return !d.counters[t.Event].partly() })
		if wanted[i] = wanted[i] || len(forms[i]) > 0; wanted[i] && i > 0 {
			wanted[nodes[i].Parent-root] = true
		}
	}
	for i, of := range list {
		if !wanted[i] {
			continue
		}
		m, parent := describe(s, r, &nodes[i]), list[0]
		m.Kind = margin.Kind
		m.Formula = (&spec.Node{Form: margin.Form(nodes[i].Form)}).FormText(r.Events)
		if i > 0 {
			m.Of, parent = of.Name, tree[nodes[i].Parent-root]
		}
		m.Name, m.Title, m.Description = d.free(of.Name+margin.Suffix, of.Name), m.Title+margin.Title, margin.Doc(of.Name)
		tree[i] = d.add(m, forms[i], parent)
		tree[i].uncertain = true
	}
}

// partly says that not all of a counter is certain.
func (c *counter) partly() bool {
	return c.uncertain != nil && slices.ContainsFunc(c.uncertain.Stored(), func(p *cube.CallPath) bool {
		r, err := c.uncertain.Row(p)
		return err != nil || !r.Zero()
	})
}

// add adds a metric below a parent, nil for a root.
func (d *deriver) add(x metric.Metric, form []spec.Term, parent *made) *made {
	m := &made{Metric: report.CubeMetric(&x), form: form}
	for _, t := range form {
		if c := d.counters[t.Event]; c.n != 1 || c.uncertain != nil && c.uncertainTimes != 1 || !c.rows.DType.Integer() {
			m.DType = "DOUBLE"
		}
	}
	if parent == nil {
		d.roots = append(d.roots, m.Metric)
	} else {
		x.Parent = parent.Name
		parent.Children, parent.children = append(parent.Children, m.Metric), append(parent.children, m)
	}
	d.made, d.metrics, d.cubes = append(d.made, m), append(d.metrics, x), append(d.cubes, m.Metric)
	return m
}

// free returns a name that no metric has. A metric of a hierarchy that is called like another gets the name of its root behind it.
func (d *deriver) free(name, root string) string {
	if d.used[name] && !strings.Contains(name, "@") {
		name += "@" + root
	}
	for base, n := name, 2; d.used[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	d.used[name] = true
	return name
}

// rest is behind the formula of what was nowhere measured.
const rest = "; what the other parts leave"

// describe describes a node.
func describe(s *spec.Spec, r *spec.Resolved, n *spec.Node) metric.Metric {
	m := metric.Metric{Title: n.Label, Unit: metric.Events, Description: n.Description, Hierarchy: n.Spec}
	if m.Hierarchy == "" {
		m.Hierarchy = s.Name
	}
	switch n.Unit {
	case "ns":
		m.Unit = metric.Nanoseconds
	case "bytes":
		m.Unit = metric.Bytes
	case "cycles":
		m.UnitName = n.Unit
	}
	m.Formula = n.FormText(r.Events)
	if n.Kind == spec.Remainder {
		m.Formula += rest
	}
	if len(n.Missing) > 0 {
		m.Kind = metric.Incomplete
		m.Formula += "; not measured: " + readable.List(n.Missing, 8)
	}
	if m.Description == "" {
		m.Description = "Metric of the specification " + m.Hierarchy + "."
	}
	return m
}

// mixed notes compositions that add what has different units, not those above them.
func (d *deriver) mixed(r *spec.Resolved) (notes []string) {
	units := make([]map[metric.Unit]string, len(r.Nodes)) // the first event of each
	below := make([]bool, len(r.Nodes))                   // a part is mixed already
	for i := len(r.Nodes) - 1; i >= 0; i-- {
		n := &r.Nodes[i]
		units[i] = map[metric.Unit]string{}
		var texts []string
		for _, t := range n.Form {
			unit := d.counters[t.Event].unit
			if units[i][unit] == "" {
				units[i][unit] = r.Events[t.Event]
				texts = append(texts, fmt.Sprintf("%s (%s)", r.Events[t.Event], unit))
			}
		}
		mixed := n.Kind == spec.Composed && len(texts) > 1
		if mixed && !below[i] {
			notes = append(notes, fmt.Sprintf("%s adds different units: %s", n.Label, strings.Join(texts, " and ")))
		}
		if n.Parent >= 0 {
			below[n.Parent] = below[n.Parent] || below[i] || mixed
		}
	}
	slices.Reverse(notes)
	return notes
}

// addRatios notes the ratios of a specification, which are evaluated after aggregation. A name that several specifications use is told from the others
// by theirs. Those with operands that the report lacks are left out.
func (d *deriver) addRatios(s *spec.Spec, r *spec.Resolved) {
	lookup := report.NewLookup(d.metrics)
	for _, q := range r.Ratios {
		x := report.Ratio{Name: q.Name, Unit: q.Unit, Description: q.Description, Hierarchy: s.Name, Formula: q.Expression.String(),
			Low: q.Low, High: q.High, Least: q.Least}
		taken := func(y report.Ratio) bool { return y.Name == x.Name }
		if slices.ContainsFunc(d.ratios, taken) {
			if x.Name += "@" + s.Name; slices.ContainsFunc(d.ratios, taken) {
				continue
			}
		}
		var ok bool
		if x.Operands, ok = lookup.Operands(q.Expression); ok {
			d.ratios = append(d.ratios, x)
		}
	}
}

// setUnmeasured notes which runs a metric of the report of the runs is not known of: those that lack one of its counters.
func (d *deriver) setUnmeasured() {
	set := func(m *cube.Metric, columns []int) {
		slices.Sort(columns)
		algebra.SetUnmeasured(m, slices.Compact(columns))
	}
	for _, m := range d.made {
		var columns []int
		for _, t := range m.form {
			columns = append(columns, algebra.Unmeasured(d.counters[t.Event].metric)...)
		}
		set(m.Metric, columns)
	}
	for m, of := range d.of {
		var columns []int
		for _, o := range of {
			columns = append(columns, algebra.Unmeasured(o)...)
		}
		set(m, columns)
	}
}

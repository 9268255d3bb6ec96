package composite

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/trace/wire"
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
// uncertain, which is a child of its own. They are integers, unless counters are means of several runs.
func Derive(c *cube.Cube, specs ...*spec.Spec) (*Result, error) {
	d, err := derive(c, specs)
	if err != nil {
		return nil, err
	}
	if len(d.counters) == 0 {
		return &Result{Cube: c}, nil
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

// Strip returns a report without what was derived of its counters.
func Strip(c *cube.Cube) (*cube.Cube, error) {
	gone := map[string]bool{} // hidden metrics with sums over runs
	for _, m := range c.AllMetrics() {
		if attr(m, report.HierarchyAttr) != "" {
			gone[attr(m, "expert:sum")], gone[attr(m, "expert:squares")] = true, true
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
		if attr(m, report.HierarchyAttr) != "" || gone[m.Name] {
			continue
		}
		x := *m
		x.Children = measuredOnly(m.Children, gone)
		kept = append(kept, &x)
	}
	return kept
}

func attr(m *cube.Metric, key string) string {
	if i := slices.IndexFunc(m.Attrs, func(a cube.Attr) bool { return a.Key == key }); i >= 0 {
		return m.Attrs[i].Value
	}
	return ""
}

// deriver makes metrics of the counters of a report.
type deriver struct {
	cube     *cube.Cube
	counters []*counter
	events   []string
	used     map[string]bool // names of metrics
	next     int             // number of the next metric
	made     []*made
	roots    []*cube.Metric
	byLabel  map[string]*made // as specifications call them
	ratios   []*cube.Metric
	operands map[*cube.Metric][]*made // of ratios
	hidden   map[string]*made         // by what they are
	notes    []string
}

// counter is a metric as it was measured, with the part of it that could not be attributed exactly, if there is any.
type counter struct {
	metric            *cube.Metric
	margin            string // unique name of the metric that is uncertain of it, "" for none
	rows, uncertain   *cube.Metric
	n, uncertainTimes int // by which rows are to be divided
}

// made is a metric that is made of counters.
type made struct {
	*cube.Metric
	form      []spec.Term
	certain   bool     // of what is certain
	uncertain bool     // of what is not
	margins   [2]*made // by how much it may be more and less, nil for none
	children  []*made
	root      *made
	label     string // of a node of a hierarchy
	remainder bool   // what is left of the parent
}

func derive(c *cube.Cube, specs []*spec.Spec) (*deriver, error) {
	c, err := Strip(c)
	if err != nil {
		return nil, err
	}
	d := &deriver{cube: c, used: map[string]bool{}, byLabel: map[string]*made{},
		operands: map[*cube.Metric][]*made{}, hidden: map[string]*made{}}
	for _, m := range c.AllMetrics() {
		d.used[m.Name] = true
		d.next = max(d.next, m.ID+1)
		d.addCounter(m)
	}
	if len(d.counters) == 0 {
		return d, nil
	}
	unlisted := slices.Clone(d.events)
	var names []string
	for _, s := range specs {
		r := s.Resolve(d.events)
		unlisted = slices.DeleteFunc(unlisted, func(e string) bool { return !slices.Contains(r.Unlisted, e) })
		d.addNodes(s, r)
		if err := d.addRatios(s, r); err != nil {
			return nil, err
		}
		d.notes = append(d.notes, r.Dropped...)
		names = append(names, s.Name)
	}
	roots := slices.Concat(c.Metrics, d.roots, d.ratios)
	if d.cube, err = c.WithMetrics(roots); err != nil {
		return nil, err
	}
	// These are files about the metrics as they were.
	d.cube.Members = slices.DeleteFunc(slices.Clone(d.cube.Members), func(m *cube.Member) bool { return m.Name == "expert.json" })
	d.setAttr(specAttr, strings.Join(names, ", "))
	d.setAttr(unlistedAttr, strings.Join(unlisted, ", "))
	for _, m := range d.made {
		if err := d.fill(m); err != nil {
			return nil, err
		}
	}
	return d, d.inconsistent()
}

func (d *deriver) setAttr(key, value string) {
	if value != "" {
		d.cube.Attrs = append(d.cube.Attrs, cube.Attr{Key: key, Value: value})
	}
}

// addCounter notes a metric if it is a counter.
func (d *deriver) addCounter(m *cube.Metric) {
	if attr(m, report.CounterAttr) != "true" {
		return
	}
	x := &counter{metric: m}
	var ok bool
	if x.rows, x.n, ok = algebra.Stored(d.cube, m); !ok {
		return
	}
	for _, child := range m.Children {
		if attr(child, report.UncertainAttr) == "true" {
			x.margin = child.Name
			x.uncertain, x.uncertainTimes, _ = algebra.Stored(d.cube, child)
		}
	}
	d.counters = append(d.counters, x)
	d.events = append(d.events, m.Title)
}

// addNodes makes the hierarchies of one specification.
func (d *deriver) addNodes(s *spec.Spec, r *spec.Resolved) {
	list := make([]*made, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		root := i
		for r.Nodes[root].Parent >= 0 {
			root = r.Nodes[root].Parent
		}
		m := d.add(n.Name, r.Nodes[root].Label, describe(s, r, n), n.Form)
		m.certain, m.uncertain = true, n.Parent < 0
		list[i] = m
		m.root = list[root]
		m.label, m.remainder = n.Label, n.Kind == spec.Remainder
		if _, known := d.byLabel[n.Label]; !known {
			d.byLabel[n.Label] = m
		}
		if n.Parent < 0 {
			d.roots = append(d.roots, m.Metric)
		} else {
			parent := list[n.Parent]
			parent.Children, parent.children = append(parent.Children, m.Metric), append(parent.children, m)
		}
	}
	for side := range spec.Margins {
		d.addMargins(s, r, list, side)
	}
}

// addMargins makes the metrics that say by how much those of a specification may be more, or less: below each root a tree in its form.
func (d *deriver) addMargins(s *spec.Spec, r *spec.Resolved, list []*made, side int) {
	margin := &spec.Margins[side]
	forms := make([][]spec.Term, len(list))
	wanted := make([]bool, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		n := &r.Nodes[i]
		forms[i] = slices.DeleteFunc(margin.Form(n.Form), func(t spec.Term) bool { return !d.counters[t.Event].partly() })
		if wanted[i] = wanted[i] || len(forms[i]) > 0 || n.Parent < 0 && !margin.Less; wanted[i] && n.Parent >= 0 {
			wanted[n.Parent] = true
		}
	}
	for i, of := range list {
		if !wanted[i] {
			continue
		}
		n := r.Nodes[i]
		n.Form, n.Missing = margin.Form(n.Form), nil
		x := describe(s, r, &n)
		x.Title += margin.Title
		x.Doc = margin.Doc(n.Label)
		kind, parent := "true", of
		if margin.Less {
			kind = report.UncertainLess
		}
		x.Attrs = append(x.Attrs, cube.Attr{Key: report.UncertainAttr, Value: kind})
		if n.Parent >= 0 {
			x.Attrs = append(x.Attrs, cube.Attr{Key: report.UncertainOfAttr, Value: of.Name})
			parent = list[n.Parent].margins[side]
		}
		m := d.add(of.Name+margin.Suffix, "", x, forms[i])
		m.uncertain = true
		of.margins[side] = m
		parent.Children = append(parent.Children, m.Metric)
		parent.children = append(parent.children, m)
	}
}

// partly says that not all of a counter is certain.
func (c *counter) partly() bool {
	return c.uncertain != nil && slices.ContainsFunc(c.uncertain.Stored(), func(p *cube.CallPath) bool {
		r, err := c.uncertain.Row(p)
		return err != nil || !r.Zero()
	})
}

const incomplete = "~"

// add gives a metric a name and a number.
func (d *deriver) add(name, root string, x *cube.Metric, form []spec.Term) *made {
	x.Name, x.ID = d.free(name, root), d.next
	d.next++
	m := &made{Metric: x, form: form}
	d.made = append(d.made, m)
	x.DType = "INT64"
	for _, t := range form {
		if c := d.counters[t.Event]; c.n != 1 || c.uncertain != nil && c.uncertainTimes != 1 || !c.rows.DType.Integer() {
			x.DType = "DOUBLE"
		}
	}
	return m
}

// free returns a name that no metric has: that of the root is put behind one that is taken.
func (d *deriver) free(name, root string) string {
	if d.used[name] && root != "" && !strings.Contains(name, "@") {
		name += "@" + root
	}
	for base, n := name, 2; d.used[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	d.used[name] = true
	return name
}

// describe makes a metric of a node.
func describe(s *spec.Spec, r *spec.Resolved, n *spec.Node) *cube.Metric {
	x := &cube.Metric{Title: n.Label, Unit: n.Unit, Kind: cube.Exclusive, Doc: n.Description}
	add := func(key, value string) { x.Attrs = append(x.Attrs, cube.Attr{Key: key, Value: value}) }
	hierarchy := n.Spec
	if hierarchy == "" {
		hierarchy = s.Name
	}
	if x.Doc == "" {
		x.Doc = "Metric of the specification " + hierarchy + "."
	}
	add(report.HierarchyAttr, hierarchy)
	formula := n.FormText(r.Events)
	if len(n.Missing) > 0 {
		x.Title = incomplete + x.Title
		add(report.IncompleteAttr, "true")
		formula += "; not measured: " + strings.Join(n.Missing, ", ")
	}
	add(report.FormulaAttr, formula)
	return x
}

// setUnmeasured notes which runs a metric of the report of the runs is not known of: those that lack one of its counters.
func (d *deriver) setUnmeasured() {
	for _, m := range d.made {
		var columns []int
		for _, t := range m.form {
			columns = append(columns, algebra.Unmeasured(d.counters[t.Event].metric)...)
		}
		slices.Sort(columns)
		algebra.SetUnmeasured(m.Metric, slices.Compact(columns))
	}
	for _, m := range d.ratios {
		var columns []int
		for _, o := range d.operands[m] {
			columns = append(columns, algebra.Unmeasured(o.Metric)...)
		}
		slices.Sort(columns)
		algebra.SetUnmeasured(m, slices.Compact(columns))
	}
}

// shared says that a counter counts for a whole process, so that nothing of it is certain.
func (c *counter) shared() bool { return strings.HasPrefix(c.metric.Title, wire.ProcessCounter) }

package analyzer

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/trace/wire"
)

// Derive adds to an experiment what specifications and properties make of its counters: a hierarchy of metrics for each root of a
// specification, ratios, and findings. What was derived before is replaced; the counters themselves stay as they are, so an experiment
// can be derived again. Its severities must have been read. An experiment without counters is not changed.
//
// The inclusive value of a metric is its linear form of what certainly belongs to the goroutines; its own is that without the children's,
// so what is unaccounted, and negative where counters contradict each other. What is uncertain is in trees of its own below the root, see
// [deriver.margins]. See "A holistic hardware counter analysis", section 2.3.
func Derive(e *report.Experiment, specs []*spec.Spec, properties []*Property) error {
	before := newDeriver(e)
	if e.Ratios, e.Properties, e.Unlisted, e.Notes = nil, nil, nil, nil; len(before.counters) == 0 {
		return nil
	}
	var severity, critical [][]report.Cell
	for i := range e.Metrics {
		severity, critical = append(severity, e.Cells(i)), append(critical, e.CriticalCells(i))
	}
	severity, critical = underive(e, severity, critical)
	d := newDeriver(e)
	d.severity = severity
	d.cells()
	for _, s := range specs {
		if err := d.derive(s); err != nil {
			return err
		}
	}
	for _, name := range d.events {
		if !d.listed[name] {
			e.Unlisted = append(e.Unlisted, name)
		}
	}
	e.OnPath = append(e.OnPath, make([]int64, max(0, len(e.Metrics)-len(e.OnPath)))...)
	e.Stats = append(e.Stats, make([]report.Stats, max(0, len(e.Metrics)-len(e.Stats)))...)
	if err := e.Fill(d.severity, append(critical, make([][]report.Cell, len(e.Metrics)-len(critical))...)); err != nil {
		return err
	}
	return d.properties(properties)
}

// Conclude finds the properties of an experiment whose hierarchies are there already, and the operands of its ratios, for which only
// the formula needs to be known. A ratio that lacks an operand is left out.
func Conclude(e *report.Experiment, properties []*Property) error {
	d := newDeriver(e)
	ratios := e.Ratios
	e.Ratios, e.Properties = nil, nil
	for _, r := range ratios {
		x, err := spec.ParseExpr(r.Formula)
		if err != nil {
			return fmt.Errorf("ratio %s: %w", r.Name, err)
		}
		var ok bool
		if r.Operands, ok = d.operands(x); !ok {
			continue
		}
		e.Ratios = append(e.Ratios, r)
	}
	return d.properties(properties)
}

// newDeriver finds the counters of an experiment, and the hierarchies that it has.
func newDeriver(e *report.Experiment) *deriver {
	d := &deriver{e: e, at: map[string]int{}, nodes: map[string]int{}, listed: map[string]bool{}, shared: map[int]bool{}}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		d.at[m.Name] = i
		switch _, known := d.nodes[m.Title]; {
		case m.Counter:
			d.shared[i] = isShared(m.Title)
			d.counters = append(d.counters, i)
			d.events = append(d.events, m.Title)
		case m.Hierarchy != "" && !m.Uncertain && !known:
			d.nodes[m.Title] = i
			d.shared[i] = sharedFormula(m.Formula)
		}
	}
	return d
}

// underive removes what was derived.
func underive(e *report.Experiment, severity, critical [][]report.Cell) (kept, keptCritical [][]report.Cell) {
	var keep []int
	place := make([]int, len(e.Metrics))
	for i := range e.Metrics {
		place[i] = -1
		if e.Metrics[i].Hierarchy == "" {
			place[i] = len(keep)
			keep = append(keep, i)
		}
	}
	if len(keep) == len(e.Metrics) {
		return severity, critical
	}
	e.Metrics = pick(e.Metrics, keep)
	e.OnPath, e.Stats = pick(e.OnPath, keep), pick(e.Stats, keep)
	e.PathCounts = moveCounts(e.PathCounts, place)
	e.Findings = slices.DeleteFunc(slices.Clone(e.Findings), func(f report.Finding) bool { return place[f.Metric] < 0 })
	for i := range e.Findings {
		f := &e.Findings[i]
		f.Metric, f.Counted = place[f.Metric], moveCounts(f.Counted, place)
	}
	return pick(severity, keep), pick(critical, keep)
}

// moveCounts returns counts of counters that now have other places.
func moveCounts(list []report.Count, place []int) []report.Count {
	list = slices.DeleteFunc(slices.Clone(list), func(c report.Count) bool { return place[c.Metric] < 0 })
	for i := range list {
		list[i].Metric = place[list[i].Metric]
	}
	return list
}

// pick returns the elements at some places, as far as there are any.
func pick[T any](list []T, places []int) []T {
	var picked []T
	for _, i := range places {
		if i < len(list) {
			picked = append(picked, list[i])
		}
	}
	return picked
}

// deriver applies specifications to an experiment.
type deriver struct {
	e                  *report.Experiment
	at                 map[string]int // metrics by name
	nodes              map[string]int // of hierarchies, by name in the specification
	counters           []int          // metrics that are counters
	events             []string       // their names
	listed             map[string]bool
	shared             map[int]bool    // metrics of counters of the whole process only, of which nothing is certain
	certain, uncertain [][]report.Cell // by place in counters
	severity           [][]report.Cell // by metric
}

// cells collects the severities of the counters.
func (d *deriver) cells() {
	for _, c := range d.counters {
		var uncertain []report.Cell
		for i := range d.e.Metrics {
			if d.e.Metrics[i].Uncertain && d.e.Metrics[i].Parent == d.e.Metrics[c].Name {
				uncertain = report.AddCells(uncertain, d.severity[i], 1)
			}
		}
		d.certain, d.uncertain = append(d.certain, d.severity[c]), append(d.uncertain, uncertain)
	}
}

// derive adds the hierarchies and ratios of one specification.
func (d *deriver) derive(s *spec.Spec) error {
	r := s.Resolve(d.events)
	for _, event := range r.Events {
		d.listed[event] = d.listed[event] || !slices.Contains(r.Unlisted, event)
	}
	own := make([][]report.Cell, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		cells := combine(n.Form, d.certain)
		own[i] = report.AddCells(own[i], cells, 1)
		if n.Parent >= 0 {
			own[n.Parent] = report.AddCells(own[n.Parent], cells, -1)
		}
	}
	names, root := make([]string, len(r.Nodes)), 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		m := d.metric(s, r, n)
		if n.Parent < 0 {
			root = i
		} else {
			m.Parent = names[n.Parent]
		}
		m.Name = d.free(n.Name, r.Nodes[root].Label)
		names[i] = m.Name
		d.add(m, own[i])
		at := len(d.e.Metrics) - 1
		d.shared[at] = len(n.Form) > 0 && !slices.ContainsFunc(n.Form, func(t spec.Term) bool { return !isShared(r.Events[t.Event]) })
		if _, known := d.nodes[n.Label]; !known {
			d.nodes[n.Label] = at
		}
		if i+1 == len(r.Nodes) || r.Nodes[i+1].Parent < 0 {
			d.margins(s, r, root, names[root:i+1])
		}
	}
	d.e.Notes = append(append(d.e.Notes, r.Dropped...), d.mixed(r)...)
	return d.ratios(s, r)
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
			unit := d.e.Metrics[d.counters[t.Event]].Unit
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

// isShared says that a counter counts for the whole process.
func isShared(counter string) bool { return strings.HasPrefix(counter, wire.ProcessCounter) }

// sharedFormula says so of all counters in a formula, as spec.Node.FormText writes it.
func sharedFormula(formula string) bool {
	formula, _, _ = strings.Cut(formula, ";")
	any := false
	for _, word := range strings.FieldsFunc(formula, func(c rune) bool { return strings.ContainsRune(" +−×", c) }) {
		if strings.Trim(word, "0123456789") == "" {
			continue // a coefficient
		}
		if any = true; !isShared(word) {
			return false
		}
	}
	return any
}

// combine evaluates a linear form cell by cell.
func combine(form []spec.Term, cells [][]report.Cell) (sum []report.Cell) {
	for _, t := range form {
		sum = report.AddCells(sum, cells[t.Event], t.Times)
	}
	return sum
}

// free returns a name that no metric has. A metric of a hierarchy that is called like a counter gets the name of its root behind it.
func (d *deriver) free(name, root string) string {
	if _, taken := d.at[name]; !taken {
		return name
	}
	if !strings.Contains(name, "@") {
		name += "@" + root
	}
	for base, n := name, 2; ; n++ {
		if _, taken := d.at[name]; !taken {
			return name
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
}

func (d *deriver) add(m metric.Metric, own []report.Cell) {
	d.at[m.Name] = len(d.e.Metrics)
	if own == nil {
		own = []report.Cell{}
	}
	d.e.Metrics, d.severity = append(d.e.Metrics, m), append(d.severity, own)
}

// metric describes a node.
func (d *deriver) metric(s *spec.Spec, r *spec.Resolved, n *spec.Node) metric.Metric {
	m := metric.Metric{Title: n.Label, Unit: metric.Events, Description: n.Description, Hierarchy: n.Spec, Incomplete: len(n.Missing) > 0}
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
		m.Formula += "; what the other parts leave"
	}
	if m.Incomplete {
		const most = 8
		missing := strings.Join(n.Missing[:min(len(n.Missing), most)], ", ")
		if len(n.Missing) > most {
			missing += fmt.Sprintf(" and %d more", len(n.Missing)-most)
		}
		m.Formula += "; not measured: " + missing
	}
	if m.Description == "" {
		m.Description = "Metric of the specification " + m.Hierarchy + "."
	}
	return m
}

// ratios adds the ratios of a specification. A name that several specifications use is told from the others by theirs.
func (d *deriver) ratios(s *spec.Spec, r *spec.Resolved) error {
	for _, q := range r.Ratios {
		x := report.Ratio{Name: q.Name, Unit: q.Unit, Description: q.Description, Hierarchy: s.Name, Formula: q.Expression.String(),
			Low: q.Low, High: q.High, Least: q.Least}
		taken := func(y report.Ratio) bool { return y.Name == x.Name }
		if slices.ContainsFunc(d.e.Ratios, taken) {
			if x.Name += "@" + s.Name; slices.ContainsFunc(d.e.Ratios, taken) {
				continue
			}
		}
		var ok bool
		if x.Operands, ok = d.operands(q.Expression); !ok {
			continue
		}
		d.e.Ratios = append(d.e.Ratios, x)
	}
	return nil
}

// operands finds the metrics that an expression names, and false if one is not there. If one is a counter of the whole process, of
// which nothing is certain, what is uncertain counts, for all of them.
func (d *deriver) operands(e *spec.Expr) (list []report.Operand, ok bool) {
	all := false
	for _, name := range e.Names() {
		i, found := d.find(name)
		if !found {
			return nil, false
		}
		list = append(list, report.Operand{Name: name, Metric: i})
		all = all || d.shared[i]
	}
	for i := range list {
		list[i].All = all
	}
	return list, len(list) > 0
}

// find finds the metric of a name in a specification: one of a hierarchy, or else a counter.
func (d *deriver) find(name string) (int, bool) {
	if i, ok := d.nodes[name]; ok {
		return i, true
	}
	for _, as := range []string{name, name + ":u"} {
		if k := slices.Index(d.events, as); k >= 0 {
			return d.counters[k], true
		}
	}
	return 0, false
}

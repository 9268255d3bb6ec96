package query

import (
	_ "embed" // what reports lack
	"fmt"
	"io"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// SpecMember is the member of a report that holds the hierarchy of metrics in which it wants to be shown.
const SpecMember = "remapping.spec"

// maxSpec limits a specification, in bytes. Those in use have 150 000.
const maxSpec = 64 << 20

// Display makes a model of a report as it wants to be shown, in the hierarchy of metrics that it brings along; else as it was measured. If
// it wants what cannot be, it says so.
func Display(c *cube.Cube) (m *Model, problems []string, err error) {
	if spec, ok := Embedded(c); ok {
		shown, err := Remap(c, spec)
		if err == nil {
			if m, err = New(shown); err == nil {
				return m, nil, nil
			}
		}
		problems = []string{"The metrics are shown as they were measured, not as the report wants them to be shown: " + err.Error()}
	}
	m, err = New(c)
	return m, problems, err
}

// Embedded returns the specification of the hierarchy of metrics that a report wants to be shown in. Trace analyses by Scalasca
// that bring none along, as older ones, have one here.
func Embedded(c *cube.Cube) (spec string, ok bool) {
	i := slices.IndexFunc(c.Members, func(m *cube.Member) bool { return m.Name == SpecMember })
	if i < 0 {
		return scoutSpec, scout(c)
	}
	if c.Members[i].Size() > maxSpec {
		return "", false
	}
	b, err := io.ReadAll(c.Members[i].Open())
	return string(b), err == nil
}

//go:embed scout.spec
var scoutSpec string

// scout says that a report is an analysis as Scalasca's trace analyzer writes it, without anything derived.
func scout(c *cube.Cube) bool {
	analyzer := strings.HasPrefix(cube.ValueOf(c.Attrs, "Creator"), "Scalasca Trace Analyzer")
	derived := slices.ContainsFunc(c.AllMetrics(), func(m *cube.Metric) bool { return m.Kind.Derived() || m.Name == metric.Execution })
	return analyzer && !derived && c.Metric(metric.Time) != nil
}

// Remap returns a cube with the hierarchy of metrics that a specification describes. It shares call paths, system, members
// and rows with c, so closing one closes both, but not the embedded specification, which has been followed.
//
// Metrics that c lacks are there without values, and those that are derived with their expressions. What c has and the
// specification does not name comes behind it, so that nothing is lost. Errors are of type *cube.FormatError.
func Remap(c *cube.Cube, spec string) (*cube.Cube, error) {
	s, err := cube.ReadMetrics(SpecMember, spec)
	if err != nil {
		return nil, err
	}
	r := newRemapping(c)
	if err := r.addImbalance(c, s); err != nil {
		return nil, err
	}
	for _, m := range s.AllMetrics() {
		if r.named[m.Name] {
			return nil, &cube.FormatError{File: SpecMember, What: fmt.Sprintf("metric %q is described twice", m.Name)}
		}
		r.named[m.Name] = true
	}
	roots := append(r.all(s.Metrics), r.rest(c.Metrics)...)
	d, err := c.WithMetrics(roots)
	if err != nil {
		return nil, err
	}
	d.Problems = slices.Concat(c.Problems, s.Problems)
	d.Mirrors = slices.Clone(s.Mirrors)
	for _, mirror := range c.Mirrors {
		if !slices.Contains(d.Mirrors, mirror) {
			d.Mirrors = append(d.Mirrors, mirror)
		}
	}
	d.Members = slices.DeleteFunc(slices.Clone(c.Members), func(m *cube.Member) bool { return m.Name == SpecMember })
	return d, nil
}

//go:embed imbalance.spec
var imbalanceSpec string

// mostCells limits the call paths times locations of reports whose imbalance is computed, cell by cell.
const mostCells = 1 << 20

// addImbalance puts the computation of imbalance into a hierarchy that names it, if the report lacks it.
func (r *remapping) addImbalance(c, spec *cube.Cube) error {
	named := spec.Metric(metric.Imbalance)
	if named == nil || named.Kind.Derived() || r.old[metric.Imbalance] != nil || r.old[metric.Visits] == nil || spec.Metric("comp") == nil ||
		len(c.Locations()) < 2 || len(c.Paths())*len(c.Locations()) > mostCells {
		return nil
	}
	computed, err := cube.ReadMetrics("imbalance.spec", imbalanceSpec)
	if err != nil {
		return err
	}
	next := len(spec.AllMetrics())
	for _, x := range computed.AllMetrics() {
		if m := spec.Metric(x.Name); m != nil {
			m.Kind, m.Expressions = x.Kind, x.Expressions
			m.Title, m.Doc, m.Unit = given(m.Title, x.Title), given(m.Doc, x.Doc), given(m.Unit, x.Unit)
			m.DType = cube.DType(given(string(m.DType), string(x.DType)))
		} else if x.Ghost {
			x.ID = next
			next++
			spec.Metrics = append(spec.Metrics, x)
		}
	}
	return spec.Complete()
}

// remapping makes the metrics of the new hierarchy.
type remapping struct {
	old   map[string]*cube.Metric
	named map[string]bool // by the specification
	next  int             // number of the next metric that the report lacks
}

func newRemapping(c *cube.Cube) *remapping {
	r := &remapping{old: map[string]*cube.Metric{}, named: map[string]bool{}}
	for _, m := range c.AllMetrics() {
		r.next = max(r.next, m.ID+1)
		if r.old[m.Name] == nil {
			r.old[m.Name] = m
		}
	}
	return r
}

// all makes the metrics that a specification describes.
func (r *remapping) all(list []*cube.Metric) []*cube.Metric {
	var made []*cube.Metric
	for _, s := range list {
		made = append(made, r.one(s))
	}
	return made
}

// one makes a metric of its description and, if there are values, of the metric that has them, be it that it computes them from
// those of several runs.
func (r *remapping) one(s *cube.Metric) *cube.Metric {
	m := *s
	if old := r.old[s.Name]; old != nil && !s.Kind.Derived() {
		m = *old
		m.Ghost, m.Val = s.Ghost, s.Val
		m.Title, m.Unit, m.URL, m.Doc = given(s.Title, old.Title), given(s.Unit, old.Unit), given(s.URL, old.URL), given(s.Doc, old.Doc)
		m.Expressions = s.Expressions // which may initialise
		if old.Kind.Derived() {
			m.Expressions = slices.Concat(s.Expressions, old.Expressions)
		}
	} else {
		m.ID = r.next
		r.next++
	}
	if r.old[s.Name] == nil && !s.Kind.Derived() {
		m.DType = cube.DType(given(string(s.DType), "DOUBLE"))
		if s.Title == "" || slices.Contains(elsewhere, s.Name) {
			m.Val = "VOID"
		}
	}
	m.Children = r.all(s.Children)
	return &m
}

// elsewhere are metrics that specifications describe as if reports had them, but Scalasca computes them when it converts a report.
// Others that a report lacks are zero; of these we do not know, so they are hidden.
var elsewhere = []string{metric.IdleThreads, metric.FewerThreads, metric.Imbalance, "imbalance_above", "imbalance_above_single",
	"imbalance_below", "imbalance_below_bypass", "imbalance_below_singularity"}

func given(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

// rest copies the metrics that the specification does not name.
func (r *remapping) rest(list []*cube.Metric) []*cube.Metric {
	var made []*cube.Metric
	for _, old := range list {
		if r.named[old.Name] {
			made = append(made, r.rest(old.Children)...)
			continue
		}
		m := *old
		m.Children = r.rest(old.Children)
		made = append(made, &m)
	}
	return made
}

// define returns a cube with one more metric, computed by an expression from sums of others, as a user may want it. It
// shares everything else with c.
func define(c *cube.Cube, name, title, unit, expression string) (*cube.Cube, error) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(nameRunes, r) }) {
		return nil, fmt.Errorf("%q is no name of a metric: letters, digits and _ make one", name)
	}
	p, err := cubepl.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("metric %s: %w", name, err)
	}
	r := newRemapping(c)
	if r.old[name] != nil {
		return nil, fmt.Errorf("metric %s: the report has one of this name", name)
	}
	defined := map[string]bool{}
	for _, d := range p.Definitions() {
		defined[d.Metric] = true
	}
	for _, operand := range p.Metrics() {
		if r.old[operand] == nil && !defined[operand] {
			return nil, fmt.Errorf("metric %s: the report has no metric %q", name, operand)
		}
	}
	m := &cube.Metric{ID: r.next, Name: name, Title: given(title, name), DType: "DOUBLE", Unit: unit, Kind: cube.PostDerived,
		Expressions: []cube.Expression{{Element: "cubepl", Text: expression}}}
	return c.WithMetrics(append(r.rest(c.Metrics), m))
}

// Portable returns the cube as other tools can read it: with expressions that they compile, and hidden metrics behind the others. It
// shares everything else with c.
func Portable(c *cube.Cube) (*cube.Cube, error) {
	var copies func([]*cube.Metric) []*cube.Metric
	copies = func(list []*cube.Metric) (made []*cube.Metric) {
		for _, old := range list {
			m := *old
			m.Expressions = slices.Clone(old.Expressions)
			for i, x := range old.Expressions {
				m.Expressions[i].Text = cubepl.Portable(x.Text)
			}
			m.Children = copies(old.Children)
			made = append(made, &m)
		}
		return made
	}
	made := copies(c.Metrics)
	cube.NumberMetrics(made)
	return c.WithMetrics(made)
}

const nameRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

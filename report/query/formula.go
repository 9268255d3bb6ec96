package query

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// formula is how a derived metric is computed.
type formula struct {
	program           *cubepl.Program
	defined           *cubepl.Program // of a ratio of ours: where it is 0, there is no value, whatever program says
	plus, minus, over *cubepl.Program // in place of + and − along the call tree, and of + over the system; nil: these

	// If the program is a sum of metrics at the place of the calculation, each times a coefficient that only depends on the
	// call path, it is evaluated once per call path for the coefficients, and no more for every cell.
	linear bool
	refs   []cubepl.Reference
	once   sync.Once
	factor [][]float64 // of refs, by call path; for a post-derived metric one for all
	err    error

	expanded sync.Once // of a linear post-derived metric:
	terms    []term
	termsErr error
}

// unsupported are predefined variables that the model does not have.
var unsupported = []string{"cube::metric::children", "cube::metric::enumeration", "cube::callpath::children", "cube::callpath::enumeration",
	"cube::stn::children", "cube::stn::locationgroups", "cube::locationgroup::locations", "cube::filename"}

// derive prepares the expressions of all metrics and runs those that initialise.
func (m *Model) derive() {
	m.globals = cubepl.NewGlobals()
	m.properties = map[property]string{}
	var initial []initialisation
	for _, c := range m.Cube.AllMetrics() {
		q := m.of[c]
		programs, err := m.parse(q)
		if err != nil {
			q.Err = fmt.Errorf("%s: %w", c.Name, err)
		}
		for _, p := range programs {
			m.define(p, &initial)
		}
		for _, x := range c.Expressions {
			if x.Element != "cubeplinit" || strings.TrimSpace(x.Text) == "" {
				continue
			}
			p, err := cubepl.Parse(x.Text)
			initial = append(initial, initialisation{q.Name, p, err})
			if err == nil {
				m.define(p, &initial)
			}
		}
	}
	m.initialise(initial)
	m.findCycles()
	for _, q := range m.all {
		m.finish(q)
	}
	for _, q := range m.all {
		if q.Err != nil || !q.sum() {
			continue
		}
		terms, err := m.expand(q)
		q.Err, q.Additive = err, err == nil
		for _, t := range terms {
			q.Additive = q.Additive && t.metric.Additive && t.flavour == cubepl.Same
		}
	}
}

// parse prepares the expressions of a metric, of which it returns those that define others.
func (m *Model) parse(q *Metric) (programs []*cubepl.Program, err error) {
	if !q.Kind.Derived() {
		return nil, nil
	}
	q.formula = &formula{}
	var all []error
	for _, x := range q.Expressions {
		to := &q.formula.program
		switch x.Element {
		case "cubeplinit":
			continue
		case "cubeplaggr":
			to = q.formula.aggregation(x)
		}
		if strings.TrimSpace(x.Text) == "" {
			continue
		}
		if to == nil {
			all = append(all, fmt.Errorf("an aggregation of an unknown type: %v", x.Options))
			continue
		}
		p, err := cubepl.Parse(x.Text)
		if err != nil {
			all = append(all, err)
			continue
		}
		*to = p
		programs = append(programs, p)
	}
	for _, a := range q.Attrs {
		if a.Key != DefinedAttr || q.Kind != cube.PostDerived {
			continue
		}
		p, err := cubepl.Parse(a.Value)
		if err != nil {
			all = append(all, err)
			continue
		}
		q.formula.defined = p
		programs = append(programs, p)
	}
	if len(all) == 0 && q.formula.program == nil {
		all = append(all, errors.New("the metric is derived, but has no expression"))
	}
	return programs, errors.Join(all...)
}

// aggregation returns where an expression goes that says how values are combined, nil if that is unknown.
func (f *formula) aggregation(x cube.Expression) **cubepl.Program {
	for _, o := range x.Options {
		if o.Key == "cubeplaggrtype" {
			switch o.Value {
			case "plus":
				return &f.plus
			case "minus":
				return &f.minus
			case "aggr":
				return &f.over
			}
			return nil
		}
	}
	return &f.plus
}

// initialisation is a program that runs once, on behalf of a metric.
type initialisation struct {
	metric  string
	program *cubepl.Program
	err     error
}

// define adds what a program defines besides its own value: hidden metrics, and parts of metrics.
func (m *Model) define(p *cubepl.Program, initial *[]initialisation) {
	kinds := map[cubepl.DefinitionKind]cube.Kind{cubepl.PostDerived: cube.PostDerived,
		cubepl.PreDerivedInclusive: cube.PreDerivedInclusive, cubepl.PreDerivedExclusive: cube.PreDerivedExclusive}
	for _, d := range p.Definitions() {
		q := m.byName[d.Metric]
		kind, whole := kinds[d.Kind]
		switch {
		case whole && q == nil:
			q = &Metric{Metric: &cube.Metric{Name: d.Metric, Title: d.Metric, DType: "DOUBLE", Kind: kind, Ghost: true}, Index: -1}
			q.formula = &formula{program: d.Program}
			m.byName[d.Metric] = q
			m.all = append(m.all, q)
		case whole: // those of the report stay
		case d.Kind == cubepl.Initialisation:
			*initial = append(*initial, initialisation{d.Metric, d.Program, nil})
		case q != nil && q.formula != nil && d.Kind == cubepl.AggregationPlus:
			q.formula.plus = d.Program
		case q != nil && q.formula != nil:
			q.formula.minus = d.Program
		}
	}
}

// initialise runs the programs that set global variables and hide metrics. If one fails, what variables hold is not what
// they should, so metrics that need them cannot be evaluated.
func (m *Model) initialise(list []initialisation) {
	e := &environment{m: m, sel: everything, initial: true}
	context := cubepl.NewContext(e, m.globals)
	var failed error
	for _, i := range list {
		err := i.err
		if err == nil {
			e.calculated = m.byName[i.metric]
			err = i.program.Bind(context).Run()
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("initialisation of %s: %w", i.metric, err)
		}
	}
	if failed == nil {
		return
	}
	for _, q := range m.all {
		if q.formula == nil || q.formula.program == nil {
			continue
		}
		own := q.formula.program.Assigned()
		for _, v := range q.formula.program.Variables() {
			if q.Err == nil && !strings.Contains(v, "::") && (m.globals.Has(v) || !slices.Contains(own, v)) {
				q.Err = fmt.Errorf("%s: %w", q.Name, failed)
			}
		}
	}
}

// findCycles finds metrics whose computation leads back to themselves.
func (m *Model) findCycles() {
	done, way := map[*Metric]bool{}, []*Metric(nil)
	var visit func(q *Metric)
	visit = func(q *Metric) {
		if q == nil || q.formula == nil || q.formula.program == nil || q.Err != nil {
			return
		}
		if i := slices.Index(way, q); i >= 0 {
			names := []string{}
			for _, x := range way[i:] {
				names = append(names, x.Name)
			}
			for _, x := range way[i:] {
				x.Err = fmt.Errorf("%s: metrics that are computed from each other: %s", x.Name, strings.Join(names, ", "))
			}
			return
		}
		if done[q] {
			return
		}
		done[q] = true
		way = append(way, q)
		for _, name := range q.formula.program.Metrics() {
			visit(m.byName[name])
		}
		way = way[:len(way)-1]
	}
	for _, q := range m.all {
		visit(q)
	}
}

// finish says of a metric whether it can be evaluated at all, and whether it is linear.
func (m *Model) finish(q *Metric) {
	f := q.formula
	if f == nil || f.program == nil || q.Err != nil {
		return
	}
	for _, v := range f.program.Variables() {
		if slices.Contains(unsupported, v) {
			q.Err = fmt.Errorf("%s: ${%s} is not supported", q.Name, v)
			return
		}
	}
	if f.program.Sets() {
		q.Err = fmt.Errorf("%s: properties of metrics can only be set by initialisation", q.Name)
		return
	}
	aggregated := f.plus != nil || f.minus != nil || f.over != nil
	f.linear = !aggregated && f.defined == nil && f.program.Linear(func(string) bool { return true }) && m.local(q)
	q.Additive = !aggregated && q.Kind != cube.PostDerived // as for sums, see derive
	f.refs = f.program.References()
}

// local says that the operands of a metric are taken at the place of the calculation, of which nothing else matters but, if
// it is pre-derived, the call path.
func (m *Model) local(q *Metric) bool {
	for _, r := range q.formula.program.References() {
		if r.Elsewhere || r.System == cubepl.Exclusive && q.Kind == cube.PostDerived {
			return false
		}
	}
	for _, v := range q.formula.program.Variables() {
		if !strings.HasPrefix(v, "calculation::") || v == "calculation::metric::id" {
			continue
		}
		if q.Kind == cube.PostDerived || strings.HasPrefix(v, "calculation::sysres::") {
			return false
		}
	}
	for _, v := range q.formula.program.Assigned() {
		if m.globals.Has(v) {
			return false
		}
	}
	return true
}

// factors returns the coefficients of a linear metric at a call path.
func (m *Model) factors(q *Metric, path int32) ([]float64, error) {
	f := q.formula
	f.once.Do(func() {
		n := len(m.paths.parent)
		if q.Kind == cube.PostDerived {
			n = 1
		}
		u := &units{environment: m.environment(q)}
		e := f.program.Bind(cubepl.NewContext(u, m.globals))
		f.factor = make([][]float64, n)
		for i := range n {
			u.sel = everything
			if q.Kind != cube.PostDerived {
				u.sel = selection{int32(i), none, q.Kind == cube.PreDerivedInclusive}
			}
			if f.factor[i], f.err = f.coefficients(e, u); f.err != nil {
				f.err = fmt.Errorf("%s: %w", q.Name, f.err)
				return
			}
		}
	})
	if f.err != nil {
		return nil, f.err
	}
	if q.Kind == cube.PostDerived {
		path = 0
	}
	return f.factor[path], nil
}

// coefficients evaluates a linear metric where u is, for one operand after the other. Without operands it is 0 if it can be evaluated.
func (f *formula) coefficients(e *cubepl.Evaluator, u *units) ([]float64, error) {
	if len(f.refs) == 0 {
		_, err := e.Eval()
		return nil, err
	}
	list := make([]float64, len(f.refs))
	for k, r := range f.refs {
		u.unit = r
		x, err := e.Eval()
		switch {
		case err != nil:
			return nil, err
		case math.IsNaN(x) || math.IsInf(x, 0):
			return nil, fmt.Errorf("the coefficient of %s is %g", r.Metric, x)
		}
		list[k] = x
	}
	return list, nil
}

// units is an environment in which all metrics are 0 but one, which is 1. A linear expression has the coefficient of that
// one as its value.
type units struct {
	*environment
	unit cubepl.Reference
}

type unitMetric struct {
	*units
	name string
}

func (u *units) Metric(name string) (cubepl.Metric, error) { return unitMetric{u, name}, nil }

// At is 1 for the reference in question. Other flavours of the same metric are other operands.
func (x unitMetric) At(p cubepl.Place) (float64, error) {
	if x.name == x.unit.Metric && p.CallFlavour == x.unit.CallFlavour && p.SystemFlavour == x.unit.System {
		return 1, nil
	}
	return 0, nil
}

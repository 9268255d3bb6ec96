package analyzer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report"
)

// Property is a performance property above counters: a call path with more of some events than is good, measured by others or by time.
// Its findings are ranked by the number of events; they are no time and are never added to time. A Property is constant.
type Property struct {
	metric.Metric // its texts; the unit is events, and it has no severities
	Measures      []Measure
}

// Measure is one way of measuring a property. Of several whose counters were measured, the first that finds it at a call path is
// told; if a processor has several counters for the same, the most exact comes first.
type Measure struct {
	// Part and Of are expressions of counters and metrics of specifications, see [spec.ParseExpr]; Of may be [metric.Time], in ns.
	Part, Of string
	Above    float64 // a call path has the property if Part/Of is above this: events per event, or per second if Of is time
	Least    int64   // and Part is at least this
	// Words say what it means in a finding. {share} is Part/Of in per cent, {part} and {of} the numbers, {thousand} Part per thousand of
	// Of, {rate} Part per second, {bytes} and {byterate} the same for bytes.
	Words string
	Kinds []Kind // what Part consists of, if that is measured
}

// Kind is a kind of the events of a measure, such as misses for want of capacity.
type Kind struct {
	Part   string // an expression as [Measure].Part
	Words  string // continue "10 % of them": "for want of capacity"
	Advice string // in place of the property's if most are of this kind
}

// ValidateProperties checks that the properties have names of their own, all texts, and measures that can be evaluated. All faults are
// reported, joined.
func ValidateProperties(list []*Property) error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range list {
		bad := func(wrong bool, format string, args ...any) {
			if wrong {
				errs = append(errs, fmt.Errorf("property %q: %s", p.Name, fmt.Sprintf(format, args...)))
			}
		}
		bad(!identifier.MatchString(p.Name), "the name is not an identifier")
		bad(seen[p.Name], "the name is taken")
		seen[p.Name] = true
		bad(p.Title == "" || p.Description == "" || p.Formula == "" || p.Advice == "", "a text is missing")
		bad(p.Unit != metric.Events, "it is counted in %s", p.Unit)
		bad(len(p.Measures) == 0, "nothing measures it")
		for _, m := range p.Measures {
			for _, text := range []string{m.Part, m.Of} {
				_, err := spec.ParseExpr(text)
				bad(err != nil, "%s: %v", text, err)
			}
			bad(!(m.Above > 0) || m.Least <= 0, "%s: no threshold or least number", m.Part)
			bad(!strings.Contains(m.Words, "{"), "%s: words without a number", m.Part)
			for _, k := range m.Kinds {
				_, err := spec.ParseExpr(k.Part)
				bad(err != nil || k.Words == "" || k.Advice == "", "%s: kind %s: no expression, words or advice", m.Part, k.Part)
			}
		}
	}
	return errors.Join(errs...)
}

// FindProperties looks for properties in an experiment, by its counters and the hierarchies made of them, in place of those that were found.
func FindProperties(e *report.Experiment, list []*Property) error {
	if err := ValidateProperties(list); err != nil {
		return err
	}
	d, sums := &propertyFinder{e, report.NewLookup(e.Metrics)}, e.Sums()
	e.Properties = nil
	for _, p := range list {
		var all []*measured
		for i := range p.Measures {
			if m := d.measured(&p.Measures[i]); m != nil {
				all = append(all, m)
			}
		}
		for path := range d.e.Paths {
			for _, m := range all {
				if f, found := d.evaluate(m, sums, path); found {
					f.Property, f.Title, f.Advice = p.Name, p.Title, cmp.Or(d.kinds(m, sums, &f), p.Advice)
					d.e.Properties = append(d.e.Properties, f)
					break
				}
			}
		}
	}
	slices.SortStableFunc(d.e.Properties, func(a, b report.PropertyFinding) int {
		return cmp.Or(-cmp.Compare(a.Part, b.Part), cmp.Compare(a.Path, b.Path))
	})
	return nil
}

// propertyFinder looks for properties in an experiment.
type propertyFinder struct {
	e      *report.Experiment
	lookup *report.Lookup
}

// measured is a measure whose operands are known.
type measured struct {
	*Measure
	part, of *spec.Expr
	kinds    []*spec.Expr     // of all kinds, or none
	operands []report.Operand // each name once or several times
}

// measured finds the operands of a measure, nil if some were not measured.
func (d *propertyFinder) measured(m *Measure) *measured {
	x := &measured{Measure: m}
	if x.part, x.of = d.expression(x, m.Part), d.expression(x, m.Of); x.part == nil || x.of == nil {
		return nil
	}
	for _, k := range m.Kinds {
		e := d.expression(x, k.Part)
		if e == nil {
			x.kinds = nil
			break
		}
		x.kinds = append(x.kinds, e)
	}
	return x
}

// expression parses an expression and adds its operands, nil if some were not measured.
func (d *propertyFinder) expression(x *measured, text string) *spec.Expr {
	e, err := spec.ParseExpr(text)
	if err != nil {
		return nil
	}
	for _, name := range e.Names() {
		i, ok := d.lookup.Find(name)
		if !ok || d.e.Metrics[i].Kind == metric.Incomplete {
			return nil
		}
		x.operands = append(x.operands, report.Operand{Name: name, Metric: i, All: d.lookup.Shared(i)})
	}
	return e
}

// value returns what the operands of a measure are at a call path.
func (d *propertyFinder) value(m *measured, sums *report.Sums, path int) func(name string) (float64, bool) {
	return func(name string) (float64, bool) {
		if name == metric.Time {
			time := d.e.MetricIndex(metric.Time)
			return float64(sums.Paths(max(0, time), true)[path]), time >= 0
		}
		i := slices.IndexFunc(m.operands, func(o report.Operand) bool { return o.Name == name })
		return float64(sums.Paths(m.operands[i].Metric, m.operands[i].All)[path]), true
	}
}

// kinds adds the kinds of events to a finding, and returns the advice for the one that most are of, "" if there is none.
func (d *propertyFinder) kinds(m *measured, sums *report.Sums, f *report.PropertyFinding) (advice string) {
	value := d.value(m, sums, int(f.Path))
	for i, e := range m.kinds {
		v, ok := e.Value(0, value)
		if !ok || v < 1 || v > float64(f.Part) {
			continue
		}
		f.Kinds = append(f.Kinds, report.Kind{Words: m.Kinds[i].Words, Part: int64(v)})
		if 2*int64(v) > f.Part {
			advice = m.Kinds[i].Advice
		}
	}
	slices.SortStableFunc(f.Kinds, func(a, b report.Kind) int { return -cmp.Compare(a.Part, b.Part) })
	return advice
}

// evaluate looks for a property at a call path.
func (d *propertyFinder) evaluate(m *measured, sums *report.Sums, path int) (f report.PropertyFinding, found bool) {
	value := d.value(m, sums, path)
	per := 1.0
	if m.Of == metric.Time {
		per = 1e9 // ns to a second
	}
	part, ok1 := m.part.Value(0, value)
	of, ok2 := m.of.Value(0, value)
	const most = 1 << 62
	if !ok1 || !ok2 || part < float64(m.Least) || part > most || !(of > 0 && of < most) || !(part*per/of > m.Above) {
		return f, false
	}
	return report.PropertyFinding{Path: uint32(path), Part: int64(part), Of: int64(of), PartName: m.Part, OfName: m.Of, Words: m.Words,
		Shared: slices.ContainsFunc(m.operands, func(o report.Operand) bool { return o.All })}, true
}

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
	// Part and Of are expressions of counters and metrics of specifications, see [spec.ParseExpr]; Of may be [spec.Time], in ns.
	Part, Of string
	Above    float64 // a call path has the property if Part/Of is above this: events per event, or per second if Of is time
	Least    int64   // and Part is at least this
	// Words say what it means in a finding. {share} is Part/Of in per cent, {part} and {of} the numbers, {thousand} Part per thousand of
	// Of, {rate} Part per second, {bytes} and {byterate} the same for bytes.
	Words string
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
		}
	}
	return errors.Join(errs...)
}

// properties adds the findings of all properties.
func (d *deriver) properties(list []*Property) error {
	if err := ValidateProperties(list); err != nil {
		return err
	}
	sums := d.e.Sums()
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
					f.Property, f.Title, f.Advice = p.Name, p.Title, p.Advice
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

// measured is a measure whose operands are known.
type measured struct {
	*Measure
	part, of *spec.Expr
	operands []report.Operand // each name once or twice
}

// measured finds the operands of a measure, nil if some were not measured.
func (d *deriver) measured(m *Measure) *measured {
	x := &measured{Measure: m}
	for _, side := range []struct {
		text string
		to   **spec.Expr
	}{{m.Part, &x.part}, {m.Of, &x.of}} {
		e, err := spec.ParseExpr(side.text)
		if err != nil {
			return nil
		}
		*side.to = e
		for _, name := range e.Names() {
			i, ok := d.find(name)
			if !ok || d.e.Metrics[i].Incomplete {
				return nil
			}
			x.operands = append(x.operands, report.Operand{Name: name, Metric: i, All: d.shared[i]})
		}
	}
	return x
}

// evaluate looks for a property at a call path.
func (d *deriver) evaluate(m *measured, sums *report.Sums, path int) (f report.PropertyFinding, found bool) {
	value := func(name string) (float64, bool) {
		if name == spec.Time {
			time := d.e.MetricIndex(spec.Time)
			return float64(sums.Paths(max(0, time), true)[path]), time >= 0
		}
		i := slices.IndexFunc(m.operands, func(o report.Operand) bool { return o.Name == name })
		return float64(sums.Paths(m.operands[i].Metric, m.operands[i].All)[path]), true
	}
	per := 1.0
	if m.Of == spec.Time {
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

package composite

import (
	"fmt"
	"slices"

	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/cube"
)

// addRatios makes the ratios of a specification, which are evaluated after aggregation. Those with operands that the report lacks are
// left out.
func (d *deriver) addRatios(s *spec.Spec, r *spec.Resolved) error {
	for _, q := range r.Ratios {
		x := &report.Ratio{Name: q.Name, Unit: q.Unit, Description: q.Description, Hierarchy: s.Name, Formula: q.Expression.String(),
			Low: q.Low, High: q.High, Least: q.Least}
		operands, ok := d.find(q.Expression.Names())
		if !ok {
			continue
		}
		names := map[string][3]string{spec.Time: {spec.Time}}
		var list []*made
		for _, name := range q.Expression.Names() {
			x.Operands = append(x.Operands, report.Operand{Name: name})
			if o := operands[name]; o != nil {
				names[name] = [3]string{o.Name}
				if list = append(list, o); !o.uncertain {
					names[name] = d.withMargins(name, o)
				}
			}
		}
		m, err := report.RatioMetric(x, func(name string) [3]string { return names[name] })
		if err != nil {
			return fmt.Errorf("specification %s: %w", s.Name, err)
		}
		m.Name, m.ID = d.free(report.CubeName(m.Name), ""), d.next
		d.next++
		d.ratios = append(d.ratios, m)
		d.operands[m] = list
	}
	return nil
}

// find returns the operands of a ratio, metrics whose names expressions can say. What is uncertain counts only if one of them is of
// whole processes, of which nothing is certain: a quotient is of both or of neither.
func (d *deriver) find(names []string) (map[string]*made, bool) {
	forms := map[string][]spec.Term{}
	all := false
	for _, name := range names {
		if name == spec.Time {
			if d.cube.Metric(spec.Time) == nil {
				return nil, false
			}
			continue
		}
		form := d.formOf(name)
		if form == nil {
			return nil, false
		}
		forms[name] = form
		all = all || !slices.ContainsFunc(form, func(t spec.Term) bool { return !d.counters[t.Event].shared() })
	}
	operands := map[string]*made{}
	for _, name := range names { // in their order, so that numbers are always the same
		if form := forms[name]; form != nil {
			operands[name] = d.operand(name, form, all)
		}
	}
	return operands, len(operands) > 0
}

// formOf returns the form of a metric as a specification calls it, or of a counter; nil if there is none.
func (d *deriver) formOf(name string) []spec.Term {
	if m := d.byLabel[name]; m != nil {
		return m.form
	}
	for _, as := range []string{name, name + ":u"} {
		if k := slices.Index(d.events, as); k >= 0 {
			return []spec.Term{{Event: k, Times: 1}}
		}
	}
	return nil
}

// withMargins returns the names of an operand and of what is uncertain of it.
func (d *deriver) withMargins(name string, o *made) [3]string {
	names := [3]string{o.Name}
	say := func(margin string, form []spec.Term) string {
		if report.CubeName(margin) != margin {
			return d.hide("operand_", margin, form, false, true).Name
		}
		return margin
	}
	m := d.byLabel[name]
	if m == nil {
		if c := d.counters[o.form[0].Event]; c.partly() {
			names[1] = say(c.margin, o.form)
		}
		return names
	}
	for side, margin := range m.margins {
		if margin != nil {
			names[1+side] = say(margin.Name, margin.form)
		}
	}
	return names
}

// operand returns a metric with the values of a form: one that is there, or a hidden one.
func (d *deriver) operand(name string, form []spec.Term, all bool) *made {
	if m := d.byLabel[name]; m != nil && report.CubeName(m.Name) == m.Name && m.uncertain == all {
		return m
	}
	return d.hide("operand_", name, form, true, all)
}

// hide returns a hidden metric with what is certain of a form, what is not, or both.
func (d *deriver) hide(prefix, name string, form []spec.Term, certain, uncertain bool) *made {
	key := fmt.Sprint(name, certain, uncertain)
	if d.hidden[key] == nil {
		x := &cube.Metric{Title: name, Unit: "1", Kind: cube.Exclusive, Ghost: true, Doc: "What ratios are computed of: " + name + ".",
			Attrs: []cube.Attr{{Key: report.HierarchyAttr, Value: "ratios"}}}
		m := d.add(prefix+report.CubeName(name), "", x, form)
		m.certain, m.uncertain = certain, uncertain
		d.hidden[key] = m
		d.ratios = append(d.ratios, x)
	}
	return d.hidden[key]
}

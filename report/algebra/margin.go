package algebra

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// margin is what a metric says of another: by how much it may be more, or less.
type margin struct {
	of       *quantity
	less     bool
	opposite *quantity // the metric that says the contrary of the same, nil for none
}

// margins finds the metrics that say what of others is uncertain.
func (qs *quantities) margins() map[*quantity]margin {
	found := map[*quantity]margin{}
	sides := map[*quantity]*[2]*quantity{}
	var visit func(list []*quantity)
	visit = func(list []*quantity) {
		for _, q := range list {
			kind, of := query.KindOf(q.first()), q.parent
			if name := cube.ValueOf(q.first().Attrs, query.UncertainOfAttr); name != "" {
				of = qs.byName[name]
			}
			if less := kind == metric.Less; of != nil && (less || kind == metric.More) {
				if sides[of] == nil {
					sides[of] = &[2]*quantity{}
				}
				if side := &sides[of][side(less)]; *side == nil {
					*side, found[q] = q, margin{of: of, less: less}
				}
			}
			visit(q.children)
		}
	}
	visit(qs.roots)
	for q, x := range found {
		x.opposite = sides[x.of][side(!x.less)]
		found[q] = x
	}
	return found
}

// side returns the place of a margin in spec.Margins.
func side(less bool) int {
	if less {
		return 1
	}
	return 0
}

// bounded says that margins of a metric are those of its difference: not of what is computed for either side.
func (d *differ) bounded(q *quantity) bool { return d.comparable(q) && d.linear(q.name) }

// margin makes a metric one that says by how much a difference may be more or less: as b's metric q has it, without what is opposite to it
// in a. Either may be nil.
func (d *differ) margin(m *cube.Metric, q, opposite *quantity) {
	m.Kind, m.DType, m.Expressions = cube.Exclusive, "INT64", nil
	var terms []*term
	var names []string
	for i, of := range []*quantity{q, opposite} {
		if of == nil || of.versions[i] == nil {
			continue
		}
		t := d.term(m, of, i)
		if t == nil { // it is computed
			d.marginOfSides(m, q, opposite)
			return
		}
		terms, names = append(terms, t...), append(names, of.name)
	}
	d.job(m, terms, names...)
}

// marginOfSides is margin where one of them has no values, but an expression.
func (d *differ) marginOfSides(m *cube.Metric, q, opposite *quantity) {
	text := "0"
	if q != nil {
		text = "metric::" + d.side(0, q) + "()"
	}
	if opposite != nil {
		text += " - metric::" + d.side(1, opposite) + "()"
	}
	derive(m, text)
}

// mirrored makes the metrics that stand below one, or at the top, because only a has what is opposite to them: among list.
func (d *differ) mirrored(list []*quantity) (made []*cube.Metric) {
	for _, q := range list {
		x, ok := d.margins[q]
		if !ok || x.opposite != nil || !d.bounded(x.of) {
			continue
		}
		below := d.mirrored(q.children)
		if below == nil && !d.something(q) {
			continue
		}
		to := &spec.Margins[side(!x.less)]
		m := clone(q.first())
		m.Name, m.Title, m.Doc = d.used.make(x.of.name, to.Suffix), x.of.first().Title+to.Title, to.Doc(x.of.first().Title)
		kind := query.KindAttr(to.Kind)
		setAttr(&m.Attrs, kind.Key, kind.Value)
		d.margin(m, nil, q)
		m.Children = below
		made = append(made, m)
	}
	return made
}

// facing lists the metrics that those to be mirrored below q stand below.
func (d *differ) facing(q *quantity) []*quantity {
	x, ok := d.margins[q]
	switch {
	case !ok:
		return q.children
	case x.opposite != nil:
		return x.opposite.children
	}
	return nil // they stand below what is mirrored of q
}

// something says that there are values in a.
func (d *differ) something(q *quantity) bool {
	x, ok := measure(d.inputs[1].Cube, q.versions[1])
	if !ok {
		return q.versions[1] != nil
	}
	return slices.ContainsFunc(x.rows.Stored(), func(p *cube.CallPath) bool {
		r, err := x.rows.Row(p)
		return err != nil || !r.Zero()
	})
}

// operands lets a ratio of one side be what its operands are there.
func (d *differ) operands(i int, m *cube.Metric) {
	var of map[string][3]string
	if text := cube.ValueOf(m.Attrs, query.OperandsAttr); text == "" || json.Unmarshal([]byte(text), &of) != nil {
		return
	}
	of[metric.Time] = [3]string{metric.Time}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		metrics := of[name]
		for k, metric := range metrics {
			if q := d.qs.byName[metric]; q != nil {
				metrics[k] = d.side(i, q)
			}
		}
		of[name] = metrics
	}
	text, _ := json.Marshal(of) // strings always can be
	setAttr(&m.Attrs, query.OperandsAttr, string(text))
}

// sidesOf lets a difference of one side be that of its sides there.
func (d *differ) sidesOf(i int, m *cube.Metric, text string) {
	var names []string
	for _, name := range strings.Fields(text) {
		if q := d.qs.byName[name]; q != nil {
			name = d.side(i, q)
		}
		names = append(names, name)
	}
	setAttr(&m.Attrs, query.SidesAttr, strings.Join(names, " "))
}

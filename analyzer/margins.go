package analyzer

import (
	"tracerec/metric/spec"
	"tracerec/report"
)

// margins adds what is uncertain of a hierarchy whose root is node number root, and whose metrics have these names: below the root, a tree
// of by how much each may be more than what is certain of it, and one, with negative values, of by how much it may be less. Both have
// the form of the hierarchy, without what is certain.
func (d *deriver) margins(s *spec.Spec, r *spec.Resolved, root int, names []string) {
	nodes := r.Nodes[root : root+len(names)]
	for side := range spec.Margins {
		margin := &spec.Margins[side]
		own := make([][]report.Cell, len(nodes))
		wanted := make([]bool, len(nodes))
		wanted[0] = !margin.Less
		for i := len(nodes) - 1; i >= 0; i-- {
			cells := combine(margin.Form(nodes[i].Form), d.uncertain)
			own[i] = report.AddCells(own[i], cells, 1)
			wanted[i] = wanted[i] || len(cells) > 0
			if up := nodes[i].Parent - root; i > 0 {
				own[up] = report.AddCells(own[up], cells, -1)
				wanted[up] = wanted[up] || wanted[i]
			}
		}
		made := make([]string, len(nodes))
		for i := range nodes {
			if !wanted[i] {
				continue
			}
			parent := names[0]
			if i > 0 {
				parent = made[nodes[i].Parent-root]
			}
			made[i] = d.margin(s, r, &nodes[i], names[i], parent, margin)
			d.severity[len(d.severity)-1] = own[i]
		}
	}
}

// margin adds the metric that says by how much the metric of a node, called so, may be more or less, and returns its name.
func (d *deriver) margin(s *spec.Spec, r *spec.Resolved, n *spec.Node, of, parent string, margin *spec.Margin) string {
	m := d.metric(s, r, n)
	m.Parent, m.Uncertain, m.Less, m.Incomplete = parent, true, margin.Less, false
	m.Formula = (&spec.Node{Form: margin.Form(n.Form)}).FormText(r.Events)
	if parent != of {
		m.Of = of
	}
	m.Name, m.Title, m.Description = d.free(of+margin.Suffix, of), m.Title+margin.Title, margin.Doc(of)
	d.add(m, nil)
	return m.Name
}

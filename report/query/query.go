// Package query answers questions to a report: the values of any metric for selections of the three trees.
package query

import (
	"errors"

	"tracerec/report/cube"
)

// Model is a report that can be asked. It is safe for concurrent use.
type Model struct {
	Cube      *cube.Cube
	Metrics   []*Metric   // visible ones, parents before children
	Resources []*Resource // parents before children

	all    map[string]*Metric
	column []*Resource // by column of a row
}

// Metric is a metric in the tree of those that are shown.
type Metric struct {
	*cube.Metric
	Index    int // in Metrics, -1 hidden
	Parent   *Metric
	Children []*Metric
	Additive bool  // values of several call paths or resources may be added
	Err      error // why it cannot be evaluated
}

// Resource is a part of the system: a node, a group of locations, or a location.
type Resource struct {
	Index       int
	Name, Class string
	Of          cube.Resource
	Location    *cube.Location // of a leaf
	Parent      *Resource
	Children    []*Resource
}

// What is a metric, or with Self what of it belongs to none of its visible children.
type What struct {
	Metric *Metric
	Self   bool
}

var errDerived = errors.New("derived metrics are not evaluated yet")

// New prepares a complete cube for questions.
func New(c *cube.Cube) (*Model, error) {
	m := &Model{Cube: c, all: map[string]*Metric{}, column: make([]*Resource, len(c.Locations()))}
	for _, cm := range c.AllMetrics() {
		q := &Metric{Metric: cm, Index: -1, Additive: !cm.Kind.Derived() && cm.DType.Numeric()}
		if cm.Kind.Derived() {
			q.Err = errDerived
		}
		m.all[cm.Name] = q
		if cm.Parent != nil {
			q.Parent = m.all[cm.Parent.Name]
		}
		if cm.Ghost || cm.Val == "VOID" {
			continue
		}
		q.Index = len(m.Metrics)
		m.Metrics = append(m.Metrics, q)
		if q.Parent != nil {
			q.Parent.Children = append(q.Parent.Children, q)
		}
	}
	for _, n := range c.System {
		m.addNode(n, nil)
	}
	return m, nil
}

func (m *Model) addResource(r *Resource) *Resource {
	r.Index = len(m.Resources)
	m.Resources = append(m.Resources, r)
	if r.Parent != nil {
		r.Parent.Children = append(r.Parent.Children, r)
	}
	return r
}

func (m *Model) addNode(n *cube.SystemNode, parent *Resource) {
	r := m.addResource(&Resource{Name: n.Name, Class: n.Class, Of: n, Parent: parent})
	for _, g := range n.Groups {
		q := m.addResource(&Resource{Name: g.Name, Class: g.Type, Of: g, Parent: r})
		for _, l := range g.Locations {
			m.column[l.Column()] = m.addResource(&Resource{Name: l.Name, Class: l.Type, Of: l, Location: l, Parent: q})
		}
	}
	for _, child := range n.Children {
		m.addNode(child, r)
	}
}

// Metric returns a metric, visible or hidden, or nil.
func (m *Model) Metric(name string) *Metric { return m.all[name] }

// cell returns the values of all locations at a call path.
func (m *Model) cell(w What, p *cube.CallPath, inclusive bool) ([]cube.Value, error) {
	if w.Metric.Err != nil {
		return nil, w.Metric.Err
	}
	values, err := w.Metric.Values(p, inclusive)
	if err != nil || !w.Self {
		return values, err
	}
	for _, child := range w.Metric.Children {
		below, err := m.cell(What{Metric: child}, p, inclusive)
		if err != nil {
			continue
		}
		for i := range values {
			values[i] = values[i].Sub(below[i])
		}
	}
	return values, nil
}

// ByPath returns values by index of the call path, of a part of the system or, where at is nil, all of it.
func (m *Model) ByPath(w What, at *Resource) (inclusive, exclusive []cube.Value, err error) {
	sum := func(p *cube.CallPath, flavour bool) cube.Value {
		var total cube.Value
		values, e := m.cell(w, p, flavour)
		if e != nil {
			err = e
		}
		for i, v := range values {
			if at == nil || m.column[i].within(at) {
				total = w.Metric.Fold(total, v)
			}
		}
		return total
	}
	for _, p := range m.Cube.Paths() {
		inclusive, exclusive = append(inclusive, sum(p, true)), append(exclusive, sum(p, false))
	}
	return inclusive, exclusive, err
}

func (r *Resource) within(at *Resource) bool {
	for ; r != nil; r = r.Parent {
		if r == at {
			return true
		}
	}
	return false
}

// ByResource returns values by index of the resource, parts below included; where p is nil, of the whole program.
func (m *Model) ByResource(w What, p *cube.CallPath, inclusive bool) ([]cube.Value, error) {
	paths := []*cube.CallPath{p}
	if p == nil {
		paths, inclusive = m.Cube.Roots, true
	}
	return m.spread(w, paths, inclusive)
}

func (m *Model) spread(w What, paths []*cube.CallPath, inclusive bool) ([]cube.Value, error) {
	sums := make([]cube.Value, len(m.Resources))
	for _, p := range paths {
		values, err := m.cell(w, p, inclusive)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			for r := m.column[i]; r != nil; r = r.Parent {
				sums[r.Index] = w.Metric.Fold(sums[r.Index], v)
			}
		}
	}
	return sums, nil
}

// Total returns the value of the whole program and system.
func (m *Model) Total(w What) (cube.Value, error) {
	var total cube.Value
	values, err := m.spread(w, m.Cube.Roots, true)
	for _, r := range m.Resources {
		if r.Parent == nil && err == nil {
			total = w.Metric.Fold(total, values[r.Index])
		}
	}
	return total, err
}

// outermost returns the call paths of a region that are not below another one of it.
func (m *Model) outermost(r *cube.Region) (list []*cube.CallPath) {
	for _, p := range m.Cube.Paths() {
		q := p.Parent
		for q != nil && q.Region != r {
			q = q.Parent
		}
		if p.Region == r && q == nil {
			list = append(list, p)
		}
	}
	return list
}

// ByRegion returns values by index in Cube.Regions; recursion is counted once.
func (m *Model) ByRegion(w What, at *Resource) (inclusive, exclusive []cube.Value, err error) {
	byPath, own, err := m.ByPath(w, at)
	inclusive, exclusive = make([]cube.Value, len(m.Cube.Regions)), make([]cube.Value, len(m.Cube.Regions))
	for i, r := range m.Cube.Regions {
		for _, p := range m.outermost(r) {
			inclusive[i] = w.Metric.Fold(inclusive[i], byPath[p.Index()])
		}
		for _, p := range m.Cube.Paths() {
			if p.Region == r {
				exclusive[i] = w.Metric.Fold(exclusive[i], own[p.Index()])
			}
		}
	}
	return inclusive, exclusive, err
}

// RegionByResource returns a region's values by index of the resource.
func (m *Model) RegionByResource(w What, r *cube.Region, inclusive bool) ([]cube.Value, error) {
	paths := m.outermost(r)
	if !inclusive {
		paths = nil
		for _, p := range m.Cube.Paths() {
			if p.Region == r {
				paths = append(paths, p)
			}
		}
	}
	return m.spread(w, paths, inclusive)
}

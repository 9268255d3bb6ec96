package query

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// Model answers questions to a cube. It is safe for concurrent use.
type Model struct {
	Cube      *cube.Cube
	Metrics   []*Metric   // the visible ones, parents before children
	Resources []*Resource // parts of the system, parents before children

	byName     map[string]*Metric
	ours       bool // made by this project, whose locations are goroutines
	all        []*Metric
	of         map[*cube.Metric]*Metric
	leaves     []*Resource // by column
	columns    []int32     // of all locations
	paths      pathTree
	ids        *identifiers
	globals    *cubepl.Globals
	properties map[property]string // that initialisation has changed
	values     store
}

// Metric is a metric of the cube with what a Model knows about it.
type Metric struct {
	*cube.Metric
	Index    int // in Model.Metrics, -1 if it is hidden
	Parent   *Metric
	Children []*Metric
	Additive bool  // values of several call paths or parts of the system may be added
	Err      error // why it cannot be evaluated anywhere

	formula *formula  // nil: it has values
	integer bool      // values have no fractions
	more    *Metric   // by how much it may be more, because not all of it is certain; nil for none
	less    *Metric   // and less
	ratio   *ratio    // nil: not one of ours, or certain
	sides   []*Metric // of which it is the difference, first what is subtracted; nil: it is none
}

// Resource is a part of the system.
type Resource struct {
	Index    int    // in Model.Resources
	Name     string // "hydro (pid 17)"
	Class    string // "machine", "node", "process", "thread", "goroutine", …
	Of       cube.Resource
	Location *cube.Location // of a leaf, else nil
	Parent   *Resource
	Children []*Resource

	columns []int32 // of the locations, ascending
}

// What selects a metric: of a counter, or the root of a hierarchy of them, only what is certain. What could not be attributed exactly
// is in metrics of its own, see Bounds. Those of goroutines that ran at the same time contain each other's work.
type What struct {
	Metric *Metric
	Self   bool // without its visible children, as an expanded metric is shown

	Stored bool // with what is not certain, as expressions mean it
}

// apart says that a child of a metric is no part of its value, but what of it is uncertain.
func (q *Metric) apart(child *Metric) bool { return child.Margin() && !q.Margin() }

// New makes a model of a cube, whose metrics are shown as they are. An expression that cannot be used is an error of its
// metric, not of the model.
func New(c *cube.Cube) (*Model, error) {
	if c == nil {
		return nil, fmt.Errorf("no report")
	}
	m := &Model{Cube: c, byName: map[string]*Metric{}, of: map[*cube.Metric]*Metric{}, paths: newPathTree(c)}
	m.ours = Ours(c)
	m.addResources()
	m.ids = newIdentifiers(m)
	m.addMetrics(nil, c.Metrics)
	m.derive()
	m.margins()
	m.show(c.Metrics)
	return m, nil
}

// Load computes the totals of all visible metrics, which the first questions ask for. They need all that the file holds, so what is wrong with it shows:
// the error is of type *cube.FormatError.
func (m *Model) Load() error {
	for _, q := range m.Metrics {
		_, err := m.Total(What{Metric: q})
		if damage := (*cube.FormatError)(nil); errors.As(err, &damage) {
			return damage
		}
	}
	return nil
}

// Metric returns the metric of that unique name, visible or hidden, or nil.
func (m *Model) Metric(name string) *Metric { return m.byName[name] }

// Of returns what the model knows of a metric of its cube.
func (m *Model) Of(c *cube.Metric) *Metric { return m.of[c] }

func (m *Model) addMetrics(parent *Metric, list []*cube.Metric) {
	for _, c := range list {
		q := &Metric{Metric: c, Index: -1, Parent: parent, integer: c.DType.Integer()}
		switch {
		case c.Kind.Derived():
		case !c.DType.Numeric():
			q.Err = fmt.Errorf("%s: type %s: %w", c.Name, c.DType, cube.ErrComposite)
		default:
			q.Additive = !extreme(c.DType)
		}
		if parent != nil {
			parent.Children = append(parent.Children, q)
		}
		m.of[c] = q
		m.all = append(m.all, q)
		if m.byName[c.Name] == nil {
			m.byName[c.Name] = q
		}
		m.addMetrics(q, c.Children)
	}
}

// show lists the visible metrics, as initialisation has left them. What is below a hidden one is hidden as well.
func (m *Model) show(list []*cube.Metric) {
	for _, c := range list {
		q := m.of[c]
		q.Metric = m.changed(c)
		if q.Ghost || q.Val == "VOID" {
			continue
		}
		q.Index = len(m.Metrics)
		m.Metrics = append(m.Metrics, q)
		m.show(c.Children)
	}
}

// changed returns a metric with the properties that initialisation has changed.
func (m *Model) changed(c *cube.Metric) *cube.Metric {
	x := *c
	for name, to := range map[string]*string{"value": &x.Val, "unit": &x.Unit, "displayname": &x.Title, "url": &x.URL, "description": &x.Doc} {
		if v, ok := m.properties[property{c.Name, name}]; ok {
			*to = v
		}
	}
	if x.Val == c.Val && x.Unit == c.Unit && x.Title == c.Title && x.URL == c.URL && x.Doc == c.Doc {
		return c
	}
	return &x
}

// extreme says that values of a type are combined to the least or greatest.
func extreme(d cube.DType) bool { return d == "MINDOUBLE" || d == "MAXDOUBLE" }

func (m *Model) addResources() {
	m.leaves = make([]*Resource, len(m.Cube.Locations()))
	add := func(parent *Resource, name, class string, of cube.Resource) *Resource {
		r := &Resource{Index: len(m.Resources), Name: name, Class: class, Of: of, Parent: parent}
		m.Resources = append(m.Resources, r)
		if parent != nil {
			parent.Children = append(parent.Children, r)
		}
		return r
	}
	var visit func(parent *Resource, list []*cube.SystemNode)
	visit = func(parent *Resource, list []*cube.SystemNode) {
		for _, n := range list {
			node := add(parent, n.Name, n.Class, n)
			visit(node, n.Children)
			for _, g := range n.Groups {
				group := add(node, g.Name, m.class(g.Type, "goroutines"), g)
				for _, l := range g.Locations {
					leaf := add(group, l.Name, m.class(l.Type, "goroutine"), l)
					leaf.Location = l
					m.leaves[l.Column()] = leaf
					for r := leaf; r != nil; r = r.Parent {
						r.columns = append(r.columns, int32(l.Column()))
					}
				}
			}
		}
	}
	visit(nil, m.Cube.System)
	for i := range m.leaves {
		m.columns = append(m.columns, int32(i))
	}
	for _, r := range m.Resources {
		slices.Sort(r.columns)
	}
}

// Ours says that a report was made of traces of Go programs by this project, also if it was made of several.
func (m *Model) Ours() bool { return m.ours }

// class is what a part of the system is called: as the file says, or by its true name in a report of our own.
func (m *Model) class(written, ours string) string {
	if m.ours {
		return ours
	}
	return written
}

// pathTree is the call tree by indices.
type pathTree struct {
	parent  []int32   // -1: a root
	end     []int32   // behind the last call path below
	region  []int32   // index in Cube.Regions
	topmost []bool    // no call path above is of the same region
	of      [][]int32 // by region: its call paths, ascending
}

func newPathTree(c *cube.Cube) pathTree {
	paths, regions := c.Paths(), map[*cube.Region]int32{}
	for i, r := range c.Regions {
		regions[r] = int32(i)
	}
	t := pathTree{make([]int32, len(paths)), make([]int32, len(paths)), make([]int32, len(paths)), make([]bool, len(paths)),
		make([][]int32, len(c.Regions))}
	for i, p := range paths {
		t.parent[i], t.end[i], t.region[i], t.topmost[i] = -1, int32(i)+1, regions[p.Region], true
		if p.Parent != nil {
			t.parent[i] = int32(p.Parent.Index())
		}
		t.of[t.region[i]] = append(t.of[t.region[i]], int32(i))
	}
	for i := len(paths) - 1; i >= 0; i-- {
		if up := t.parent[i]; up >= 0 {
			t.end[up] = max(t.end[up], t.end[i])
		}
	}
	for _, list := range t.of {
		behind := int32(0)
		for _, i := range list {
			if t.topmost[i] = i >= behind; t.topmost[i] {
				behind = t.end[i]
			}
		}
	}
	return t
}

package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// identifiers number the parts of a report as expressions see them: without gaps, ascending by the numbers of the file. Parts
// of the system have two numbers, one among their like and one among all: nodes first, then groups, then locations.
type identifiers struct {
	paths     []int32 // index by identifier
	pathID    []int32 // identifier by index
	regions   []*cube.Region
	regionID  map[*cube.Region]int
	metrics   []*cube.Metric
	metricID  map[string]int
	nodes     []*Resource
	groups    []*Resource
	locations []*Resource
	systemID  []int // among their like, by Resource.Index

	once   sync.Once
	arrays map[string]cubepl.Array
}

func newIdentifiers(m *Model) *identifiers {
	d := &identifiers{regionID: map[*cube.Region]int{}, metricID: map[string]int{}, systemID: make([]int, len(m.Resources))}
	paths := m.Cube.Paths()
	d.paths, d.pathID = make([]int32, len(paths)), make([]int32, len(paths))
	for i := range paths {
		d.paths[i] = int32(i)
	}
	slices.SortFunc(d.paths, func(a, b int32) int { return cmp.Compare(paths[a].ID, paths[b].ID) })
	for id, i := range d.paths {
		d.pathID[i] = int32(id)
	}
	d.regions = slices.SortedFunc(slices.Values(m.Cube.Regions), func(a, b *cube.Region) int { return cmp.Compare(a.ID, b.ID) })
	for i, r := range d.regions {
		d.regionID[r] = i
	}
	d.metrics = slices.SortedFunc(slices.Values(m.Cube.AllMetrics()), func(a, b *cube.Metric) int { return cmp.Compare(a.ID, b.ID) })
	for i, x := range d.metrics {
		d.metricID[x.Name] = i
	}
	for _, r := range m.Resources {
		list, _ := d.kind(r)
		*list = append(*list, r)
	}
	for _, list := range [][]*Resource{d.nodes, d.groups, d.locations} {
		slices.SortFunc(list, func(a, b *Resource) int { return cmp.Compare(number(a.Of), number(b.Of)) })
		for i, r := range list {
			d.systemID[r.Index] = i
		}
	}
	return d
}

// number returns the file's number of a part of the system.
func number(of cube.Resource) int {
	switch x := of.(type) {
	case *cube.SystemNode:
		return x.ID
	case *cube.LocationGroup:
		return x.ID
	case *cube.Location:
		return x.ID
	}
	return 0
}

// kind returns the list that a part of the system is in, and the number of its kind.
func (d *identifiers) kind(r *Resource) (*[]*Resource, int) {
	switch r.Of.(type) {
	case *cube.SystemNode:
		return &d.nodes, 5
	case *cube.LocationGroup:
		return &d.groups, 6
	}
	return &d.locations, 7
}

// path returns the index of a call path.
func (d *identifiers) path(id int) (int32, bool) {
	if id < 0 || id >= len(d.paths) {
		return 0, false
	}
	return d.paths[id], true
}

// resource returns the part of the system with a number among all, nil if there is none.
func (d *identifiers) resource(id int) *Resource {
	for _, list := range [][]*Resource{d.nodes, d.groups, d.locations} {
		if id >= 0 && id < len(list) {
			return list[id]
		}
		id -= len(list)
	}
	return nil
}

// global returns the number of a part of the system among all, -1 for none.
func (d *identifiers) global(r *Resource) int {
	if r == nil {
		return -1
	}
	id := d.systemID[r.Index]
	switch r.Of.(type) {
	case *cube.LocationGroup:
		id += len(d.nodes)
	case *cube.Location:
		id += len(d.nodes) + len(d.groups)
	}
	return id
}

// list is an array of fixed values.
type list []cubepl.Value

func (l list) Len() int              { return len(l) }
func (l list) At(i int) cubepl.Value { return l[i] }

func numbers[T any](of []T, value func(T) int) cubepl.Array {
	l := make(list, len(of))
	for i, x := range of {
		l[i] = cubepl.Number(float64(value(x)))
	}
	return l
}

func texts[T any](of []T, value func(T) string) cubepl.Array {
	l := make(list, len(of))
	for i, x := range of {
		l[i] = cubepl.Text(value(x))
	}
	return l
}

func count(n int) cubepl.Array { return list{cubepl.Number(float64(n))} }

// Array returns a predefined variable.
func (e *environment) Array(name string) cubepl.Array {
	if strings.HasPrefix(name, "calculation::") {
		return e.calculation(name)
	}
	e.m.ids.once.Do(func() { e.m.ids.fill(e.m) })
	if a := e.m.ids.arrays[name]; a != nil {
		return a
	}
	return nil
}

// fill makes the variables that do not depend on the place of a calculation.
func (d *identifiers) fill(m *Model) {
	c := m.Cube
	a := map[string]cubepl.Array{
		"cube::#mirrors": count(len(c.Mirrors)), "cube::#metrics": count(len(d.metrics)), "cube::#root::metrics": count(len(c.Metrics)),
		"cube::#regions": count(len(d.regions)), "cube::#callpaths": count(len(d.paths)), "cube::#root::callpaths": count(len(c.Roots)),
		"cube::#stns": count(len(d.nodes)), "cube::#rootstns": count(len(c.System)),
	}
	region := func(f func(*cube.Region) string) cubepl.Array { return texts(d.regions, f) }
	a["cube::region::name"] = region(func(r *cube.Region) string { return r.Name })
	a["cube::region::mangled::name"] = region(func(r *cube.Region) string { return r.Mangled })
	a["cube::region::paradigm"] = region(func(r *cube.Region) string { return r.Paradigm })
	a["cube::region::role"] = region(func(r *cube.Region) string { return r.Role })
	a["cube::region::url"] = region(func(r *cube.Region) string { return r.URL })
	a["cube::region::description"] = region(func(r *cube.Region) string { return r.Doc })
	a["cube::region::mod"] = region(func(r *cube.Region) string { return r.Module })
	a["cube::region::begin::line"] = numbers(d.regions, func(r *cube.Region) int { return r.Begin })
	a["cube::region::end::line"] = numbers(d.regions, func(r *cube.Region) int { return r.End })

	paths := c.Paths()
	a["cube::callpath::mod"] = texts(d.paths, func(i int32) string { return paths[i].Module })
	a["cube::callpath::line"] = numbers(d.paths, func(i int32) int { return paths[i].Line })
	a["cube::callpath::#children"] = numbers(d.paths, func(i int32) int { return len(paths[i].Children) })
	a["cube::callpath::calleeid"] = numbers(d.paths, func(i int32) int { return d.regionID[paths[i].Region] })
	a["cube::callpath::parent::id"] = numbers(d.paths, func(i int32) int {
		if up := m.paths.parent[i]; up >= 0 {
			return int(d.pathID[up])
		}
		return -1
	})
	d.fillMetrics(a)
	d.fillSystem(a)
	d.arrays = a
}

func (d *identifiers) fillMetrics(a map[string]cubepl.Array) {
	metric := func(f func(*cube.Metric) string) cubepl.Array { return texts(d.metrics, f) }
	expression := func(element string) cubepl.Array {
		return metric(func(m *cube.Metric) string {
			for _, x := range m.Expressions {
				if x.Element == element {
					return x.Text
				}
			}
			return ""
		})
	}
	a["cube::metric::uniq::name"] = metric(func(m *cube.Metric) string { return m.Name })
	a["cube::metric::disp::name"] = metric(func(m *cube.Metric) string { return m.Title })
	a["cube::metric::url"] = metric(func(m *cube.Metric) string { return m.URL })
	a["cube::metric::description"] = metric(func(m *cube.Metric) string { return m.Doc })
	a["cube::metric::dtype"] = metric(func(m *cube.Metric) string { return string(m.DType) })
	a["cube::metric::uom"] = metric(func(m *cube.Metric) string { return m.Unit })
	a["cube::metric::expression"] = expression("cubepl")
	a["cube::metric::initexpression"] = expression("cubeplinit")
	a["cube::metric::#children"] = numbers(d.metrics, func(m *cube.Metric) int { return len(m.Children) })
	a["cube::metric::parent::id"] = numbers(d.metrics, func(m *cube.Metric) int {
		if m.Parent == nil {
			return -1
		}
		return d.metricID[m.Parent.Name]
	})
}

func (d *identifiers) fillSystem(a map[string]cubepl.Array) {
	parent := func(r *Resource) int {
		if r.Parent == nil {
			return -1
		}
		return d.systemID[r.Parent.Index]
	}
	common := func(prefix string, list []*Resource) {
		a[prefix+"name"] = texts(list, func(r *Resource) string { return r.Name })
		a[prefix+"parent::id"] = numbers(list, parent)
		a[prefix+"parent::sysid"] = numbers(list, func(r *Resource) int { return d.global(r.Parent) })
	}
	common("cube::stn::", d.nodes)
	node := func(r *Resource) *cube.SystemNode { return r.Of.(*cube.SystemNode) }
	a["cube::stn::description"] = texts(d.nodes, func(r *Resource) string { return node(r).Doc })
	a["cube::stn::class"] = texts(d.nodes, func(r *Resource) string { return node(r).Class })
	a["cube::stn::#children"] = numbers(d.nodes, func(r *Resource) int { return len(node(r).Children) })
	a["cube::stn::#locationgroups"] = numbers(d.nodes, func(r *Resource) int { return len(node(r).Groups) })

	common("cube::locationgroup::", d.groups)
	group := func(r *Resource) *cube.LocationGroup { return r.Of.(*cube.LocationGroup) }
	a["cube::locationgroup::rank"] = numbers(d.groups, func(r *Resource) int { return group(r).Rank })
	a["cube::locationgroup::type"] = texts(d.groups, func(r *Resource) string { return group(r).Type })
	a["cube::locationgroup::#locations"] = numbers(d.groups, func(r *Resource) int { return len(group(r).Locations) })

	common("cube::location::", d.locations)
	location := func(r *Resource) *cube.Location { return r.Of.(*cube.Location) }
	a["cube::location::rank"] = numbers(d.locations, func(r *Resource) int { return location(r).Rank })
	a["cube::location::type"] = texts(d.locations, func(r *Resource) string { return location(r).Type })

	for kind, list := range map[string][]*Resource{"locationgroup": d.groups, "location": d.locations} {
		void := 0
		a["cube::"+kind+"::void"] = numbers(list, func(r *Resource) int {
			if r.Name == "VOID" {
				void++
				return 1
			}
			return 0
		})
		a["cube::#"+kind+"s"] = count(len(list))
		a["cube::#"+kind+"s::void"] = count(void)
		a["cube::#"+kind+"s::nonvoid"] = count(len(list) - void)
	}
}

// property is a text that belongs to a metric.
type property struct{ metric, name string }

// Property returns a property of a metric.
func (e *environment) Property(metric, name string) (string, error) {
	q := e.m.byName[metric]
	if q == nil {
		return "", fmt.Errorf("the report has no such metric")
	}
	if v, ok := e.m.properties[property{metric, name}]; ok {
		return v, nil
	}
	switch name {
	case "value":
		return q.Val, nil
	case "unit", "uom":
		return q.Unit, nil
	case "displayname", "disp_name", "disp::name":
		return q.Title, nil
	case "uniqname", "uniq_name", "uniq::name":
		return q.Name, nil
	case "dtype":
		return string(q.DType), nil
	case "url":
		return q.URL, nil
	case "description", "descr":
		return q.Doc, nil
	}
	for _, a := range q.Attrs {
		if a.Key == name {
			return a.Value, nil
		}
	}
	return "", fmt.Errorf("it has no property %q", name)
}

// SetProperty changes a property of a metric in this model; the cube stays as it is.
func (e *environment) SetProperty(metric, name, value string) error {
	q := e.m.byName[metric]
	switch {
	case !e.initial:
		return fmt.Errorf("properties can only be set by initialisation")
	case q == nil:
		return nil // what the hierarchy does not have needs not be hidden
	}
	e.m.properties[property{metric, name}] = value
	return nil
}

package query

import "tracerec/report/cubepl"

// calculation returns a variable that says where a calculation is. A selection of several call paths, or of the whole system,
// has several elements.
func (e *environment) calculation(name string) cubepl.Array {
	d := e.m.ids
	region := func(i int32) int { return d.regionID[e.m.Cube.Regions[i]] }
	switch name {
	case "calculation::metric::id":
		return moving{func() []int {
			if id, ok := d.metricID[e.calculated.Name]; ok {
				return []int{id}
			}
			return []int{-1}
		}}
	case "calculation::callpath::id":
		return here{e}
	case "calculation::callpath::state":
		return e.each(e.selectedPaths, func(int32) int {
			if e.sel.inclusive {
				return 0
			}
			return 1
		})
	case "calculation::callpath::#elements":
		return moving{func() []int { return []int{len(e.selectedPaths())} }}
	case "calculation::region::id":
		return e.each(e.selectedRegions, region)
	case "calculation::region::#elements":
		return moving{func() []int { return []int{len(e.selectedRegions())} }}
	case "calculation::sysres::id":
		return e.each(e.selectedSystem, func(i int32) int { return d.systemID[i] })
	case "calculation::sysres::sysid":
		return e.each(e.selectedSystem, func(i int32) int { return d.global(e.m.Resources[i]) })
	case "calculation::sysres::kind":
		return e.each(e.selectedSystem, func(i int32) int { _, kind := d.kind(e.m.Resources[i]); return kind })
	case "calculation::sysres::state":
		return e.each(e.selectedSystem, func(int32) int { return 0 })
	case "calculation::sysres::#elements":
		return moving{func() []int { return []int{len(e.selectedSystem())} }}
	}
	return nil
}

// moving is a variable whose elements follow the place of the calculation.
type moving struct{ elements func() []int }

func (v moving) Len() int              { return len(v.elements()) }
func (v moving) At(i int) cubepl.Value { return cubepl.Number(float64(v.elements()[i])) }

func (e *environment) each(list func() []int32, value func(int32) int) cubepl.Array {
	return moving{func() []int {
		var all []int
		for _, i := range list() {
			all = append(all, value(i))
		}
		return all
	}}
}

// here is the call path of the calculation: what expressions ask for most.
type here struct{ *environment }

func (h here) Len() int {
	if h.sel.path != none {
		return 1
	}
	return len(h.selectedPaths())
}

func (h here) At(i int) cubepl.Value {
	path := h.sel.path
	if path == none {
		path = h.selectedPaths()[i]
	}
	return cubepl.Number(float64(h.m.ids.pathID[path]))
}

// selectedPaths lists the call paths that are selected, by index: those of a region, or the roots.
func (e *environment) selectedPaths() []int32 {
	switch t := &e.m.paths; {
	case e.sel.path != none:
		return []int32{e.sel.path}
	case e.sel.region != none:
		var list []int32
		for _, i := range t.of[e.sel.region] {
			if !e.sel.inclusive || t.topmost[i] {
				list = append(list, i)
			}
		}
		return list
	}
	return e.m.paths.roots()
}

// selectedRegions lists the regions that are selected, by their place in Cube.Regions.
func (e *environment) selectedRegions() []int32 {
	switch {
	case e.sel.path != none:
		return []int32{e.m.paths.region[e.sel.path]}
	case e.sel.region != none:
		return []int32{e.sel.region}
	}
	var list []int32
	for _, i := range e.m.paths.roots() {
		list = append(list, e.m.paths.region[i])
	}
	return list
}

// selectedSystem lists the parts of the system that are selected, by Resource.Index: the part, or the roots.
func (e *environment) selectedSystem() []int32 {
	if e.at != nil {
		return []int32{int32(e.at.Index)}
	}
	var list []int32
	for _, r := range e.m.Resources {
		if r.Parent == nil {
			list = append(list, int32(r.Index))
		}
	}
	return list
}

// roots lists the roots of the call tree.
func (t *pathTree) roots() []int32 {
	var list []int32
	for i := int32(0); int(i) < len(t.end); i = t.end[i] {
		list = append(list, i)
	}
	return list
}

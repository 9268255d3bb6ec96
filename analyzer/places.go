package analyzer

import (
	"regexp"

	"tracerec/trace"
)

// places says where locations go in the report.
type places struct {
	fold   []uint32 // by location: its reported location
	group  []int32  // by location
	folded []uint32 // by group: the reported location of its first member
	groups []placeGroup
	locs   []placeLocation
}

type placeGroup struct {
	name        string
	creatorPath uint32
	count       int
	entered     uint32 // the first region that its members entered
	mixed       bool   // not all the same
}

func (g *placeGroup) add(l *location) {
	g.count++
	g.mixed = g.mixed || l.entered != g.entered
}

// functionLiteral matches the names that the compiler gives to functions without one. They say little to people.
var functionLiteral = regexp.MustCompile(`\.(func|gowrap)\d+(\.\d+)*$`)

// role returns the region that a location is grouped by.
func (s *scan) role(l *location) uint32 {
	if l.begun == s.regions.goroutine {
		return l.entered
	}
	return l.begun
}

type placeLocation struct {
	first uint32 // location, the first if several are folded
	count int
	index int // number within those of the same name
}

// maxLocations is the number of locations beyond which those of a group are folded.
const maxLocations = 4096

// place groups the locations and finds their places in the report.
func (s *scan) place(v *lives) *places {
	type key struct {
		process int
		name    string
		creator uint32
	}
	n := len(s.locations)
	p := &places{fold: make([]uint32, n), group: make([]int32, n)}
	index := map[key]int32{}
	lastGroup, last := int32(0), key{process: -1}
	for i := range s.locations {
		l := &s.locations[i]
		if !l.seen {
			continue
		}
		k := key{s.defs.Locations[i].Process, s.regions.list[s.role(l)].Name, l.creatorPath}
		if v.main[k.process] == uint32(i) {
			k.name = "main"
		}
		if k == last { // mostly
			p.group[i] = lastGroup
			p.groups[lastGroup].add(l)
			continue
		}
		g, ok := index[k]
		last = k
		if !ok {
			g = int32(len(p.groups))
			index[k] = g
			p.groups = append(p.groups, placeGroup{name: k.name, creatorPath: l.creatorPath, entered: l.entered})
		}
		lastGroup = g
		p.group[i] = g
		p.groups[g].add(l)
	}
	for i := range p.groups {
		g := &p.groups[i]
		if functionLiteral.MatchString(g.name) && !g.mixed && g.entered != s.regions.goroutine {
			g.name = s.regions.list[g.entered].Name
		}
	}
	p.locate(s)
	return p
}

// locate gives every location, or every group of them, its place in the report.
func (p *places) locate(s *scan) {
	live := 0
	for i := range p.groups {
		live += p.groups[i].count
	}
	members := map[string]int{}
	p.folded = make([]uint32, len(p.groups))
	for i := range p.folded {
		p.folded[i] = uint32(trace.NoLocation)
	}
	for i := range s.locations {
		if !s.locations[i].seen {
			p.fold[i] = uint32(trace.NoLocation)
			continue
		}
		g := p.group[i]
		first := p.folded[g] == uint32(trace.NoLocation)
		if live > maxLocations && !first {
			p.fold[i] = p.folded[g]
			p.locs[p.fold[i]].count++
			continue
		}
		name := p.groups[g].name
		p.fold[i] = uint32(len(p.locs))
		p.locs = append(p.locs, placeLocation{first: uint32(i), count: 1, index: members[name]})
		members[name]++
		if first {
			p.folded[g] = p.fold[i]
		}
	}
	for i := range p.locs {
		if members[p.groups[p.group[p.locs[i].first]].name] == 1 {
			p.locs[i].index = -1
		}
	}
}

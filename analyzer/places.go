package analyzer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// places says where locations go in the report.
type places struct {
	reported []uint32 // by location: its reported location
	group    []int32  // by location
	kin      []int32  // by group: the first one of the same process and name, wherever its members were started
	first    []uint32 // by group: the reported location of its first member
	groups   []placeGroup
	locs     []placeLocation
	tests    []string       // by location: the test or benchmark that it runs, "" for none; nil if none does
	parts    []report.Crowd // groups that were collapsed
}

type placeGroup struct {
	name        string
	tested      string // its name before, if it is now what the names of its tests begin with
	begun       uint32 // its role
	creatorPath uint32
	count       int
	literal     bool // the function is one
	foreign     bool // it is of another module than the standard library
	process     int  // that of the first one
	spread      bool // not that of all
}

func (g *placeGroup) add(process int) {
	g.count++
	g.spread = g.spread || process != g.process
}

// vague says whether the function of a group may say little.
func (g *placeGroup) vague() bool { return g.literal || g.foreign }

// take gives the group the name of what its function calls. That may be a literal where it is what a go statement calls.
func (g *placeGroup) take(name string) {
	g.literal = strings.HasSuffix(g.name, wire.GoStatement) && functionLiteral.MatchString(name)
	g.name = name
}

// functionLiteral matches the names that the compiler gives to functions without one, and those of go statements that call the value of a variable. They say little
// to people.
var functionLiteral = regexp.MustCompile(`\.(func|gowrap)\d+(\.\d+)*$| \(go\)$`)

// runs says whether a function only runs what it is given, such as another one that it called, in which case its name says little: it is of a module that is not
// of the standard library, nor of the other one's package.
func (r *regions) runs(function, called uint32) bool {
	return r.foreign(function) && wire.Package(r.list[function].Func) != wire.Package(r.list[called].Func)
}

// ofProgram says whether a function is of the program itself, not of a library.
func (r *regions) ofProgram(function uint32) bool {
	return wire.OfProgram(r.list[function].Func, r.list[function].File)
}

// foreign says whether a function is of a module that is not of the standard library.
func (r *regions) foreign(function uint32) bool {
	first, _, _ := strings.Cut(wire.Package(r.list[function].Func), "/")
	return strings.Contains(first, ".")
}

// A call is of a region by the goroutines of a group, in what they began with.
type call struct {
	group  int32
	region uint32
}

// rename gives groups whose function says little the name of the region that it calls, if its goroutines are there for more than nine tenths of the time in which they
// are not in an operation that the function itself calls: a worker waits so for its next task. That must also be so of all groups of the function that call
// the region, taken together: else it does more than that, and keeps its name. Of a function of the program itself that must be so of each of its groups, as a pool in it that runs this for one
// and that for another is known by its own name. It says whether a new name may say little as well: what a go statement calls may be a literal.
func (p *places) rename(s *scan) (again bool) {
	if !slices.ContainsFunc(p.groups, func(g placeGroup) bool { return g.vague() }) {
		return false
	}
	first := s.paths.first()
	all, in := make([]int64, len(p.groups)), map[call]int64{}
	s.eachCell(func(c *scanCell) {
		g := p.group[c.loc]
		if !p.groups[g].vague() {
			return
		}
		switch called := p.groups[g].calls(s, first[c.path]); {
		case called == noPath:
			all[g] += c.time
		case s.paths.nodes[called].kind == wire.Enter:
			all[g] += c.time
			in[call{g, s.paths.nodes[called].region}] += c.time
		}
	})
	type deed struct{ function, called uint32 }
	total, part := map[deed]int64{}, map[deed]int64{} // of all groups of a function that call a region
	for c, time := range in {
		d := deed{p.groups[c.group].begun, c.region}
		total[d] += all[c.group]
		part[d] += time
	}
	differ := map[deed]bool{} // a function of the program, of which a group does something else
	for g := range p.groups {
		x := &p.groups[g]
		if all[g] == 0 || !x.vague() || !s.regions.ofProgram(x.begun) {
			continue
		}
		for d := range part {
			if d.function == x.begun && !mostly(in[call{int32(g), d.called}], all[g]) {
				differ[d] = true
			}
		}
	}
	for c, time := range in {
		g := &p.groups[c.group]
		d := deed{g.begun, c.region}
		if mostly(time, all[c.group]) && mostly(part[d], total[d]) && !differ[d] && (g.literal || s.regions.runs(g.begun, c.region)) {
			g.take(s.regions.list[c.region].Name)
			again = again || g.literal
		}
	}
	return again
}

// calls returns the call by what the goroutines of a group began with, of the outermost two of a path; noPath if it is in none. A literal may be a region itself; another
// function that is one is of the program, or of what the user wants to see, and keeps its name.
func (g *placeGroup) calls(s *scan, first [2]uint32) uint32 {
	n := &s.paths.nodes[first[0]]
	if n.kind == wire.Begin || n.kind == wire.Enter && s.regions.list[n.region].Name == g.name && g.literal {
		return first[1]
	}
	return first[0]
}

// role returns the region that a location is grouped by.
func (s *scan) role(l *location) uint32 {
	if l.begun == s.regions.goroutine {
		return l.entered
	}
	return l.begun
}

type placeLocation struct {
	name  string
	first uint32 // location, the first if several are collapsed
	count int
	index int // number within those of the same name
}

// defaultLocations is the number of locations beyond which those of a group are collapsed, unless told.
const defaultLocations = 4096

// place groups the locations and finds their places in the report, which are no more than most if the groups are not.
func (s *scan) place(v *lives, most int) *places {
	type key struct {
		process int
		name    string
		creator uint32
	}
	n := len(s.locations)
	p := &places{reported: make([]uint32, n), group: make([]int32, n)}
	index := map[key]int32{}
	lastGroup, last := int32(0), key{process: -1}
	for i := range s.locations {
		l := &s.locations[i]
		if !l.seen {
			continue
		}
		role := s.role(l)
		k := key{s.defs.Locations[i].Process, s.regions.list[role].Name, l.creatorPath}
		if v.main[k.process] == uint32(i) {
			k.name = "main"
		}
		if name := s.defs.Locations[i].Name; name != "" {
			k = key{name: name, creator: noPath} // what threads of all processes do as one program
		}
		if k == last { // mostly
			p.group[i] = lastGroup
			p.groups[lastGroup].add(s.defs.Locations[i].Process)
			continue
		}
		g, ok := index[k]
		last = k
		if !ok {
			g = int32(len(p.groups))
			index[k] = g
			p.groups = append(p.groups, placeGroup{name: k.name, begun: role, creatorPath: k.creator, literal: functionLiteral.MatchString(k.name), foreign: k.name != "main" && s.regions.foreign(role), process: s.defs.Locations[i].Process})
		}
		lastGroup = g
		p.group[i] = g
		p.groups[g].add(s.defs.Locations[i].Process)
	}
	p.split(s)
	for p.rename(s) {
	}
	p.nameTests(s)
	p.relate()
	p.locate(s, p.crowds(most))
	return p
}

// relate finds the groups that differ only in where they were started.
func (p *places) relate() {
	type key struct {
		process int
		name    string
	}
	first := map[key]int32{}
	p.kin = make([]int32, len(p.groups))
	for g := range p.groups {
		k := key{p.groups[g].process, p.groups[g].name}
		if _, known := first[k]; !known {
			first[k] = int32(g)
		}
		p.kin[g] = first[k]
	}
}

// crowds says which groups are collapsed so that there are at most so many locations: the largest, as few as possible. Those of several processes are not.
func (p *places) crowds(most int) []bool {
	order, left := make([]int, len(p.groups)), 0
	for i := range order {
		order[i] = i
		left += p.groups[i].count
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.groups[b].count, p.groups[a].count) })
	collapsed := make([]bool, len(p.groups))
	for _, g := range order {
		if left <= most || p.groups[g].count == 1 {
			break
		}
		if p.groups[g].spread {
			continue
		}
		left -= p.groups[g].count - 1
		collapsed[g] = true
		p.parts = append(p.parts, report.Crowd{Name: p.groups[g].name, Count: p.groups[g].count, Groups: 1})
	}
	return collapsed
}

// locate gives every location, or every group of them, its place in the report.
func (p *places) locate(s *scan, collapsed []bool) {
	members := map[string]int{}
	p.first = make([]uint32, len(p.groups))
	for i := range p.first {
		p.first[i] = uint32(trace.NoLocation)
	}
	for i := range s.locations {
		if !s.locations[i].seen {
			p.reported[i] = uint32(trace.NoLocation)
			continue
		}
		g := p.group[i]
		first := p.first[g] == uint32(trace.NoLocation)
		if collapsed[g] && !first {
			p.reported[i] = p.first[g]
			p.locs[p.reported[i]].count++
			continue
		}
		name := p.name(uint32(i), collapsed[g])
		p.reported[i] = uint32(len(p.locs))
		p.locs = append(p.locs, placeLocation{name: name, first: uint32(i), count: 1, index: members[name]})
		members[name]++
		if first {
			p.first[g] = p.reported[i]
		}
	}
	for i := range p.locs {
		if members[p.locs[i].name] == 1 {
			p.locs[i].index = -1
		}
	}
}

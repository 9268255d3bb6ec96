package analyzer

import (
	"slices"

	"tracerec/trace/wire"
)

// What a goroutine called itself, if that was not a single function once.
const (
	nothing = ^uint32(0)
	several = nothing - 1
)

// split divides groups whose function says little, such as that of a go statement which runs what it is given, if each goroutine calls one function, once, and not all the same: by that
// function. As rename wants it, they are in it for more than nine tenths of the time in which they are not in an operation that their own function calls; where that is of the program itself, of all time: else it is a
// worker, which waits for one task or another.
func (p *places) split(s *scan) {
	if !slices.ContainsFunc(p.groups, func(g placeGroup) bool { return g.vague() && g.count > 1 }) {
		return
	}
	first := s.paths.first()
	called := p.called(s, first)
	functions := p.functions(called)
	if len(functions) == 0 {
		return
	}
	all, in := map[call]int64{}, map[call]int64{}
	s.eachCell(func(c *scanCell) {
		g := p.group[c.loc]
		if functions[g] < 2 {
			return
		}
		part := call{g, called[c.loc]}
		switch n := p.groups[g].calls(s, first[c.path]); {
		case n == noPath, s.paths.nodes[n].kind != wire.Enter && s.regions.ofProgram(p.groups[g].begun):
			all[part] += c.time
		case s.paths.nodes[n].kind == wire.Enter:
			all[part] += c.time
			in[part] += c.time
		}
	})
	for part, time := range all {
		if part.region != nothing && !mostly(in[part], time) {
			delete(functions, part.group)
		}
	}
	p.divide(s, called, functions)
}

// mostly says whether a part of a time is more than nine tenths of it.
func mostly(part, all int64) bool { return all-part < (all+9)/10 }

// called returns by location which region it called itself, once and no other.
func (p *places) called(s *scan, first [][2]uint32) []uint32 {
	called := make([]uint32, len(p.group))
	for i := range called {
		called[i] = nothing
	}
	s.eachCell(func(c *scanCell) {
		g := &p.groups[p.group[c.loc]]
		if c.visits == 0 || g.count == 1 || !g.vague() || g.calls(s, first[c.path]) != c.path || s.paths.nodes[c.path].kind != wire.Enter {
			return
		}
		region := s.paths.nodes[c.path].region
		if c.visits > 1 || called[c.loc] != nothing || !g.literal && !s.regions.runs(g.begun, region) {
			region = several
		}
		called[c.loc] = region
	})
	return called
}

// functions returns how many functions the goroutines of a group called, of groups of which each called one: those with two or more.
func (p *places) functions(called []uint32) map[int32]int {
	seen, n := map[call]bool{}, map[int32]int{}
	for i, region := range called {
		g := p.group[i]
		if !p.groups[g].vague() || region == nothing || seen[call{g, region}] {
			continue
		}
		seen[call{g, region}] = true
		n[g]++
	}
	for g := range n {
		if n[g] < 2 || seen[call{g, several}] {
			delete(n, g)
		}
	}
	return n
}

// divide makes groups of the parts of others. That of the first member comes in the place of the whole.
func (p *places) divide(s *scan, called []uint32, which map[int32]int) {
	wholes, index, begun := slices.Clone(p.groups), map[call]int32{}, map[int32]bool{}
	for i, region := range called {
		whole := p.group[i]
		if which[whole] == 0 || !s.locations[i].seen {
			continue
		}
		g, ok := index[call{whole, region}]
		if !ok {
			g = whole
			if begun[whole] {
				g = int32(len(p.groups))
				p.groups = append(p.groups, placeGroup{})
			}
			index[call{whole, region}], begun[whole] = g, true
			p.groups[g] = wholes[whole]
			p.groups[g].count, p.groups[g].process, p.groups[g].spread = 0, s.defs.Locations[i].Process, false
			if region != nothing {
				p.groups[g].take(s.regions.list[region].Name)
			}
		}
		p.group[i] = g
		p.groups[g].add(s.defs.Locations[i].Process)
	}
}

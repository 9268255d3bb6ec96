package analyzer

import (
	"slices"
	"strings"

	"tracerec/report"
	"tracerec/trace/wire"
)

// nameTests names goroutines that run a test or a benchmark after that: what they call first that is not of package testing. Their groups get what these names begin with: "TestParse*".
func (p *places) nameTests(s *scan) {
	if !slices.ContainsFunc(p.groups, func(g placeGroup) bool { return report.RunsTest(g.name) }) {
		return
	}
	runs, first := make([]uint32, len(p.group)), s.paths.first()
	for i := range runs {
		runs[i] = nothing
	}
	s.eachCell(func(c *scanCell) {
		if !report.RunsTest(p.groups[p.group[c.loc]].name) {
			return
		}
		for _, n := range first[c.path] {
			if n == noPath || s.paths.nodes[n].kind != wire.Enter || s.regions.testing[s.paths.nodes[n].region] {
				continue
			}
			if region := s.paths.nodes[n].region; runs[c.loc] == nothing || runs[c.loc] == region {
				runs[c.loc] = region
			} else {
				runs[c.loc] = several
			}
			break
		}
	})
	p.tests = make([]string, len(p.group))
	for i, region := range runs {
		if region == nothing || region == several {
			continue
		}
		p.tests[i] = s.regions.list[region].Name
		if g := &p.groups[p.group[i]]; g.tested == "" {
			g.tested, g.name = g.name, p.tests[i]
		} else if g.name != p.tests[i] {
			g.name = common(strings.TrimSuffix(g.name, "*"), p.tests[i]) + "*"
		}
	}
}

// common returns what both texts begin with.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// name returns the name of a location, which may be that of its group.
func (p *places) name(location uint32, collapsed bool) string {
	if p.tests != nil && p.tests[location] != "" && !collapsed {
		return p.tests[location]
	}
	g := &p.groups[p.group[location]]
	if g.tested != "" && !collapsed {
		return g.tested // of a test that is not known
	}
	return g.name
}

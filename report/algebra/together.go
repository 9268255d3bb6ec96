package algebra

import (
	"fmt"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// together finds out which metrics have the same value if all locations of a run are taken for one, which is all that is known of a
// run. That is so for sums, and for everything computed from sums for the selection as a whole. It is not for what is computed for
// each location by a formula that is not linear, or that looks at the rest of the system.
type together struct {
	cube  *cube.Cube
	known map[string]bool
	sums  map[string]bool
}

// ofLocations begin the names of variables that depend on the system.
var ofLocations = []string{"cube::#location", "cube::location", "cube::#stns", "cube::#rootstns", "cube::stn", "calculation::sysres"}

// check returns why a metric has no value for single runs.
func (c *together) check(name string) error {
	if !c.of(name, c.known, c.same) {
		return fmt.Errorf("metric %s is not known of single runs: it is computed for each location", name)
	}
	return nil
}

// of answers a question about a metric once. A metric that depends on itself has no value, so what is answered does not matter.
func (c *together) of(name string, known map[string]bool, ask func(*cube.Metric) bool) bool {
	answer, ok := known[name]
	if ok {
		return answer
	}
	known[name] = true
	if m := c.cube.Metric(name); m != nil && m.Kind.Derived() {
		known[name] = ask(m)
	}
	return known[name]
}

// same says that a derived metric has the same value.
func (c *together) same(m *cube.Metric) bool {
	for _, x := range m.Expressions {
		p, err := cubepl.Parse(x.Text)
		switch {
		case err != nil || !here(p):
			return false
		case x.Element == "cubeplinit":
			continue
		case m.Kind != cube.PostDerived && (x.Element != "cubepl" || !p.Linear(c.sum)):
			return false
		}
		for _, name := range p.Metrics() {
			if !c.of(name, c.known, c.same) {
				return false
			}
		}
	}
	return true
}

// here says that a program does not look at the rest of the system.
func here(p *cubepl.Program) bool {
	for _, r := range p.References() {
		if r.Elsewhere {
			return false
		}
	}
	for _, v := range p.Variables() {
		for _, prefix := range ofLocations {
			if strings.HasPrefix(v, prefix) {
				return false
			}
		}
	}
	return len(p.Definitions()) == 0
}

// sum says that a metric's values of several locations together are their sum.
func (c *together) sum(name string) bool {
	if m := c.cube.Metric(name); m == nil || extreme(m) {
		return false
	}
	return c.of(name, c.sums, func(m *cube.Metric) bool {
		for _, x := range m.Expressions {
			if p, err := cubepl.Parse(x.Text); err != nil || x.Element == "cubepl" && !p.Linear(c.sum) || x.Element == "cubeplaggr" {
				return false
			}
		}
		return true
	})
}

package cubepl

import "slices"

// Reference is a metric as a program refers to it.
type Reference struct {
	Metric      string
	CallFlavour Flavour // Same if the program does not say
	System      Flavour
	Elsewhere   bool // not at the place of the calculation: metric::fixed or metric::call
}

// References returns how the program refers to metrics, each way once, in source order. Those of definitions in it are not among
// them.
func (p *Program) References() []Reference {
	var list []Reference
	p.each(func(n node) {
		r, ok := n.(*reference)
		if !ok {
			return
		}
		x := Reference{Metric: p.metrics[r.slot], Elsewhere: r.scope != ""}
		if len(r.flavours) > 0 {
			x.CallFlavour = r.flavours[0]
		}
		if len(r.flavours) > 1 {
			x.System = r.flavours[1]
		}
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	})
	return list
}

// Variables returns the names of all variables in the program, also of predefined ones, sorted.
func (p *Program) Variables() []string { return slices.Sorted(slices.Values(p.variables)) }

// Assigned returns the names of the variables that the program assigns to, sorted.
func (p *Program) Assigned() []string {
	var list []string
	p.each(func(n node) {
		if a, ok := n.(*assignment); ok {
			list = append(list, p.variables[a.target.slot])
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// Sets says that the program changes properties of metrics.
func (p *Program) Sets() bool {
	found := false
	p.each(func(n node) {
		_, is := n.(*setProperty)
		found = found || is
	})
	return found
}

// each visits all parts of the program in source order, parents first.
func (p *Program) each(visit func(node)) {
	var one func(n node)
	all := func(list ...node) {
		for _, n := range list {
			if n != nil {
				one(n)
			}
		}
	}
	body := func(list []statement) {
		for _, s := range list {
			one(s.node)
		}
	}
	one = func(n node) {
		visit(n)
		switch n := n.(type) {
		case *variable:
			all(n.index)
		case *unary:
			all(n.x)
		case *operation:
			all(n.x, n.y)
		case *match:
			all(n.x)
		case *call:
			all(n.args...)
		case *reference:
			all(n.callPath, n.system)
		case *block:
			body(n.statements)
			all(n.result)
		case *assignment:
			all(n.target, n.value)
		case *branch:
			body(n.conditions)
			for _, b := range n.blocks {
				body(b)
			}
		case *loop:
			one(n.condition.node)
			body(n.body)
		}
	}
	one(p.root)
}

// Clone returns a copy, for who evaluates programs that assign to global variables.
func (g *Globals) Clone() *Globals {
	c := &Globals{arrays: make(map[string]*array, len(g.arrays)), cells: g.cells}
	for name, a := range g.arrays {
		c.arrays[name] = a.clone()
	}
	return c
}

// Has says that a global variable of this name is declared.
func (g *Globals) Has(name string) bool { return g.arrays[name] != nil }

package cubepl

import "slices"

// degree says how a value depends on metrics.
type degree uint8

const (
	nothing degree = iota // it is 0
	free                  // not at all
	linear                // it is a sum of metrics, each times something that is free
	other
)

// plus is the degree of a sum, or of what is one or the other.
func (d degree) plus(e degree) degree {
	switch {
	case d == nothing:
		return e
	case e == nothing || d == e:
		return d
	}
	return other
}

// Linear says that the program's value is a sum of metrics, each times something that depends on no metric: the value for the
// difference or the mean of two reports is then the difference or the mean of their values. It is told which metrics are so.
func (p *Program) Linear(metric func(name string) bool) bool {
	a := &degrees{program: p, metric: metric, variables: make([]degree, len(p.variables)), assigned: make([]bool, len(p.variables))}
	a.assignedIn(p.root)
	for {
		before := slices.Clone(a.variables)
		d := a.of(p.root)
		if a.bent {
			return false
		}
		if slices.Equal(before, a.variables) {
			return d <= linear && d != free
		}
	}
}

// Rename returns the program with other names for the metrics that it refers to.
func (p *Program) Rename(name func(string) string) *Program {
	q := *p
	q.metrics = slices.Clone(p.metrics)
	for i, m := range q.metrics {
		q.metrics[i] = name(m)
	}
	return &q
}

// degrees finds the degree of every part of a program. Variables have the degree of all that is assigned to them together.
type degrees struct {
	program   *Program
	metric    func(string) bool
	variables []degree
	assigned  []bool // in this program; the others are predefined, or come from outside
	bent      bool   // what is done depends on a metric
}

// need notes that a part decides what is done, or where.
func (a *degrees) need(list ...node) {
	for _, n := range list {
		if n != nil && a.of(n) > free {
			a.bent = true
		}
	}
}

func (a *degrees) of(n node) degree {
	switch n := n.(type) {
	case *constant:
		if n.value == Number(0) {
			return nothing
		}
		return free
	case *variable:
		a.need(n.index)
		if !a.assigned[n.slot] {
			return free
		}
		return a.variables[n.slot]
	case *unary:
		if n.op == "-" {
			return a.of(n.x)
		}
		return a.all(n.x)
	case *operation:
		return a.operation(n)
	case *match:
		return a.all(n.x)
	case *call:
		return a.all(n.args...)
	case *reference:
		a.need(n.callPath, n.system)
		if a.metric(a.program.metrics[n.slot]) {
			return linear
		}
		return other
	case *block:
		a.run(n.statements)
		if n.result == nil {
			return other
		}
		return a.of(n.result)
	case *argument:
		return other
	}
	return free
}

// all is the degree of something that is free if all of its parts are.
func (a *degrees) all(parts ...node) degree {
	for _, n := range parts {
		if a.of(n) > free {
			return other
		}
	}
	return free
}

func (a *degrees) operation(n *operation) degree {
	x, y := a.of(n.x), a.of(n.y)
	switch {
	case n.op == "+" || n.op == "-":
		return x.plus(y)
	case n.op == "*" && (x == nothing || y == nothing):
		return nothing
	case n.op == "*" && x == free:
		return y
	case (n.op == "*" || n.op == "/") && y <= free:
		return x
	case x <= free && y <= free:
		return free
	}
	return other
}

// run goes through statements as if all of them were reached.
func (a *degrees) run(list []statement) {
	for _, s := range list {
		switch n := s.node.(type) {
		case *assignment:
			a.need(n.target.index)
			a.variables[n.target.slot] = a.variables[n.target.slot].plus(a.of(n.value))
		case *branch:
			for _, c := range n.conditions {
				a.need(c.node)
			}
			for _, b := range n.blocks {
				a.run(b)
			}
		case *loop:
			a.need(n.condition.node)
			a.run(n.body)
		}
	}
}

// assignedIn notes the variables that are assigned to in an expression.
func (a *degrees) assignedIn(n node) {
	switch n := n.(type) {
	case *block:
		for _, s := range n.statements {
			a.assignedBy(s.node)
		}
		if n.result != nil {
			a.assignedIn(n.result)
		}
	case *unary:
		a.assignedIn(n.x)
	case *operation:
		a.assignedIn(n.x)
		a.assignedIn(n.y)
	case *match:
		a.assignedIn(n.x)
	case *call:
		for _, x := range n.args {
			a.assignedIn(x)
		}
	}
}

func (a *degrees) assignedBy(n node) {
	switch n := n.(type) {
	case *assignment:
		a.assigned[n.target.slot] = true
		a.assignedIn(n.value)
	case *branch:
		for _, b := range n.blocks {
			for _, s := range b {
				a.assignedBy(s.node)
			}
		}
	case *loop:
		for _, s := range n.body {
			a.assignedBy(s.node)
		}
	}
}

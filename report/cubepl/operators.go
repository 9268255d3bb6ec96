package cubepl

import (
	"fmt"
	"math"
	"strings"
)

// outOfRange is the error of an element that a predefined variable does not have.
type outOfRange struct {
	name   string
	index  int
	length int
}

func (e outOfRange) Error() string {
	return fmt.Sprintf("${%s} has %d elements, none at %d", e.name, e.length, e.index)
}

func (n *operation) eval(f *frame) Value {
	if n.op == "eq" || n.op == "seq" {
		x, y := n.x.eval(f).String(), n.y.eval(f).String()
		if !f.spend(n.offset, (len(x)+len(y))/textStep) {
			return Value{}
		}
		if n.op == "seq" {
			x, y = strings.ToLower(x), strings.ToLower(y)
		}
		return truth(x == y)
	}
	x := f.number(n.x, n.offset)
	switch n.op { // the right side is not evaluated if the left one decides
	case "and":
		return truth(x != 0 && f.number(n.y, n.offset) != 0)
	case "or":
		return truth(x != 0 || f.number(n.y, n.offset) != 0)
	}
	y := f.number(n.y, n.offset)
	switch n.op {
	case "xor":
		return truth((x != 0) != (y != 0))
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	case ">=":
		return truth(x >= y)
	}
	return f.arithmetic(n, x, y)
}

func (f *frame) arithmetic(n *operation, x, y float64) Value {
	var z float64
	switch n.op {
	case "+":
		z = x + y
	case "-":
		z = x - y
	case "*":
		z = x * y
	case "/":
		if y != 0 {
			z = x / y
		}
	case "^":
		z = math.Pow(x, y)
	}
	if math.IsNaN(z) && !math.IsNaN(x) && !math.IsNaN(y) {
		return f.fail(n.offset, fmt.Errorf("%g %s %g is not a number", x, n.op, y))
	}
	return Number(z)
}

// Results of matches are kept for the next evaluations: names are few and come again and again.
const (
	maxKept     = 1 << 13 // results of one match
	maxKeptText = 1 << 10 // bytes of a text whose result is kept
)

func (n *match) eval(f *frame) Value {
	text := n.x.eval(f).String()
	kept := f.matches[n.slot]
	if found, ok := kept[text]; ok {
		return truth(found)
	}
	if !f.spend(n.offset, (1+len(text))*n.size/patternStep) {
		return Value{}
	}
	found := n.re.MatchString(text)
	if len(kept) < maxKept && len(text) < maxKeptText {
		if kept == nil {
			kept = map[string]bool{}
			f.matches[n.slot] = kept
		}
		kept[text] = found
	}
	return truth(found)
}

func (n *call) eval(f *frame) Value {
	switch {
	case n.fn.err != nil:
		return f.fail(n.offset, n.fn.err)
	case n.fn.text != nil:
		text := n.args[0].eval(f).String()
		if !f.spend(n.offset, len(text)/textStep) {
			return Value{}
		}
		return Text(n.fn.text(text))
	}
	var arg [2]float64
	for i, a := range n.args {
		arg[i] = f.number(a, n.offset)
	}
	z := n.fn.number(arg[0], arg[1])
	if math.IsNaN(z) && !math.IsNaN(arg[0]) && !math.IsNaN(arg[1]) {
		return f.fail(n.offset, fmt.Errorf("%s(%g) is not a number", n.fn.name, arg[0]))
	}
	return Number(z)
}

func (n *reference) eval(f *frame) Value {
	at := Place{CallPath: Here, System: Here}
	switch {
	case n.scope == "call::":
		at.CallPath, at.System = f.index(n.callPath, n.offset), All
		if n.system != nil {
			at.System = f.index(n.system, n.offset)
		}
	case n.scope == "fixed::" && len(n.flavours) == 0:
		at.CallPath, at.System, at.CallFlavour = All, All, Inclusive
	case n.scope == "fixed::" && len(n.flavours) == 1:
		at.System = All
	}
	if len(n.flavours) > 0 {
		at.CallFlavour = n.flavours[0]
	}
	if len(n.flavours) > 1 {
		at.SystemFlavour = n.flavours[1]
	}
	if at.System == All {
		at.SystemFlavour = Inclusive
	}
	if f.err != nil {
		return Value{}
	}
	m := f.metrics[n.slot]
	if m.err != nil {
		return f.fail(n.offset, metricError{f.program.metrics[n.slot], m.err})
	}
	x, err := m.metric.At(at)
	if err != nil {
		return f.fail(n.offset, metricError{f.program.metrics[n.slot], err})
	}
	return Number(x)
}

// metricError is why a metric has no value.
type metricError struct {
	name string
	err  error
}

func (e metricError) Error() string { return "metric " + e.name + ": " + e.err.Error() }

func (e metricError) Unwrap() error { return e.err }

func (n *property) eval(f *frame) Value {
	text, err := f.env.Property(n.metric, n.name)
	if err != nil {
		return f.fail(n.offset, metricError{n.metric, err})
	}
	return Text(text)
}

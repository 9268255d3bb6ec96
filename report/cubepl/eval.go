package cubepl

import (
	"errors"
	"math"
)

// How much an evaluation may do, in parts of the expression executed. What runs once may visit all call paths.
const (
	evalSteps = 1 << 26
	runSteps  = 1 << 28

	textStep    = 32 // bytes of a text looked at that count as a part
	patternStep = 16 // and bytes of a text times the size of a regular expression matched with it
)

// Limits of evaluations within evaluations, through metrics that refer to each other: how deep, and how much all
// together may do. The sum of a metric over all cells of a large report takes a tenth of that.
const (
	maxDepth   = 100
	totalSteps = 1 << 31
)

// An evaluation that takes more than modest steps takes the rest from what all those of an experiment may take together. Once they have,
// only modest ones are left, so that a report cannot keep anybody busy by being asked again and again.
const (
	modestSteps    = 1 << 13
	expensiveSteps = 1 << 29
)

// Context is an Env with the global variables of its experiment, in which programs are evaluated. It is for one
// goroutine at a time; several share global variables if they only read them.
type Context struct {
	env     Env
	globals *Globals
	depth   int   // evaluations under way
	steps   int64 // left for these
}

// NewContext returns a Context.
func NewContext(env Env, g *Globals) *Context { return &Context{env: env, globals: g} }

// Evaluator evaluates one program in one Context. An evaluation may begin others in the Context, also of the same
// Evaluator, through the Env.
type Evaluator struct {
	*Context
	program *Program
	places  []place // of the variables, by slot
	metrics []operand
	matches []map[string]bool // results by slot and text
	free    *frame            // kept from the last evaluation
}

// place is where a variable lies: in the Env, among the globals, or in the frame of the evaluation.
type place struct {
	predefined Array
	global     *array
}

// operand is a metric that is referred to, or why there is none.
type operand struct {
	metric Metric
	err    error
}

// Bind looks up the names of a program and declares its global variables. A variable that was declared before is
// the global one from then on, so programs that declare variables are bound first: those of Initialisation. A
// metric that is missing is an error of the evaluations that need it.
func (p *Program) Bind(c *Context) *Evaluator {
	e := &Evaluator{Context: c, program: p, matches: make([]map[string]bool, p.matches)}
	for _, name := range p.globals {
		c.globals.declare(name)
	}
	for _, name := range p.variables {
		at := place{predefined: c.env.Array(name)}
		if at.predefined == nil {
			at.global = c.globals.arrays[name]
		}
		e.places = append(e.places, at)
	}
	for _, name := range p.metrics {
		m, err := c.env.Metric(name)
		if err == nil && m == nil {
			err = errors.New("no such metric")
		}
		e.metrics = append(e.metrics, operand{m, err})
	}
	return e
}

// Eval returns the program's value. Errors are of type *Error.
func (e *Evaluator) Eval() (float64, error) { return e.evaluate(evalSteps, [2]Value{}) }

// Aggregate returns the value of an aggregation, in which arg1 and arg2 stand for the operands.
func (e *Evaluator) Aggregate(arg1, arg2 float64) (float64, error) {
	return e.evaluate(evalSteps, [2]Value{Number(arg1), Number(arg2)})
}

// Run executes the program for what it does to global variables and to properties of metrics.
func (e *Evaluator) Run() error {
	_, err := e.evaluate(runSteps, [2]Value{})
	return err
}

func (e *Evaluator) evaluate(steps int, args [2]Value) (float64, error) {
	run := steps == runSteps
	if e.depth == 0 {
		e.Context.steps = totalSteps
		if e.globals.expensive.Load() > expensiveSteps {
			e.Context.steps = modestSteps
		}
	}
	if e.depth == maxDepth {
		return 0, errorAt(0, "metrics refer to each other, more than %d levels deep", maxDepth)
	}
	if e.Context.steps -= int64(e.program.parts); e.Context.steps < 0 {
		return 0, errorAt(0, "metrics that refer to each other take too long")
	}
	steps = int(min(int64(steps), e.Context.steps))
	f := e.free
	e.free = nil
	if f == nil {
		f = &frame{Evaluator: e, locals: make([]array, len(e.places))}
	}
	f.steps, f.args, f.err, f.cells = steps, args, nil, 0
	for i := range f.locals {
		f.locals[i].clear()
	}
	e.depth++
	var x float64
	if b, ok := e.program.root.(*block); ok && b.result == nil && run {
		f.execAll(b.statements)
	} else {
		x = f.number(e.program.root, 0)
	}
	e.depth--
	taken := int64(steps - f.steps)
	if e.Context.steps -= taken; taken > modestSteps {
		e.globals.expensive.Add(taken)
	}
	e.free = f
	if f.err != nil {
		return 0, f.err
	}
	return x, nil
}

// frame is one evaluation. After its first error, which it keeps, values mean nothing.
type frame struct {
	*Evaluator
	locals []array // by slot
	cells  int     // in locals
	args   [2]Value
	steps  int // left
	err    error
}

func (f *frame) fail(offset int, err error) Value {
	if f.err == nil {
		f.err = &Error{offset, err}
	}
	return Value{}
}

// number evaluates a node as a number. The offset is where to say that it is none.
func (f *frame) number(n node, offset int) float64 {
	v := n.eval(f)
	if v.kind != isText {
		return v.number
	}
	x, err := v.Float()
	if err != nil {
		f.fail(offset, err)
	}
	return x
}

// index evaluates a node as an index.
func (f *frame) index(n node, offset int) int {
	if n == nil {
		return 0
	}
	i, err := index(f.number(n, offset))
	if err != nil {
		f.fail(offset, err)
	}
	return i
}

// spend takes steps and reports whether so many were left.
func (f *frame) spend(offset, steps int) bool {
	if f.steps -= steps; f.steps < 0 {
		f.fail(offset, errors.New("evaluation takes too long"))
	}
	return f.err == nil
}

func (f *frame) execAll(list []statement) {
	for _, s := range list {
		if !f.spend(0, s.cost) {
			return
		}
		if s.eval(f); f.err != nil {
			return
		}
	}
}

// holds evaluates a condition.
func (f *frame) holds(s statement, offset int) bool {
	x := f.number(s.node, offset)
	return f.spend(offset, s.cost) && x != 0
}

func (n *constant) eval(*frame) Value { return n.value }

func (n *argument) eval(f *frame) Value {
	if v := f.args[n.index]; v.kind == isNumber {
		return v
	}
	return f.fail(0, errors.New("arg1 and arg2 have values in an aggregation only"))
}

// local returns the array of a variable that is not predefined, and how many cells its memory has and may have.
func (f *frame) local(slot int) (a *array, cells *int, most int) {
	if g := f.places[slot].global; g != nil {
		return g, &f.globals.cells, maxGlobalCells
	}
	return &f.locals[slot], &f.cells, maxLocalCells
}

func (n *variable) eval(f *frame) Value {
	i := f.index(n.index, n.offset)
	if f.err != nil {
		return Value{}
	}
	if predefined := f.places[n.slot].predefined; predefined != nil {
		if i >= predefined.Len() {
			return f.fail(n.offset, outOfRange{f.program.variables[n.slot], i, predefined.Len()})
		}
		return predefined.At(i)
	}
	a, _, _ := f.local(n.slot)
	return a.get(i)
}

func (n *sizeOf) eval(f *frame) Value {
	if predefined := f.places[n.slot].predefined; predefined != nil {
		return Number(float64(predefined.Len()))
	}
	a, _, _ := f.local(n.slot)
	return Number(float64(a.length))
}

func (n *defined) eval(f *frame) Value {
	at := f.places[n.slot]
	return truth(at.predefined != nil || at.global != nil || f.locals[n.slot].length > 0)
}

func (n *unary) eval(f *frame) Value {
	x := f.number(n.x, n.offset)
	switch n.op {
	case "not":
		return truth(x == 0)
	case "|":
		return Number(math.Abs(x))
	}
	return Number(-x)
}

func (n *block) eval(f *frame) Value {
	f.execAll(n.statements)
	if f.err != nil {
		return Value{}
	}
	if n.result == nil {
		return f.fail(n.offset, errors.New("function without return has no value"))
	}
	return n.result.eval(f)
}

func (n *assignment) eval(f *frame) Value {
	i := f.index(n.target.index, n.target.offset)
	v := n.value.eval(f)
	if f.err != nil {
		return Value{}
	}
	if f.places[n.target.slot].predefined != nil {
		return f.fail(n.target.offset, errors.New("a predefined variable cannot be assigned to"))
	}
	a, cells, most := f.local(n.target.slot)
	if err := a.set(i, v, cells, most); err != nil {
		f.fail(n.target.offset, err)
	}
	return Value{}
}

func (n *branch) eval(f *frame) Value {
	for i, c := range n.conditions {
		if f.holds(c, 0) {
			f.execAll(n.blocks[i])
			return Value{}
		}
		if f.err != nil {
			return Value{}
		}
	}
	if len(n.blocks) > len(n.conditions) {
		f.execAll(n.blocks[len(n.conditions)])
	}
	return Value{}
}

func (n *loop) eval(f *frame) Value {
	for f.holds(n.condition, n.offset) {
		f.execAll(n.body)
	}
	return Value{}
}

func (n *setProperty) eval(f *frame) Value {
	if err := f.env.SetProperty(n.metric, n.name, n.value); err != nil {
		f.fail(n.offset, metricError{n.metric, err})
	}
	return Value{}
}

func (n *declaration) eval(*frame) Value { return Value{} }

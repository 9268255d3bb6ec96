package cubepl

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// What is larger is refused: no expression in use comes near.
const (
	maxSource  = 1 << 20 // bytes of an expression
	maxNodes   = 1 << 16 // parts of an expression
	maxNesting = 200     // levels of brackets and operators
	maxPattern = 1 << 14 // characters and operators of a regular expression, repetitions written out
)

// Parse parses an expression as it stands in <cubepl>, <cubeplinit> or <cubeplaggr>, with XML already decoded.
// Errors are of type *Error.
func Parse(source string) (*Program, error) {
	if p := parsed.get(source); p != nil {
		return p, nil
	}
	source = strings.Clone(source) // the program refers to it, not to the document that it is from
	p, err := parse(source)
	if err != nil {
		return nil, err // not an *Error that is nil
	}
	parsed.put(source, p)
	return p, nil
}

func parse(source string) (*Program, *Error) {
	if len(source) > maxSource {
		return nil, errorAt(maxSource, "expression longer than %d bytes", maxSource)
	}
	p := &parser{lex: lexer{source: source}, program: &Program{}}
	p.advance()
	p.program.root = p.expression(0)
	if p.token.kind != tokenEnd {
		p.unexpected("the end")
	}
	if p.err != nil {
		return nil, p.err
	}
	p.program.parts = p.nodes
	return p.program, nil
}

// parser keeps the first error and then sees only the end, so that nothing needs to look at errors.
type parser struct {
	lex     lexer
	token   token // the next one
	program *Program
	err     *Error
	nodes   int // made so far
	nesting int
}

func (p *parser) fail(offset int, format string, args ...any) {
	if p.err == nil {
		p.err = errorAt(offset, format, args...)
	}
	p.token = token{kind: tokenEnd, offset: len(p.lex.source)}
}

func (p *parser) unexpected(wanted string) {
	p.fail(p.token.offset, "%s where %s is expected", p.token.describe(), wanted)
}

// advance moves to the next token and returns the one before.
func (p *parser) advance() token {
	t := p.token
	if p.err != nil {
		return t
	}
	if p.nodes++; p.nodes > maxNodes {
		p.fail(t.offset, "expression of more than %d parts", maxNodes)
		return t
	}
	next, err := p.lex.next()
	p.token = next
	if err != nil {
		p.fail(err.Offset, "%w", err.Err)
	}
	return t
}

func (p *parser) is(kind tokenKind, text string) bool {
	return p.token.kind == kind && p.token.text == text
}

// accept moves over an operator or a word if it comes next.
func (p *parser) accept(text string) bool {
	if !p.is(tokenOp, text) && !p.is(tokenWord, text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(`"` + text + `"`)
	}
}

// How tightly operators bind. All that bind alike group from the left.
const (
	bindLogical = 1 + iota // and, or, xor
	bindCompare            // ==, !=, <, <=, >, >=, eq, seq, =~; the operand of not
	bindSum                // +, -
	bindProduct            // *, /; the operand of a sign
	bindPower              // ^
)

var binding = map[string]int{
	"and": bindLogical, "or": bindLogical, "xor": bindLogical,
	"==": bindCompare, "!=": bindCompare, "<": bindCompare, "<=": bindCompare, ">": bindCompare, ">=": bindCompare,
	"eq": bindCompare, "seq": bindCompare,
	"+": bindSum, "-": bindSum, "*": bindProduct, "/": bindProduct, "^": bindPower,
}

// expression parses operands and the operators between them that bind more tightly than others do.
func (p *parser) expression(others int) node {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(p.token.offset, "expression nested deeper than %d levels", maxNesting)
	}
	defer func() { p.nesting-- }()
	x := p.operand()
	for {
		t := p.token
		if t.kind == tokenRegexp && bindCompare > others {
			p.advance()
			x = p.match(t, x)
			continue
		}
		bind := binding[t.text]
		if t.kind != tokenOp && t.kind != tokenWord || bind <= others {
			return x
		}
		p.advance()
		x = &operation{t.offset, t.text, x, p.expression(bind)}
	}
}

func (p *parser) operand() node {
	t := p.advance()
	switch t.kind {
	case tokenNumber:
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.fail(t.offset, "%.40q is not a number", t.text)
		}
		return &constant{Number(x)}
	case tokenString:
		return &constant{Text(t.text)}
	case tokenVariable:
		return p.variable(t)
	case tokenOp:
		switch t.text {
		case "(":
			x := p.expression(0)
			p.expect(")")
			return x
		case "|":
			x := p.expression(0)
			p.expect("|")
			return &unary{t.offset, "|", x}
		case "-":
			return &unary{t.offset, "-", p.expression(bindSum)}
		case "{":
			return p.block(t)
		}
	case tokenWord:
		if x := p.word(t); x != nil {
			return x
		}
	}
	p.fail(t.offset, "%s where an expression is expected", t.describe())
	return &constant{}
}

// word parses an operand that begins with a word. It returns nil if none does with this one.
func (p *parser) word(t token) node {
	switch t.text {
	case "true", "false":
		return &constant{truth(t.text == "true")}
	case "arg1", "arg2":
		return &argument{int(t.text[3] - '1')}
	case "not":
		return &unary{t.offset, "not", p.expression(bindLogical)}
	case "sizeof":
		return &sizeOf{slot(&p.program.variables, t.name)}
	case "defined":
		return &defined{slot(&p.program.variables, t.name)}
	}
	if name, ok := strings.CutPrefix(t.text, "metric::"); ok {
		return p.reference(t, name)
	}
	if metric, ok := strings.CutPrefix(t.text, "cube::metric::get::"); ok {
		p.expect("(")
		x := &property{t.offset, metric, p.quoted()}
		p.expect(")")
		return x
	}
	fn := functions[t.text]
	if fn == nil {
		return nil
	}
	x := &call{offset: t.offset, fn: fn}
	p.expect("(")
	for i := range fn.args {
		if i > 0 {
			p.expect(",")
		}
		x.args = append(x.args, p.expression(0))
	}
	p.expect(")")
	return x
}

func (p *parser) variable(t token) *variable {
	v := &variable{offset: t.offset, slot: slot(&p.program.variables, t.text)}
	if p.accept("[") {
		v.index = p.expression(0)
		p.expect("]")
	}
	return v
}

// quoted parses a text in quotation marks.
func (p *parser) quoted() string {
	if p.token.kind != tokenString {
		p.unexpected("a text in quotation marks")
	}
	return p.advance().text
}

// reference parses what follows the name of a metric.
func (p *parser) reference(t token, name string) node {
	r := &reference{offset: t.offset}
	for _, scope := range []string{"fixed::", "call::", "context::"} {
		if after, ok := strings.CutPrefix(name, scope); ok {
			name, r.scope = after, strings.TrimPrefix(scope, "context::")
			break
		}
	}
	if name == "" {
		p.fail(t.offset, "name of a metric expected behind %s", t.text)
	}
	r.slot = slot(&p.program.metrics, name)
	p.expect("(")
	switch {
	case r.scope == "call::":
		r.callPath = p.expression(0)
		p.expect(",")
		r.flavours = append(r.flavours, p.flavour())
		if p.accept(",") {
			r.system = p.expression(0)
			p.expect(",")
			r.flavours = append(r.flavours, p.flavour())
		}
	case !p.is(tokenOp, ")"):
		r.flavours = append(r.flavours, p.flavour())
		if p.accept(",") {
			r.flavours = append(r.flavours, p.flavour())
		}
	}
	p.expect(")")
	return r
}

func (p *parser) flavour() Flavour {
	switch {
	case p.accept("i"):
		return Inclusive
	case p.accept("e"):
		return Exclusive
	case !p.accept("*"):
		p.unexpected("i, e or *")
	}
	return Same
}

func (p *parser) match(t token, x node) node {
	m := &match{offset: t.offset, slot: p.program.matches, x: x}
	p.program.matches++
	tree, err := syntax.Parse(t.text, syntax.Perl)
	if err != nil {
		p.fail(t.offset, "%w", err)
		return m
	}
	if m.size = patternSize(tree); m.size > maxPattern {
		p.fail(t.offset, "regular expression that stands for more than %d characters", maxPattern)
		return m
	}
	m.re = regexp.MustCompile(t.text)
	return m
}

// patternSize returns how many characters and operators a regular expression has when repetitions are written out.
func patternSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(1, re.Min, re.Max)
	}
	return size
}

// block parses a function in place, behind its brace.
func (p *parser) block(t token) node {
	b := &block{offset: t.offset, statements: p.statements()}
	if p.accept("return") {
		b.result = p.expression(0)
		p.expect(";")
	}
	p.expect("}")
	return b
}

// statements parses up to a closing brace or a return.
func (p *parser) statements() []statement {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(p.token.offset, "statements nested deeper than %d levels", maxNesting)
	}
	defer func() { p.nesting-- }()
	var list []statement
	for !p.is(tokenOp, "}") && !p.is(tokenWord, "return") && p.token.kind != tokenEnd {
		before := p.nodes
		s := p.statement()
		list = append(list, statement{s, p.nodes - before})
		switch s.(type) {
		case *branch, *loop:
			p.accept(";")
		default:
			p.expect(";")
		}
	}
	return list
}

func (p *parser) statement() node {
	t := p.advance()
	if t.kind == tokenVariable {
		target := p.variable(t)
		p.expect("=")
		return &assignment{target, p.expression(0)}
	}
	if t.kind == tokenWord {
		switch t.text {
		case "if":
			return p.branch()
		case "while":
			l := &loop{offset: t.offset, condition: p.condition()}
			l.body = p.braced()
			return l
		case "local", "global":
			if t.text == "global" {
				slot(&p.program.globals, t.name)
			}
			return &declaration{t.text + "(" + t.name + ")"}
		}
		if s := p.metricStatement(t); s != nil {
			return s
		}
	}
	p.fail(t.offset, "%s where a statement is expected", t.describe())
	return &declaration{}
}

func (p *parser) branch() node {
	b := &branch{conditions: []statement{p.condition()}}
	b.blocks = append(b.blocks, p.braced())
	for p.accept("elseif") {
		b.conditions = append(b.conditions, p.condition())
		b.blocks = append(b.blocks, p.braced())
	}
	if p.accept("else") {
		b.blocks = append(b.blocks, p.braced())
	}
	return b
}

func (p *parser) condition() statement {
	before := p.nodes
	p.expect("(")
	x := p.expression(0)
	p.expect(")")
	return statement{x, p.nodes - before}
}

func (p *parser) braced() []statement {
	p.expect("{")
	list := p.statements()
	p.expect("}")
	return list
}

// metricStatement parses a statement that changes or defines a metric. It returns nil if the word begins none.
func (p *parser) metricStatement(t token) node {
	if metric, ok := strings.CutPrefix(t.text, "cube::metric::set::"); ok {
		p.expect("(")
		s := &setProperty{offset: t.offset, metric: metric, name: p.quoted()}
		p.expect(",")
		s.value = p.quoted()
		p.expect(")")
		return s
	}
	for _, d := range definitions {
		metric, ok := strings.CutPrefix(t.text, d.prefix)
		if !ok {
			continue
		}
		kind, text := d.kind, t.text
		if kind == PreDerivedInclusive {
			p.expect("(")
			text += "(i)"
			if p.flavour() == Exclusive {
				kind, text = PreDerivedExclusive, t.text+"(e)"
			}
			p.expect(")")
		}
		return &declaration{text + p.definition(kind, metric)}
	}
	return nil
}

// definition parses the body of a definition and returns its normal form. Definitions do not nest, because the
// first >> ends the body.
func (p *parser) definition(kind DefinitionKind, metric string) string {
	if p.token.kind != tokenBody {
		p.unexpected("<<")
		return ""
	}
	t := p.advance()
	program, err := parse(t.text)
	if err != nil {
		p.fail(t.offset+len("<<")+err.Offset, "%w", err.Err)
		return ""
	}
	p.program.definitions = append(p.program.definitions, Definition{kind, metric, program})
	if kind == Initialisation {
		program = program.returning()
	}
	return " << " + program.String() + " >>"
}

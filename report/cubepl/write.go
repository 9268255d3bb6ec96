package cubepl

import (
	"slices"
	"strconv"
	"strings"
)

// Portable returns an expression of a report in words that Cube, versions 4.4 to 4.8, compiles and that mean the same to it. What is no
// CubePL stays as it is.
func Portable(source string) string {
	p, err := Parse(source)
	if err != nil {
		return source
	}
	return p.returning().String()
}

// returning returns the program with the value that Cube wants also of those that only initialise.
func (p *Program) returning() *Program {
	b, ok := p.root.(*block)
	if !ok || b.result != nil {
		return p
	}
	q, ends := *p, *b
	ends.result = &constant{Number(0)}
	q.root = &ends
	return &q
}

func (n *constant) write(b *strings.Builder, _ *Program) {
	if n.value.kind != isText {
		b.WriteString(strconv.FormatFloat(n.value.number, 'f', -1, 64)) // Cube knows no exponents
		return
	}
	writeQuoted(b, n.value.text)
}

var quote = strings.NewReplacer("\"", `\"`, "\t", `\t`, "\n", `\n`)

func writeQuoted(b *strings.Builder, text string) {
	b.WriteByte('"')
	b.WriteString(quote.Replace(text))
	b.WriteByte('"')
}

func (n *argument) write(b *strings.Builder, _ *Program) {
	b.WriteString("arg" + strconv.Itoa(n.index+1))
}

func (n *variable) write(b *strings.Builder, p *Program) {
	b.WriteString("${" + p.variables[n.slot] + "}")
	if n.index != nil {
		b.WriteByte('[')
		n.index.write(b, p)
		b.WriteByte(']')
	}
}

func (n *sizeOf) write(b *strings.Builder, p *Program) {
	b.WriteString("sizeof(" + p.variables[n.slot] + ")")
}

func (n *defined) write(b *strings.Builder, p *Program) {
	b.WriteString("defined(" + p.variables[n.slot] + ")")
}

func (n *unary) write(b *strings.Builder, p *Program) {
	switch n.op {
	case "|":
		b.WriteString("abs(") // which nests
		n.x.write(b, p)
		b.WriteByte(')')
	case "not":
		writeTruth(b, p, n)
	default:
		b.WriteByte('-')
		writeOperand(b, p, n.x, bindSum)
	}
}

// writeOperand writes a node in parentheses unless it binds more tightly than others do.
func writeOperand(b *strings.Builder, p *Program, n node, others int) {
	bind := bindPower + 1
	switch n := n.(type) {
	case *unary:
		if n.op == "-" {
			bind = 0 // takes what follows
		}
	case *operation:
		if !condition(n) {
			bind = binding[n.op]
		}
	}
	if bind <= others {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	n.write(b, p)
}

func (n *operation) write(b *strings.Builder, p *Program) {
	if condition(n) {
		writeTruth(b, p, n)
		return
	}
	bind := binding[n.op]
	writeOperand(b, p, n.x, bind-1)
	b.WriteString(" " + n.op + " ")
	writeOperand(b, p, n.y, bind)
}

func (n *match) write(b *strings.Builder, p *Program) { writeTruth(b, p, n) }

// condition says that a node is what Cube takes for a condition: that, and nothing else, may stand behind if and while.
func condition(n node) bool {
	switch n := n.(type) {
	case *match:
		return true
	case *unary:
		return n.op == "not"
	case *operation:
		return binding[n.op] <= bindCompare
	}
	return false
}

// writeTruth writes a condition where Cube wants a number.
func writeTruth(b *strings.Builder, p *Program, n node) {
	name := "truth"
	for slices.Contains(p.variables, name) {
		name += "_"
	}
	b.WriteString("{ if (")
	writeCondition(b, p, n)
	b.WriteString(") { ${" + name + "} = 1; } else { ${" + name + "} = 0; }; return ${" + name + "}; }")
}

// writeCondition writes a node where Cube wants a condition.
func writeCondition(b *strings.Builder, p *Program, n node) {
	switch n := n.(type) {
	case *match:
		writeOperand(b, p, n.x, bindCompare)
		b.WriteString(" =~ /" + strings.ReplaceAll(n.re.String(), "/", `\/`) + "/")
		return
	case *unary:
		if n.op == "not" {
			writeNot(b, p, n.x)
			return
		}
	case *operation:
		switch bind := binding[n.op]; {
		case n.op == "xor": // Cube does not read it
			writeBoth(b, p, n.x, n.y)
			b.WriteString(" or ")
			writeBoth(b, p, n.y, n.x)
			return
		case bind == bindLogical:
			writePart(b, p, n.x)
			b.WriteString(" " + n.op + " ")
			writePart(b, p, n.y)
			return
		case bind == bindCompare:
			writeOperand(b, p, n.x, bindCompare)
			b.WriteString(" " + n.op + " ")
			writeOperand(b, p, n.y, bindCompare)
			return
		}
	}
	writeOperand(b, p, n, bindCompare)
	b.WriteString(" != 0")
}

// writePart writes a condition that is part of another.
func writePart(b *strings.Builder, p *Program, n node) {
	if x, ok := n.(*operation); ok && binding[x.op] == bindLogical {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	writeCondition(b, p, n)
}

func writeNot(b *strings.Builder, p *Program, n node) {
	b.WriteString("not (")
	writeCondition(b, p, n)
	b.WriteByte(')')
}

// writeBoth writes that x holds and y does not.
func writeBoth(b *strings.Builder, p *Program, x, y node) {
	b.WriteByte('(')
	writePart(b, p, x)
	b.WriteString(" and ")
	writeNot(b, p, y)
	b.WriteByte(')')
}

func (n *call) write(b *strings.Builder, p *Program) {
	b.WriteString(n.fn.name + "(")
	for i, a := range n.args {
		if i > 0 {
			b.WriteString(", ")
		}
		a.write(b, p)
	}
	b.WriteByte(')')
}

func (n *reference) write(b *strings.Builder, p *Program) {
	b.WriteString("metric::" + n.scope + p.metrics[n.slot] + "(")
	for i, f := range n.flavours {
		if i > 0 {
			b.WriteByte(',') // Cube wants no white space here
		}
		if place := [...]node{n.callPath, n.system}[i]; place != nil {
			place.write(b, p)
			b.WriteByte(',')
		}
		b.WriteString(f.String())
	}
	b.WriteByte(')')
}

func (n *property) write(b *strings.Builder, _ *Program) {
	b.WriteString("cube::metric::get::" + n.metric + "(")
	writeQuoted(b, n.name)
	b.WriteByte(')')
}

func (n *block) write(b *strings.Builder, p *Program) {
	b.WriteString("{ ")
	writeStatements(b, p, n.statements)
	if n.result != nil {
		b.WriteString("return ")
		n.result.write(b, p)
		b.WriteString("; ")
	}
	b.WriteByte('}')
}

func writeStatements(b *strings.Builder, p *Program, list []statement) {
	for _, s := range list {
		s.write(b, p)
		b.WriteString("; ")
	}
}

func (n *assignment) write(b *strings.Builder, p *Program) {
	n.target.write(b, p)
	b.WriteString(" = ")
	n.value.write(b, p)
}

func (n *branch) write(b *strings.Builder, p *Program) {
	word := "if ("
	for i, list := range n.blocks {
		if i < len(n.conditions) {
			b.WriteString(word)
			writeCondition(b, p, n.conditions[i].node)
			b.WriteString(") { ")
		} else {
			b.WriteString(" else { ")
		}
		writeStatements(b, p, list)
		b.WriteByte('}')
		word = " elseif ("
	}
}

func (n *loop) write(b *strings.Builder, p *Program) {
	b.WriteString("while (")
	writeCondition(b, p, n.condition.node)
	b.WriteString(") { ")
	writeStatements(b, p, n.body)
	b.WriteByte('}')
}

func (n *setProperty) write(b *strings.Builder, _ *Program) {
	b.WriteString("cube::metric::set::" + n.metric + "(")
	writeQuoted(b, n.name)
	b.WriteString(", ")
	writeQuoted(b, n.value)
	b.WriteByte(')')
}

func (n *declaration) write(b *strings.Builder, _ *Program) { b.WriteString(n.text) }

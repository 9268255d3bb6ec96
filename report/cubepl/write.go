package cubepl

import (
	"strconv"
	"strings"
)

func (n *constant) write(b *strings.Builder, _ *Program) {
	if n.value.kind != isText {
		b.WriteString(strconv.FormatFloat(n.value.number, 'g', -1, 64))
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
		b.WriteByte('|')
		n.x.write(b, p)
		b.WriteByte('|')
	case "not":
		b.WriteString("not (") // Cube wants the parentheses
		n.x.write(b, p)
		b.WriteByte(')')
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
		if n.op != "|" {
			bind = 0 // takes what follows
		}
	case *operation:
		bind = binding[n.op]
	case *match:
		bind = bindCompare
	}
	if bind <= others {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	n.write(b, p)
}

func (n *operation) write(b *strings.Builder, p *Program) {
	bind := binding[n.op]
	writeOperand(b, p, n.x, bind-1)
	b.WriteString(" " + n.op + " ")
	writeOperand(b, p, n.y, bind)
}

func (n *match) write(b *strings.Builder, p *Program) {
	writeOperand(b, p, n.x, bindCompare-1)
	b.WriteString(" =~ /" + strings.ReplaceAll(n.re.String(), "/", `\/`) + "/")
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
			b.WriteString(", ")
		}
		if place := [...]node{n.callPath, n.system}[i]; place != nil {
			place.write(b, p)
			b.WriteString(", ")
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
			n.conditions[i].write(b, p)
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
	n.condition.write(b, p)
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

package counters

import (
	"fmt"
	"strconv"
	"strings"
)

// formula is a derived preset's computation with its natives: N0, N1, …, whole numbers, + - * / and parentheses.
type formula struct {
	op          byte // 'N' a native, '1' a number, else the operator
	number      int64
	left, right *formula
}

// maxDepth limits the nesting of formulas.
const maxDepth = 100

// parseFormula reads a formula over so many natives.
func parseFormula(text string, natives int) (*formula, error) {
	p := formulaParser{rest: text, natives: natives}
	f, err := p.sum(0)
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("unexpected %q", p.rest)
	}
	if err != nil {
		return nil, fmt.Errorf("formula %q: %w", text, err)
	}
	return f, nil
}

type formulaParser struct {
	rest    string
	natives int
}

// peek returns the next character that is not a space, 0 at the end.
func (p *formulaParser) peek() byte {
	if p.rest = strings.TrimLeft(p.rest, " "); p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *formulaParser) sum(depth int) (*formula, error) { return p.chain(depth, "+-", p.product) }

func (p *formulaParser) product(depth int) (*formula, error) { return p.chain(depth, "*/", p.operand) }

// chain reads operands with operators of one precedence between them, which bind to the left.
func (p *formulaParser) chain(depth int, operators string, operand func(int) (*formula, error)) (*formula, error) {
	left, err := operand(depth)
	for err == nil {
		op := p.peek()
		if op == 0 || strings.IndexByte(operators, op) < 0 {
			break
		}
		p.rest = p.rest[1:]
		var right *formula
		right, err = operand(depth)
		left = &formula{op: op, left: left, right: right}
	}
	return left, err
}

func (p *formulaParser) operand(depth int) (*formula, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d nested parentheses", maxDepth)
	}
	c := p.peek()
	switch {
	case c == '(':
		p.rest = p.rest[1:]
		f, err := p.sum(depth + 1)
		if err == nil && p.peek() != ')' {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		if err == nil {
			p.rest = p.rest[1:]
		}
		return f, err
	case c == 'N':
		p.rest = p.rest[1:]
		n, err := p.integer()
		if err == nil && n >= int64(p.natives) {
			err = fmt.Errorf("N%d, but there are only %d native events", n, p.natives)
		}
		return &formula{op: 'N', number: n}, err
	}
	n, err := p.integer()
	return &formula{op: '1', number: n}, err
}

func (p *formulaParser) integer() (int64, error) {
	end := 0
	for end < len(p.rest) && p.rest[end] >= '0' && p.rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(p.rest[:end], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("expected a number or an event at %q", p.rest)
	}
	p.rest = p.rest[end:]
	return n, nil
}

// value computes the formula; N0 is counts[at[0]]. Integers are exact; a quotient with 0 is 0.
func (f *formula) value(counts []int64, at []int) int64 {
	switch f.op {
	case 'N':
		return counts[at[f.number]]
	case '1':
		return f.number
	}
	a, b := f.left.value(counts, at), f.right.value(counts, at)
	switch f.op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	if b == 0 {
		return 0
	}
	return a / b
}

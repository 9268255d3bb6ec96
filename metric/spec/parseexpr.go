package spec

import (
	"math"
	"strconv"
	"strings"
)

// alternatives reads expressions with | between.
func (r *reader) alternatives() (alts []*Expr, err error) {
	r.operands, r.nesting = 0, 0
	for {
		e, err := r.sum()
		if err != nil {
			return nil, err
		}
		alts = append(alts, e)
		if !r.accept('|') {
			return alts, nil
		}
	}
}

func (r *reader) sum() (*Expr, error) { return r.chain("+-", (*reader).product) }

func (r *reader) product() (*Expr, error) { return r.chain("*/", (*reader).factor) }

// chain reads operands with operators of the same rank between, which group from the left.
func (r *reader) chain(ops string, operand func(*reader) (*Expr, error)) (*Expr, error) {
	e, err := operand(r)
	for err == nil && r.tokens[0].kind != end && strings.IndexByte(ops, r.tokens[0].kind) >= 0 {
		op := r.take()
		var right *Expr
		if right, err = operand(r); err == nil {
			e = &Expr{op: op.kind, args: []*Expr{e, right}, at: op.at}
		}
	}
	return e, err
}

func (r *reader) factor() (*Expr, error) {
	t := r.tokens[0]
	if r.operands++; r.operands > maxOperands {
		return nil, problemAt(t.at, "an expression of more than %d operands", maxOperands)
	}
	if r.nesting++; r.nesting > maxNesting {
		return nil, problemAt(t.at, "expressions are nested more than %d deep", maxNesting)
	}
	defer func() { r.nesting-- }()
	switch {
	case r.accept('('):
		e, err := r.sum()
		if err != nil {
			return nil, err
		}
		return e, r.expect(')', `")"`)
	case r.accept('-'):
		e, err := r.factor()
		return &Expr{op: '~', args: []*Expr{e}, at: t.at}, err
	case t.kind == word && (t.text == "min" || t.text == "max") && r.tokens[1].kind == '(':
		return r.extreme(t)
	}
	return r.leaf(t)
}

// extreme reads min(a, b, …) or max.
func (r *reader) extreme(t token) (*Expr, error) {
	r.tokens = r.tokens[2:]
	op := byte('m')
	if t.text == "max" {
		op = 'M'
	}
	e, err := r.sum()
	for err == nil && r.accept(',') {
		var right *Expr
		if right, err = r.sum(); err == nil {
			e = &Expr{op: op, args: []*Expr{e, right}, at: t.at}
		}
	}
	if err != nil {
		return nil, err
	}
	return e, r.expect(')', `")"`)
}

func (r *reader) leaf(t token) (*Expr, error) {
	if t.kind == word && (t.text[0] >= '0' && t.text[0] <= '9' || t.text[0] == '.') {
		v, err := finite(t.text)
		if err != nil {
			return nil, problemAt(t.at, "%s is no number; put names that begin with a digit in quotes", t)
		}
		r.take()
		return &Expr{op: '0', number: v, at: t.at}, nil
	}
	p, err := r.part()
	return &Expr{op: word, name: p.name, at: p.at}, err
}

func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
		err = strconv.ErrRange
	}
	return v, err
}

// quotedName is a name as it can stand in an expression.
func quotedName(name string) string {
	if name == "" || wordLength(name) < len(name) || strings.IndexByte("0123456789.", name[0]) >= 0 || name == "min" || name == "max" {
		return `"` + name + `"`
	}
	return name
}

// ParseExpr reads an expression as [Expr.String] writes it. The error is one [Problem], the first: formulas stand in
// reports, and the error of a damaged one is one line.
func ParseExpr(text string) (*Expr, error) {
	r := &reader{file: "expression"}
	if len(text) > maxText {
		r.problem(position{r.file, 1, 1}, "an expression of %d bytes, at most %d are allowed", len(text), maxText)
		return nil, r.problems[0]
	}
	r.tokens = split(r.file, text, r.problem)
	e, err := r.sum()
	if err != nil {
		r.failed(err)
	}
	r.accept(newline)
	if t := r.tokens[0]; err == nil && t.kind != end {
		r.problem(t.at, "%s does not belong here", t)
	}
	if len(r.problems) > 0 {
		return nil, r.problems[0]
	}
	return e, nil
}

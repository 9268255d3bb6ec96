package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tracerec/metric"
)

// Expr is the expression of a ratio. It is immutable and may be shared.
type Expr struct {
	op     byte // word: a name; '0': a number; '~': the negative of; + - * /; 'm' and 'M': min and max
	name   string
	number float64
	args   []*Expr
	at     position
}

// Names lists the metrics and events in the expression, each once, in the order of the text; [metric.Time], the time spent in ns, is not among them.
func (e *Expr) Names() []string {
	var names []string
	seen := map[string]bool{metric.Time: true}
	e.walk(func(x *Expr) {
		if x.op == word && !seen[x.name] {
			seen[x.name] = true
			names = append(names, x.name)
		}
	})
	return names
}

func (e *Expr) walk(visit func(*Expr)) {
	visit(e)
	for _, a := range e.args {
		a.walk(visit)
	}
}

// Value evaluates the expression; value gives that of a metric or event, or of time in ns, and false if there is none.
// ok is false when a value is missing, or a denominator is below least or not above zero.
func (e *Expr) Value(least float64, value func(name string) (float64, bool)) (v float64, ok bool) {
	switch e.op {
	case word:
		return value(e.name)
	case '0':
		return e.number, true
	}
	var x [2]float64
	for i, a := range e.args {
		if x[i], ok = a.Value(least, value); !ok {
			return 0, false
		}
	}
	if e.op == '/' && e.args[1].op != '0' && !(x[1] >= least && x[1] > 0) {
		return 0, false
	}
	v = e.apply(x[0], x[1])
	return v, !math.IsInf(v, 0) && !math.IsNaN(v)
}

func (e *Expr) apply(x, y float64) float64 {
	switch e.op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '/':
		return x / y
	case 'm':
		return min(x, y)
	case 'M':
		return max(x, y)
	}
	return -x
}

// evaluable reports an expression that never has a value, or that is of no counter.
func (e *Expr) evaluable() (err error) {
	if len(e.Names()) == 0 {
		return problemAt(e.at, "a ratio is made of counters and metrics, but this names none")
	}
	e.walk(func(x *Expr) {
		if x.op != '/' || err != nil {
			return
		}
		constant := true
		v, ok := x.args[1].Value(0, func(string) (float64, bool) { constant = false; return 0, false })
		if constant && (!ok || v == 0) {
			err = problemAt(x.at, "a division by zero has no value")
		}
	})
	return err
}

// Operands gives for a metric, an event or [metric.Time] the unique names in a cube of the metrics that have what is certain of it, and by how much it
// may be more, and less (as a negative number), "" for none.
type Operands func(name string) [3]string

// CubePL returns the expression of what is certain in CubePL. Where [Expr.Interval] has no value, the result is 0, as CubePL's own for a
// division by zero: the language has no absent value; [Expr.Guard] tells where that is.
func (e *Expr) CubePL(least float64, operands Operands) string {
	text := e.cubePL(operands)
	if guard := e.Guard(least, operands); guard != "" {
		return fmt.Sprintf("{ if (%s) { ${ratio} = %s; }; return ${ratio}; }", guard, text)
	}
	return text
}

// Guard returns the condition, in CubePL, under which the expression has a value, all denominators being large enough for certain; "" if
// it always has.
func (e *Expr) Guard(least float64, operands Operands) string {
	seen := map[string]bool{}
	var conditions []string
	bound := "> 0"
	if least > 0 {
		bound = ">= " + number(least)
	}
	e.walk(func(x *Expr) {
		if x.op != '/' || x.args[1].op == '0' {
			return
		}
		if d := x.args[1].end(false, operands); !seen[d] {
			seen[d] = true
			conditions = append(conditions, "("+d+" "+bound+")")
		}
	})
	return strings.Join(conditions, " and ")
}

// maxEnds limits expressions that have several forms of each product in them.
const maxEnds = 1 << 16

// end returns the lower or upper end of the interval of an expression in CubePL, as [Expr.Interval] has it but for quotients.
func (e *Expr) end(upper bool, operands Operands) string {
	if s, linear := e.affine(); linear {
		text := e.cubePL(operands)
		if margins := s.margins(upper, operands); margins != "" {
			text = "(" + text + margins + ")"
		}
		return text
	}
	switch e.op {
	case '~':
		return "(0 - " + e.args[0].end(!upper, operands) + ")"
	case '+', 'm', 'M':
		x, y := e.args[0].end(upper, operands), e.args[1].end(upper, operands)
		return e.write(x, y)
	case '-':
		return e.write(e.args[0].end(upper, operands), e.args[1].end(!upper, operands))
	}
	extreme := &Expr{op: 'm'}
	if upper {
		extreme.op = 'M'
	}
	var text string
	for i := range 4 {
		x := e.write(e.args[0].end(i&1 == 1, operands), e.args[1].end(i&2 == 2, operands))
		if text == "" {
			text = x
		} else {
			text = extreme.write(text, x)
		}
		if len(text) > maxEnds {
			return e.cubePL(operands)
		}
	}
	return text
}

// margins returns what is to be added to the value of a sum for its lower or upper end.
func (s affine) margins(upper bool, operands Operands) string {
	var b strings.Builder
	for k, name := range s.names {
		side, t := 2, s.times[k]
		if upper == (t > 0) {
			side = 1
		}
		margin := operands(name)[side]
		if margin == "" || t == 0 {
			continue
		}
		sign := " + "
		if t < 0 {
			sign = " - "
		}
		b.WriteString(sign + "metric::" + margin + "()")
		if t = math.Abs(t); t != 1 {
			b.WriteString(" * " + number(t))
		}
	}
	return b.String()
}

func (e *Expr) cubePL(operands Operands) string {
	switch e.op {
	case word:
		return "metric::" + operands(e.name)[0] + "()"
	case '0':
		return number(e.number)
	case '~':
		return "(0 - " + e.args[0].cubePL(operands) + ")"
	}
	return e.write(e.args[0].cubePL(operands), e.args[1].cubePL(operands))
}

// write writes an operation on two operands in CubePL.
func (e *Expr) write(x, y string) string {
	switch e.op {
	case 'm':
		return "min(" + x + ", " + y + ")"
	case 'M':
		return "max(" + x + ", " + y + ")"
	}
	return "(" + x + " " + string(e.op) + " " + y + ")"
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// String is the expression as it would be written in a specification, with parentheses around everything.
func (e *Expr) String() string {
	switch e.op {
	case word:
		return quotedName(e.name)
	case '0':
		return number(e.number)
	case '~':
		return "-" + e.args[0].String()
	case 'm', 'M':
		return map[byte]string{'m': "min", 'M': "max"}[e.op] + "(" + e.args[0].String() + ", " + e.args[1].String() + ")"
	}
	return "(" + e.args[0].String() + " " + string(e.op) + " " + e.args[1].String() + ")"
}

// operand is a name in a computation, with what it is multiplied by.
type operand struct {
	name  string
	times int64
}

// maxTimes limits the coefficients of computations, so that products of counts and coefficients fit.
const maxTimes = 1 << 20

// linear is the expression as a sum of multiples of names. A product needs a number on one side; there is no quotient.
func (e *Expr) linear() ([]operand, error) {
	sum := sums{index: map[string]int{}}
	if err := sum.add(e, 1); err != nil {
		return nil, err
	}
	return sum.terms, nil
}

type sums struct {
	terms []operand
	index map[string]int
}

func (s *sums) add(e *Expr, times int64) error {
	switch e.op {
	case word:
		i, seen := s.index[e.name]
		if !seen {
			i = len(s.terms)
			s.index[e.name] = i
			s.terms = append(s.terms, operand{name: e.name})
		}
		s.terms[i].times += times
		if t := s.terms[i].times; t > maxTimes || t < -maxTimes {
			return problemAt(e.at, "%s is multiplied by %d, at most %d is allowed", e.name, t, maxTimes)
		}
		return nil
	case '+', '-':
		if err := s.add(e.args[0], times); err != nil {
			return err
		}
		if e.op == '-' {
			times = -times
		}
		return s.add(e.args[1], times)
	case '~':
		return s.add(e.args[0], -times)
	case '*':
		return s.multiply(e, times)
	case '0':
		return problemAt(e.at, "a number alone cannot be counted; it can only multiply")
	}
	return problemAt(e.at, "a computation adds, subtracts and multiplies by whole numbers; write a ratio for the rest")
}

func (s *sums) multiply(e *Expr, times int64) error {
	factor, of := e.args[0], e.args[1]
	if factor.op != '0' {
		factor, of = of, factor
	}
	f := factor.number
	if factor.op != '0' || f != math.Trunc(f) || f > maxTimes {
		return problemAt(e.at, "a product in a computation needs a whole number up to %d", maxTimes)
	}
	if times *= int64(f); times > maxTimes || times < -maxTimes {
		return problemAt(e.at, "a factor of %d, at most %d is allowed", times, maxTimes)
	}
	return s.add(of, times)
}

func problemAt(at position, format string, values ...any) error {
	return Problem{at.file, at.line, at.column, fmt.Sprintf(format, values...)}
}

package spec

import (
	"fmt"
	"math"

	"tracerec/metric"
)

// Interval is what a value is known to lie in, both ends included. If they are the same, it is certain.
type Interval struct{ Low, High float64 }

// Point returns the interval of one value.
func Point(v float64) Interval { return Interval{v, v} }

// Certain says that there is only one value.
func (i Interval) Certain() bool { return i.Low == i.High }

func (i Interval) plus(j Interval) Interval { return Interval{i.Low + j.Low, i.High + j.High} }

// Minus returns what a difference lies in.
func (i Interval) Minus(j Interval) Interval { return i.plus(j.times(-1)) }

// times returns a multiple.
func (i Interval) times(c float64) Interval {
	switch {
	case c == 0:
		return Interval{}
	case c < 0:
		i.Low, i.High = i.High, i.Low
	}
	return Interval{c * i.Low, c * i.High}
}

// by returns the product.
func (i Interval) by(j Interval) Interval {
	a, b := i.times(j.Low), i.times(j.High)
	return Interval{min(a.Low, b.Low), max(a.High, b.High)}
}

// over returns the quotient by what is above zero.
func (i Interval) over(j Interval) Interval { return i.by(Interval{1 / j.High, 1 / j.Low}) }

func (i Interval) finite() bool {
	return !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) && !math.IsNaN(i.Low+i.High)
}

// Margin is one of the sides on which a metric may differ from what is certain of it: with every event between certain and certain +
// uncertain, a form is from Value(certain) + less(uncertain) to Value(certain) + more(uncertain), and may be either.
type Margin struct {
	Kind          metric.Kind // More, or Less, which is negative
	Suffix, Title string      // of names and titles of metrics for it
	text          string
}

// Margins are both sides.
var Margins = [2]Margin{
	{metric.More, "_uncertain", " (uncertain)", "The part of %s that others may have contributed to: it belongs to no goroutine with certainty."},
	{metric.Less, "_uncertain_less", " (uncertain, less)",
		"By how much %s may be less, as a negative number: others may have contributed to what it is computed without."},
}

// Form returns the terms of a form that make the margin of what is uncertain of their events.
func (m *Margin) Form(form []Term) (side []Term) {
	for _, t := range form {
		if t.Times < 0 == (m.Kind == metric.Less) {
			side = append(side, t)
		}
	}
	return side
}

// Doc describes the metric for the margin of another.
func (m *Margin) Doc(of string) string { return fmt.Sprintf(m.text, of) }

// Interval evaluates the expression for values that are known to lie in intervals; value is as in [Expr.Value]. The result has all
// values that it can have, and is as narrow as possible where each name occurs once, or only in sums and quotients of sums. ok is false
// when a value is missing, or a denominator may be below least or not above zero.
func (e *Expr) Interval(least float64, value func(name string) (Interval, bool)) (i Interval, ok bool) {
	certain := true
	v, ok := e.Value(least, func(name string) (float64, bool) {
		x, ok := value(name)
		certain = certain && x.Certain()
		return x.Low, ok
	})
	if certain {
		return Point(v), ok
	}
	i, ok = (&bounding{least, value}).of(e)
	return i, ok && i.finite()
}

// bounding is an evaluation with intervals.
type bounding struct {
	least float64
	value func(name string) (Interval, bool)
}

func (b *bounding) of(e *Expr) (Interval, bool) {
	if s, linear := e.affine(); linear {
		return b.sum(s)
	}
	if e.op == '/' && e.args[1].op != '0' {
		return b.quotient(e.args[0], e.args[1])
	}
	var x [2]Interval
	for k, a := range e.args {
		var ok bool
		if x[k], ok = b.of(a); !ok {
			return Interval{}, false
		}
	}
	switch e.op {
	case '+':
		return x[0].plus(x[1]), true
	case '-':
		return x[0].plus(x[1].times(-1)), true
	case '*':
		return x[0].by(x[1]), true
	case '/':
		return x[0].times(1 / e.args[1].number), true
	case 'm':
		return Interval{min(x[0].Low, x[1].Low), min(x[0].High, x[1].High)}, true
	case 'M':
		return Interval{max(x[0].Low, x[1].Low), max(x[0].High, x[1].High)}, true
	}
	return x[0].times(-1), true
}

// sum evaluates a sum.
func (b *bounding) sum(s affine) (Interval, bool) {
	sum := Point(s.constant)
	for k, name := range s.names {
		v, ok := b.value(name)
		if !ok {
			return Interval{}, false
		}
		sum = sum.plus(v.times(s.times[k]))
	}
	return sum, true
}

// quotient evaluates a quotient, which has no value unless the denominator is certainly large enough.
func (b *bounding) quotient(part, whole *Expr) (Interval, bool) {
	of, ok := b.of(whole)
	if !ok || !(of.Low >= b.least && of.Low > 0) {
		return Interval{}, false
	}
	over, ok := b.of(part)
	if !ok {
		return Interval{}, false
	}
	loose := over.over(of)
	p, linear := part.affine()
	w, both := whole.affine()
	if !linear || !both || !p.shares(w) {
		return loose, true
	}
	return Interval{b.extreme(p, w, loose.Low, 1), b.extreme(p, w, loose.High, -1)}, true
}

// extreme returns the least (sign 1) or greatest (sign −1) quotient of two sums that share names; bound is beyond it. It is the q for
// which the least of part − q × whole is 0: each step takes the corner where it is least, and the quotient there (Dinkelbach's method, which
// needs few steps).
func (b *bounding) extreme(part, whole affine, bound, sign float64) float64 {
	const most = 100
	q := bound
	for step := range most {
		d := part.minus(whole, q)
		x, y := part.constant, whole.constant
		for k, name := range d.names {
			v, _ := b.value(name)
			corner := v.Low
			if d.times[k]*sign < 0 {
				corner = v.High
			}
			x += part.factor(name) * corner
			y += whole.factor(name) * corner
		}
		at := x / y
		if step > 0 && !(sign*at < sign*q) {
			break
		}
		q = at
	}
	return q
}

// affine is a constant and a sum of multiples of names.
type affine struct {
	constant float64
	names    []string
	times    []float64
}

// affine returns an expression as a sum, in which what is added and taken away again is gone; false if it is none.
func (e *Expr) affine() (affine, bool) {
	switch e.op {
	case word:
		return affine{names: []string{e.name}, times: []float64{1}}, true
	case '0':
		return affine{constant: e.number}, true
	case 'm', 'M':
		return affine{}, false
	}
	x, ok := e.args[0].affine()
	if !ok || e.op == '~' {
		return affine{}.minus(x, 1), ok
	}
	y, ok := e.args[1].affine()
	if !ok {
		return affine{}, false
	}
	switch {
	case e.op == '+':
		return x.minus(y, -1), true
	case e.op == '-':
		return x.minus(y, 1), true
	case e.op == '*' && len(x.names) == 0:
		return affine{}.minus(y, -x.constant), true
	case e.op == '*' && len(y.names) == 0:
		return affine{}.minus(x, -y.constant), true
	case e.op == '/' && e.args[1].op == '0' && y.constant != 0:
		return affine{}.minus(x, -1/y.constant), true
	}
	return affine{}, false
}

// minus returns s − c × t. Names whose factor is 0 stay, because their values must be there.
func (s affine) minus(t affine, c float64) affine {
	sum := affine{s.constant - c*t.constant, append([]string(nil), s.names...), append([]float64(nil), s.times...)}
	for k, name := range t.names {
		if i := sum.index(name); i >= 0 {
			sum.times[i] -= c * t.times[k]
		} else {
			sum.names, sum.times = append(sum.names, name), append(sum.times, -c*t.times[k])
		}
	}
	return sum
}

func (s affine) index(name string) int {
	for i := range s.names {
		if s.names[i] == name {
			return i
		}
	}
	return -1
}

// factor is what a name is multiplied by.
func (s affine) factor(name string) float64 {
	if i := s.index(name); i >= 0 {
		return s.times[i]
	}
	return 0
}

// shares says that two sums have a name in common.
func (s affine) shares(t affine) bool {
	for _, name := range s.names {
		if t.index(name) >= 0 {
			return true
		}
	}
	return false
}

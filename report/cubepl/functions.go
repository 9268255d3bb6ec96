package cubepl

import (
	"errors"
	"math"
	"strings"
)

// function is a function of expressions, on numbers or on texts.
type function struct {
	name   string
	args   int
	number func(x, y float64) float64
	text   func(string) string
	err    error // why it is not evaluated
}

// functions by name. What is not a number for arguments that are numbers is an error of the evaluation.
var functions = map[string]*function{}

func init() {
	one := func(f func(float64) float64) func(x, y float64) float64 {
		return func(x, _ float64) float64 { return f(x) }
	}
	for _, f := range []function{
		{name: "sqrt", args: 1, number: one(math.Sqrt)},
		{name: "sin", args: 1, number: one(math.Sin)},
		{name: "asin", args: 1, number: one(math.Asin)},
		{name: "cos", args: 1, number: one(math.Cos)},
		{name: "acos", args: 1, number: one(math.Acos)},
		{name: "tan", args: 1, number: one(math.Tan)},
		{name: "atan", args: 1, number: one(math.Atan)},
		{name: "exp", args: 1, number: one(math.Exp)},
		{name: "log", args: 1, number: one(logarithm)},
		{name: "abs", args: 1, number: one(math.Abs)},
		{name: "sgn", args: 1, number: one(sign)},
		{name: "pos", args: 1, number: one(func(x float64) float64 { return larger(x, 0) })},
		{name: "neg", args: 1, number: one(func(x float64) float64 { return smaller(x, 0) })},
		{name: "floor", args: 1, number: one(math.Floor)},
		{name: "ceil", args: 1, number: one(math.Ceil)},
		{name: "min", args: 2, number: smaller},
		{name: "max", args: 2, number: larger},
		{name: "lowercase", args: 1, text: strings.ToLower},
		{name: "uppercase", args: 1, text: strings.ToUpper},
		{name: "random", args: 1, err: errors.New("random() would give another value each time")},
		{name: "env", args: 1, err: errors.New("env() would read the environment of whoever looks at the report")},
	} {
		functions[f.name] = &f
	}
}

// logarithm is not a number at 0, where math.Log is infinite.
func logarithm(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return math.Log(x)
}

func sign(x float64) float64 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// smaller and larger return x unless y is smaller or larger.
func smaller(x, y float64) float64 {
	if y < x {
		return y
	}
	return x
}

func larger(x, y float64) float64 {
	if y > x {
		return y
	}
	return x
}

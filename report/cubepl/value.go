package cubepl

import (
	"fmt"
	"strconv"
)

// Value is what an expression or an element of an array holds: a number, a text, or nothing. The zero Value is
// what an array holds where nothing was assigned: it counts as 0 and reads as the empty text.
type Value struct {
	number float64
	text   string
	kind   valueKind
}

type valueKind uint8

const (
	unset valueKind = iota
	isNumber
	isText
)

// Number returns a Value that is a number.
func Number(x float64) Value { return Value{number: x, kind: isNumber} }

// Text returns a Value that is a text.
func Text(s string) Value { return Value{text: s, kind: isText} }

// Float returns the value as a number. A text that is not a number as a whole is an error.
func (v Value) Float() (float64, error) {
	if v.kind != isText {
		return v.number, nil
	}
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil {
		return 0, fmt.Errorf("the text %.40q is not a number", v.text)
	}
	return x, nil
}

// String returns the value as a text; numbers have at most 14 significant digits.
func (v Value) String() string {
	if v.kind == isNumber {
		return strconv.FormatFloat(v.number, 'g', 14, 64)
	}
	return v.text
}

func truth(b bool) Value {
	if b {
		return Number(1)
	}
	return Number(0)
}

// Error says what is wrong in an expression, and where: when it is parsed, or when it cannot be evaluated.
type Error struct {
	Offset int // in bytes from the beginning of the expression's text
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("offset %d: %v", e.Offset, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

func errorAt(offset int, format string, args ...any) *Error {
	return &Error{offset, fmt.Errorf(format, args...)}
}

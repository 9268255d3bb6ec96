package cube

import (
	"math"
	"strconv"
)

// Value is a number of one of the types that metrics have. Integers stay integers, so nothing is rounded.
type Value struct {
	class class
	bits  uint64
}

// Int makes a value with a sign.
func Int(v int64) Value { return Value{signed, uint64(v)} }

// Uint makes a value without a sign.
func Uint(v uint64) Value { return Value{unsigned, v} }

// Float makes a value with a fraction.
func Float(v float64) Value { return Value{float, math.Float64bits(v)} }

// Float64 returns the value as a float, rounded if it is an integer beyond 2⁵³.
func (v Value) Float64() float64 {
	switch v.class {
	case float:
		return math.Float64frombits(v.bits)
	case signed:
		return float64(int64(v.bits))
	}
	return float64(v.bits)
}

// Int64 returns the value as an integer, cut towards zero if it has a fraction.
func (v Value) Int64() int64 {
	if v.class == float {
		return int64(math.Float64frombits(v.bits))
	}
	return int64(v.bits)
}

// Zero says that the value is 0; also the zero Value is.
func (v Value) Zero() bool {
	return v.bits == 0 || v.class == float && math.Float64frombits(v.bits) == 0
}

// Integer says that the value is of a type without fractions.
func (v Value) Integer() bool { return v.class == signed || v.class == unsigned }

// String returns the shortest text that reads back as the same value.
func (v Value) String() string { return string(v.Append(nil)) }

// Append appends what String returns to b.
func (v Value) Append(b []byte) []byte {
	switch v.class {
	case float:
		return strconv.AppendFloat(b, math.Float64frombits(v.bits), 'g', -1, 64)
	case signed:
		return strconv.AppendInt(b, int64(v.bits), 10)
	}
	return strconv.AppendUint(b, v.bits, 10)
}

// Add returns v + w. The zero Value takes the type of the other.
func (v Value) Add(w Value) Value {
	switch {
	case v.class == unknown:
		return w
	case w.class == unknown:
		return v
	case v.class == float || w.class == float:
		return Float(v.Float64() + w.Float64())
	case v.class == signed || w.class == signed:
		return Int(int64(v.bits + w.bits))
	}
	return Uint(v.bits + w.bits)
}

// Sub returns v − w, with a sign if it needs one.
func (v Value) Sub(w Value) Value {
	switch {
	case w.class == unknown:
		return v
	case v.class == float || w.class == float:
		return Float(v.Float64() - w.Float64())
	case v.class == unsigned && w.class == unsigned && v.bits >= w.bits:
		return Uint(v.bits - w.bits)
	}
	return Int(int64(v.bits - w.bits))
}

// less compares values of one type.
func (v Value) less(w Value) bool {
	switch v.class {
	case float:
		return v.Float64() < w.Float64()
	case signed:
		return int64(v.bits) < int64(w.bits)
	}
	return v.bits < w.bits
}

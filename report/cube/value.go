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

// Int64 returns the value as an integer, cut towards zero if it has a fraction; the nearest one if it is too large, and 0 for what
// is no number.
func (v Value) Int64() int64 {
	if v.class != float {
		if v.class == unsigned && v.bits > math.MaxInt64 {
			return math.MaxInt64
		}
		return int64(v.bits)
	}
	switch x := v.Float64(); {
	case x != x:
		return 0
	case x >= 1<<63:
		return math.MaxInt64
	case x < -1<<63:
		return math.MinInt64
	default:
		return int64(x)
	}
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

// Add returns v + w. The zero Value takes the type of the other. What no integer can hold becomes a fraction.
func (v Value) Add(w Value) Value {
	switch {
	case v.class == unknown:
		return w
	case w.class == unknown:
		return v
	case v.class == signed && w.class == signed:
		if sum, ok := addSigned(int64(v.bits), int64(w.bits)); ok {
			return Int(sum)
		}
	case v.class == unsigned && w.class == unsigned:
		if sum := v.bits + w.bits; sum >= v.bits {
			return Uint(sum)
		}
	case v.Integer() && w.Integer():
		if v.class == unsigned {
			v, w = w, v
		}
		return addMixed(int64(v.bits), w.bits)
	}
	return Float(v.Float64() + w.Float64())
}

// addSigned adds integers, unless the sum is too large.
func addSigned(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (a^sum)&(b^sum) >= 0
}

// addMixed adds integers with and without a sign. The sum has a sign if it can.
func addMixed(a int64, b uint64) Value {
	if b <= math.MaxInt64 {
		if sum, ok := addSigned(a, int64(b)); ok {
			return Int(sum)
		}
	}
	sum := uint64(a) + b
	if a >= 0 && sum < b {
		return Float(float64(a) + float64(b))
	}
	return Uint(sum)
}

// Sub returns v − w, with a sign if it needs one. What no integer can hold becomes a fraction.
func (v Value) Sub(w Value) Value {
	switch {
	case w.class == unknown:
		return v
	case v.class == float || w.class == float:
		return Float(v.Float64() - w.Float64())
	case v.class == unsigned && w.class == unsigned && v.bits >= w.bits:
		return Uint(v.bits - w.bits)
	case w.class == signed && w.bits == 1<<63: // it has no opposite
		return v.Add(Uint(w.bits))
	case w.class == signed || w.bits <= math.MaxInt64:
		return v.Add(Int(-int64(w.bits)))
	}
	if v.class == unsigned && v.bits < w.bits && w.bits-v.bits <= 1<<63 {
		return Int(int64(v.bits - w.bits))
	}
	return Float(v.Float64() - w.Float64())
}

// less compares values.
func (v Value) less(w Value) bool {
	if v.class == float || w.class == float {
		return v.Float64() < w.Float64()
	}
	if v.negative() != w.negative() {
		return v.negative()
	}
	return v.bits < w.bits
}

// negative says that an integer is less than zero.
func (v Value) negative() bool { return v.class == signed && int64(v.bits) < 0 }

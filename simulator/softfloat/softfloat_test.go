package softfloat

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// interesting returns a number of any kind, near the borders more often than not.
func interesting(f *Format, r *rand.Rand) uint64 {
	mask := f.signBit()<<1 - 1
	exponents := []int{0, 0, 1, 2, f.bias - f.fraction - 1, f.bias - 1, f.bias, f.bias + 1, f.bias + f.fraction, f.top - 2, f.top - 1, f.top}
	switch r.IntN(4) {
	case 0:
		return r.Uint64() & mask
	case 1: // few bits set
		x := uint64(exponents[r.IntN(len(exponents))]) << f.fraction
		x |= uint64(1)<<r.IntN(f.fraction) | uint64(1)<<r.IntN(f.fraction)
		return (x | uint64(r.IntN(2))<<(f.width()-1)) & mask
	case 2: // all bits set, or none
		x := uint64(exponents[r.IntN(len(exponents))]) << f.fraction
		if r.IntN(2) == 0 {
			x |= 1<<f.fraction - 1
		}
		return (x ^ uint64(r.IntN(3))) & mask
	}
	x := uint64(f.bias-20+r.IntN(40))<<f.fraction | f.bits(r.Uint64())
	return (x | uint64(r.IntN(2))<<(f.width()-1)) & mask
}

// value returns a finite number exactly.
func value(f *Format, x uint64) *big.Rat {
	e, m := f.exponent(x), new(big.Int).SetUint64(f.bits(x))
	if e == 0 {
		e = 1
	} else {
		m.SetBit(m, f.fraction, 1)
	}
	v := scaled(new(big.Rat).SetInt(m), e-f.bias-f.fraction)
	if x&f.signBit() != 0 {
		v.Neg(v)
	}
	return v
}

// scaled returns v × 2^e.
func scaled(v *big.Rat, e int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		p.Inv(p)
	}
	return p.Mul(p, v)
}

// rounded rounds a magnitude to an integer and tells whether that is exact.
func rounded(v *big.Rat, rm Rounding, negative bool) (*big.Int, bool) {
	q, rest := new(big.Int).QuoRem(v.Num(), v.Denom(), new(big.Int))
	if rest.Sign() == 0 {
		return q, true
	}
	half := rest.Lsh(rest, 1).Cmp(v.Denom())
	up := map[Rounding]bool{
		NearestEven: half > 0 || half == 0 && q.Bit(0) == 1, NearestAway: half >= 0, TowardZero: false,
		Down: negative, Up: !negative,
	}[rm]
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q, false
}

// oracle rounds a value other than 0 by the definitions of the standard, with exact arithmetic.
func oracle(f *Format, v *big.Rat, rm Rounding) (uint64, Flags) {
	negative := v.Sign() < 0
	m := new(big.Rat).Abs(v)
	e := m.Num().BitLen() - m.Denom().BitLen()
	if m.Cmp(scaled(big.NewRat(1, 1), e)) < 0 {
		e--
	} // 2^e <= m < 2^(e+1)
	least := 1 - f.bias
	var flags Flags
	unbounded, _ := rounded(scaled(m, f.fraction-e), rm, negative) // with any exponent
	tiny := e < least && !(e == least-1 && unbounded.BitLen() == f.fraction+2)
	ulp := max(e, least) - f.fraction
	q, exact := rounded(scaled(m, -ulp), rm, negative)
	if !exact {
		flags |= Inexact
		if tiny {
			flags |= Underflow
		}
	}
	if q.BitLen() == f.fraction+2 {
		q.Rsh(q, 1)
		ulp++
	}
	sign := f.sign(negative)
	biased := ulp + f.fraction + f.bias
	if q.BitLen() == f.fraction+1 && biased >= f.top {
		if rm == TowardZero || rm == Up && negative || rm == Down && !negative {
			return sign | (f.infinity() - 1), Overflow | Inexact
		}
		return sign | f.infinity(), Overflow | Inexact
	}
	if q.BitLen() < f.fraction+1 {
		return sign | q.Uint64(), flags
	}
	return sign | uint64(biased)<<f.fraction | f.bits(q.Uint64()), flags
}

func finite(f *Format, xs ...uint64) bool {
	for _, x := range xs {
		if f.exponent(x) == f.top {
			return false
		}
	}
	return true
}

// All operations on finite numbers with a result other than 0, in all modes and with all flags, against exact arithmetic.
func TestAgainstExactArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range testkit.Cases(30_000) {
		f := []*Format{Single, Double}[r.IntN(2)]
		a, b, c := interesting(f, r), interesting(f, r), interesting(f, r)
		rm := Rounding(r.IntN(5))
		if !finite(f, a, b, c) {
			continue
		}
		va, vb, vc := value(f, a), value(f, b), value(f, c)
		for name, op := range map[string]struct {
			exact *big.Rat
			got   func(*Flags) uint64
		}{
			"add": {new(big.Rat).Add(va, vb), func(fl *Flags) uint64 { return f.Add(a, b, rm, fl) }},
			"sub": {new(big.Rat).Sub(va, vb), func(fl *Flags) uint64 { return f.Sub(a, b, rm, fl) }},
			"mul": {new(big.Rat).Mul(va, vb), func(fl *Flags) uint64 { return f.Mul(a, b, rm, fl) }},
			"div": {quotient(va, vb), func(fl *Flags) uint64 { return f.Div(a, b, rm, fl) }},
			"fma": {new(big.Rat).Add(new(big.Rat).Mul(va, vb), vc), func(fl *Flags) uint64 { return f.FMA(a, b, c, rm, fl) }},
		} {
			if op.exact == nil || op.exact.Sign() == 0 {
				continue
			}
			var flags Flags
			got := op.got(&flags)
			want, wantFlags := oracle(f, op.exact, rm)
			if got != want || flags != wantFlags {
				t.Fatalf("%d bits, %s %#x %#x %#x mode %d: got %#x %05b, want %#x %05b", f.width(), name, a, b, c, rm, got, flags, want, wantFlags)
			}
			checked++
		}
	}
	require.Greater(t, checked, testkit.Cases(80_000))
}

func quotient(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(a, b)
}

// Square roots: the root r of a is right if it rounds to the result; the neighbours of the result are too far away.
func TestSqrt(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range testkit.Cases(12_000) {
		f := []*Format{Single, Double}[r.IntN(2)]
		a := interesting(f, r) &^ f.signBit()
		rm := Rounding(r.IntN(5))
		if !finite(f, a) || f.isZero(a) {
			continue
		}
		// An integer root with so many bits that one more, if inexact, decides all modes.
		v := value(f, a)
		const more = 300
		square := scaled(v, 2*more+2*1200)
		whole := new(big.Int).Quo(square.Num(), square.Denom())
		root := new(big.Int).Sqrt(whole)
		exact := new(big.Int).Mul(root, root).Cmp(whole) == 0 && square.IsInt()
		approx := new(big.Rat).SetInt(root)
		if !exact {
			approx.Add(approx, big.NewRat(1, 2))
		}
		want, wantFlags := oracle(f, scaled(approx, -more-1200), rm)
		var flags Flags
		got := f.Sqrt(a, rm, &flags)
		require.Equal(t, fmt.Sprintf("%#x %05b", want, wantFlags), fmt.Sprintf("%#x %05b", got, flags), "sqrt %#x mode %d", a, rm)
	}
}

// The processor of this machine rounds to nearest as well.
func TestAgainstHost(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	same := func(want float64, got uint64, what string, x ...uint64) {
		if bits := math.Float64bits(want); bits != got && !(math.IsNaN(want) && got == Double.NaN()) {
			t.Fatalf("%s %#x: got %#x, want %#x", what, x, got, bits)
		}
	}
	same32 := func(want float32, got uint64, what string, x ...uint64) {
		if bits := uint64(math.Float32bits(want)); bits != got && !(want != want && got == Single.NaN()) {
			t.Fatalf("%s %#x: got %#x, want %#x", what, x, got, bits)
		}
	}
	var flags Flags
	for range testkit.Cases(100_000) {
		a, b, c := interesting(Double, r), interesting(Double, r), interesting(Double, r)
		x, y, z := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)
		same(x+y, Double.Add(a, b, NearestEven, &flags), "add", a, b)
		same(x-y, Double.Sub(a, b, NearestEven, &flags), "sub", a, b)
		same(x*y, Double.Mul(a, b, NearestEven, &flags), "mul", a, b)
		same(x/y, Double.Div(a, b, NearestEven, &flags), "div", a, b)
		same(math.Sqrt(x), Double.Sqrt(a, NearestEven, &flags), "sqrt", a)
		same(math.FMA(x, y, z), Double.FMA(a, b, c, NearestEven, &flags), "fma", a, b, c)
		same32(float32(x), Double.To(Single, a, NearestEven, &flags), "to single", a)
		same(float64(int64(a)), Double.FromInt(int64(a), NearestEven, &flags), "from int", a)
		same(float64(a), Double.FromUint(a, NearestEven, &flags), "from uint", a)

		s, u := interesting(Single, r), interesting(Single, r)
		p, q := math.Float32frombits(uint32(s)), math.Float32frombits(uint32(u))
		same32(p+q, Single.Add(s, u, NearestEven, &flags), "add", s, u)
		same32(p*q, Single.Mul(s, u, NearestEven, &flags), "mul", s, u)
		same32(p/q, Single.Div(s, u, NearestEven, &flags), "div", s, u)
		same(float64(p), Single.To(Double, s, NearestEven, &flags), "to double", s)
		same32(float32(int64(a)), Single.FromInt(int64(a), NearestEven, &flags), "from int", a)

		require.Equal(t, x == y, Double.Equal(a, b, &flags))
		require.Equal(t, x < y, Double.Less(a, b, &flags))
		require.Equal(t, x <= y, Double.LessOrEqual(a, b, &flags))
	}
}

// Conversions to integers, against exact arithmetic.
func TestToInt(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	types := []struct {
		low  int64
		high uint64
	}{{math.MinInt64, math.MaxInt64}, {0, math.MaxUint64}, {math.MinInt32, math.MaxInt32}, {0, math.MaxUint32}}
	for range testkit.Cases(100_000) {
		f := []*Format{Single, Double}[r.IntN(2)]
		a, rm, kind := interesting(f, r), Rounding(r.IntN(5)), types[r.IntN(4)]
		var flags Flags
		got := f.ToInt(a, kind.low, kind.high, rm, &flags)
		negative := a&f.signBit() != 0
		var want uint64
		var wantFlags Flags
		if !finite(f, a) {
			want, wantFlags = kind.high, Invalid
			if negative && f.isInf(a) {
				want = uint64(kind.low)
			}
		} else {
			v := value(f, a)
			q, exact := rounded(new(big.Rat).Abs(v), rm, negative)
			if negative {
				q.Neg(q)
			}
			switch {
			case q.Cmp(big.NewInt(kind.low)) < 0:
				want, wantFlags = uint64(kind.low), Invalid
			case q.Cmp(new(big.Int).SetUint64(kind.high)) > 0:
				want, wantFlags = kind.high, Invalid
			default:
				if want = q.Uint64(); negative {
					want = -new(big.Int).Neg(q).Uint64()
				}
				if !exact {
					wantFlags = Inexact
				}
			}
		}
		require.Equal(t, fmt.Sprintf("%#x %05b", want, wantFlags), fmt.Sprintf("%#x %05b", got, flags), "%d bits %#x mode %d to %v", f.width(), a, rm, kind)
	}
}

// Results and flags of special operands, from the specification.
func TestSpecialOperands(t *testing.T) {
	f := Double
	inf, one, zero := f.infinity(), math.Float64bits(1), uint64(0)
	negInf, negZero, quiet, signaling := inf|f.signBit(), f.signBit(), f.NaN()|5, f.infinity()|1
	for _, c := range []struct {
		name  string
		got   func(*Flags) uint64
		want  uint64
		flags Flags
	}{
		{"inf - inf", func(fl *Flags) uint64 { return f.Sub(inf, inf, 0, fl) }, f.NaN(), Invalid},
		{"inf + inf", func(fl *Flags) uint64 { return f.Add(inf, inf, 0, fl) }, inf, 0},
		{"0 × inf", func(fl *Flags) uint64 { return f.Mul(zero, inf, 0, fl) }, f.NaN(), Invalid},
		{"1 ÷ 0", func(fl *Flags) uint64 { return f.Div(one, zero, 0, fl) }, inf, DivByZero},
		{"1 ÷ -0", func(fl *Flags) uint64 { return f.Div(one, negZero, 0, fl) }, negInf, DivByZero},
		{"0 ÷ 0", func(fl *Flags) uint64 { return f.Div(zero, zero, 0, fl) }, f.NaN(), Invalid},
		{"inf ÷ 0", func(fl *Flags) uint64 { return f.Div(inf, zero, 0, fl) }, inf, 0},
		{"√-0", func(fl *Flags) uint64 { return f.Sqrt(negZero, 0, fl) }, negZero, 0},
		{"√-1", func(fl *Flags) uint64 { return f.Sqrt(one|f.signBit(), 0, fl) }, f.NaN(), Invalid},
		{"quiet NaN + 1", func(fl *Flags) uint64 { return f.Add(quiet, one, 0, fl) }, f.NaN(), 0},
		{"1 - signaling NaN", func(fl *Flags) uint64 { return f.Sub(one, signaling, 0, fl) }, f.NaN(), Invalid},
		{"0 × inf + quiet NaN", func(fl *Flags) uint64 { return f.FMA(zero, inf, quiet, 0, fl) }, f.NaN(), Invalid},
		{"1 × inf - inf", func(fl *Flags) uint64 { return f.FMA(one, inf, negInf, 0, fl) }, f.NaN(), Invalid},
		{"1 - 1, down", func(fl *Flags) uint64 { return f.Sub(one, one, Down, fl) }, negZero, 0},
		{"1 - 1", func(fl *Flags) uint64 { return f.Sub(one, one, Up, fl) }, zero, 0},
		{"-0 + -0", func(fl *Flags) uint64 { return f.Add(negZero, negZero, 0, fl) }, negZero, 0},
		{"min -0 0", func(fl *Flags) uint64 { return f.Min(zero, negZero, fl) }, negZero, 0},
		{"max -0 0", func(fl *Flags) uint64 { return f.Max(negZero, zero, fl) }, zero, 0},
		{"min 1 NaN", func(fl *Flags) uint64 { return f.Min(one, quiet, fl) }, one, 0},
		{"max signaling 1", func(fl *Flags) uint64 { return f.Max(signaling, one, fl) }, one, Invalid},
		{"max NaN NaN", func(fl *Flags) uint64 { return f.Max(quiet, quiet, fl) }, f.NaN(), 0},
	} {
		var flags Flags
		require.Equal(t, c.want, c.got(&flags), c.name)
		require.Equal(t, c.flags, flags, c.name)
	}
	for class, x := range []uint64{negInf, math.Float64bits(-1), f.signBit() | 1, negZero, zero, 1, one, inf, signaling, quiet} {
		require.EqualValues(t, 1<<class, f.Classify(x), "class %d", class)
	}
	var flags Flags
	require.False(t, f.Equal(quiet, one, &flags))
	require.Zero(t, flags, "equality is quiet")
	require.False(t, f.Less(quiet, one, &flags))
	require.Equal(t, Invalid, flags)
}

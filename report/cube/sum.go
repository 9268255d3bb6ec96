package cube

import (
	"encoding/binary"
	"math"
	"slices"
)

// Sum returns the sum of all values of a row of numbers, added in the order of columns. Integers are added as such.
func (r Row) Sum() Value {
	if r.layout.size == 8 {
		if v, ok := r.sum8(nil); ok {
			return v
		}
	}
	var v Value
	for _, x := range r.All() {
		v = v.Add(x)
	}
	return v
}

// SumAt is Sum for the locations at columns, which ascend.
func (r Row) SumAt(columns []int32) Value {
	var v Value
	if len(columns) == 0 {
		return v
	}
	if !r.sparse && r.layout.size == 8 {
		if v, ok := r.sum8(columns); ok {
			return v
		}
	}
	if !r.sparse || len(columns) < len(r.at)/16 {
		for _, i := range columns {
			v = v.Add(r.Value(int(i)))
		}
		return v
	}
	for i, column := range r.at {
		k, ok := slices.BinarySearch(columns, column)
		if ok {
			v = v.Add(decode(r.layout, r.data[i*r.layout.size:]))
		}
		if columns = columns[k:]; len(columns) == 0 {
			break
		}
	}
	return v
}

// sum8 adds up values of eight bytes, all or those at some places, unless an integer cannot hold the sum.
func (r Row) sum8(at []int32) (v Value, ok bool) {
	v.class = r.layout.class
	var over uint64            // has its first bit set once a sum was too large
	add := func(bits uint64) { // both sorts of integers: see decode
		sum := v.bits + bits
		over |= (v.bits ^ sum) & (bits ^ sum)
		v.bits = sum
	}
	switch data := r.data; {
	case v.class == float:
		sum := 0.0
		for _, i := range at {
			sum += math.Float64frombits(binary.LittleEndian.Uint64(data[8*int(i):]))
		}
		for at == nil && len(data) >= 8 {
			sum += math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
		}
		v.bits = math.Float64bits(sum)
	case v.class == composite || v.class == unknown:
		return Value{}, true
	default:
		for _, i := range at {
			add(binary.LittleEndian.Uint64(data[8*int(i):]))
		}
		for at == nil && len(data) >= 8 {
			add(binary.LittleEndian.Uint64(data))
			data = data[8:]
		}
	}
	if v.class == unsigned && int64(v.bits) < 0 {
		v.class = signed
	}
	return v, int64(over) >= 0
}

// Sums adds up rows of numbers of one type, location by location. Integers are added as such, with a sign, until one cannot hold its
// sum: all go on as fractions.
type Sums struct {
	layout *layout
	ints   []int64
	floats []float64 // one of these
}

// NewSums begins sums of rows of n locations.
func NewSums(d DType, n int) *Sums {
	s := &Sums{layout: d.layout()}
	if s.layout.class == float {
		s.floats = make([]float64, n)
	} else {
		s.ints = make([]int64, n)
	}
	return s
}

// Add adds a row, times a factor, which for integers is 1 or -1. Rows of any numeric type can be added to fractions.
func (s *Sums) Add(r Row, factor float64) {
	switch {
	case r.layout.size != 8 || r.sparse || s.floats != nil && r.layout.class != float || s.floats == nil && r.layout.class == float:
		for i, v := range r.All() {
			s.addOne(i, v, factor)
		}
	case s.floats != nil && factor == 1:
		data := r.data
		for i := range s.floats {
			s.floats[i] += math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
	case s.floats != nil:
		data := r.data
		for i := range s.floats {
			s.floats[i] += factor * math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
	default:
		data := r.data
		for i := range s.ints {
			v := int64(binary.LittleEndian.Uint64(data[8*i:]))
			if s.floats != nil || !s.addInt(i, v, factor < 0) {
				s.addOne(i, Int(v), factor)
			}
		}
	}
}

// toFloats makes sums fractions.
func (s *Sums) toFloats() {
	s.floats = make([]float64, len(s.ints))
	for i, x := range s.ints {
		s.floats[i] = float64(x)
	}
}

// addInt adds an integer, or takes it away, unless the sum is too large.
func (s *Sums) addInt(i int, v int64, less bool) bool {
	old := s.ints[i]
	sum, second := old+v, v
	if less {
		sum, second = old-v, ^v // overflows when the first is of another sign than the second
	}
	if (old^sum)&(second^sum) < 0 {
		return false
	}
	s.ints[i] = sum
	return true
}

func (s *Sums) addOne(i int, v Value, factor float64) {
	if s.floats == nil {
		if v.class != float && (v.class == signed || v.bits <= math.MaxInt64) && s.addInt(i, int64(v.bits), factor < 0) {
			return
		}
		s.toFloats()
	}
	s.floats[i] += factor * v.Float64()
}

// Merge adds other sums of the same type and length.
func (s *Sums) Merge(t *Sums) {
	for i := range t.ints {
		if t.floats == nil {
			s.addOne(i, t.Value(i), 1)
		}
	}
	for i, x := range t.floats {
		s.addOne(i, Float(x), 1)
	}
}

// Value returns the sum for a location. What was unsigned has a sign if it needs one.
func (s *Sums) Value(column int) Value {
	if s.floats != nil {
		return Float(s.floats[column])
	}
	if v := s.ints[column]; s.layout.class == unsigned && v >= 0 {
		return Uint(uint64(v))
	}
	return Int(s.ints[column])
}

package cube

import (
	"encoding/binary"
	"math"
	"slices"
)

// Sum returns the sum of all values of a row of numbers, added in the order of columns. Integers are added as such.
func (r Row) Sum() Value {
	if r.layout.size == 8 {
		return r.sum8(nil)
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
		return r.sum8(columns)
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

// sum8 adds up values of eight bytes, all or those at some places.
func (r Row) sum8(at []int32) Value {
	v := Value{class: r.layout.class}
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
		return Value{}
	default:
		for _, i := range at {
			v.bits += binary.LittleEndian.Uint64(data[8*int(i):])
		}
		for at == nil && len(data) >= 8 {
			v.bits += binary.LittleEndian.Uint64(data)
			data = data[8:]
		}
	}
	return v
}

// Sums adds up rows of numbers of one type, location by location. Integers are added as such.
type Sums struct {
	layout *layout
	less   bool      // something was taken away
	ints   []uint64  // as bits
	floats []float64 // one of these
}

// NewSums begins sums of rows of n locations.
func NewSums(d DType, n int) *Sums {
	s := &Sums{layout: d.layout()}
	if s.layout.class == float {
		s.floats = make([]float64, n)
	} else {
		s.ints = make([]uint64, n)
	}
	return s
}

// Add adds a row, times a factor, which for integers is 1 or -1. Rows of any numeric type can be added to fractions.
func (s *Sums) Add(r Row, factor float64) {
	s.less = s.less || factor < 0
	switch {
	case r.layout.size != 8 || r.sparse || s.floats != nil && r.layout.class != float:
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
			if v := binary.LittleEndian.Uint64(data[8*i:]); factor < 0 {
				s.ints[i] -= v
			} else {
				s.ints[i] += v
			}
		}
	}
}

func (s *Sums) addOne(i int, v Value, factor float64) {
	switch {
	case s.floats != nil:
		s.floats[i] += factor * v.Float64()
	case factor < 0:
		s.ints[i] -= v.bits
	default:
		s.ints[i] += v.bits
	}
}

// Merge adds other sums of the same type and length.
func (s *Sums) Merge(t *Sums) {
	s.less = s.less || t.less
	for i, x := range t.floats {
		s.floats[i] += x
	}
	for i, x := range t.ints {
		s.ints[i] += x
	}
}

// Value returns the sum for a location. What was unsigned has a sign if something was taken away and it needs one.
func (s *Sums) Value(column int) Value {
	if s.floats != nil {
		return Float(s.floats[column])
	}
	bits := s.ints[column]
	if s.layout.class == unsigned && !(s.less && int64(bits) < 0) {
		return Uint(bits)
	}
	return Int(int64(bits))
}

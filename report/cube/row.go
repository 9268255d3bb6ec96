package cube

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Row holds the values of a metric and a call path, one per location. It is immutable.
type Row struct {
	dtype  DType
	layout *layout
	n      int
	sparse bool
	at     []int32 // if sparse: ascending columns of the values
	data   []byte  // values, least significant byte first
}

// MakeRow makes a row of values for all locations. Values are converted to the type, which must be a numeric one.
func MakeRow(d DType, values []Value) (Row, error) {
	if !d.Numeric() {
		return Row{}, fmt.Errorf("values of type %q are not numbers", string(d))
	}
	l := d.layout()
	data := make([]byte, len(values)*l.size)
	for i, v := range values {
		if !fits(l, v) {
			return Row{}, fmt.Errorf("%s is no value of type %s", v, d)
		}
		encode(l, data[i*l.size:], v)
	}
	return compact(d, data, columns(nil, data, l.size)), nil
}

// MakeSparseRow makes a row of n locations of which only those in columns at, ascending, have a value.
func MakeSparseRow(d DType, n int, at []int32, values []Value) (Row, error) {
	if !d.Numeric() {
		return Row{}, fmt.Errorf("values of type %q are not numbers", string(d))
	}
	if len(at) != len(values) || len(at) > 0 && (at[0] < 0 || int(at[len(at)-1]) >= n) {
		return Row{}, fmt.Errorf("%d values for %d columns of %d locations", len(values), len(at), n)
	}
	for i := 1; i < len(at); i++ {
		if at[i-1] >= at[i] {
			return Row{}, fmt.Errorf("columns %d and %d are not ascending", at[i-1], at[i])
		}
	}
	l := d.layout()
	r := Row{dtype: d, layout: l, n: n, sparse: true, at: slices.Clone(at), data: make([]byte, len(values)*l.size)}
	for i, v := range values {
		if !fits(l, v) {
			return Row{}, fmt.Errorf("%s is no value of type %s", v, d)
		}
		encode(l, r.data[i*l.size:], v)
	}
	if !sparser(len(at), n, l.size) {
		return Row{dtype: d, layout: l, n: n, data: r.dense()}, nil
	}
	return r, nil
}

// MakeRawRow makes a row of values of any type, given as bytes, least significant first.
func MakeRawRow(d DType, n int, values []byte) (Row, error) {
	if err := d.known(); err != nil {
		return Row{}, err
	}
	if len(values) != n*d.layout().size {
		return Row{}, fmt.Errorf("%d bytes for %d values of type %s", len(values), n, d)
	}
	return compact(d, slices.Clone(values), columns(nil, values, d.layout().size)), nil
}

// compact takes values of all locations over, and keeps only those that are not zero, whose columns are given, if that saves
// memory.
func compact(d DType, data []byte, at []int32) Row {
	l := d.layout()
	size := l.size
	r := Row{dtype: d, layout: l, n: len(data) / size, data: data}
	if !sparser(len(at), r.n, size) {
		return r
	}
	r.sparse, r.at, r.data = true, slices.Clone(at), make([]byte, 0, len(at)*size)
	for _, column := range at {
		r.data = append(r.data, data[int(column)*size:(int(column)+1)*size]...)
	}
	return r
}

// sparser says that a row of n values takes less memory if only those that are set are kept, by so much that it pays.
func sparser(set, n, size int) bool { return set*(size+4) <= n*size/2 }

// Len returns the number of locations.
func (r Row) Len() int { return r.n }

// Zero says that all values are zero.
func (r Row) Zero() bool { return zero(r.data) }

// Raw returns the bytes of a location's value, least significant first, or nil if it is zero and not stored. They must
// not be changed.
func (r Row) Raw(column int) []byte {
	size := r.layout.size
	if r.sparse {
		i, ok := slices.BinarySearch(r.at, int32(column))
		if !ok {
			return nil
		}
		column = i
	}
	return r.data[column*size : (column+1)*size]
}

// Value returns a location's value; for a type that is not numeric, the zero Value.
func (r Row) Value(column int) Value {
	raw := r.Raw(column)
	if raw == nil {
		return Value{class: r.layout.class}
	}
	return decode(r.layout, raw)
}

// All yields column and value of all locations whose value is stored, the others being zero.
func (r Row) All() iter.Seq2[int, Value] {
	l := r.layout
	return func(yield func(int, Value) bool) {
		stored := r.n
		if r.sparse {
			stored = len(r.at)
		}
		for i := range stored {
			column := i
			if r.sparse {
				column = int(r.at[i])
			}
			if !yield(column, decode(l, r.data[i*l.size:])) {
				return
			}
		}
	}
}

// dense returns the bytes of all values. They must not be changed.
func (r Row) dense() []byte {
	if !r.sparse {
		return r.data
	}
	data := make([]byte, r.n*r.layout.size)
	r.fill(data)
	return data
}

// fill writes the values of all locations.
func (r Row) fill(data []byte) {
	if !r.sparse {
		copy(data, r.data)
		return
	}
	clear(data)
	size := r.layout.size
	for i, column := range r.at {
		copy(data[int(column)*size:], r.data[i*size:(i+1)*size])
	}
}

func decode(l *layout, b []byte) Value {
	if l.class == composite || l.class == unknown {
		return Value{}
	}
	v := Value{class: l.class}
	switch l.size {
	case 1:
		v.bits = uint64(b[0])
	case 2:
		v.bits = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		v.bits = uint64(binary.LittleEndian.Uint32(b))
	case 8:
		v.bits = binary.LittleEndian.Uint64(b)
	}
	if shift := 64 - 8*l.size; l.class == signed {
		v.bits = uint64(int64(v.bits<<shift) >> shift)
	} else if l.class == unsigned && v.bits > math.MaxInt64 {
		v.class = signed // no counter counts that far: it fell below zero
	}
	return v
}

// fits says that a value can be of a type, save for its fraction. Unsigned numbers of 64 bits are modulo 2⁶⁴, as other tools compute
// with them: what is less than zero is a large one.
func fits(l *layout, v Value) bool {
	if l.class == float {
		return true
	}
	if v.class == float {
		x := math.Trunc(v.Float64())
		if !(x >= -1<<63 && x < 1<<63) {
			return false
		}
		v = Int(int64(x))
	}
	bits := 8 * l.size
	switch {
	case l.class == unsigned && v.negative():
		return bits == 64
	case l.class == unsigned:
		return bits == 64 || v.bits>>bits == 0
	case v.class == unsigned && v.bits > math.MaxInt64:
		return false
	}
	x := int64(v.bits) >> (bits - 1)
	return x == 0 || x == -1
}

// encode converts a value to the type of a row.
func encode(l *layout, b []byte, v Value) {
	bits := v.bits
	if l.class == float && v.class != float {
		bits = Float(v.Float64()).bits
	} else if l.class != float && v.class == float {
		bits = uint64(v.Int64())
	}
	for i := range l.size {
		b[i] = byte(bits >> (8 * i))
	}
}

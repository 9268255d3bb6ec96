package cube

import "slices"

// Adder adds up values by location, of which most are zero, and makes rows of the sums.
type Adder struct {
	sums []Value // by column; the zero Value where nothing was added
	at   []int32 // columns to which something was added
}

// NewAdder begins sums for n locations.
func NewAdder(n int) *Adder { return &Adder{sums: make([]Value, n)} }

// Add adds a value to that of a column.
func (a *Adder) Add(column int, v Value) {
	if v.Zero() {
		return
	}
	if a.sums[column] == (Value{}) {
		a.at = append(a.at, int32(column))
	}
	a.sums[column] = a.sums[column].Add(v)
}

// Sub takes a value from that of a column.
func (a *Adder) Sub(column int, v Value) {
	if !v.Zero() {
		a.Add(column, Int(0).Sub(v))
	}
}

// Row returns the sums divided by n, which makes fractions of them if the type has any, and forgets them.
func (a *Adder) Row(d DType, n int) (Row, error) {
	slices.Sort(a.at)
	columns, values := make([]int32, 0, len(a.at)), make([]Value, 0, len(a.at))
	for _, column := range a.at {
		v := a.sums[column]
		if a.sums[column] = (Value{}); v.Zero() {
			continue
		}
		if !d.Integer() {
			v = Float(v.Float64() / float64(n))
		}
		columns, values = append(columns, column), append(values, v)
	}
	a.at = a.at[:0]
	return MakeSparseRow(d, len(a.sums), columns, values)
}

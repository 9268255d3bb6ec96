package cube

import (
	"fmt"
	"strconv"
	"strings"
)

// DType is the type of a metric's values as files name it, such as "DOUBLE", "UINT64" or "TAU_ATOMIC".
type DType string

// class says how the bytes of a type are to be understood.
type class uint8

const (
	unknown   class = iota
	signed          // integers
	unsigned        //
	float           // 64 bits, whatever the name says
	composite       // several numbers that only make sense together
)

type layout struct {
	class class
	words []uint8 // widths of the numbers that a value consists of; nil: bytes in an order of their own
	size  int     // bytes of a value
}

const scaleFuncSize = 848 // 30 terms and 12 measurements, packed according to how many there are

var layouts = map[DType]*layout{
	"INT8":       {signed, []uint8{1}, 1},
	"INT16":      {signed, []uint8{2}, 2},
	"INT32":      {signed, []uint8{4}, 4},
	"INT64":      {signed, []uint8{8}, 8},
	"INTEGER":    {signed, []uint8{8}, 8},
	"CHAR":       {signed, []uint8{1}, 1},
	"UINT8":      {unsigned, []uint8{1}, 1},
	"UINT16":     {unsigned, []uint8{2}, 2},
	"UINT32":     {unsigned, []uint8{4}, 4},
	"UINT64":     {unsigned, []uint8{8}, 8},
	"DOUBLE":     {float, []uint8{8}, 8},
	"FLOAT":      {float, []uint8{8}, 8},
	"MINDOUBLE":  {float, []uint8{8}, 8},
	"MAXDOUBLE":  {float, []uint8{8}, 8},
	"RATE":       {composite, []uint8{8, 8}, 16},
	"COMPLEX":    {composite, []uint8{8, 8}, 16},
	"TAU_ATOMIC": {composite, []uint8{4, 8, 8, 8, 8}, 36},
	"SCALE_FUNC": {composite, nil, scaleFuncSize},
}

// layout returns how values of the type are laid out. Types with a number of parts have a limit of 4096.
func (d DType) layout() *layout {
	if l, ok := layouts[d]; ok {
		return l
	}
	name, rest, ok := strings.Cut(string(d), "(")
	n, err := strconv.Atoi(strings.TrimSuffix(rest, ")"))
	if !ok || err != nil || n < 1 || n > 4096 || !strings.HasSuffix(rest, ")") {
		return &layout{}
	}
	switch name {
	case "HISTOGRAM":
		n += 2 // least and greatest value
	case "NDOUBLES":
	default:
		return &layout{}
	}
	words := make([]uint8, n)
	for i := range words {
		words[i] = 8
	}
	return &layout{composite, words, 8 * n}
}

// Numeric says that values are single numbers, so that they can be aggregated.
func (d DType) Numeric() bool {
	c := d.layout().class
	return c != unknown && c != composite
}

// Integer says that values are numbers without fractions.
func (d DType) Integer() bool {
	c := d.layout().class
	return c == signed || c == unsigned
}

// known returns an error for a type whose values cannot be told apart.
func (d DType) known() error {
	if d.layout().class == unknown {
		return fmt.Errorf("unknown type of values %q", string(d))
	}
	return nil
}

// swap turns the bytes of all numbers in values around.
func (l *layout) swap(values []byte) {
	if l.words == nil {
		return
	}
	for len(values) > 0 {
		for _, w := range l.words {
			for i, j := 0, int(w)-1; i < j; i, j = i+1, j-1 {
				values[i], values[j] = values[j], values[i]
			}
			values = values[w:]
		}
	}
}

package cubepl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"
)

// Limits of the elements that arrays have together: all global ones, and the local ones of an evaluation.
const (
	maxGlobalCells = 1 << 24
	maxLocalCells  = 1 << 20
)

// An element that lies further behind the others than this is kept by index, as if it took so many cells.
const (
	denseGap   = 1024
	sparseCost = 8
)

// maxIndex limits the index of an element.
const maxIndex = 1 << 31

// array is a variable: numbers that lie close together, and everything else by index.
type array struct {
	numbers []float64
	others  map[int]Value // these come first
	length  int           // one more than the highest index assigned
}

func (a *array) get(i int) Value {
	if a.others != nil {
		if v, ok := a.others[i]; ok {
			return v
		}
	}
	if i < len(a.numbers) {
		return Number(a.numbers[i])
	}
	return Value{}
}

// set assigns an element. cells counts those of all arrays of a memory.
func (a *array) set(i int, v Value, cells *int, most int) error {
	before := a.cells()
	if v.kind != isText && i < len(a.numbers)+denseGap {
		for len(a.numbers) <= i {
			a.numbers = append(a.numbers, 0)
		}
		a.numbers[i] = v.number
		delete(a.others, i)
	} else {
		if a.others == nil {
			a.others = map[int]Value{}
		}
		a.others[i] = v
	}
	a.length = max(a.length, i+1)
	if *cells += a.cells() - before; *cells > most {
		return fmt.Errorf("variables of more than %d elements", most)
	}
	return nil
}

func (a *array) cells() int { return len(a.numbers) + sparseCost*len(a.others) }

func (a *array) clear() {
	a.numbers = a.numbers[:0]
	clear(a.others)
	a.length = 0
}

func (a *array) clone() *array {
	return &array{numbers: slices.Clone(a.numbers), others: maps.Clone(a.others), length: a.length}
}

// index makes a number an index.
func index(x float64) (int, error) {
	if !(x >= 0 && x < maxIndex) {
		return 0, fmt.Errorf("index %g", x)
	}
	return int(math.Floor(x)), nil
}

// Globals are the global variables of an experiment, which all its programs share. Any number of goroutines may
// evaluate programs that only read them.
type Globals struct {
	arrays    map[string]*array
	cells     int
	expensive atomic.Int64 // steps taken by evaluations that took more than modest ones
}

// NewGlobals returns an empty set of global variables.
func NewGlobals() *Globals { return &Globals{arrays: map[string]*array{}} }

// Get returns an element of a global variable.
func (g *Globals) Get(name string, i int) Value {
	if a := g.arrays[name]; a != nil && i >= 0 {
		return a.get(i)
	}
	return Value{}
}

// declare returns the array of a global variable, which it makes.
func (g *Globals) declare(name string) *array {
	a := g.arrays[name]
	if a == nil {
		a = &array{}
		g.arrays[name] = a
	}
	return a
}

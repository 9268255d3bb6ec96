package cubepl

// Env is what a program is evaluated in: the experiment, seen from one place of calculation. The place is the
// Env's own affair: who evaluates a program for every cell moves the Env from cell to cell, and what it returned
// follows.
type Env interface {
	// Metric returns the metric of a unique name, or an error that says why there is none.
	Metric(name string) (Metric, error)
	// Array returns a predefined variable, such as cube::#locations or calculation::callpath::id, and nil if
	// there is none of this name.
	Array(name string) Array
	// Property returns a property of a metric, such as "value" or "unit".
	Property(metric, name string) (string, error)
	// SetProperty changes one. The value "VOID" of the property "value" hides the metric.
	SetProperty(metric, name, value string) error
}

// Metric gives the values of a metric, stored or derived.
type Metric interface {
	At(Place) (float64, error)
}

// Array is a predefined variable. Those that are no arrays have one element. At is called with 0 ≤ i < Len.
type Array interface {
	Len() int
	At(i int) Value
}

// Place says where a metric is to be evaluated.
type Place struct {
	CallPath      int // identifier of a call path, Here or All
	System        int // global identifier of an element of the system tree, Here or All
	CallFlavour   Flavour
	SystemFlavour Flavour
}

// Instead of an identifier, a Place says that it is
const (
	Here = -1 // where the calculation is, which may be a selection of several
	All  = -2 // everything: the sum over all root call paths, or over the whole system
)

// Flavour says whether a value includes those of the elements below.
type Flavour uint8

// A value is exclusive, inclusive, or the Same as the value that is being calculated.
const (
	Same Flavour = iota
	Inclusive
	Exclusive
)

// String returns the flavour as expressions have it: *, i or e.
func (f Flavour) String() string { return [...]string{"*", "i", "e"}[f] }

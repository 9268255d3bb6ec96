package cubepl

// Env is what a program is evaluated in: the experiment, seen from one place of calculation. The place is the
// Env's own affair: who evaluates a program for every cell moves the Env from cell to cell, and what it returned
// follows.
type Env interface {
	// Metric returns the metric of a unique name, or an error that says why there is none.
	Metric(name string) (Metric, error)
	// Array returns a predefined variable, and nil if there is none of this name. See Predefined.
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

// Predefined are the names of the variables that Cube predefines. Counts (cube::#…) and cube::filename have one
// element, the others of cube:: one for each identifier of a metric, call path, region, system tree node (stn),
// location group or location. Those of calculation:: tell what is calculated, for each element of a selection:
// states are 0 inclusive, 1 exclusive, 2 same; kinds 5 system tree node, 6 location group, 7 location. A parent
// that does not exist is -1.
var Predefined = []string{
	"cube::#mirrors", "cube::#metrics", "cube::#root::metrics", "cube::#regions", "cube::#callpaths",
	"cube::#root::callpaths", "cube::#locations", "cube::#locations::void", "cube::#locations::nonvoid",
	"cube::#locationgroups", "cube::#locationgroups::void", "cube::#locationgroups::nonvoid", "cube::#stns",
	"cube::#rootstns", "cube::filename",
	"cube::metric::uniq::name", "cube::metric::disp::name", "cube::metric::url", "cube::metric::description",
	"cube::metric::dtype", "cube::metric::uom", "cube::metric::expression", "cube::metric::initexpression",
	"cube::metric::#children", "cube::metric::parent::id", "cube::metric::children", "cube::metric::enumeration",
	"cube::callpath::mod", "cube::callpath::line", "cube::callpath::#children", "cube::callpath::children",
	"cube::callpath::calleeid", "cube::callpath::parent::id", "cube::callpath::enumeration",
	"cube::region::name", "cube::region::mangled::name", "cube::region::paradigm", "cube::region::role",
	"cube::region::url", "cube::region::description", "cube::region::mod", "cube::region::begin::line",
	"cube::region::end::line",
	"cube::stn::name", "cube::stn::description", "cube::stn::class", "cube::stn::#children", "cube::stn::children",
	"cube::stn::#locationgroups", "cube::stn::locationgroups", "cube::stn::parent::id", "cube::stn::parent::sysid",
	"cube::locationgroup::name", "cube::locationgroup::parent::id", "cube::locationgroup::parent::sysid",
	"cube::locationgroup::rank", "cube::locationgroup::type", "cube::locationgroup::void",
	"cube::locationgroup::#locations", "cube::locationgroup::locations",
	"cube::location::name", "cube::location::type", "cube::location::parent::id", "cube::location::parent::sysid",
	"cube::location::rank", "cube::location::void",
	"calculation::metric::id", "calculation::callpath::id", "calculation::callpath::state",
	"calculation::callpath::#elements", "calculation::region::id", "calculation::region::#elements",
	"calculation::sysres::id", "calculation::sysres::sysid", "calculation::sysres::state",
	"calculation::sysres::kind", "calculation::sysres::#elements",
}

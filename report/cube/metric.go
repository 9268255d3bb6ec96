package cube

import (
	"errors"
	"fmt"
)

// Kind says what the values of a metric mean along the call tree, or how they are derived.
type Kind uint8

// Kinds of metrics. Along the tree of metrics, values always include those of the children.
const (
	Exclusive           Kind = iota // a stored value is without the call paths below
	Inclusive                       // a stored value is with the call paths below
	Simple                          // a stored value stands alone
	PostDerived                     // computed from values already aggregated
	PreDerivedInclusive             // computed for each call path and location, then aggregated
	PreDerivedExclusive
	kinds
)

var kindNames = [kinds]string{"EXCLUSIVE", "INCLUSIVE", "SIMPLE", "POSTDERIVED", "PREDERIVED_INCLUSIVE", "PREDERIVED_EXCLUSIVE"}

// String returns the kind as files write it.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Derived says that the metric has no values of its own, but expressions.
func (k Kind) Derived() bool { return k >= PostDerived }

func parseKind(s string) (Kind, bool) {
	for k, name := range kindNames {
		if s == name {
			return Kind(k), true
		}
	}
	return Exclusive, s == "" // as all metrics were before they said so
}

// Metric is something that was measured or found, with its values.
type Metric struct {
	ID          int
	Name        string // unique
	Title       string // for display
	DType       DType
	Unit        string
	Val         string // "VOID" hides the metric
	URL, Doc    string
	Kind        Kind
	Ghost       bool   // only there for others to be derived from
	Options     []Attr // "cacheable", "convertible", and whatever else the element says of the metric
	Attrs       []Attr
	Expressions []Expression
	Children    []*Metric
	Parent      *Metric // set by Complete

	cube *Cube
	data *data // nil: all values are zero
}

// Expression is a piece of CubePL, kept word for word.
type Expression struct {
	Element string // "cubepl", "cubeplinit", "cubeplaggr"
	Options []Attr // "rowwise", "cubeplaggrtype"
	Text    string
}

// errDerived is returned for the values of a metric that has none, only expressions.
var errDerived = errors.New("metric is derived: it has no stored values")

// Row returns the stored values of a call path, zero for all locations if there are none. Values of a type that is not
// known are an error; their members are kept.
func (m *Metric) Row(p *CallPath) (Row, error) { return m.rowBy(p, (*data).row) }

// Read is Row for those who go over all rows once: what it takes from the file is not kept.
func (m *Metric) Read(p *CallPath) (Row, error) { return m.rowBy(p, (*data).read) }

func (m *Metric) rowBy(p *CallPath, row func(*data, int) (Row, error)) (Row, error) {
	zero := Row{dtype: m.DType, layout: m.DType.layout(), n: len(m.cube.locations), sparse: true}
	if m.Kind.Derived() {
		return zero, fmt.Errorf("%s: %w", m.Name, errDerived)
	}
	if err := m.DType.known(); err != nil {
		return zero, fmt.Errorf("%s: %w", m.Name, err)
	}
	if i, ok := m.find(p); ok {
		return row(m.data, i)
	}
	return zero, nil
}

// Stored lists the call paths that have a row, in the order of the index.
func (m *Metric) Stored() []*CallPath {
	if m.data == nil {
		return nil
	}
	list := make([]*CallPath, len(m.data.positions))
	for i, position := range m.data.positions {
		list[i] = m.cube.paths[m.order().path[position]]
	}
	return list
}

// Set stores the values of a call path in place of those that were there. It must not run beside anything else on the
// same metric.
func (m *Metric) Set(p *CallPath, r Row) error {
	if m.Kind.Derived() {
		return fmt.Errorf("%s: %w", m.Name, errDerived)
	}
	if r.dtype != m.DType || r.n != len(m.cube.locations) {
		return fmt.Errorf("%s: a row of %d values of %s does not fit %d locations and %s", m.Name, r.n, r.dtype, len(m.cube.locations), m.DType)
	}
	if m.data == nil {
		m.data = newData(m.DType, r.n)
	}
	m.data.set(m.order().position[p.index], r)
	return nil
}

func (m *Metric) order() *order { return m.cube.orders[m.Kind] }

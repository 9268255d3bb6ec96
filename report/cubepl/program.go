package cubepl

import (
	"regexp"
	"slices"
	"strings"
)

// Program is a parsed expression. It does not change, so any number of goroutines may use it.
type Program struct {
	root        node
	metrics     []string // referenced, by slot
	variables   []string // by slot
	globals     []string // declared with global()
	matches     int      // slots of matches
	parts       int      // tokens, as a measure of cost
	definitions []Definition
}

// DefinitionKind says what a Definition is for.
type DefinitionKind uint8

// What an expression can define of a metric.
const (
	PostDerived         DefinitionKind = iota // a hidden metric, evaluated on aggregated operands
	PreDerivedInclusive                       // a hidden metric, evaluated per cell, inclusive
	PreDerivedExclusive                       // a hidden metric, evaluated per cell, exclusive
	Initialisation                            // the expression that runs once before a metric is evaluated
	AggregationPlus                           // how two values of a metric are added, from arg1 and arg2
	AggregationMinus                          // how they are subtracted
)

// definitions are the words before the name of the metric. Longer ones come before their own prefixes.
var definitions = []struct {
	prefix string
	kind   DefinitionKind
}{
	{"cube::metric::postderived::", PostDerived},
	{"cube::metric::prederived::", PreDerivedInclusive},
	{"cube::init::metric::", Initialisation},
	{"cube::metric::plus::", AggregationPlus},
	{"cube::metric::minus::", AggregationMinus},
}

// Definition is a metric, or a part of one, that an expression defines as a statement of its own. It holds from
// the time the program is parsed, whether the statement is reached or not.
type Definition struct {
	Kind    DefinitionKind
	Metric  string // unique name
	Program *Program
}

// Metrics returns the unique names of the metrics that the program refers to, sorted. Those of definitions in
// it are not among them.
func (p *Program) Metrics() []string { return slices.Sorted(slices.Values(p.metrics)) }

// Definitions returns what the program defines besides its own value, in source order.
func (p *Program) Definitions() []Definition { return slices.Clone(p.definitions) }

// String returns the program in a normal form that Cube compiles, without comments, line breaks and needless parentheses. What it
// parses to has the same value and the same normal form.
func (p *Program) String() string {
	var b strings.Builder
	p.root.write(&b, p)
	return b.String()
}

// slot returns the index of a name in a list, where it is put if it is not there yet.
func slot(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// node is a part of an expression, or a statement, whose value means nothing.
type node interface {
	eval(f *frame) Value
	write(b *strings.Builder, p *Program)
}

type (
	constant struct{ value Value }
	argument struct{ index int }
	variable struct {
		offset, slot int
		index        node // nil: 0
	}
	sizeOf  struct{ slot int }
	defined struct{ slot int }
	unary   struct {
		offset int
		op     string // "-", "not" or "|"
		x      node
	}
	operation struct {
		offset int
		op     string
		x, y   node
	}
	match struct {
		offset, slot int
		x            node
		re           *regexp.Regexp
		size         int // of re, repetitions written out
	}
	call struct {
		offset int
		fn     *function
		args   []node
	}
	reference struct {
		offset, slot     int
		scope            string // "", "fixed::" or "call::"
		callPath, system node   // of scope call; system may be nil
		flavours         []Flavour
	}
	property struct {
		offset       int
		metric, name string
	}
	block struct {
		offset     int
		statements []statement
		result     node // nil: none
	}
)

// statement is a node with what executing it costs: the number of nodes that it is made of.
type statement struct {
	node
	cost int
}

type (
	assignment struct {
		target *variable
		value  node
	}
	branch struct {
		conditions []statement
		blocks     [][]statement // one more than conditions if there is an else
	}
	loop struct {
		offset    int
		condition statement
		body      []statement
	}
	setProperty struct {
		offset              int
		metric, name, value string
	}
	declaration struct{ text string } // has done its work when parsed
)

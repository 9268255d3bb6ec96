// Package spec is the specification language for hierarchies of counter metrics: compose, measure, compute (paper "A
// holistic hardware counter analysis", section 2 and appendix A.2), with sets of counters, ratios and overrides added.
//
// A specification is parsed once ([Parse]) and then resolved against the events that were measured ([Spec.Resolve]):
// the result is a forest of metrics, each a linear form of measured events, so it can be evaluated on any sums of them,
// cell by cell or merged over runs, with the same result.
package spec

import (
	"fmt"
	"strings"
)

// Problem is one fault of a specification's text.
type Problem struct {
	File         string
	Line, Column int // from 1
	Text         string
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text) }

// Problems is all that is wrong with a text, in its order. It is the error of [Parse].
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Set is a set of counters that can be measured together.
type Set struct {
	Name        string
	Events      []string
	Description string
}

// Machine says which counters a processor can read together, as far as a specification tells it.
type Machine struct {
	Counters int               // general counters; 0: not told
	Fits     map[string]uint64 // event: the counters that can count it, bit n is counter n; events not listed fit on any
	Groups   [][]string        // if there are some: events are counted together only if one of these has them all
	Alone    []string          // events that are counted with no other
}

// CPU identifies a processor. Its fields are those of the event tables' type, so that one converts to the other.
type CPU struct {
	Arch, Vendor            string // GOARCH and the vendor's own name: "amd64", "GenuineIntel"
	Family, Model, Stepping int
	Name                    string // in the maker's words
}

// Kind says how a metric got its value.
type Kind uint8

// The kinds of metrics.
const (
	Measured  Kind = iota // an event that was measured
	Composed              // the sum of its children
	Computed              // a computation with measured events
	Remainder             // what is left of its parent; the specification names it but nothing measures it
)

// Term is part of a linear form.
type Term struct {
	Event int   // index in the events given to Resolve
	Times int64 // coefficient
}

// Node is a metric of a resolved hierarchy.
type Node struct {
	Name        string // unique among the nodes: Label, with "@" and the root's name added where a name is in several hierarchies
	Label       string // as the specification has it
	Spec        string // name of the specification that it is from
	Parent      int    // index of the parent, -1 for a root
	Kind        Kind
	Form        []Term   // the inclusive value; ascending Event
	Missing     []string // events that are missing; not empty: incomplete, a lower bound, labelled ~
	Unit        string   // ns, bytes, cycles or events
	Description string
}

// Ratio is a quotient, or another expression that may only be evaluated on sums.
type Ratio struct {
	Name        string
	Unit        string  // in words: "instructions per cycle"
	Low, High   float64 // the scale for its display; equal: none
	Least       float64 // a denominator must be at least this, else there is no value
	Description string
	Expression  *Expr
}

// Resolved is a specification applied to the events that were measured.
type Resolved struct {
	Events   []string // as given to Resolve
	Nodes    []Node   // parents before children; roots and siblings in the order of the specification
	Ratios   []Ratio  // those whose operands exist
	Unlisted []string // measured events that no hierarchy shows
	Dropped  []string // what has no value, in words: computations that lack an operand, and in a specification that is not shipped any ratio or root: "DATA_HIT_L1$: DC_MISS was not measured"
}

// FormText writes the form with the names of the events, as given to Resolve: "a − 2 × b".
func (n *Node) FormText(events []string) string {
	var b strings.Builder
	for i, t := range n.Form {
		times := t.Times
		switch {
		case times < 0 && i == 0:
			b.WriteString("−")
		case times < 0:
			b.WriteString(" − ")
		case i > 0:
			b.WriteString(" + ")
		}
		if times = max(times, -times); times != 1 {
			fmt.Fprintf(&b, "%d × ", times)
		}
		b.WriteString(events[t.Event])
	}
	if len(n.Form) == 0 {
		return "0"
	}
	return b.String()
}

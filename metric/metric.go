// Package metric describes what is measured: named quantities with a unit and a place in a tree. The
// severities themselves live in package report.
package metric

import "fmt"

// Unit is the unit of a metric's stored int64 values.
type Unit uint8

// The units.
const (
	Nanoseconds Unit = iota // durations
	Count                   // occurrences: visits, messages
	Bytes
	Events // hardware or software counter events
)

func (u Unit) String() string {
	switch u {
	case Nanoseconds:
		return "ns"
	case Count:
		return "1"
	case Bytes:
		return "bytes"
	case Events:
		return "events"
	}
	return fmt.Sprintf("unit(%d)", uint8(u))
}

// Kind says what a metric is.
type Kind uint8

// The kinds.
const (
	Plain      Kind = iota // none of those below
	WaitState              // has instances, causers and a critical share
	Counter                // as it was measured; hierarchies are made of these
	Incomplete             // of a hierarchy of which counters are missing, so the value is a lower bound; shown as ~Name
	More                   // by how much another metric may be more, because not all of its counters could be attributed exactly
	Less                   // by how much another metric may be less; values are negative
	Property               // of counters, found in events: has texts, and no severities
	Problem                // recognised by a chain of waits: has texts, and no severities
)

// The title of the metric execution where the processor time of the program covers it, and where it does not: then nobody knows how much of it
// was waiting for something that is not recorded.
const (
	ExecutionTitle = "Execution"
	ComputingTitle = "Computation" // where operations are those of MPI and the like: all else is the program's own work
	RunningTitle   = "Running or not recorded"
)

// Metric is one quantity. Stored severities are exclusive along the metric tree: a parent's inclusive
// value is its own plus that of its children.
type Metric struct {
	Name        string // identifier, stable forever: late_sender
	Title       string // for people: Late sender
	Parent      string // name of the parent, "" for a root
	Kind        Kind
	Unit        Unit
	Description string // what it means, first sentence stands alone
	Formula     string // how it is computed, in the terms of the description
	Advice      string // what to do about it; "" for metrics that are no problem in themselves
	UnitName    string // unit in the words of the program that made the metric, "" if Unit says it
	Of          string // of a margin: the metric that it is about, "" if that is the parent
	Hierarchy   string // specification that made the metric from counters, "" if none did
	Causing     string // wait state: how a causer's call path belongs to it, "which had locked it in"; "" is "which was in"
}

// Margin says that the metric is by how much another may be more, or less.
func (m *Metric) Margin() bool { return m.Kind == More || m.Kind == Less }

// Bounds returns the metric that a margin is about.
func (m *Metric) Bounds() string {
	if m.Of != "" {
		return m.Of
	}
	return m.Parent
}

// Label is the title for display: incomplete metrics are marked.
func (m *Metric) Label() string {
	if m.Kind == Incomplete {
		return Mark + m.Title
	}
	return m.Title
}

// Mark begins the titles of incomplete metrics.
const Mark = "~"

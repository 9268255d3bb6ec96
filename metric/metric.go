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

// The title of the metric execution where the processor time of the program covers it, and where it does not: then nobody knows how much of it
// was waiting for something that is not recorded.
const (
	ExecutionTitle = "Execution"
	RunningTitle   = "Running or not recorded"
)

// Metric is one quantity. Stored severities are exclusive along the metric tree: a parent's inclusive
// value is its own plus that of its children.
type Metric struct {
	Name        string // identifier, stable forever: late_sender
	Title       string // for people: Late sender
	Parent      string // name of the parent, "" for a root
	Unit        Unit
	Description string // what it means, first sentence stands alone
	Formula     string // how it is computed, in the terms of the description
	Advice      string // what to do about it; "" for metrics that are no problem in themselves
	UnitName    string // unit in the words of the program that made the metric, "" if Unit says it
	Counter     bool   // a counter as it was measured; hierarchies are made of these
	Uncertain   bool   // by how much another metric may be more, because not all of its counters could be attributed exactly
	Less        bool   // of an uncertain one: by how much it may be less; values are negative
	Of          string // of an uncertain one: the metric that it is about, "" if that is the parent
	Hierarchy   string // specification that made the metric from counters, "" if none did
	Incomplete  bool   // of a hierarchy: counters are lacking, so the value is a lower bound; shown as ~Name
	Wait        bool   // a wait state: has instances, causers and a critical share
	Causing     string // wait state: how a causer's call path belongs to it, "which had locked it in"; "" is "which was in"
}

// Bounds returns the metric that an uncertain one is about.
func (m *Metric) Bounds() string {
	if m.Of != "" {
		return m.Of
	}
	return m.Parent
}

// Label is the title for display: incomplete metrics are marked.
func (m *Metric) Label() string {
	if m.Incomplete {
		return Mark + m.Title
	}
	return m.Title
}

// Mark begins the titles of incomplete metrics.
const Mark = "~"

// Package cube is the report of an experiment in the field's own form: severities over three trees, of metrics,
// of call paths, and of the system with its locations at the leaves. It reads and writes `.cubex` files as
// Scalasca, Score-P and CUBE do, and reads the older `.cube`.
//
// A `.cubex` file is a tar archive: `anchor.xml` holds the trees, and for each metric with values there is an
// index of the call paths that have a row, and the rows, each one value per location in the order of location
// numbers. Rows are read on demand, and kept sparse if most values are zero. Other members
// are kept as they are.
//
// Build a Cube, complete it (Complete), then only read it. Reading is safe for concurrent use.
package cube

import (
	"fmt"
	"io"
)

// Cube is a report: the trees, the values of the metrics, and whatever else the file carried.
type Cube struct {
	Version    string // syntax of the file that was read, "3.0" or "4.x"; "" for a cube made in memory
	Attrs      []Attr
	Mirrors    []string // prefixes that stand for "@mirror@" in the addresses of descriptions
	Metrics    []*Metric
	Regions    []*Region
	Roots      []*CallPath
	System     []*SystemNode
	Topologies []*Topology
	Members    []*Member // of the file, beside trees and values: remapping.spec, trace.stat, …
	Problems   []string  // what was left out or mended in reading

	MetricsTitle, ProgramTitle, SystemTitle string

	metrics   []*Metric
	paths     []*CallPath
	locations []*Location
	orders    map[Kind]*order
	file      io.Closer
}

// Attr is a key with a value, as nearly everything in a cube may carry.
type Attr struct{ Key, Value string }

// ValueOf returns the value of the first attribute of that key, "" if there is none.
func ValueOf(list []Attr, key string) string {
	for _, a := range list {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// Region is a piece of the program's source.
type Region struct {
	ID         int
	Name       string
	Mangled    string // name as the linker knows it
	Paradigm   string // "mpi", "openmp", "user", "compiler", …
	Role       string // "function", "barrier", "loop", …
	URL, Doc   string
	Module     string // file
	Begin, End int    // lines, -1 unknown
	Attrs      []Attr
}

// CallPath is a node of the call tree: a region called from the parent's region.
type CallPath struct {
	ID       int
	Region   *Region
	Module   string // file of the call
	Line     int    // line of the call, -1 unknown
	Params   []Param
	Attrs    []Attr
	Children []*CallPath
	Parent   *CallPath // set by Complete

	index int
}

// Index is the place of the call path in Paths.
func (p *CallPath) Index() int { return p.index }

// Param tells call paths of the same region apart.
type Param struct {
	Type string // "numeric" or "string"
	Key  string
	Text string
}

// SystemNode is a part of the machine: all of it, a node, …
type SystemNode struct {
	ID       int
	Name     string
	Class    string // "machine", "node", …
	Doc      string
	Attrs    []Attr
	Children []*SystemNode
	Groups   []*LocationGroup
	Parent   *SystemNode // set by Complete
}

// LocationGroup is mostly a process.
type LocationGroup struct {
	ID        int
	Name      string
	Rank      int
	Type      string // "process", "accelerator", …
	Doc       string
	Attrs     []Attr
	Locations []*Location
	Node      *SystemNode // set by Complete
}

// Location is an ordered stream of events: a thread, a goroutine, a stream of a device.
type Location struct {
	ID    int
	Name  string
	Rank  int    // within the group
	Type  string // "thread", "gpu", "metric", …
	Doc   string
	Attrs []Attr
	Group *LocationGroup // set by Complete

	column int
}

// Column is the place of the location in Locations, and so of its value in a row.
func (l *Location) Column() int { return l.column }

// Topology lays parts of the system out on a grid.
type Topology struct {
	Name   string
	Dims   []Dim
	Coords []Coord
}

// Dim is one dimension of a topology.
type Dim struct {
	Name     string
	Size     int
	Periodic bool
}

// Coord places a part of the system; one part may have several places.
type Coord struct {
	Of Resource
	At []int
}

// Resource is a *Location, a *LocationGroup or a *SystemNode.
type Resource interface{ resource() }

func (*Location) resource()      {}
func (*LocationGroup) resource() {}
func (*SystemNode) resource()    {}

// AllMetrics returns the metrics in document order, parents before children.
func (c *Cube) AllMetrics() []*Metric { return c.metrics }

// Paths returns the call paths in document order, parents before children.
func (c *Cube) Paths() []*CallPath { return c.paths }

// Locations returns the locations ascending by ID: the columns of a row.
func (c *Cube) Locations() []*Location { return c.locations }

// Metric returns the metric of that unique name, or nil.
func (c *Cube) Metric(name string) *Metric {
	for _, m := range c.metrics {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Close releases the file. Rows not yet read are lost.
func (c *Cube) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// Complete connects the trees, so that parents, columns and row numbers are known, and checks that numbers are unique
// and references lead somewhere. It is called once, when all trees are there and before any values are set.
func (c *Cube) Complete() error {
	if err := c.completeMetrics(); err != nil {
		return err
	}
	if err := c.completePaths(); err != nil {
		return err
	}
	if err := c.completeSystem(); err != nil {
		return err
	}
	return c.completeTopologies()
}

// numbers notices when a number is given twice.
type numbers struct {
	what string
	seen map[int]bool
}

func unique(what string) numbers { return numbers{what, map[int]bool{}} }

func (n numbers) add(id int) error {
	if id < 0 || n.seen[id] {
		return fmt.Errorf("%s %d: number is negative or given twice", n.what, id)
	}
	n.seen[id] = true
	return nil
}

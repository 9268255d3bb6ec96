package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Annotation is what a call tree says beside values.
type Annotation string

// The annotations.
const (
	Nothing  Annotation = "none"
	Source   Annotation = "source"   // file and line
	Location Annotation = "location" // the location with most of the value
)

// TreeOptions say what a call tree shows.
type TreeOptions struct {
	Metric    *query.Metric
	Self      bool    // without the metrics below
	Inclusive bool    // only values with what is called
	Threshold float64 // per cent of the whole program that a call path must have
	Annotate  Annotation
}

// callTree is a call tree in the making.
type callTree struct {
	m                    *query.Model
	o                    TreeOptions
	t                    *Table
	whole                float64 // what thresholds are part of
	inclusive, exclusive []cube.Value
	locations            []*query.Resource
	names                []string
}

// CallTree makes a table of the call paths with values of a metric, as a tree: the dearest first.
func CallTree(m *query.Model, o TreeOptions) *Table {
	what := query.What{Metric: o.Metric, Self: o.Self}
	c := &callTree{m: m, o: o, t: &Table{Labels: []string{"callpath", "depth", "file", "line"}}, locations: locations(m)}
	col := column(m, what, false)
	c.t.Title = []string{readable.Clean(o.Metric.Title) + " (" + readable.Clean(o.Metric.Name) + ")"}
	for _, name := range []string{"total", "share", "own"} {
		x := col
		x.Name, x.Share = name, name == "share"
		if name == "share" && !o.Metric.Additive || name == "own" && o.Inclusive {
			continue
		}
		c.t.Columns = append(c.t.Columns, x)
	}
	if o.Annotate == Location {
		c.t.Labels = append(c.t.Labels, "location")
		c.t.Columns = append(c.t.Columns, Column{Name: "largest", Title: col.Title, Unit: col.Unit, derived: true})
		c.names = locationNames(m)
	}
	var err error
	if c.inclusive, c.exclusive, err = m.ByPath(what, nil); err != nil || col.Error != "" {
		if err != nil {
			col.Error = err.Error()
		}
		c.t.Columns = c.t.Columns[:1]
		c.t.Columns[0].Name, c.t.Columns[0].Error = o.Metric.Name, col.Error
		c.t.note()
		return c.t
	}
	c.whole = math.Abs(col.Total.Float64())
	for _, v := range c.inclusive { // in a difference, the whole may be small
		c.whole = max(c.whole, math.Abs(v.Float64()))
	}
	c.walk(m.Cube.Roots, 0)
	return c.t
}

// walk adds the call paths of a list and those below that are large enough, and says whether there were any.
func (c *callTree) walk(list []*cube.CallPath, depth int) bool {
	list = slices.Clone(list)
	size := func(p *cube.CallPath) float64 { return math.Abs(c.inclusive[p.Index()].Float64()) }
	slices.SortStableFunc(list, func(a, b *cube.CallPath) int { return cmp.Compare(size(b), size(a)) })
	any := false
	for _, p := range list {
		at := len(c.t.Rows)
		c.add(p, depth)
		below := c.walk(p.Children, depth+1)
		if own := c.exclusive[p.Index()]; !below && (empty(c.inclusive[p.Index()]) && empty(own) || c.o.Metric.Additive && 100*size(p) < c.o.Threshold*c.whole) {
			c.t.Rows = c.t.Rows[:at]
			continue
		}
		any = true
	}
	return any
}

// add adds a call path.
func (c *callTree) add(p *cube.CallPath, depth int) {
	file, line := source(p.Region)
	row := Row{Labels: []any{names(p), depth, file, line}}
	row.Shown = strings.Repeat("  ", min(depth, 40)) + readable.Elide(readable.Clean(p.Region.Name), 60)
	inclusive, own := c.inclusive[p.Index()], c.exclusive[p.Index()]
	for i := range c.t.Columns {
		col := &c.t.Columns[i]
		switch col.Name {
		case "total", "share":
			row.Values = append(row.Values, col.value(inclusive))
		case "own":
			row.Values = append(row.Values, col.value(own))
		}
	}
	switch c.o.Annotate {
	case Source:
		if where := place(file, line); where != "" {
			row.Shown += gap + where
		}
	case Location:
		name, v := c.largest(p)
		row.Labels = append(row.Labels, name)
		row.Values = append(row.Values, v)
		row.Shown += gap + "most on " + readable.Clean(name)
	}
	c.t.Rows = append(c.t.Rows, row)
}

// largest returns the location with most of the value of a call path.
func (c *callTree) largest(p *cube.CallPath) (name string, most Value) {
	values, err := c.m.ByResource(query.What{Metric: c.o.Metric, Self: c.o.Self}, p, true)
	if err != nil {
		return "", Value{}
	}
	for i, l := range c.locations {
		if v := values[l.Index]; !most.Known || math.Abs(v.Float64()) > math.Abs(most.Float64()) {
			name, most = c.names[i], Value{v, true}
		}
	}
	return name, most
}

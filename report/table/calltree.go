package table

import (
	"cmp"
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
	inclusive, exclusive values
	locations            []*query.Resource
	names                []string
}

// CallTree makes a table of the call paths with values of a metric, as a tree: ranked by cost.
func CallTree(m *query.Model, o TreeOptions) *Table {
	what := query.What{Metric: o.Metric, Self: o.Self}
	c := &callTree{m: m, o: o, t: &Table{Labels: []string{"callpath", "depth", "file", "line"}, single: true}, locations: locations(m)}
	col := column(m, what, false)
	c.t.Title = append(sign(m), readable.Clean(o.Metric.Title)+" ("+readable.Clean(o.Metric.Name)+")")
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
	err := c.ask(what)
	if err != nil || col.Error != "" {
		if err != nil {
			col.Error = err.Error()
		}
		c.t.Columns = c.t.Columns[:1]
		c.t.Columns[0].Name, c.t.Columns[0].Error = o.Metric.Name, col.Error
		c.t.note()
		return c.t
	}
	c.whole = size(col.Total, col.in)
	for i := range c.inclusive.list { // in a difference, the whole may be small
		c.whole = max(c.whole, c.size(i))
	}
	c.walk(m.Cube.Roots, 0)
	return c.t
}

// ask asks for the values.
func (c *callTree) ask(w query.What) (err error) {
	side := func(inclusive bool) (values, error) {
		return ask(c.m, w, func(w query.What) ([]cube.Value, error) {
			all, own, err := c.m.ByPath(w, nil)
			if inclusive {
				return all, err
			}
			return own, err
		})
	}
	if c.inclusive, err = side(true); err == nil {
		c.exclusive, err = side(false)
	}
	return err
}

// size is what a call path is sorted by.
func (c *callTree) size(path int) float64 { return size(c.inclusive.list[path], c.inclusive.at(path)) }

// empty says that there is nothing to show of a call path itself.
func (c *callTree) empty(path int) bool {
	return empty(c.inclusive.list[path]) && empty(c.exclusive.list[path]) && c.inclusive.at(path) == nil && c.exclusive.at(path) == nil
}

// walk adds the call paths of a list and those below that are large enough, and says whether there were any.
func (c *callTree) walk(list []*cube.CallPath, depth int) bool {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *cube.CallPath) int { return cmp.Compare(c.size(b.Index()), c.size(a.Index())) })
	any := false
	for _, p := range list {
		at := len(c.t.Rows)
		c.add(p, depth)
		below := c.walk(p.Children, depth+1)
		if !below && (c.empty(p.Index()) || c.o.Metric.Additive && 100*c.size(p.Index()) < c.o.Threshold*c.whole) {
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
	inclusive, own, at := c.inclusive.list[p.Index()], c.exclusive.list[p.Index()], p.Index()
	for i := range c.t.Columns {
		col := &c.t.Columns[i]
		switch col.Name {
		case "total", "share":
			row.Values = append(row.Values, col.value(inclusive, c.inclusive.at(at)))
		case "own":
			row.Values = append(row.Values, col.value(own, c.exclusive.at(at)))
		}
	}
	switch c.o.Annotate {
	case Source:
		if where := readable.Place(readable.Base(file), line); where != "" {
			row.Shown += "  " + where
		}
	case Location:
		name, v := c.largest(p)
		row.Labels = append(row.Labels, name)
		row.Values = append(row.Values, v)
		row.Shown += "  most on " + readable.Clean(name)
	}
	c.t.Rows = append(c.t.Rows, row)
}

// largest returns the location with most of the value of a call path.
func (c *callTree) largest(p *cube.CallPath) (name string, most Value) {
	all, err := ask(c.m, query.What{Metric: c.o.Metric, Self: c.o.Self}, func(w query.What) ([]cube.Value, error) {
		of, err := c.m.ByResource(w, p, true)
		return byLocation(of, c.locations), err
	})
	if err != nil {
		return "", Value{}
	}
	col := c.t.Columns[len(c.t.Columns)-1]
	for i, v := range all.list {
		if in := all.at(i); name == "" || size(v, in) > size(most.Value, most.In) {
			name, most = c.names[i], col.value(v, in)
		}
	}
	return name, most
}

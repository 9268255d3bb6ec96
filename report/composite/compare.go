package composite

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Comparison puts reports side by side, as table 1 of "A holistic hardware counter analysis" does with three platforms:
// time, then the hierarchies of counters, then ratios.
type Comparison struct {
	Platforms []Platform `json:"platforms"`
	Rows      []Row      `json:"metrics"` // parents before children
	Ratios    []RatioRow `json:"ratios"`
	Hidden    int        `json:"left_out"` // metrics of one platform that no other knows of
}

// Platform is one of the reports.
type Platform struct {
	Name      string `json:"name"`
	Program   string `json:"program,omitempty"`
	Processor string `json:"processor,omitempty"`
	Locations int    `json:"locations"`
}

// Row is a metric.
type Row struct {
	Label  string `json:"name"` // as specifications call it
	Root   string `json:"root"`
	Parent string `json:"parent,omitempty"`
	Depth  int    `json:"depth"`
	Unit   string `json:"unit"` // of the first platform that has it
	Cells  []Cell `json:"values"`
}

// Cell is the value of a metric on one platform, for the whole program.
type Cell struct {
	Has        bool     `json:"known"`              // else the platform lacks it
	Value      *float64 `json:"value"`              // of what is certain, nil if nothing is
	AtLeast    *float64 `json:"at_least,omitempty"` // what the truth lies in, nil if the value is certain
	AtMost     *float64 `json:"at_most,omitempty"`
	OfRoot     *float64 `json:"percent_of_root"` // of the root of its hierarchy; nil if there is nothing to be a share of
	OfParent   *float64 `json:"percent_of_parent"`
	Incomplete bool     `json:"incomplete,omitempty"` // counters are lacking: a lower bound
	// Noise is the half width of the band of 95 % about the mean of several runs, nil if the metric is of one run or of different ones.
	Noise *float64 `json:"noise,omitempty"`
}

// RatioRow is a ratio.
type RatioRow struct {
	Name   string     `json:"name"`
	Unit   string     `json:"unit"`
	Values []*float64 `json:"values"` // nil where there is none: an operand is lacking or too small
	// AtLeast and AtMost are what the truth lies in, nil where the value is certain.
	AtLeast []*float64 `json:"at_least"`
	AtMost  []*float64 `json:"at_most"`
}

// Compare makes a comparison. It shows metrics that are part of the generic hierarchy or that two of the reports have, and the others
// only if all is set or there is but one report.
func Compare(all bool, reports ...algebra.Input) (*Comparison, error) {
	c := &comparer{n: len(reports), rows: map[[2]string]*Row{}, below: map[[2]string][]*Row{}}
	for i, r := range reports {
		c.Platforms = append(c.Platforms, platform(r))
		if err := c.add(i, r.Cube); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	generic, err := genericNames()
	if err != nil {
		return nil, err
	}
	for _, root := range c.below[[2]string{}] {
		c.list(root, func(r *Row) bool {
			have := 0
			for _, cell := range r.Cells {
				if cell.Has {
					have++
				}
			}
			return all || c.n == 1 || have > 1 || generic[r.Label]
		})
	}
	return &c.Comparison, nil
}

// platform describes a report.
func platform(r algebra.Input) Platform {
	p := Platform{Name: r.Name, Locations: len(r.Cube.Locations()), Program: cube.ValueOf(r.Cube.Attrs, "program"),
		Processor: cube.ValueOf(r.Cube.Attrs, ProcessorAttr)}
	if e, err := report.Read(r.Cube); err == nil && p.Processor == "" { // else it is no report of one run
		p.Processor = e.Header.CPU.Name
	}
	return p
}

// ProcessorAttr is the attribute of a report with the name of the processor on which its runs were.
const ProcessorAttr = "processor"

// genericNames are the metrics of the generic specification.
func genericNames() (map[string]bool, error) {
	s, err := spec.Open("generic")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{metric.Time: true}
	for _, n := range s.Resolve(s.Events()).Nodes {
		names[n.Label] = true
	}
	for _, e := range s.Events() {
		names[e] = true
	}
	return names, nil
}

// comparer collects rows, by root and label.
type comparer struct {
	Comparison
	n     int
	rows  map[[2]string]*Row
	below map[[2]string][]*Row // by root and label of the parent
}

// add adds a report, number i.
func (c *comparer) add(i int, x *cube.Cube) error {
	m, err := query.New(x)
	if err != nil {
		return err
	}
	spread := algebra.SpreadOf(x)
	for _, q := range m.Metrics {
		of := x.Metric(q.Name)
		switch {
		case of == nil || of.Ghost || of.Val == "VOID":
		case cube.ValueOf(of.Attrs, query.RatioAttr) == "true":
			err = c.addRatio(i, m, of)
		case cube.ValueOf(of.Attrs, query.HierarchyAttr) != "" && of.Parent == nil, q.Name == metric.Time:
			err = c.addTree(i, m, spread, of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addTree adds a hierarchy; of time, only the first level.
func (c *comparer) addTree(i int, m *query.Model, spread *algebra.Spread, root *cube.Metric) error {
	var visit func(x *cube.Metric, depth int, parent string, all, above float64) error
	visit = func(x *cube.Metric, depth int, parent string, all, above float64) error {
		value, in, err := total(m, x)
		if err != nil {
			return err
		}
		if depth == 0 {
			all, above = value, value
		}
		r := c.row(label(root), label(x), parent, depth, unit(x))
		r.Cells[i] = Cell{Has: true, Incomplete: strings.HasPrefix(x.Title, metric.Mark)}
		if in != nil {
			r.Cells[i].AtLeast, r.Cells[i].AtMost = &in.Low, &in.High
		}
		if finite(value) && (in == nil || value != 0) {
			r.Cells[i].Value, r.Cells[i].OfRoot, r.Cells[i].OfParent = &value, percent(value, all), percent(value, above)
		}
		if spread != nil {
			if band, ok := spread.At(x, nil, true); ok {
				r.Cells[i].Noise = &band.Noise
			}
		}
		if root.Name == metric.Time && depth == 1 {
			return nil
		}
		for _, child := range x.Children {
			if query.IsMargin(child) {
				continue // in the bounds
			}
			if err := visit(child, depth+1, label(x), all, value); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(root, 0, "", 0, 0)
}

// total returns the value of a metric or ratio for the whole program, and what it lies in, nil if it is certain or there is none.
func total(m *query.Model, x *cube.Metric) (float64, *spec.Interval, error) {
	values, in, err := m.Within(query.What{Metric: m.Metric(x.Name)}, func(w query.What) ([]cube.Value, error) {
		v, err := m.Total(w)
		return []cube.Value{v}, err
	})
	if err != nil {
		return 0, nil, err
	}
	return values[0].Float64(), in[0], nil
}

// label is how specifications call a metric.
func label(m *cube.Metric) string { return strings.TrimPrefix(m.Title, metric.Mark) }

func unit(m *cube.Metric) string {
	if m.Unit == "sec" {
		return "s"
	}
	return m.Unit
}

// finite says that a value is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// percent returns a share, nil of nothing.
func percent(part, of float64) *float64 {
	share := 100 * part / of
	if !finite(share) {
		return nil
	}
	return &share
}

// row returns the row of a metric, which is made if it is new.
func (c *comparer) row(root, label, parent string, depth int, unit string) *Row {
	key := [2]string{root, label}
	r := c.rows[key]
	if r == nil {
		r = &Row{Label: label, Root: root, Parent: parent, Depth: depth, Unit: unit, Cells: make([]Cell, c.n)}
		c.rows[key] = r
		above := [2]string{root, parent}
		if parent == "" {
			above = [2]string{}
		}
		c.below[above] = append(c.below[above], r)
	}
	return r
}

// list lists a row, and those below it, that are to be shown.
func (c *comparer) list(r *Row, shown func(*Row) bool) {
	if !shown(r) {
		c.Hidden++
	} else {
		c.Rows = append(c.Rows, *r)
	}
	for _, child := range c.below[[2]string{r.Root, r.Label}] {
		if child.Depth > r.Depth { // a metric may be called like its parent
			c.list(child, shown)
		}
	}
}

func (c *comparer) addRatio(i int, m *query.Model, of *cube.Metric) error {
	v, in, err := total(m, of)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.Ratios, func(r RatioRow) bool { return r.Name == of.Title })
	if at < 0 {
		at = len(c.Ratios)
		c.Ratios = append(c.Ratios, RatioRow{of.Title, of.Unit, make([]*float64, c.n), make([]*float64, c.n), make([]*float64, c.n)})
	}
	if in != nil {
		c.Ratios[at].AtLeast[i], c.Ratios[at].AtMost[i] = &in.Low, &in.High
	}
	if finite(v) {
		c.Ratios[at].Values[i] = &v
	}
	return nil
}

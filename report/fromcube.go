package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// ErrForeign is returned for cubes that were not made from experiments.
var ErrForeign = errors.New("not a report of expert")

// Read returns the experiment that a cube was made from, which asks the cube for severities: it must stay open. One that was made of several and has counters is
// one that is Merged. The error is ErrForeign if there is none, and of type *cube.FormatError if the cube is damaged; rows of a single one are not looked at.
func Read(c *cube.Cube) (*Experiment, error) {
	i := slices.IndexFunc(c.Members, func(m *cube.Member) bool { return m.Name == query.SidecarMember })
	if i < 0 {
		return readMerged(c)
	}
	member := c.Members[i]
	r, err := decodeRest(member, bounds{metrics: len(c.AllMetrics()), paths: len(c.Paths()), locations: len(c.Locations())})
	if err != nil {
		return nil, err
	}
	e := &Experiment{Cube: c, Sidecar: r.Sidecar}
	if len(r.Stats) > r.Metrics || len(r.OnPath) > r.Metrics {
		return nil, member.Errorf(0, "%d statistics and %d critical times of %d metrics", len(r.Stats), len(r.OnPath), r.Metrics)
	}
	for _, read := range []func(*cube.Cube) error{
		func(c *cube.Cube) error { return e.readMetrics(c, r.Metrics) }, e.readRegions, e.readPaths, e.readLocations} {
		if err := read(c); err != nil {
			return nil, member.Errorf(0, "does not fit the trees: %v", err)
		}
	}
	e.connectByID()
	e.Waits = waitsOf(c)
	return e, nil
}

// place returns an error if a number is not a place in a list of n.
func place(what string, id, n int) error {
	if id < 0 || id >= n {
		return fmt.Errorf("%s %d of %d", what, id, n)
	}
	return nil
}

func (e *Experiment) readMetrics(c *cube.Cube, n int) error {
	e.Metrics = make([]metric.Metric, n)
	found := 0
	for _, m := range c.AllMetrics() {
		if m.ID >= n {
			continue
		}
		found++
		if m.Kind != cube.Exclusive || m.DType != "INT64" {
			return fmt.Errorf("metric %d is %s of %s", m.ID, m.Kind, m.DType)
		}
		x, err := MetricOf(m)
		if err != nil {
			return err
		}
		if m.Parent != nil {
			if m.Parent.ID >= m.ID {
				return fmt.Errorf("metric %d is below %d", m.ID, m.Parent.ID)
			}
			x.Parent = attrs(m.Parent.Attrs).verbatim("name", m.Parent.Name)
		}
		e.Metrics[m.ID] = x
	}
	if found != n {
		return fmt.Errorf("%d of %d metrics", found, n)
	}
	return nil
}

// Derived replaces the cube by one with other hierarchies of counters, numbered by Number behind the metrics as they were measured, and says what is to be
// known of them.
func (e *Experiment) Derived(c *cube.Cube, ratios []Ratio, unlisted, notes []string) error {
	kept, n := 0, len(Ordinary(c))
	for i := range e.Metrics {
		if e.Metrics[i].Hierarchy == "" {
			kept++
		}
	}
	e.Cube = c
	if err := e.readMetrics(c, n); err != nil {
		return err
	}
	e.connectByID()
	e.Ratios, e.Properties, e.Unlisted, e.Notes = ratios, nil, unlisted, notes
	e.Stats = append(slices.Clip(e.Stats[:min(kept, len(e.Stats))]), make([]Stats, n-min(kept, len(e.Stats)))...)
	e.OnPath = append(slices.Clip(e.OnPath[:min(kept, len(e.OnPath))]), make([]int64, n-min(kept, len(e.OnPath)))...)
	gone := func(c Count) bool { return c.Metric >= kept }
	e.PathCounts = slices.DeleteFunc(slices.Clone(e.PathCounts), gone)
	e.Findings = slices.DeleteFunc(slices.Clone(e.Findings), func(f Finding) bool {
		return slices.ContainsFunc(append([]Line{f.Line}, f.Lines...), func(l Line) bool { return l.Metric >= kept })
	})
	for i := range e.Findings {
		e.Findings[i].Counted = slices.DeleteFunc(slices.Clone(e.Findings[i].Counted), gone)
	}
	return nil
}

// MetricOf returns the metric that CubeMetric made one of a cube of, without its parent.
func MetricOf(m *cube.Metric) (metric.Metric, error) {
	a := attrs(m.Attrs)
	x := metric.Metric{Name: a.verbatim("name", m.Name), Title: a.verbatim("title", m.Title), Description: a.verbatim("description", m.Doc),
		Formula: a.verbatim(query.FormulaAttr, a[query.FormulaAttr]), Advice: a.verbatim("advice", a["advice"]), Causing: a.verbatim("causing", a["causing"]),
		UnitName: a.verbatim("unit_name", a["unit_name"]), Kind: query.KindOf(m),
		Of: a.verbatim(query.UncertainOfAttr, a[query.UncertainOfAttr]), Hierarchy: a.verbatim(query.HierarchyAttr, a[query.HierarchyAttr])}
	if x.Kind == metric.Incomplete {
		x.Title = strings.TrimPrefix(x.Title, metric.Mark)
	}
	for x.Unit = metric.Nanoseconds; x.Unit.String() != a["unit"]; x.Unit++ {
		if x.Unit == metric.Events {
			return x, fmt.Errorf("metric %d: unit %q", m.ID, a["unit"])
		}
	}
	return x, nil
}

func (e *Experiment) readRegions(c *cube.Cube) error {
	e.Regions = make([]Region, len(c.Regions))
	for _, r := range c.Regions {
		if err := place("region", r.ID, len(e.Regions)); err != nil {
			return err
		}
		a := attrs(r.Attrs)
		e.Regions[r.ID] = Region{Name: a.verbatim("name", r.Name), Func: a.verbatim("function", r.Mangled), File: a.verbatim("file", r.Module),
			Line: max(0, r.Begin), Operation: r.Role == "operation"}
	}
	return nil
}

func (e *Experiment) readPaths(c *cube.Cube) error {
	e.Paths = make([]CallPath, len(c.Paths()))
	for _, p := range c.Paths() {
		if err := place("call path", p.ID, len(e.Paths)); err != nil {
			return err
		}
		x := CallPath{Parent: -1, Region: uint32(p.Region.ID)}
		if p.Parent != nil {
			if x.Parent = int32(p.Parent.ID); p.Parent.ID >= p.ID {
				return fmt.Errorf("call path %d is below %d", p.ID, p.Parent.ID)
			}
		}
		e.Paths[p.ID] = x
	}
	return nil
}

func (e *Experiment) readLocations(c *cube.Cube) error {
	e.Locations = make([]Location, len(c.Locations()))
	for i, l := range c.Locations() { // ascending by number
		if err := place("location", l.ID, len(e.Locations)); err != nil {
			return err
		}
		a := attrs(l.Attrs)
		process, err1 := strconv.Atoi(attrs(l.Group.Node.Attrs)["process"])
		group, err2 := strconv.Atoi(attrs(l.Group.Attrs)["group"])
		goid, err3 := strconv.ParseUint(a["goid"], 10, 64)
		count, err4 := strconv.Atoi(a["count"])
		trace, err5 := strconv.ParseUint(a["trace"], 10, 32)
		if err := first(err1, err2, err3, err4, err5, place("group", group, len(e.Groups))); err != nil {
			return fmt.Errorf("location %d: %w", i, err)
		}
		e.Locations[i] = Location{process, int32(group), a.verbatim("name", l.Name), goid, count, uint32(trace), l.Type == typeStream}
	}
	return nil
}

// attributes of a part of a cube, by key.
type attributes map[string]string

func attrs(list []cube.Attr) attributes {
	a := attributes{}
	for _, x := range list {
		a[x.Key] = x.Value
	}
	return a
}

// verbatim returns the text that the function verbatim wrote.
func (a attributes) verbatim(key, s string) string {
	if quoted, ok := a["expert:"+key]; ok {
		if text, err := strconv.Unquote(quoted); err == nil {
			return text
		}
	}
	return s
}

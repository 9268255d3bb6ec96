package report

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracerec/metric"
	"tracerec/report/cube"
)

// ErrForeign is returned for cubes that were not made from an experiment.
var ErrForeign = errors.New("not a report of expert")

// FromCube returns the experiment that a cube was made from, all of it. The error is ErrForeign if there is none, and of
// type *cube.FormatError if the cube is damaged.
func FromCube(c *cube.Cube) (*Experiment, error) {
	e, err := Summary(c)
	if err != nil {
		return nil, err
	}
	e.summary = nil
	return e, e.readCells(c)
}

// summary answers questions about severities that are still in the cube.
type summary struct {
	totals  []int64
	metrics []*cube.Metric   // by place in the experiment
	paths   []*cube.CallPath // by place in the experiment
}

// at returns a value without those of the metrics below. What cannot be read is zero: Cube.Load tells why.
func (s *summary) at(metric int, path, location uint32) int64 {
	value := func(m *cube.Metric) int64 {
		r, err := m.Row(s.paths[path])
		if err != nil {
			return 0
		}
		return r.Value(int(location)).Int64()
	}
	v := value(s.metrics[metric])
	for _, child := range s.metrics[metric].Children {
		v -= value(child)
	}
	return v
}

// Summary is FromCube without the severities, to save time and memory: Severity and Critical are nil, and Total and At ask the
// cube, which must stay open.
func Summary(c *cube.Cube) (*Experiment, error) {
	var member *cube.Member
	for _, m := range c.Members {
		if m.Name == restName {
			member = m
		}
	}
	if member == nil {
		return nil, ErrForeign
	}
	r, err := decodeRest(member, bounds{metrics: len(c.AllMetrics()), paths: len(c.Paths()), locations: len(c.Locations())})
	if err != nil {
		return nil, err
	}
	e := &Experiment{Header: r.Header, Origin: r.Origin, Split: r.Split, Operations: r.Operations, PathCounts: r.PathCounts, Lost: r.Lost, Groups: r.Groups, Stats: r.Stats, Findings: r.Findings,
		NeverEnded: r.NeverEnded, Starts: r.Starts, Warnings: r.Warnings, Verdict: r.Verdict, OnPath: r.OnPath,
		Ratios: r.Ratios, Properties: r.Properties, Unlisted: r.Unlisted, Notes: r.Notes}
	if len(r.Totals) != r.Metrics || len(r.Stats) > r.Metrics || len(r.OnPath) > r.Metrics {
		return nil, member.Errorf(0, "%d totals, %d statistics and %d critical times of %d metrics", len(r.Totals), len(r.Stats), len(r.OnPath), r.Metrics)
	}
	e.summary = &summary{r.Totals, make([]*cube.Metric, r.Metrics), make([]*cube.CallPath, len(c.Paths()))}
	for _, read := range []func(*cube.Cube) error{
		func(c *cube.Cube) error { return e.readMetrics(c, r.Metrics) }, e.readRegions, e.readPaths, e.readLocations} {
		if err := read(c); err != nil {
			return nil, member.Errorf(0, "does not fit the trees: %v", err)
		}
	}
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
		e.summary.metrics[m.ID] = m
		a := attrs(m.Attrs)
		x := &e.Metrics[m.ID]
		*x = metric.Metric{Name: a.exact("name", m.Name), Title: a.exact("title", m.Title), Description: a.exact("description", m.Doc),
			Formula: a.exact("formula", a["formula"]), Advice: a.exact("advice", a["advice"]), Causing: a.exact("causing", a["causing"]),
			UnitName: a.exact("unit_name", a["unit_name"]), Wait: a["wait"] == "true", Counter: a[CounterAttr] == "true",
			Uncertain: a[UncertainAttr] == "true" || a[UncertainAttr] == UncertainLess, Less: a[UncertainAttr] == UncertainLess,
			Of: a.exact(UncertainOfAttr, a[UncertainOfAttr]), Incomplete: a[IncompleteAttr] == "true", Hierarchy: a.exact(HierarchyAttr, a[HierarchyAttr])}
		if x.Incomplete {
			x.Title = strings.TrimPrefix(x.Title, metric.Mark)
		}
		for x.Unit = metric.Nanoseconds; x.Unit.String() != a["unit"]; x.Unit++ {
			if x.Unit == metric.Events {
				return fmt.Errorf("metric %d: unit %q", m.ID, a["unit"])
			}
		}
		if m.Parent != nil {
			if m.Parent.ID >= m.ID {
				return fmt.Errorf("metric %d is below %d", m.ID, m.Parent.ID)
			}
			x.Parent = attrs(m.Parent.Attrs).exact("name", m.Parent.Name)
		}
	}
	if found != n {
		return fmt.Errorf("%d of %d metrics", found, n)
	}
	return nil
}

func (e *Experiment) readRegions(c *cube.Cube) error {
	e.Regions = make([]Region, len(c.Regions))
	for _, r := range c.Regions {
		if err := place("region", r.ID, len(e.Regions)); err != nil {
			return err
		}
		a := attrs(r.Attrs)
		e.Regions[r.ID] = Region{Name: a.exact("name", r.Name), Func: a.exact("function", r.Mangled), File: a.exact("file", r.Module),
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
		e.Paths[p.ID], e.summary.paths[p.ID] = x, p
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
		e.Locations[i] = Location{process, int32(group), a.exact("name", l.Name), goid, count, uint32(trace)}
	}
	return nil
}

// readCells reads the severities.
func (e *Experiment) readCells(c *cube.Cube) error {
	n := len(e.Metrics)
	all := make([][]Cell, 2*n+1) // by number of the metric
	errs := make([]error, len(all))
	var readers sync.WaitGroup
	working := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, m := range c.AllMetrics() {
		if m.ID < len(all) && m.ID != n && !m.Kind.Derived() {
			readers.Go(func() {
				working <- struct{}{}
				all[m.ID], errs[m.ID] = rowCells(m)
				<-working
			})
		}
	}
	readers.Wait()
	if err := first(errs...); err != nil {
		return err
	}
	e.Severity, e.Critical = slices.Clone(all[:n]), make([][]Cell, n)
	for i, p := range parents(e.Metrics) {
		if p >= 0 {
			e.Severity[p] = addCells(e.Severity[p], all[i], -1)
		}
		if cells := all[n+1+i]; len(cells) > 0 {
			e.Critical[i] = cells
		}
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

// exact returns the text that the function exact wrote.
func (a attributes) exact(key, s string) string {
	if quoted, ok := a["expert:"+key]; ok {
		if text, err := strconv.Unquote(quoted); err == nil {
			return text
		}
	}
	return s
}

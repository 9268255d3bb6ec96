package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Fill makes the cube of the experiment's trees, with severities by number of the metric, ascending and exclusive along all trees, and
// the part of wait states that is on the critical path.
//
// Numbers of metrics, regions, call paths and locations are their places in the experiment. Severities include those of the
// metrics below, as cubes have them. The part of the wait states that is on the critical path is a tree of metrics of its own.
func (e *Experiment) Fill(severity, critical [][]Cell) error {
	c := &cube.Cube{}
	e.Cube = c
	e.cubeMetrics(c, critical)
	e.cubePaths(c)
	e.cubeSystem(c)
	if err := c.Complete(); err != nil {
		return err
	}
	e.connectByID()
	return e.fillRows(severity, critical)
}

// fillRows sets the rows of all metrics.
func (e *Experiment) fillRows(severity, critical [][]Cell) error {
	all := make([][]Cell, len(e.Metrics))
	copy(all, severity)
	up, locations := parents(e.Metrics), len(e.Locations)
	for i := len(all) - 1; i >= 0; i-- { // children come after their parents
		if p := up[i]; p >= 0 {
			all[p] = addCells(all[p], all[i], 1)
		}
		if err := e.numbers.setRows(e.numbers.metrics[i], locations, all[i]); err != nil {
			return err
		}
		all[i] = nil
	}
	var sum []Cell
	for i, cells := range critical {
		if m := e.numbers.critical[i]; m != nil {
			if err := e.numbers.setRows(m, locations, cells); err != nil {
				return err
			}
			sum = addCells(sum, cells, 1)
		}
	}
	for _, m := range e.Cube.AllMetrics() {
		if m.ID == len(e.Metrics) { // all of them
			if err := e.numbers.setRows(m, locations, sum); err != nil {
				return err
			}
		}
	}
	return nil
}

// Report returns the report file of an experiment: its cube, with what was measured for those that do not read the sidecar, and with that. Read is
// its inverse. It shares rows with the experiment. The version is that of the program that makes it.
func (e *Experiment) Report(version string) (*cube.Cube, error) {
	if e.Cube == nil {
		x := *e
		e = &x
		if err := e.Fill(nil, nil); err != nil {
			return nil, err
		}
	}
	rest, err := e.encodeRest()
	if err != nil {
		return nil, err
	}
	c := *e.Cube
	c.Version, c.Problems = "", nil
	c.Attrs, c.Members = e.attributes(version), []*cube.Member{cube.MakeMember(query.SidecarMember, cube.Unfilled(rest, '\n'))}
	if e.Waits != nil {
		c.Members = append(c.Members, e.Waits)
	}
	return &c, nil
}

// attributes says what was measured, for those that do not read expert.json.
func (e *Experiment) attributes(version string) []cube.Attr {
	h := &e.Header
	list := []cube.Attr{{Key: "Creator", Value: strings.TrimSpace(query.Creator + " " + version)}}
	add := func(key, value string) {
		if value != "" {
			list = append(list, cube.Attr{Key: key, Value: value})
		}
	}
	add("program", h.Program)
	add("args", strings.Join(h.Args, " "))
	if !e.Origin.Start.IsZero() {
		add("start", e.Origin.Start.Format("2006-01-02T15:04:05.000Z07:00"))
	}
	add(query.OriginAttr, e.Origin.Kind)
	add("trace", e.Origin.Trace)
	add("source_roots", strings.Join(e.Origin.Sources, "\n"))
	return list
}

// cubeMetrics makes the trees of metrics: counters behind all others.
func (e *Experiment) cubeMetrics(c *cube.Cube, critical [][]Cell) {
	list := make([]*cube.Metric, len(e.Metrics))
	var counters []*cube.Metric
	for i, parent := range parents(e.Metrics) {
		x := CubeMetric(&e.Metrics[i])
		x.ID = i
		if list[i] = x; parent >= 0 {
			list[parent].Children = append(list[parent].Children, x)
		} else if behind(x) {
			counters = append(counters, x)
		} else {
			c.Metrics = append(c.Metrics, x)
		}
	}
	n := len(e.Metrics)
	root := &cube.Metric{ID: n, Name: metric.OnPath, Title: "Waits on the critical path", DType: "INT64", Unit: "ns", Kind: cube.Exclusive,
		Doc: "The part of all waiting during which the critical path ran on those who were waited for. Only this part makes the program longer."}
	for i := range e.Metrics {
		if m := &e.Metrics[i]; i < len(critical) && len(critical[i]) > 0 {
			x := &cube.Metric{ID: n + 1 + i, Name: m.Name + metric.OnPathSuffix, Title: m.Title + " on the critical path", DType: "INT64", Unit: "ns",
				Kind: cube.Exclusive, Doc: "The part of the metric " + m.Name + " during which the critical path ran on those who were waited for."}
			root.Children = append(root.Children, x)
		}
	}
	if len(root.Children) > 0 {
		c.Metrics = append(c.Metrics, root)
	}
	c.Metrics = append(c.Metrics, counters...)
}

// CubeMetric returns a metric as cubes have it, without number and place.
func CubeMetric(m *metric.Metric) *cube.Metric {
	x := &cube.Metric{DType: "INT64", Unit: unitOf(m), Kind: cube.Exclusive}
	x.Name, x.Attrs = verbatim(x.Attrs, "name", m.Name)
	x.Title, x.Attrs = verbatim(x.Attrs, "title", m.Label())
	x.Doc, x.Attrs = verbatim(x.Attrs, "description", m.Description)
	for _, a := range []cube.Attr{{Key: "unit", Value: m.Unit.String()}, {Key: "unit_name", Value: m.UnitName}, {Key: query.FormulaAttr, Value: m.Formula},
		{Key: "advice", Value: m.Advice}, {Key: "causing", Value: m.Causing}, {Key: query.HierarchyAttr, Value: m.Hierarchy}} {
		if a.Value != "" {
			a.Value, x.Attrs = verbatim(x.Attrs, a.Key, a.Value)
			x.Attrs = append(x.Attrs, a)
		}
	}
	if a := query.KindAttr(m.Kind); a.Key != "" {
		x.Attrs = append(x.Attrs, a)
	}
	if m.Of != "" {
		a := cube.Attr{Key: query.UncertainOfAttr}
		a.Value, x.Attrs = verbatim(x.Attrs, query.UncertainOfAttr, m.Of)
		x.Attrs = append(x.Attrs, a)
	}
	return x
}

// unitOf returns the unit of a metric in the words of cubes.
func unitOf(m *metric.Metric) string {
	switch {
	case m.UnitName != "":
		return m.UnitName
	case m.Unit == metric.Count:
		return "occ"
	}
	return m.Unit.String()
}

// unitCalled is the inverse of unitOf.
func unitCalled(unit string) (of metric.Unit, name string) {
	switch unit {
	case "occ":
		return metric.Count, ""
	case "ns", "bytes", "events":
		for of = metric.Nanoseconds; of.String() != unit; of++ {
		}
		return of, ""
	}
	return metric.Events, unit
}

// cubePaths makes the regions and the call tree.
func (e *Experiment) cubePaths(c *cube.Cube) {
	for i, r := range e.Regions {
		x := &cube.Region{ID: i, Paradigm: "user", Role: "function", Begin: lineOf(r.Line), End: lineOf(r.Line)}
		if r.Operation {
			x.Paradigm, x.Role = "go", "operation"
		}
		x.Name, x.Attrs = verbatim(x.Attrs, "name", r.Name)
		x.Mangled, x.Attrs = verbatim(x.Attrs, "function", r.Func)
		x.Module, x.Attrs = verbatim(x.Attrs, "file", r.File)
		c.Regions = append(c.Regions, x)
	}
	paths := make([]*cube.CallPath, len(e.Paths))
	for i, p := range e.Paths {
		r := &e.Regions[p.Region]
		x := &cube.CallPath{ID: i, Region: c.Regions[p.Region], Line: -1}
		if r.Operation {
			x.Module, x.Line = c.Regions[p.Region].Module, lineOf(r.Line)
		}
		if paths[i] = x; p.Parent < 0 {
			c.Roots = append(c.Roots, x)
		} else {
			paths[p.Parent].Children = append(paths[p.Parent].Children, x)
		}
	}
}

// lineOf returns a line as cubes have it: −1 if unknown.
func lineOf(line int) int {
	if line == 0 {
		return -1
	}
	return line
}

// cubeSystem makes the machine, its processes, the groups of their goroutines, and these.
func (e *Experiment) cubeSystem(c *cube.Cube) {
	machine := &cube.SystemNode{ID: 0, Name: "machine", Class: "machine"}
	type key struct {
		process int
		group   int32
	}
	processes, groups := map[int]*cube.SystemNode{}, map[key]*cube.LocationGroup{}
	for i := range e.Locations {
		l := &e.Locations[i]
		p := processes[l.Process]
		if p == nil {
			p = &cube.SystemNode{ID: len(processes) + 1, Class: "process", Attrs: []cube.Attr{{Key: "process", Value: strconv.Itoa(l.Process)}}}
			p.Name, p.Attrs = verbatim(p.Attrs, "name", e.processName(l.Process))
			processes[l.Process] = p
			machine.Children = append(machine.Children, p)
		}
		k := key{l.Process, l.Group}
		g := groups[k]
		if g == nil {
			g = &cube.LocationGroup{ID: len(groups), Rank: len(groups), Type: "process", Attrs: []cube.Attr{{Key: "group", Value: strconv.Itoa(int(l.Group))}}}
			g.Name, g.Attrs = verbatim(g.Attrs, "name", e.Groups[l.Group].Name)
			if creator := e.Groups[l.Group].Creator; creator >= 0 {
				g.Attrs = append(g.Attrs, cube.Attr{Key: "creator", Value: strconv.Itoa(int(creator))})
			}
			groups[k] = g
			p.Groups = append(p.Groups, g)
		}
		kind := "thread"
		if l.Stream {
			kind = typeStream
		}
		x := &cube.Location{ID: i, Rank: len(g.Locations), Type: kind, Attrs: []cube.Attr{
			{Key: "goid", Value: strconv.FormatUint(l.GoID, 10)}, {Key: "count", Value: strconv.Itoa(l.Count)}, {Key: "trace", Value: strconv.FormatUint(uint64(l.Trace), 10)}}}
		x.Name, x.Attrs = verbatim(x.Attrs, "name", l.Name)
		g.Locations = append(g.Locations, x)
	}
	c.System = []*cube.SystemNode{machine}
}

// typeStream is the type of locations that are streams.
const typeStream = "gpu"

// processName names a process for people.
func (e *Experiment) processName(process int) string {
	name, pid := e.Header.Program, e.Header.PathPID
	if process < len(e.Origin.Processes) {
		name, pid = e.Origin.Processes[process].Program, e.Origin.Processes[process].PID
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		name = "process"
	}
	if pid > 0 {
		name = fmt.Sprintf("%s (pid %d)", name, pid)
	}
	return name
}

// verbatim returns s as a cube carries it, so that a cube is the same before it is written and after it is read, and adds s quoted to
// the attributes if that is not all of it.
func verbatim(attrs []cube.Attr, key, s string) (string, []cube.Attr) {
	if carried(s) {
		return s, attrs
	}
	return cube.Carried(s), append(attrs, cube.Attr{Key: "expert:" + key, Value: strconv.QuoteToASCII(s)})
}

// carried says that XML gives a text back as it was.
func carried(s string) bool {
	if !utf8.ValidString(s) || strings.TrimSpace(s) != s {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) && r != '\n' || r == unicode.ReplacementChar {
			return false
		}
	}
	return true
}

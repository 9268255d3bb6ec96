package report

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"strings"

	"tracerec/metric"
)

// MetricIndex returns the index of a metric by name, or -1.
func (e *Experiment) MetricIndex(name string) int {
	for i := range e.Metrics {
		if e.Metrics[i].Name == name {
			return i
		}
	}
	return -1
}

// onPath returns the part of a metric on the critical path, ns.
func (e *Experiment) onPath(metric int) int64 {
	if metric >= 0 && metric < len(e.OnPath) {
		return e.OnPath[metric]
	}
	return 0
}

// OnCriticalPath returns, by metric of a cube, for how long the critical path was on those whom the waits of a metric and those below it were
// for: ns, each moment counted once, however many waited; nil if it is not known. At call paths the metrics of a cube count it once for each that waited.
func (e *Experiment) OnCriticalPath() map[string]int64 {
	if e.Merged || len(e.OnPath) == 0 {
		return nil
	}
	all := map[string]int64{metric.OnPath: e.onPath(e.MetricIndex(metric.Time))}
	for i := range e.Metrics {
		if m := &e.Metrics[i]; m.Kind == metric.WaitState {
			all[m.Name+metric.OnPathSuffix] = e.onPath(i)
		}
	}
	return all
}

// OnCriticalPath describes the metric of what of a wait state is on the critical path.
func OnCriticalPath(m metric.Metric) metric.Metric {
	return metric.Metric{
		Name: m.Name + metric.OnPathSuffix, Title: m.Title + " on the critical path", Parent: metric.OnPath,
		Description: "The part of " + m.Name + " during which the critical path ran on those who were waited for. Only this part makes the program longer. " +
			"Of the whole program, expert analyze and the limits of expert check count each moment once, however many waited, with the metrics below it. " +
			"At call paths and goroutines, in views and in differences, it is that of each goroutine that waited, so their sum may exceed the critical path.",
		Formula: "time in the waits, from their begin to the release, in which the critical path was on their causers",
		Advice:  m.Advice,
	}
}

// CallPath returns the names of the regions of a call path, from the root. It is never nil.
func (e *Experiment) CallPath(p uint32) []string {
	names := []string{}
	for i := int32(p); i >= 0; i = e.Paths[i].Parent {
		names = append(names, e.Regions[e.Paths[i].Region].Name)
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return names
}

// leaf returns the last region of a call path.
func (e *Experiment) leaf(p uint32) Region { return e.Regions[e.Paths[p].Region] }

// shortFiles maps every source file to the shortest end of its path that no other file has.
func (e *Experiment) shortFiles() map[string]string {
	byEnd := map[string]map[string]bool{}
	ends := func(file string, each func(string) bool) {
		parts := strings.Split(path.Clean(strings.ReplaceAll(file, `\`, "/")), "/")
		for i := len(parts) - 1; i >= 0; i-- {
			if each(strings.Join(parts[i:], "/")) {
				return
			}
		}
	}
	short := map[string]string{}
	for _, r := range e.Regions {
		short[r.File] = r.File
	}
	for i := range e.Findings {
		short[e.Findings[i].Object.File] = e.Findings[i].Object.File
	}
	for file := range short {
		ends(file, func(end string) bool {
			if byEnd[end] == nil {
				byEnd[end] = map[string]bool{}
			}
			byEnd[end][file] = true
			return false
		})
	}
	for file := range short {
		ends(file, func(end string) bool {
			short[file] = end
			return len(byEnd[end]) == 1
		})
	}
	return short
}

// share is a severity of one call path, summed over locations, with the location that has most of it.
type share struct {
	path    uint32
	value   int64
	largest uint32
	most    int64
}

// byPath sums cells over locations, largest sum first.
func byPath(cells []Cell) []share {
	var shares []share
	for i, c := range cells { // cells ascend by path
		if i == 0 || c.Path != cells[i-1].Path {
			shares = append(shares, share{path: c.Path, largest: c.Location, most: c.Value})
		}
		s := &shares[len(shares)-1]
		s.value += c.Value
		if c.Value > s.most {
			s.most, s.largest = c.Value, c.Location
		}
	}
	sort.SliceStable(shares, func(i, j int) bool { return shares[i].value > shares[j].value })
	return shares
}

// asWritten returns cells with those of call paths that are written alike, names and place, as those of the first of these: what a goroutine does in the function
// that it begins with, and what before and behind that, for instance.
func (e *Experiment) asWritten(cells []Cell) []Cell {
	type names struct {
		above uint32 // number of those of the parent, 0 none
		name  string
	}
	type written struct {
		names uint32
		file  string
		line  int
	}
	number, first := map[names]uint32{}, map[written]uint32{}
	of, same := make([]uint32, len(e.Paths)), make([]uint32, len(e.Paths))
	for i, c := range e.Paths { // parents come first
		r := e.Regions[c.Region]
		n := names{0, r.Name}
		if c.Parent >= 0 {
			n.above = of[c.Parent]
		}
		if number[n] == 0 {
			number[n] = uint32(len(number)) + 1
		}
		of[i] = number[n]
		w := written{of[i], r.File, r.Line}
		if _, known := first[w]; !known {
			first[w] = uint32(i)
		}
		same[i] = first[w]
	}
	sums := map[[2]uint32]int64{}
	for _, c := range cells {
		sums[[2]uint32{same[c.Path], c.Location}] += c.Value
	}
	list := make([]Cell, 0, len(sums))
	for at, v := range sums {
		list = append(list, Cell{at[0], at[1], v})
	}
	slices.SortFunc(list, func(x, y Cell) int { return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Location, y.Location)) })
	return list
}

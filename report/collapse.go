package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/report/cube"
)

// DefaultLocations is the number of locations that a report has at most, unless told.
const DefaultLocations = 10_000

// Collapse returns the experiment with at most n locations, 0 being DefaultLocations, for which goroutines that were started in
// the same call path of one process become one location. Groups of many are collapsed first, and no more groups than must be.
// Where there are more groups than n, those of the same name are collapsed together, then those in which least time was spent;
// every process keeps one location at least. Sums stay as they are, and a warning says what was collapsed. An experiment that
// has no more than n locations is returned as it is. The error says which rows cannot be read.
func (e *Experiment) Collapse(n int) (*Experiment, error) {
	if n <= 0 {
		n = DefaultLocations
	}
	if len(e.Locations) <= n {
		return e, nil
	}
	f := &collapsing{from: e, to: *e}
	f.to.Groups = slices.Clone(e.Groups)
	f.start()
	for _, how := range []func(*bin) binKey{sameGroup, sameRole} {
		if len(f.bins) > n {
			f.join(n, how)
		}
	}
	if len(f.bins) > n {
		f.joinRest(n)
	}
	f.finish()
	if e.Cube == nil {
		return &f.to, nil
	}
	return &f.to, f.cube()
}

// collapsing is the way from an experiment to one of fewer locations.
type collapsing struct {
	from *Experiment
	to   Experiment
	bins []*bin // by first member
	at   []uint32
}

// bin collects locations that become one.
type bin struct {
	process int
	group   int32
	name    string // of the group
	members []uint32
	time    int64          // spent by the members
	groups  map[int32]bool // that the members were of
}

type binKey struct {
	process int
	group   int32
	name    string
}

func sameGroup(b *bin) binKey { return binKey{b.process, b.group, ""} }
func sameRole(b *bin) binKey  { return binKey{b.process, -1, b.name} }

// start puts every location into a bin of its own.
func (f *collapsing) start() {
	e := f.from
	spent := make([]int64, len(e.Locations))
	if time := e.MetricIndex(metric.Time); time >= 0 {
		for _, c := range e.inclusive(time, false) {
			spent[c.Location] += c.Value
		}
	}
	for i := range e.Locations {
		l := &e.Locations[i]
		f.bins = append(f.bins, &bin{l.Process, l.Group, e.Groups[l.Group].Name, []uint32{uint32(i)}, spent[i], map[int32]bool{l.Group: true}})
	}
}

// join puts bins of the same key together, largest sets first, until there are no more than n.
func (f *collapsing) join(n int, key func(*bin) binKey) {
	sets := map[binKey][]*bin{}
	var order []binKey
	for _, b := range f.bins {
		k := key(b)
		if sets[k] == nil {
			order = append(order, k)
		}
		sets[k] = append(sets[k], b)
	}
	slices.SortStableFunc(order, func(a, b binKey) int { return cmp.Compare(len(sets[b]), len(sets[a])) })
	left := len(f.bins)
	for _, k := range order {
		if left <= n || len(sets[k]) == 1 {
			break
		}
		left -= len(sets[k]) - 1
		f.unite(sets[k], sets[k][0].name)
	}
	f.sweep()
}

// joinRest keeps the bins in which most time was spent, and puts all others of a process together.
func (f *collapsing) joinRest(n int) {
	processes := map[int]bool{}
	for _, b := range f.bins {
		processes[b.process] = true
	}
	byTime := slices.Clone(f.bins)
	slices.SortStableFunc(byTime, func(a, b *bin) int { return cmp.Compare(b.time, a.time) })
	rest := map[int][]*bin{}
	var order []int
	for _, b := range byTime[max(0, n-len(processes)):] {
		if rest[b.process] == nil {
			order = append(order, b.process)
		}
		rest[b.process] = append(rest[b.process], b)
	}
	for _, p := range order {
		slices.SortFunc(rest[p], func(a, b *bin) int { return cmp.Compare(a.members[0], b.members[0]) })
		f.unite(rest[p], "others")
	}
	f.sweep()
}

// unite moves the members of all bins into the first. If they are of several groups, they get a new one.
func (f *collapsing) unite(bins []*bin, name string) {
	b := bins[0]
	for _, x := range bins[1:] {
		b.members = append(b.members, x.members...)
		b.time += x.time
		maps.Copy(b.groups, x.groups)
		x.members = nil
	}
	if len(b.groups) > 1 {
		b.group, b.name = int32(len(f.to.Groups)), name
		f.to.Groups = append(f.to.Groups, Group{Name: name, Creator: -1, Count: f.count(b)})
	}
}

// crowds says who is shown as one, also of what was so before, largest first.
func (f *collapsing) crowds() (list []Crowd) {
	bins := slices.Clone(f.bins)
	slices.SortStableFunc(bins, func(a, b *bin) int { return cmp.Compare(f.count(b), f.count(a)) })
	for _, b := range bins {
		n := f.count(b)
		if n == 1 {
			break
		}
		list = append(list, Crowd{b.name, n, len(b.groups)})
	}
	return list
}

// count returns the number of goroutines in a bin.
func (f *collapsing) count(b *bin) (n int) {
	for _, l := range b.members {
		n += max(1, f.from.Locations[l].Count)
	}
	return n
}

// sweep removes empty bins.
func (f *collapsing) sweep() {
	f.bins = slices.DeleteFunc(f.bins, func(b *bin) bool { return len(b.members) == 0 })
}

// finish makes the locations from the bins and moves everything to them.
func (f *collapsing) finish() {
	e, to := f.from, &f.to
	goroutines := 0
	for i := range e.Locations {
		goroutines += max(1, e.Locations[i].Count)
	}
	to.Locations = nil
	f.at = make([]uint32, len(e.Locations))
	for i, b := range f.bins {
		l := e.Locations[slices.Min(b.members)]
		l.Group, l.Count = b.group, f.count(b)
		if len(b.members) > 1 {
			l.Name = b.name
		}
		to.Locations = append(to.Locations, l)
		for _, m := range b.members {
			f.at[m] = uint32(i)
		}
	}
	to.Stats = slices.Clone(e.Stats)
	for i := range to.Stats {
		s := &to.Stats[i]
		s.Worst = slices.Clone(s.Worst)
		for j := range s.Worst {
			w := &s.Worst[j]
			w.Location, w.Causer = f.at[w.Location], f.causer(w.Causer)
		}
	}
	to.Findings = slices.Clone(e.Findings)
	for i := range to.Findings {
		f.finding(&to.Findings[i])
	}
	to.NeverEnded = slices.Clone(e.NeverEnded)
	for i := range to.NeverEnded {
		n := &to.NeverEnded[i]
		n.Location, n.Holder = f.at[n.Location], f.causer(n.Holder)
	}
	said := func(warning string) bool { return strings.HasSuffix(warning, addedUp) } // when it was collapsed before
	to.Warnings = append(slices.DeleteFunc(slices.Clone(e.Warnings), said), AddedUp(goroutines, f.crowds()))
}

// Crowd is a number of goroutines that are shown as one.
type Crowd struct {
	Name   string
	Count  int
	Groups int // that they were of
}

// text names crowds of one name.
func (c *Crowd) text() string {
	text := fmt.Sprintf("%s ×%s", goName(c.Name), grouped(int64(c.Count)))
	if c.Groups > 1 {
		text += fmt.Sprintf(" from %s groups", grouped(int64(c.Groups)))
	}
	return text
}

// addedUp ends the warning that locations were added up: by which flag that is chosen.
const addedUp = " (--locations)"

// AddedUp is the warning that of so many locations, those in some crowds are added up. Those of one name are told together, wherever they were started.
func AddedUp(all int, crowds []Crowd) string {
	at, list := map[string]int{}, []Crowd(nil)
	for _, c := range crowds {
		i, known := at[c.Name]
		if !known {
			at[c.Name] = len(list)
			list = append(list, c)
			continue
		}
		list[i].Count, list[i].Groups = list[i].Count+c.Count, list[i].Groups+c.Groups
	}
	slices.SortStableFunc(list, func(a, b Crowd) int { return cmp.Compare(b.Count, a.Count) })
	var names []string
	for i := range list {
		names = append(names, list[i].text())
	}
	return fmt.Sprintf("%s are too many to be shown one by one; added up are %s", count(int64(all), "goroutine"), readable.List(names, 5)) + addedUp
}

func (f *collapsing) causer(location int32) int32 {
	if location < 0 {
		return location
	}
	return int32(f.at[location])
}

// cube makes the cube with rows of the collapsed locations.
func (f *collapsing) cube() error {
	from, c := f.from.Cube, &cube.Cube{}
	c.Regions, c.Roots = from.Regions, from.Roots
	of := map[*cube.Metric]*cube.Metric{}
	c.Metrics = bare(from.Metrics, of)
	f.to.cubeSystem(c)
	if err := c.Complete(); err != nil {
		return err
	}
	f.to.Cube = c
	f.to.connectByID()
	sums := cube.NewAdder(len(f.bins))
	for _, m := range from.AllMetrics() {
		for _, p := range m.Stored() {
			r, err := m.Read(p)
			if err != nil {
				return err
			}
			for column, v := range r.All() {
				sums.Add(int(f.at[column]), v)
			}
			if r, err = sums.Row(m.DType, 1); err == nil && !r.Zero() {
				err = of[m].Set(p, r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// bare copies trees of metrics without their values, and notes of which each is the copy.
func bare(list []*cube.Metric, of map[*cube.Metric]*cube.Metric) (copies []*cube.Metric) {
	for _, m := range list {
		x := &cube.Metric{ID: m.ID, Name: m.Name, Title: m.Title, DType: m.DType, Unit: m.Unit, Doc: m.Doc, Kind: m.Kind, Ghost: m.Ghost,
			Attrs: m.Attrs, Expressions: m.Expressions}
		of[m] = x
		x.Children = bare(m.Children, of)
		copies = append(copies, x)
	}
	return copies
}

// finding moves a finding to the collapsed locations.
func (f *collapsing) finding(x *Finding) {
	severity := map[uint32]int64{}
	x.Lines = slices.Clone(x.Lines)
	for i := range x.Lines {
		f.line(&x.Lines[i], severity)
	}
	if len(x.Lines) > 0 {
		f.order(&x.Line, severity)
	} else {
		f.line(&x.Line, severity)
	}
}

// line moves a waiting line to the collapsed locations. What these waited there is added to severity.
func (f *collapsing) line(x *Line, severity map[uint32]int64) {
	here := map[uint32]int64{}
	for _, l := range x.Locations {
		v := f.from.At(x.Metric, x.Path, l)
		here[f.at[l]] += v
		severity[f.at[l]] += v
	}
	f.order(x, here)
}

// order moves locations, the largest severity first.
func (f *collapsing) order(x *Line, severity map[uint32]int64) {
	x.Locations = f.distinct(x.Locations)
	slices.SortStableFunc(x.Locations, func(a, b uint32) int { return cmp.Compare(severity[b], severity[a]) })
	x.Causers = slices.Clone(x.Causers)
	for i := range x.Causers {
		c := &x.Causers[i]
		matter := len(f.distinct(c.mattering()))
		if c.Locations, c.Mattering = f.distinct(c.Locations), 0; matter < len(c.Locations) {
			c.Mattering = matter
		}
	}
}

// distinct moves locations, and lists each once.
func (f *collapsing) distinct(locations []uint32) []uint32 {
	var list []uint32
	seen := map[uint32]bool{}
	for _, l := range locations {
		if at := f.at[l]; !seen[at] {
			seen[at] = true
			list = append(list, at)
		}
	}
	return list
}

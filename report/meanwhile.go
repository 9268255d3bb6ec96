package report

import (
	"cmp"
	"math"
	"slices"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// awaited returns for how long the causers of a finding were waited for, as far as that is known: reports of earlier versions know only
// of the critical path.
func (f *Finding) awaited() int64 { return max(f.Awaited, f.Critical) }

// meanwhileOf returns what the causers of a finding did on the critical path, of one place as one, whatever the call paths that lead there: the first is the one that has most.
func (e *Experiment) meanwhileOf(f *Finding) (places []PathTime) {
	at := map[int64]int{}
	for _, t := range f.Meanwhile {
		place := e.placeOf(t.Path)
		if i, known := at[place]; known {
			places[i].Time += t.Time
			continue
		}
		at[place] = len(places)
		places = append(places, t)
	}
	slices.SortStableFunc(places, func(x, y PathTime) int { return cmp.Compare(y.Time, x.Time) })
	return places
}

// placeOf is equal for call paths that lead to one place. Those without a name have nothing in common.
func (e *Experiment) placeOf(path uint32) int64 {
	if isUnnamed(e.leaf(path).Name) {
		return -1 - int64(path)
	}
	return int64(e.Paths[path].Region)
}

// mostlyIn returns where the causers of a finding were for clearly more than half of the time in which the critical path was on them, if that is one place.
func (e *Experiment) mostlyIn(f *Finding) (path uint32, ok bool) {
	places := e.meanwhileOf(f)
	if len(places) == 0 || 20*places[0].Time <= 11*f.Critical {
		return 0, false
	}
	return places[0].Path, true
}

// inTwo returns the two places where the causers of a finding were for nearly all of the time in which the critical path was on them, if they were mostly in neither.
func (e *Experiment) inTwo(f *Finding) (first, second uint32, ok bool) {
	places := e.meanwhileOf(f)
	if _, one := e.mostlyIn(f); one || len(places) < 2 || float64(places[0].Time+places[1].Time) < mostly*float64(f.Critical) {
		return 0, 0, false
	}
	return places[0].Path, places[1].Path, true
}

// elsewhere says whether the causers of a finding waited for others at another place than that of a call path, for longer than they did anything else.
func (e *Experiment) elsewhere(f *Finding, path uint32) bool {
	list, _ := e.ahead(f, e.doings(f))
	return list[0].group >= 0 && e.placeOf(uint32(list[0].path)) != e.placeOf(path)
}

// whoWas returns which of the causers of a finding the critical path was on where it was at the place of a call path, those of one name as one, largest first, and how long each was there.
// They need not be those who were waited for longest: waits off the critical path count there, too. But whoever was waited for less than a tenth as long is not meant, nor who was there for less than a twentieth of that time.
func (e *Experiment) whoWas(path uint32, causers []Causer) (who []*Causer, times []int64) {
	place, at, all := e.placeOf(path), map[string]int64{}, int64(0)
	for _, c := range e.criticalPath() {
		if e.placeOf(c.Path) == place {
			at[e.Groups[e.Locations[c.Location].Group].Name] += c.Value
		}
	}
	name := func(c *Causer) string { return e.Groups[c.Group].Name }
	for i := range causers {
		if c := &causers[i]; c.Group >= 0 && 10*c.Severity >= causers[0].Severity && at[name(c)] > 0 && !slices.ContainsFunc(who, func(x *Causer) bool { return name(x) == name(c) }) {
			who = append(who, c)
			all += at[name(c)]
		}
	}
	slices.SortStableFunc(who, func(x, y *Causer) int { return cmp.Compare(at[name(y)], at[name(x)]) })
	who = slices.DeleteFunc(who, func(c *Causer) bool { return 20*at[name(c)] < all })
	for _, c := range who {
		times = append(times, at[name(c)])
	}
	return who, times
}

// onPathAt returns those of some locations that the critical path was on where it was at the place of a call path.
func (e *Experiment) onPathAt(path uint32, locations []uint32) []uint32 {
	place, on := e.placeOf(path), map[uint32]bool{}
	for _, c := range e.criticalPath() {
		on[c.Location] = on[c.Location] || e.placeOf(c.Path) == place
	}
	return slices.DeleteFunc(slices.Clone(locations), func(l uint32) bool { return !on[l] })
}

// doing is what causers of a finding did while they were waited for.
type doing struct {
	time  int64
	path  int32   // -1: nothing in particular
	group int32   // that they waited for, -1 none
	kin   []int32 // others of its name that they waited for
}

// doings divides the time in which the causers of a finding were waited for: what they did on the critical path, what they waited for
// themselves, largest first, and last what they did off the path.
func (e *Experiment) doings(f *Finding) []doing {
	rest := f.awaited()
	var list []doing
	for _, t := range e.meanwhileOf(f) {
		list = append(list, doing{t.Time, int32(t.Path), -1, nil})
		rest -= t.Time
	}
	type waiting struct {
		place int64
		name  string
	}
	at := map[waiting]int{}
	for _, o := range f.Onward {
		rest -= o.Time
		w := waiting{e.placeOf(o.Path), e.Groups[o.Group].Name}
		i, known := at[w]
		if !known {
			at[w] = len(list)
			list = append(list, doing{o.Time, int32(o.Path), o.Group, nil})
			continue
		}
		list[i].time += o.Time
		if o.Group != list[i].group && !slices.Contains(list[i].kin, o.Group) {
			list[i].kin = append(list[i].kin, o.Group)
		}
	}
	slices.SortStableFunc(list, func(x, y doing) int { return cmp.Compare(y.time, x.time) })
	if len(list) > 0 && list[0].group < 0 && 2*rest > f.awaited() {
		sure := e.surely(f, list[0].path, rest)
		list[0].time += sure
		rest -= sure
	}
	return append(list, doing{rest, -1, -1, nil})
}

// surely returns how much of a time that causers of a finding spent off the critical path they spent at the place of a call path: all that the rest of their lives is too short for.
func (e *Experiment) surely(f *Finding, path int32, off int64) int64 {
	causers := map[uint32]bool{}
	for _, c := range f.Causers {
		for _, l := range c.Locations {
			causers[l] = true
		}
	}
	here, elsewhere, all := int64(0), int64(0), e.MetricIndex(metric.Time)
	if all < 0 {
		return 0
	}
	for _, c := range e.inclusive(all, false) {
		switch {
		case !causers[c.Location]:
		case e.placeOf(c.Path) == e.placeOf(uint32(path)):
			here += c.Value
		default:
			elsewhere += c.Value
		}
	}
	return max(0, min(off-elsewhere, here))
}

// ahead returns what those did who stood at the head of a finding's queue, and in how much time: what is left if causers that waited in its own operations are left out, for
// whom those waited who waited for them.
func (e *Experiment) ahead(f *Finding, list []doing) (rest []doing, whole int64) {
	whole = f.awaited()
	for _, d := range list {
		if d.group >= 0 && slices.ContainsFunc(f.AllLines(), func(l Line) bool { return e.placeOf(l.Path) == e.placeOf(uint32(d.path)) }) {
			whole -= d.time
		} else {
			rest = append(rest, d)
		}
	}
	return rest, whole
}

// Doing is what those did for whom a finding's waiting was, while they were waited for.
type Doing struct {
	Share float64 // of all that time, but that in which they stood in one queue with those who waited; the shares of a list add up to 1
	Path  int32   // where, -1 nowhere in particular
	What  string  // "waiting for worker ×8", "" at work there, on the critical path
}

// doing returns what the causers did while they were waited for: what is worth a line, and what is left; nil if most of it was off the critical
// path, where it is not known what they did, and nothing on the path is worth a line.
func (p *page) doing(f *Finding) (list []Doing) {
	const most = 3
	if len(f.Meanwhile)+len(f.Onward) == 0 {
		return nil
	}
	whole, left1000 := f.awaited(), int64(1000) // what is printed adds up
	doings := p.e.doings(f)
	if first, time := p.e.ahead(f, doings); 100*time >= whole {
		doings, whole = first, time
	}
	onPath := func(d doing) bool { return d.path >= 0 && d.group < 0 && d.time >= whole/10 }
	last := len(doings) - 1 // off the path
	if 2*doings[last].time > whole && !slices.ContainsFunc(doings, onPath) {
		return nil
	}
	for i, d := range doings {
		if d.time < whole/10 || i >= most && i < last {
			continue
		}
		share, what := int64(math.Round(1000*float64(d.time)/float64(whole))), ""
		switch {
		case d.path < 0:
			what = "off the critical path, not waiting for others"
		case d.group >= 0:
			what = "waiting for " + p.all(d)
		default:
			what = p.idling(uint32(d.path))
		}
		list = append(list, Doing{float64(share) / 1000, d.path, what})
		left1000 -= share
	}
	if left1000 > 0 {
		list = append(list, Doing{float64(left1000) / 1000, -1, "elsewhere"})
	}
	return list
}

// mostlyReady is what goroutines do where it is not nearly all the time.
const mostlyReady = "mostly ready to run"

// idling says what goroutines do nearly all the time that the critical path is on them at a call path, if that is neither work nor told by its name.
func (p *page) idling(path uint32) string {
	switch x := p.e.spentAt(path); {
	case p.e.triesAgain(path):
		return "polling"
	case x.doing == waking && 2*x.time > x.value && float64(x.time) < mostly*float64(x.value):
		return mostlyReady
	case float64(x.time) < mostly*float64(x.value):
	case x.doing == waking || x.doing == yielding:
		return "ready to run"
	case x.doing == awaiting && p.e.leaf(path).Operation && !p.e.leaf(path).outward():
		return "waiting for " + p.e.nobody(x)
	case x.doing == awaiting && !p.e.leaf(path).Operation:
		_, what := p.e.outside(x)
		return what
	}
	return ""
}

// nobody says for what is waited in an operation if it is for no goroutine.
func (e *Experiment) nobody(at spending) string {
	switch r := e.leaf(at.path); {
	case e.ticks(at):
		return "a timer"
	case e.Header.all() && (r.Name == recvName || r.Name == selectName): // all that its goroutines do is recorded
		return "what no goroutine of the program does"
	case e.Header.all():
		return "what is not known"
	}
	return "what is not recorded"
}

// leastPath is how many columns a call path has at least.
const leastPath = 16

// meanwhile says what the causers of a finding did while they were waited for.
func (p *page) meanwhile(f *Finding) {
	title := "meanwhile"
	if p.e.kind(f).Name == metric.JoinWait {
		title = "then"
	}
	if p.e.even(f) {
		return // of next to nothing of the wait
	}
	for _, d := range p.doing(f) {
		text, room := p.paint(dim, d.What), pageWidth-24
		if d.Path >= 0 {
			what := d.What
			if what != "" {
				what = elide(", "+what, room-leastPath)
			}
			text = p.path(uint32(d.Path), room-width(what)) + p.paint(dim, what)
		}
		p.line(p.paint(dim, "      "+left(title, 10)+left(readable.Percent(100*d.Share), 8)), text)
		title = ""
	}
}

// all names those who were waited for: all of their groups, "worker ×8", or the only goroutine.
func (p *page) all(d doing) string {
	n := p.e.Groups[d.group].Count
	for _, g := range d.kin {
		n += p.e.Groups[g].Count
	}
	if n > 1 {
		return p.someOf(d.group, n, n)
	}
	return p.brief(goName(p.e.Groups[d.group].Name))
}

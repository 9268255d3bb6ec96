package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracerec/metric"
)

// holder is a place in which a finding's lock was held, and those who held it there.
type holder struct {
	region   string // "" unknown
	place    string // the operation that locked it, "" if region says it
	severity int64
	causers  []*Causer // ranked by cost
}

// in names where the holders were: "put (lock at store.go:36)"; notes stand beside the place.
func (h *holder) in(notes ...string) string {
	if h.place != "" {
		notes = slices.Insert(notes, 0, h.place)
	}
	name := cmp.Or(h.region, "places not known")
	if len(notes) == 0 {
		return name
	}
	return name + " (" + strings.Join(notes, ", ") + ")"
}

// holders returns where a finding's lock was held, ranked by cost.
func (p *page) holders(f *Finding) (list []holder) {
	for i := range f.Causers {
		h := holder{causers: []*Causer{&f.Causers[i]}, severity: f.Causers[i].Severity}
		if path := f.Causers[i].Path; path >= 0 {
			h.region, h.place = p.within(uint32(path))
		}
		if at := slices.IndexFunc(list, func(x holder) bool { return x.region == h.region && x.place == h.place }); at >= 0 {
			list[at].severity += h.severity
			list[at].causers = append(list[at].causers, h.causers...)
		} else {
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b holder) int { return cmp.Compare(b.severity, a.severity) })
	return list
}

// held says where a finding's lock was held: by whom, or in which places in turn if the first one has less than half of the waiting or the second one
// a quarter of it; and what was done meanwhile.
func (p *page) held(f *Finding) string {
	f = f.delaying()
	holders := p.holders(f)
	h := &holders[0]
	if len(holders) > 1 && (2*h.severity < f.Severity || 4*holders[1].severity >= f.Severity) {
		return p.inTurn(f, holders)
	}
	then := p.then(f, holders[:1])
	if len(h.causers) > 1 && h.region != "" {
		return p.holding(f, h.causers) + " in " + h.in() + then
	}
	return p.holder(f, h) + then
}

// delaying returns a finding with the waiting only of those lines that have a tenth of its critical time: those who had the lock while others waited for it need not be who delayed the run.
func (f *Finding) delaying() *Finding {
	x := *f
	x.Causers, x.Severity = nil, 0
	of := map[[2]int32]int{}
	for _, l := range f.Lines {
		if f.Critical == 0 || 10*l.Critical < f.Critical {
			continue
		}
		x.Severity += l.Severity
		for _, c := range l.Causers {
			k := [2]int32{c.Group, c.Path}
			if i, known := of[k]; known {
				x.Causers[i].Severity += c.Severity
				x.Causers[i].unite(&c)
				continue
			}
			of[k] = len(x.Causers)
			x.Causers = append(x.Causers, c)
		}
	}
	if len(x.Causers) == 0 {
		return f
	}
	slices.SortStableFunc(x.Causers, func(a, b Causer) int { return cmp.Compare(b.Severity, a.Severity) })
	return &x
}

// unite adds the locations of another causer. Those that matter come first.
func (c *Causer) unite(other *Causer) {
	matter := union(c.mattering(), other.mattering())
	c.Locations, c.Mattering = union(matter, union(c.Locations, other.Locations)), len(matter)
}

// union returns the elements of two lists, each once, in their order.
func union(a, b []uint32) []uint32 {
	a = slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// inTurn names the places in which a finding's lock was held in turn, with their shares of the waiting.
func (p *page) inTurn(f *Finding, holders []holder) string {
	const most = 3
	var in []string
	var causers []*Causer
	told := holders[:min(len(holders), most)]
	for i := range told {
		in = append(in, told[i].in(glue(percent(told[i].severity, f.Severity))))
		causers = append(causers, told[i].causers...)
	}
	if n := len(holders) - most; n > 0 {
		in = append(in, count(int64(n), "other place"))
	}
	return p.holding(f, causers) + " in turn in " + enumeration(in) + p.then(f, told)
}

// holding says what was done with a finding's lock: readers wait for a writer that has not got it yet, too.
func (p *page) holding(f *Finding, causers []*Causer) string {
	if slices.ContainsFunc(causers, func(c *Causer) bool { return p.pending(f, c) }) {
		return "held or waited for"
	}
	return "held"
}

// pending says whether a causer of a finding may be a writer that waited for the lock itself.
func (p *page) pending(f *Finding, c *Causer) bool {
	return p.e.Metrics[p.causedIn(f, c)].Name == metric.ReaderWait
}

// then names what was done most while a finding's lock was held, if the places in which it was held do not say that: ", mostly in Commit at tx.go:170 then".
func (p *page) then(f *Finding, holders []holder) string {
	path, ok := p.e.mostlyIn(f)
	if !ok {
		return ""
	}
	what := p.doingAt(path)
	if slices.ContainsFunc(holders, func(h holder) bool {
		return h.region == p.region(path) || h.region == p.at(path) && p.surely(path) == ""
	}) {
		what = p.surely(path)
	}
	if what == "" {
		return ""
	}
	return ", mostly " + what + " then"
}

// doingAt says where goroutines were, and what they did there if that is not work: "in Commit at tx.go:170", "ready to run in recv at tx.go:9". Who was started by a timer waited for that.
func (p *page) doingAt(path uint32) string {
	if p.e.leaf(path).timed() {
		return "waiting for its timer"
	}
	return strings.TrimPrefix(p.surely(path)+" in "+p.at(path), " ")
}

// surely is what they did there, unless they did so only mostly.
func (p *page) surely(path uint32) string {
	if what := p.idling(path); what != mostlyReady {
		return what
	}
	return ""
}

// region names the region of a call path.
func (p *page) region(path uint32) string {
	return glue(p.brief(regionName(p.e.leaf(path).Name)))
}

// within names the region of an operation, and the operation with its place: "put", "lock at store.go:36".
func (p *page) within(path uint32) (region, place string) {
	parent := p.e.Paths[path].Parent
	if !p.e.leaf(path).Operation || parent < 0 {
		return p.at(path), ""
	}
	return p.region(uint32(parent)), p.at(path)
}

// holder says who held a finding's lock, in one place.
func (p *page) holder(f *Finding, h *holder) string {
	who, c := "somebody", h.causers[0]
	if c.Group >= 0 {
		who = p.who(c.Group, c.mattering())
	}
	switch {
	case h.region == "":
		return "held by " + who
	case p.pending(f, c):
		return fmt.Sprintf("for %s, which held it or waited for it in %s", who, h.in())
	}
	if p.released(f, c) {
		return fmt.Sprintf("held by %s, which released it in %s", who, h.in())
	}
	return fmt.Sprintf("held by %s in %s", who, h.in())
}

// released says whether a causer of a finding is known as the one that released the lock, and not where it was acquired: that is all that an execution trace tells, and another one may have acquired it.
func (p *page) released(f *Finding, c *Causer) bool {
	if c.Path < 0 {
		return false
	}
	r := p.e.leaf(uint32(c.Path))
	return r.Name == unlockName || !r.Operation && isLockWait(p.e.Metrics[p.causedIn(f, c)].Name)
}

// sameLock returns where others wait for the same lock as those of a finding, if it has no name, as in an execution trace: they were mostly released in the same place. Where a lock has functions of
// its own, all locks are taken and released in one place: that tells nothing.
func (p *page) sameLock(f *Finding) (places []string) {
	freed := func(f *Finding) (region uint32, known bool) {
		if !isLockWait(p.e.kind(f).Name) || f.Object.Type != "" || len(f.Causers) == 0 {
			return 0, false
		}
		c := &f.Causers[0]
		if 2*c.Severity <= f.Severity || c.Path < 0 || !strings.HasSuffix(p.e.leaf(uint32(c.Path)).Name, unlockName) {
			return 0, false
		}
		return p.e.Paths[c.Path].Region, true
	}
	region, known := freed(f)
	if !known {
		return nil
	}
	at := map[uint32]bool{p.e.Paths[f.Path].Region: true}
	for i := range p.e.Findings[:min(Explained, len(p.e.Findings))] {
		other := &p.e.Findings[i]
		here := p.e.Paths[other.Path].Region
		if r, known := freed(other); known && r == region && !at[here] && 2*other.Critical >= f.Critical {
			at[here] = true
			places = append(places, p.at(other.Path))
		}
	}
	return places
}

// passedOn says whether some of a causer of a finding may only have waited for a Once, too: an execution trace tells who let each one go on, and that need not be who ran the function.
func (p *page) passedOn(f *Finding, c *Causer) bool {
	return p.e.Metrics[p.causedIn(f, c)].Name == metric.OnceWait && f.Object.Type == "" && slices.ContainsFunc(c.Locations, func(l uint32) bool { return slices.Contains(f.Locations, l) })
}

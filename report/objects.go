package report

import (
	"fmt"
	"slices"
	"strings"
)

// called names the object of a finding within a sentence: "DB.metalock", "the mutex first used at store.go:12", "" if there is none.
func (p *page) called(o *Object) string {
	kind, those := o.Type, "the "
	if o.Count > 1 {
		kind = count(int64(o.Count), o.Type)
	}
	if some := grouped(int64(o.Waited)); 0 < o.Waited && 2*o.Waited <= o.Count {
		those = some + nbsp + "of the "
		if o.Name != "" {
			kind = some + " of " + kind
		}
	}
	switch {
	case o.Name != "" && o.Count > 1:
		return glue(p.brief(clean(o.Name))) + " (" + glue(kind) + ")"
	case o.Name != "":
		return glue(p.brief(clean(o.Name)))
	case o.File != "":
		return those + glue(kind) + " first used at" + nbsp + elide(p.where(Region{File: o.File, Line: o.Line}), placeWidth)
	}
	return ""
}

// on names the operations in which somebody waits, with their object and place: "lock on DB.metalock at store.go:12", "recv at a.go:3 on the channel first used at b.go:4".
func (p *page) on(f *Finding) string {
	object := p.called(&f.Object)
	if object == "" {
		return p.at(f.Path)
	}
	r := p.e.leaf(f.Path)
	text := p.operations(f) + " on " + object
	place := p.where(r)
	if place == "" {
		return text
	}
	place = elide(place, placeWidth)
	if n := f.sites(p.e); n > 1 {
		return text + fmt.Sprintf(", at"+nbsp+"%s, most at"+nbsp+"%s", glue(count(int64(n), "line")), place)
	}
	switch o := &f.Object; {
	case o.Name != "":
		return text + " at" + nbsp + place
	case o.File == r.File && o.Line == r.Line:
		return text
	}
	return p.operations(f) + " at" + nbsp + place + " on " + object
}

// operations names the operations in which a finding's waiting is, that ranked by the cost of the lines: "rlock and lock".
func (p *page) operations(f *Finding) string {
	names := []string{p.e.leaf(f.Path).Name}
	for _, l := range f.AllLines() {
		if name := p.e.leaf(l.Path).Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = glue(p.brief(regionName(name)))
	}
	return enumeration(names)
}

// sites returns in how many lines of the source a finding's waiting is.
func (f *Finding) sites(e *Experiment) int {
	type site struct {
		file string
		line int
	}
	seen := map[site]bool{}
	for _, l := range f.AllLines() {
		r := e.leaf(l.Path)
		seen[site{r.File, r.Line}] = true
	}
	return len(seen)
}

// waiters names those who waited, kind by kind, as the header counts them: "worker ×7 and main".
func (p *page) waiters(f *Finding) string {
	if len(f.Locations) == 0 {
		return p.who(f.Group, f.Locations)
	}
	several := slices.ContainsFunc(f.Locations, func(l uint32) bool {
		return p.e.groupOf(l).Name != p.e.groupOf(f.Locations[0]).Name
	})
	if several {
		return p.kinds(f.Locations, p.kind) // a list in a list is hard to read
	}
	return p.kinds(f.Locations, p.who)
}

// kinds names locations kind by kind, each as told. Groups of one name, started at several places, are one kind.
func (p *page) kinds(locations []uint32, who func(group int32, locations []uint32) string) string {
	const most = 2
	var order []string
	of := map[string][]uint32{}
	for _, l := range locations {
		name := p.e.groupOf(l).Name
		if of[name] == nil {
			order = append(order, name)
		}
		of[name] = append(of[name], l)
	}
	var names []string
	for _, name := range order[:min(len(order), most)] {
		names = append(names, who(p.e.Locations[of[name][0]].Group, of[name]))
	}
	if n := len(order) - most; n > 0 {
		names = append(names, glue(count(int64(n), "other kind")))
	}
	return enumeration(names)
}

// groupOf returns the group of a location.
func (e *Experiment) groupOf(l uint32) *Group { return &e.Groups[e.Locations[l].Group] }

// enumeration joins names as a sentence does: "a, b and c".
func enumeration(names []string) string {
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// waitingAt lists the places of a finding's waiting, ranked by cost.
func (p *page) waitingAt(f *Finding) {
	var paths []uint32
	for _, l := range f.AllLines() {
		paths = append(paths, l.Path)
	}
	p.places("waiting", paths)
}

// places lists call paths. Those that differ only in what there is no room for are one.
func (p *page) places(what string, paths []uint32) {
	const most = 4
	seen, looks, more := map[uint32]bool{}, map[string]bool{}, 0
	for _, path := range paths {
		if seen[path] {
			continue
		}
		seen[path] = true
		look := p.placed(path)
		switch {
		case looks[look]:
			continue
		case len(looks) < most:
			p.place(what, path)
		default:
			more++
		}
		looks[look] = true
	}
	if more > 0 {
		p.line(p.paint(dim, "               … and "+count(int64(more), "more call path")))
	}
}

package report

import (
	"math"
	"slices"
)

// awaited returns for how long the causers of a finding were waited for, as far as that is known: reports of earlier versions know only
// of the critical path.
func (f *Finding) awaited() int64 { return max(f.Awaited, f.Critical) }

// doing is what causers of a finding did while they were waited for.
type doing struct {
	time  int64
	path  int32 // -1: nothing in particular
	group int32 // that they waited for, -1 none
}

// doings divides the time in which the causers of a finding were waited for: what they did on the critical path, what they waited for
// themselves, and what they did off the path, largest first.
func (f *Finding) doings() []doing {
	rest := f.awaited()
	var list []doing
	for _, t := range f.Meanwhile {
		list = append(list, doing{t.Time, int32(t.Path), -1})
		rest -= t.Time
	}
	for _, o := range f.Onward {
		list = append(list, doing{o.Time, int32(o.Path), o.Group})
		rest -= o.Time
	}
	list = append(list, doing{rest, -1, -1})
	slices.SortStableFunc(list, func(x, y doing) int { return int(min(1, max(-1, y.time-x.time))) })
	return list
}

// meanwhile says what the causers did while they were waited for: what is worth a line, and how much is left.
func (p *page) meanwhile(f *Finding) {
	const most = 3
	if len(f.Meanwhile)+len(f.Onward) == 0 {
		return
	}
	whole := f.awaited()
	what, left1000 := "meanwhile", int64(1000) // what is printed adds up
	line := func(share int64, text string) {
		left1000 -= share
		p.line(p.paint(dim, "      "+left(what, 10)+left(percent(share, 1000), 8)), text)
		what = ""
	}
	for _, d := range f.doings()[:min(len(f.Meanwhile)+len(f.Onward)+1, most)] {
		if d.time < whole/10 {
			break
		}
		share := int64(math.Round(1000 * float64(d.time) / float64(whole)))
		switch room := pageWidth - 24; {
		case d.path < 0:
			line(share, p.paint(dim, "off the critical path, not waiting for others"))
		case d.group < 0:
			line(share, p.path(uint32(d.path), room))
		default:
			waiting := ", waiting for " + p.all(d.group)
			line(share, p.path(uint32(d.path), room-width(waiting))+p.paint(dim, waiting))
		}
	}
	if left1000 > 0 {
		line(left1000, p.paint(dim, "elsewhere"))
	}
}

// all names a group: "worker ×8", or its only goroutine.
func (p *page) all(group int32) string {
	if g := &p.e.Groups[group]; g.Count > 1 {
		return p.several(group, g.Count)
	}
	return elide(readable(p.e.Groups[group].Name), nameWidth)
}

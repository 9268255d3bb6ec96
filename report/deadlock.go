package report

import (
	"cmp"
	"slices"
	"sort"
)

// deadlocks tells of goroutines each of which waits for a lock that the next one holds, in a circle.
func (p *page) deadlocks() (list []string) {
	for _, circle := range p.e.circles() {
		var names []string
		for _, l := range circle {
			names = append(names, p.name(l))
		}
		text := "Deadlock: " + names[0] + " waits for a lock that it holds itself."
		if len(names) > 1 {
			text = "Deadlock: " + enumeration(names) + " hold locks and wait for each other's."
		}
		list = append(list, text)
	}
	return list
}

// deadlocked is the verdict that there is a deadlock: at the place where the first goroutine of the first one waits.
func (p *page) deadlocked() (Verdict, bool) {
	e, texts := p.e, p.deadlocks()
	if len(texts) == 0 {
		return Verdict{}, false
	}
	first := e.circles()[0][0]
	n := e.NeverEnded[slices.IndexFunc(e.NeverEnded, func(n NeverEnded) bool { return n.Location == first })]
	r := e.leaf(n.Path)
	return Verdict{Text: texts[0], Certain: true, File: r.File, Line: r.Line}, true
}

// inVain tells findings of waits that never ended because of a deadlock: it is 0 for those of who is in one, 1 of who waits for a lock that one of these has, or one who waits so, and 2
// of whoever else waited in vain, if Go ended the program because all did; 3 for all other findings.
func (e *Experiment) inVain() func(*Finding) int {
	type spot struct {
		path  uint32
		group int32
	}
	const others = 3
	in, spots := map[uint32]bool{}, map[spot]int{}
	mark := func(n *NeverEnded, rank int) {
		at := spot{n.Path, e.Locations[n.Location].Group}
		if known, is := spots[at]; !is || rank < known {
			spots[at] = rank
		}
		in[n.Location] = in[n.Location] || rank < 2
	}
	circles := slices.Concat(e.circles()...)
	for i := range e.NeverEnded {
		if n := &e.NeverEnded[i]; slices.Contains(circles, n.Location) {
			mark(n, 0)
		}
	}
	for known := 0; known < len(in); {
		known = len(in)
		for i := range e.NeverEnded {
			if n := &e.NeverEnded[i]; !in[n.Location] && n.Holder >= 0 && isLock(n.Object) && in[uint32(n.Holder)] {
				mark(n, 1)
			}
		}
	}
	if len(in) > 0 && e.Header.allAsleep() {
		for i := range e.NeverEnded {
			if n := &e.NeverEnded[i]; e.leaf(n.Path).forTests() == 0 {
				mark(n, 2)
			}
		}
	}
	return func(f *Finding) int {
		rank := others
		for _, l := range f.AllLines() {
			if at, is := spots[spot{l.Path, l.Group}]; is {
				rank = min(rank, at)
			}
		}
		if rank == 2 && 2*e.unended(f) <= f.Severity {
			return others
		}
		return rank
	}
}

// own says whether all waits of a finding that never ended are for locks that those hold themselves who wait, and they are most of it.
func (e *Experiment) own(f *Finding) bool {
	own, ns := true, int64(0)
	e.never(f, func(n *NeverEnded) {
		own, ns = own && n.Holder == int32(n.Location) && isLock(n.Object) && e.Locations[n.Location].Count <= 1, ns+e.Header.lasted(n.Since)
	})
	return own && 2*ns > f.Severity
}

// rankDeadlocks puts the findings first that are of waits in vain because of a deadlock, and returns how many these are.
func rankDeadlocks(e *Experiment, list []Finding) (n int) {
	rank := e.inVain()
	slices.SortStableFunc(list, func(x, y Finding) int { return cmp.Compare(rank(&x), rank(&y)) })
	return sort.Search(len(list), func(i int) bool { return rank(&list[i]) > 2 })
}

// circles returns goroutines each of which waits for a lock that the next one holds, each circle from its first location.
func (e *Experiment) circles() (list [][]uint32) {
	holder := map[uint32]uint32{}
	for _, n := range e.NeverEnded {
		if n.Holder >= 0 && isLock(n.Object) && e.Locations[n.Location].Count <= 1 {
			holder[n.Location] = uint32(n.Holder)
		}
	}
	for _, n := range e.NeverEnded {
		circle := []uint32{n.Location}
		l, waits := holder[n.Location]
		for ; waits && l > n.Location; l, waits = holder[l] {
			if circle = append(circle, l); len(circle) > len(holder) {
				break
			}
		}
		if waits && l == n.Location {
			list = append(list, circle)
			delete(holder, n.Location)
		}
	}
	return list
}

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hold is what a goroutine that waits for ever has to do with locks.
type hold struct {
	held   bool   // somebody holds the one that it waits for,
	own    bool   // which is itself,
	path   int32  // and acquired it here
	holds  bool   // others wait for one that it holds
	circle uint32 // in a circle of such goroutines, it is told alone: its location + 1
}

// holders returns the locations that hold what others wait for without end.
func (e *Experiment) holders() map[uint32]bool {
	holders := map[uint32]bool{}
	for i := range e.NeverEnded {
		if n := &e.NeverEnded[i]; n.Holder >= 0 && isLock(n.Object) && !e.passing(n.Since) && e.Locations[n.Holder].Count <= 1 && uint32(n.Holder) != n.Location {
			holders[uint32(n.Holder)] = true
		}
	}
	return holders
}

// equalWaits returns the waits that never ended, equal ones together. Of who was there before an execution trace began it is not known
// who started him, so those of one name are together there.
func (p *page) equalWaits() (list []StillWaiting) {
	e := p.e
	type key struct {
		path   uint32
		group  int32
		object string
		hold   hold
	}
	at, holders, circles := map[key]int{}, e.holders(), e.circles()
	groups := map[string]int32{} // the first of each name
	for i := range e.NeverEnded {
		n := &e.NeverEnded[i]
		k := key{n.Path, e.Locations[n.Location].Group, n.Object, hold{path: -1, holds: holders[n.Location]}}
		if n.Holder >= 0 && isLock(n.Object) {
			k.hold.held, k.hold.path = true, n.HolderPath
			k.hold.own = uint32(n.Holder) == n.Location && e.Locations[n.Location].Count <= 1
		}
		if slices.ContainsFunc(circles, func(circle []uint32) bool { return slices.Contains(circle, n.Location) }) {
			k.hold.circle = n.Location + 1
		}
		if first, ok := groups[e.Groups[k.group].Name]; ok && e.Header.Exit < 0 {
			k.group = first
		} else {
			groups[e.Groups[k.group].Name] = k.group
		}
		if _, known := at[k]; !known {
			at[k] = len(list)
			list = append(list, StillWaiting{Path: n.Path, Since: n.Since, HolderPath: k.hold.path, object: n.Object, hold: k.hold, paths: []uint32{n.Path}})
		}
		w := &list[at[k]]
		w.ends, w.Locations = append(w.ends, n), append(w.Locations, n.Location)
	}
	locked, killed := slices.ContainsFunc(e.NeverEnded, func(n NeverEnded) bool { return e.leaf(n.Path).locks() }), e.killed()
	for i := range list {
		list[i].killed = !list[i].hold.held && killed[e.Locations[list[i].Locations[0]].Process]
		p.judge(&list[i], locked)
	}
	return list
}

// killed returns the processes that were killed while they waited, or no longer recorded: it is not known how they ended, main waited, and for no lock, and somebody for what comes from outside or a timer, so that Go did
// not end them because nobody could go on.
func (e *Experiment) killed() map[int]bool {
	mains, alive := map[int]bool{}, map[int]bool{}
	for i := range e.NeverEnded {
		n, l := &e.NeverEnded[i], &e.Locations[e.NeverEnded[i].Location]
		leaf := e.leaf(n.Path)
		mains[l.Process] = mains[l.Process] || l.GoID == 1 && l.Count <= 1 && !leaf.locks()
		alive[l.Process] = alive[l.Process] || leaf.outward() || isTimer(n.Object)
	}
	maps.DeleteFunc(mains, func(process int, waits bool) bool {
		return !waits || !alive[process] || process >= len(e.Origin.Processes) || !e.Origin.Processes[process].Unended
	})
	return mains
}

// judge says whether equal waits that never ended, the first of which began first, are those of idle goroutines. Where somebody waits for a lock, any of the others may hold it, so
// nobody is taken to have rested throughout; and who is known to hold what others wait for is not idle.
func (p *page) judge(w *StillWaiting, locked bool) {
	e, group := p.e, p.e.Locations[w.Locations[0]].Group
	started := slices.ContainsFunc(w.Locations, func(l uint32) bool { return e.groupOf(l).Creator >= 0 }) // since the trace began
	w.throughout = e.Header.Exit < 0 && e.before(w) == len(w.ends) && !started && !locked && p.mayRest(w.ends[0])
	w.Idle = !w.hold.holds && (w.killed || w.throughout || p.byDesign(w.Path, w.object, w.Since, w.Locations))
	w.amid = !p.waitsForEnd(w.Path, w.Locations) && (e.amid(w.Path, group) || !e.listens(w.Path, group) && !p.asBefore(w.Path, w.object, w.Locations))
}

// before counts those of some waits that lasted when the trace began.
func (e *Experiment) before(w *StillWaiting) (n int) {
	for _, end := range w.ends {
		if end.Since <= e.Header.Begin {
			n++
		}
	}
	return n
}

// stillWaiting words the waits that never ended. Of those that may be a mistake, all at one place for one thing are together, whoever waits there; who is in no lock and has one that others
// wait for is told first, waits for tests last.
func (p *page) stillWaiting() (list []StillWaiting) {
	type key struct {
		region uint32
		object string
		hold   hold
	}
	e, at := p.e, map[key]int{}
	for _, w := range p.equalWaits() {
		k := key{e.Paths[w.Path].Region, w.object, w.hold}
		if k.hold.path >= 0 {
			k.hold.path = int32(e.Paths[k.hold.path].Region)
		}
		i, known := at[k]
		if w.Idle || !known {
			if !w.Idle {
				at[k] = len(list)
			}
			list = append(list, w)
			continue
		}
		x := &list[i]
		x.ends, x.paths, x.Locations = append(x.ends, w.ends...), append(x.paths, w.paths...), append(x.Locations, w.Locations...)
	}
	for i := range list {
		p.word(&list[i])
	}
	rank := func(w *StillWaiting) int {
		if w.hold.holds && !w.hold.held {
			return -1
		}
		return e.leaf(w.Path).forTests()
	}
	slices.SortStableFunc(list, func(x, y StillWaiting) int { return rank(&x) - rank(&y) })
	return list
}

// word words equal waits, the first of which began first.
func (p *page) word(w *StillWaiting) *StillWaiting {
	w.Text = p.haveBeen(w.Locations) + " in " + p.at(w.Path)
	if n := p.e.before(w); n > 0 && n < len(w.ends) {
		w.Text += fmt.Sprintf(", %s of them", grouped(int64(n)))
	}
	together := !slices.ContainsFunc(w.ends, func(n *NeverEnded) bool { return n.Since != w.Since })
	w.awaits = p.awaits(w)
	w.Text += p.howLong(w.Since, together) + w.awaits + p.rooted(w) + "."
	if w.hold.holds && !w.hold.held {
		if len(w.Locations) == 1 {
			w.Text += " It holds a lock that others wait for."
		} else {
			w.Text += " They hold locks that others wait for."
		}
	}
	return w
}

// awaits words for what they wait.
func (p *page) awaits(w *StillWaiting) string {
	leaf := p.e.leaf(w.Path)
	selects := leaf.Name == recvName || leaf.Name == selectName
	switch {
	case leaf.forever():
		return ", " + neverEnds
	case w.object == "" && (selects || leaf.Name == sendName):
		return ", for a nil channel, which never becomes ready"
	case w.object == "" && leaf.outward():
		return ", for " + beyond(leaf)
	case w.object == "": // input, or a lock that was not seen
		return ", for something that is not in the trace"
	case w.hold.held:
		return p.heldBy(w)
	}
	text := ", for the " + p.shorten(w.object)
	if len(w.Locations) == 1 && selects && strings.HasSuffix(w.object, unnamedObject) && p.e.asksForSignals() {
		text += ": perhaps for a signal, as the program asks for some"
	}
	return text
}

// heldBy words that they wait for a lock, or each for one of several, who holds these, and for what he waits.
func (p *page) heldBy(w *StillWaiting) string {
	who, text := w.holders(), ", for the "+p.shorten(w.object)+", held by "
	switch {
	case w.hold.own:
		text += p.name(who[0]) + " itself"
	case len(who) == 1:
		text += p.name(who[0])
	default:
		article := "a "
		if strings.HasPrefix(w.object, "RW") {
			article = "an "
		}
		text = ", each for " + article + p.shorten(w.object) + ", held by one of " + p.those(who)
	}
	if w.HolderPath >= 0 {
		text += ", which had acquired it in " + p.at(uint32(w.HolderPath))
	}
	return text
}

// holders returns who holds what they wait for.
func (w *StillWaiting) holders() (who []uint32) {
	for _, n := range w.ends {
		if h := uint32(n.Holder); n.Holder >= 0 && !slices.Contains(who, h) {
			who = append(who, h)
		}
	}
	return who
}

// rooted says where those who hold the lock that is waited for wait themselves.
func (p *page) rooted(w *StillWaiting) string {
	who := w.holders()
	if !w.hold.held || w.HolderPath < 0 {
		return ""
	}
	path, since := p.standing(who)
	switch {
	case path < 0:
		return ""
	case len(who) == 1:
		return " and has itself been in " + p.at(uint32(path)) + p.howLong(since, true)
	}
	return ", and these have been in " + p.at(uint32(path)) + p.howLong(since, false)
}

// standing returns where all that hold locks wait themselves without end, for something else than a lock, and since when; -1 if they do not, or in several places.
func (p *page) standing(holders []uint32) (path int32, since int64) {
	path = -1
	n := 0
	for _, end := range p.e.NeverEnded { // those who began first come first
		if !slices.Contains(holders, end.Location) {
			continue
		}
		leaf := p.e.leaf(end.Path)
		if leaf.locks() || path >= 0 && p.e.Paths[path].Region != p.e.Paths[end.Path].Region {
			return -1, 0
		}
		if n++; path < 0 {
			path, since = int32(end.Path), end.Since
		}
	}
	if n < len(holders) {
		return -1, 0
	}
	return path, since
}

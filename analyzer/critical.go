package analyzer

import (
	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// criticalPath is the chain of activities that determined how long the focus took.
type criticalPath struct {
	begin, end int64
	segments   []segment
	first      []uint32     // by location: where its trail begins in segments; nil if there is no path
	unrecorded []unrecorded // time of the path in which nobody is known to have been active
	jumps      *jumps
	groups     []groupTrail     // once the waits are measured
	needless   map[lineKey]bool // likewise: what waited there perhaps did not hold up the path
	pieces     []piece          // waits that the path was in or behind, ascending by (loc, begin)
	split      report.Split
	inside     map[insideKey]int64
	takes      []takes // by call path
}

// takes is how many waits in a call path the path was led on by.
type takes struct {
	first  int32 // a group of those who waited,
	n      int64 // and how many of them are its
	others map[int32]int64
}

// add counts a wait of a group.
func (t *takes) add(group int32) {
	switch {
	case t.n == 0 || t.first == group:
		t.first = group
		t.n++
	case t.others == nil:
		t.others = map[int32]int64{group: 1}
	default:
		t.others[group]++
	}
}

// unrecorded is a stretch of the path that is shown at a call path, one of (not recorded), of a location.
type unrecorded struct {
	path, loc uint32
	time      int64
}

// trail returns the trail of a location.
func (p *criticalPath) trail(loc uint32) trail {
	if p.first == nil {
		return nil
	}
	return p.segments[p.first[loc]:p.first[loc+1]]
}

// walker is where the critical path stands.
type walker struct {
	s        *scan
	process  int
	group    []int32 // by location
	path     *criticalPath
	jumps    *jumps
	readings pauses       // of readers
	rests    pauses       // sleeps, and waits for what comes from outside
	taken    list[taken]  // waits that can be returned to, the last one last
	took     int          // number of these
	hurdles  list[hurdle] // those of taken that are for locks and may have been in the way only
	awaited  []int64      // by location: when the first wait for it began; nil while it was not needed
	aside    int          // how many waits and steps may be looked at to find where the path would have been without them
	roster   *roster      // nil while it was not needed
	earliest int64        // begin of a location
	steps    list[step]
	here     step // the last one found, not yet in steps
}

// taken is a wait that the path was led on by.
type taken struct{ loc, jump uint32 }

// findCriticalPath walks backwards from the end of a process, or of the location that was chosen.
func findCriticalPath(s *scan, lives *lives, places *places, jumps *jumps, matchWorkers []*matchWorker) *criticalPath {
	p := new(criticalPath)
	root := lives.pathProcess
	if root < 0 {
		return p
	}
	p.begin, p.end = min(s.defs.Processes[root].Start, lives.end[root]), lives.end[root]
	if lives.focus != NoCauser {
		p.begin, p.end = s.locations[lives.focus].begin, s.locations[lives.focus].end
	}
	w := &walker{s: s, process: root, path: p, here: step{loc: NoCauser}, aside: 1000}
	w.taken.store, w.hurdles.store, w.steps.store = s.store, s.store, s.store
	p.jumps, w.jumps = jumps, jumps
	p.takes, w.group = make([]takes, len(s.paths.nodes)), places.group
	w.pauses(matchWorkers)
	loc, t := w.start(lives)
	for n := 0; t > p.begin; n++ {
		if n%paced == 0 {
			s.store.Pace()
		}
		w.aside += 64
		loc, t = w.step(loc, t)
	}
	if w.here.loc != NoCauser {
		w.steps.add(w.here)
	}
	spill.Free(s.store, w.readings)
	spill.Free(s.store, w.rests)
	w.taken, w.hurdles, w.roster = list[taken]{}, list[hurdle]{}, nil
	p.jumps.left = nil
	p.segments, p.first = trails(&w.steps, p.end, len(s.locations)+1, s.store)
	return p
}

// start returns the location that was active last, and when the path comes to it from the end of the process.
func (w *walker) start(lives *lives) (loc uint32, t int64) {
	loc, latest, beside := NoCauser, unknownTime, w.s.observers()
	w.earliest = endOfTime
	for i := range w.s.locations {
		l := &w.s.locations[i]
		if l.seen {
			w.earliest = min(w.earliest, l.begin)
		}
		if !l.seen || w.s.defs.Locations[i].Process != w.process || lives.focus != NoCauser && lives.focus != uint32(i) {
			continue
		}
		active, main := lives.active(l.end, uint32(i)), lives.main[w.process] == uint32(i)
		if begin, asleep := lives.asleep[uint32(i)]; asleep && !main {
			active = min(active, begin)
		}
		if beside[uint32(i)] {
			active = l.begin
		}
		if active > latest || active == latest && main {
			loc, latest = uint32(i), active
		}
	}
	if loc == NoCauser {
		return loc, w.path.begin
	}
	t = min(w.s.locations[loc].end, w.path.end)
	w.unrecorded(loc, noPath, t, w.path.end)
	return loc, max(t, w.path.begin)
}

// observers returns the locations that served a trace or a profile of the program, or write a profile, or hand on signals: they are active until the trace ends, whatever the
// program does.
func (s *scan) observers() map[uint32]bool {
	found := map[uint32]bool{}
	for i := range s.locations {
		if begun := s.locations[i].begun; s.regions.signals[begun] || s.regions.list[begun].Func == profileWriter {
			found[uint32(i)] = true
		}
	}
	for path := range s.paths.nodes {
		if !wire.Profiles(s.regions.list[s.paths.nodes[path].region].Func) {
			continue
		}
		for _, w := range s.workers {
			if path >= len(w.cells) {
				continue
			}
			for c := range w.cells[path].all() {
				found[c.loc] = found[c.loc] || c.visits > 0
			}
		}
	}
	return found
}

// step goes from location loc at time t to where the path was before.
func (w *walker) step(loc uint32, t int64) (uint32, int64) {
	l := &w.s.locations[loc]
	from := max(l.begin, w.path.begin)
	for mine := w.jumps.until(loc, t); ; mine = mine[:len(mine)-1] {
		behind := from
		if len(mine) > 0 {
			behind = max(from, mine[len(mine)-1].at)
		}
		if asker, at, is := w.asker(loc, behind, t); is {
			return asker, at
		}
		if hindered, at, is := w.hindered(loc, behind, t); is {
			return hindered, at
		}
		if waiter, at, is := w.attended(loc, behind, t); is {
			return waiter, at
		}
		if behind == from {
			break
		}
		j := &mine[len(mine)-1]
		w.jumps.left[loc]--
		if _, is := w.jumps.waiting(j.causer, j.at); !is {
			w.segment(loc, j.at, t)
			w.take(taken{loc, w.jumps.left[loc]})
			return j.causer, j.at
		}
	}
	w.segment(loc, from, t)
	if from == w.path.begin {
		return loc, from
	}
	if c := l.creator; c != uint32(trace.NoLocation) {
		// The order of (begin, location) keeps damaged traces from going round in circles.
		if x := &w.s.locations[c]; x.lives(from) && (x.begin < from || c < loc) {
			if _, is := w.jumps.waiting(c, from); !is {
				return c, from
			}
		}
	}
	return w.byTime(loc, from)
}

// take notes that the path is led on by a wait.
func (w *walker) take(x taken) {
	w.took++
	w.taken.add(x)
	j := &w.jumps.list[x.jump]
	w.path.takes[j.path].add(w.group[x.loc])
	if w.forLock(j) {
		w.hurdles.add(hurdle{j.begin, x.loc, w.took, w.steps.end()})
	}
}

// back returns the last wait that the path was led on by, which it is not any more.
func (w *walker) back() taken {
	if h := w.hurdles.last(); h != nil && h.took == w.took {
		w.hurdles.pop()
	}
	w.took--
	return w.taken.pop()
}

// byTime goes on from the begin of a location whose creator is not known: back to a waiter, else to anyone who was active.
func (w *walker) byTime(loc uint32, t int64) (uint32, int64) {
	if t <= w.earliest { // nobody was
		w.unrecorded(loc, noPath, w.path.begin, t)
		return loc, w.path.begin
	}
	for w.took > 0 {
		back := w.back()
		j := &w.jumps.list[back.jump]
		if j.begin < t {
			from := max(j.begin, w.path.begin)
			w.unrecorded(back.loc, j.path, from, t)
			w.path.split.ByTime++
			return back.loc, from
		}
		x := &w.s.locations[back.loc]
		if _, is := w.jumps.waiting(back.loc, t); x.begin < t && !is {
			w.path.split.ByTime++
			return back.loc, t
		}
	}
	if w.roster == nil {
		w.roster = newRoster(w.s, w.jumps, w.process)
	}
	next, at := w.roster.open(t)
	if next == NoCauser || at <= w.path.begin {
		w.unrecorded(loc, noPath, w.path.begin, t)
		return loc, w.path.begin
	}
	w.unrecorded(next, noPath, at, t)
	w.path.split.ByTime++
	return next, at
}

// lives says whether t lies within the life of l.
func (l *location) lives(t int64) bool { return l.seen && l.begin <= t && t <= l.end }

func (w *walker) segment(loc uint32, from, to int64) {
	if from >= to {
		return
	}
	if w.here.loc != loc { // else it is back without having been elsewhere for any time
		if w.here.loc != NoCauser {
			w.steps.add(w.here)
		}
		w.here.loc = loc
	}
	w.here.from = from
}

// unrecorded lets the path be with nobody. The time is shown with the call path of a wait of loc, if there is one.
func (w *walker) unrecorded(loc, wait uint32, from, to int64) {
	from = max(from, w.path.begin)
	if from >= to {
		return
	}
	w.segment(uint32(len(w.s.locations)), from, to)
	w.path.split.NotRecorded += to - from
	path := w.s.paths.intern(node{wait, w.s.regions.unrecorded, wire.Enter})
	w.path.unrecorded = append(w.path.unrecorded, unrecorded{path, loc, to - from})
}

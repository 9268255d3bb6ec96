package analyzer

import (
	"fmt"

	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// never is an operation in which a location was found when it ended without an End event.
type never struct {
	op     levels.Level[level]
	holder uint32 // location, NoCauser if unknown
	path   uint32 // call path of the holder

	released bool // the location was ready to go on
}

// forever is for how long a location was in it that waited for nobody who is known, if it is on an object.
func (n *never) forever(s *scan, loc uint32) int64 {
	if n.released || n.holder != NoCauser && n.holder != loc || n.op.Of.object == 0 && n.op.Kind != wire.SelectBegin {
		return 0
	}
	return s.locations[loc].end - n.op.Of.begin
}

// timed says whether it is a wait for a timer.
func (n *never) timed(s *scan) bool {
	if o := n.op.Of.object; o != 0 {
		return s.defs.Objects[o-1].Kind == wire.TimerChannel
	}
	return n.op.Kind == wire.SelectBegin && n.op.Of.mode == wire.Timed
}

// lives is when and by whom locations were started, and when they ended.
type lives struct {
	main        []uint32 // by process: its goroutine 1, NoCauser if that has no events
	pathProcess int      // whose critical path is followed, -1 if there are no events
	focus       uint32   // location whose critical path is followed, NoCauser: the process's
	namesakes   bool     // others have its number, in other processes
	end         []int64  // by process
	never       map[uint32]*never
	asleep      map[uint32]int64 // likewise in a sleep: its begin
	awake       []bool           // by process: somebody who is recorded neither had ended nor was waiting at the end
}

// active returns until when a location was at something that ended: its end, if it was in no wait then that never did.
func (v *lives) active(end int64, loc uint32) int64 {
	if n := v.never[loc]; n != nil {
		return min(end, n.op.Of.begin)
	}
	return end
}

// live completes the locations after the scan: creators, lifetimes, the levels that were never closed.
func (s *scan) live() *lives {
	w := s.workers[0]
	s.gatherGaps()
	created := s.create()
	v := &lives{focus: NoCauser, end: make([]int64, len(s.defs.Processes)), never: map[uint32]*never{}, asleep: map[uint32]int64{}, awake: make([]bool, len(s.defs.Processes))}
	for i := range v.end {
		v.end[i] = s.defs.Processes[i].End
	}
	for i := range s.locations {
		if l := &s.locations[i]; l.seen {
			p := s.defs.Locations[i].Process
			v.end[p] = max(v.end[p], l.last)
		}
	}
	v.findMains(s)
	last, complete, untold := uint32(len(s.chunks)), s.archive.Header().Complete, s.untold()
	for i := range s.locations {
		l := &s.locations[i]
		if !l.seen {
			continue
		}
		w.loc, w.chunk = uint32(i), last
		l.begin = l.first
		if t := created[uint32(i)]; t != unknownTime && l.creatorPath != noPath {
			if t <= l.first {
				w.created(l, t)
			} else {
				w.lateCreate++
			}
		}
		if l.end != unknownTime {
			continue
		}
		l.end = l.last
		p := s.defs.Locations[i].Process
		switch {
		case !complete || l.cut || untold[p]: // it is not known what it did behind its last event
			v.endOpen(w, l, l.last)
			delete(v.never, uint32(i))
			delete(v.asleep, uint32(i))
		case l.open.Top() != nil || v.main[p] == uint32(i):
			v.endOpen(w, l, v.end[p])
		}
		v.awake[p] = v.awake[p] || v.never[uint32(i)] == nil
	}
	return v
}

// created lets the life of a location begin when it was created.
func (w *scanner) created(l *location, t int64) {
	l.begin = t
	if l.late {
		w.s.gaps[w.loc][0].from = t
	} else if w.loads != nil && w.loads[w.s.defs.Locations[w.loc].Process] != nil {
		x := w.loads[w.s.defs.Locations[w.loc].Process]
		x.add(x.ready, t, l.first)
	}
}

// create notes the creator of every location and returns the times of creation, where known.
func (s *scan) create() []int64 {
	created := make([]int64, len(s.locations))
	for i := range created {
		created[i] = unknownTime
	}
	for _, w := range s.workers {
		for c := range w.creates.all() {
			l := &s.locations[c.child]
			// A location is created once; a damaged archive may say otherwise, and then the earliest counts.
			if l.seen && (created[c.child] == unknownTime || c.before(l, created[c.child])) {
				created[c.child] = c.time
				l.creator, l.creatorPath = c.creator, c.path
			}
		}
		w.creates = list[creation]{}
	}
	return created
}

// before orders creations of the same location by (time, creator).
func (c *creation) before(l *location, t int64) bool {
	return c.time < t || c.time == t && c.creator < l.creator
}

// endOpen ends a location that has no End at t, in the levels that are open.
func (v *lives) endOpen(w *scanner, l *location, t int64) {
	from := l.last
	w.charge(l, t, 0)
	l.last, l.end = from, t
	for i := len(l.open.Levels) - 1; i >= 0; i-- {
		o := &l.open.Levels[i]
		if !o.Operation() {
			continue
		}
		switch waits := i == len(l.open.Levels)-1 && l.does != wire.Ready && l.does != yielded; {
		case waits && o.Kind == wire.SleepBegin:
			v.asleep[w.loc] = o.Of.begin
		case waits && !(o.Kind == wire.OnceBegin && o.Of.mode == 1):
			v.never[w.loc] = &never{op: *o, holder: NoCauser, path: NoCauser}
		}
		w.operation(o, wire.OK, t, true)
	}
	w.flush()
}

// release notes who was ready when the trace ended, and counts the values that were taken from them; and who waits for what he holds.
func (w *matchWorker) release() {
	for _, r := range w.matcher.released {
		o := &w.ops[r.op]
		if n := w.m.lives.never[o.Loc]; n != nil && n.op.Of.path == o.Path {
			w.never[o.Loc] = never{released: true}
		}
		if loc := w.m.places.reported[o.Loc]; r.sent {
			to := w.m.s.metrics.messages
			w.cells.add(cellHash(to, o.Path, loc), cellKey{to, o.Path, loc}, 1)
		}
	}
	for _, h := range w.matcher.own {
		o := &w.ops[h.op]
		if n := w.m.lives.never[o.Loc]; n != nil && n.op.Of.path == o.Path {
			w.never[o.Loc] = never{holder: o.Loc, path: h.path}
		}
	}
}

// findMains finds the main location of every process, and the process to follow: the root process, or the first one with events.
func (v *lives) findMains(s *scan) {
	v.main = make([]uint32, len(s.defs.Processes))
	for i := range v.main {
		v.main[i] = NoCauser
	}
	v.pathProcess = -1
	for i := range s.locations {
		if !s.locations[i].seen {
			continue
		}
		l := &s.defs.Locations[i]
		if l.GoID == 1 && v.main[l.Process] == NoCauser {
			v.main[l.Process] = uint32(i)
		}
		if r := s.archive.Header().Root; v.pathProcess < 0 || l.Process == r || v.pathProcess != r && l.Process < v.pathProcess {
			v.pathProcess = l.Process
		}
	}
}

// warnings says what the scan met, in words.
func (p *problems) warnings() (list []string) {
	for _, x := range []struct {
		n    uint64
		text string
	}{
		{p.backwards, "events earlier than the one before on their goroutine, and moved: %d (clock repaired)"},
		{p.lateCreate, "goroutines that began before they were created, and count from their first event: %d (clock repaired)"},
		{p.unopened, "ends of regions or operations without a begin, ignored: %d"},
		{p.unclosed, "regions still open when what enclosed them ended: %d"},
		{p.afterEnd, "events behind the end of their goroutine, ignored: %d"},
		{p.values, "stretches in which nothing is known of a counter, charged to nobody: %d"},
	} {
		if x.n > 0 {
			list = append(list, fmt.Sprintf(x.text, x.n))
		}
	}
	return list
}

// choose chooses the location of a goroutine as the one whose critical path is followed.
func (v *lives) choose(s *scan, goroutine uint64) error {
	if goroutine == 0 {
		return nil
	}
	for i := range s.locations {
		if !s.locations[i].seen || s.defs.Locations[i].GoID != goroutine {
			continue
		}
		if v.focus != NoCauser {
			v.namesakes = true
			break
		}
		v.focus, v.pathProcess = uint32(i), s.defs.Locations[i].Process
	}
	if v.focus != NoCauser {
		return nil
	}
	return fmt.Errorf("no goroutine %d did anything there", goroutine)
}

package otf2

import (
	"maps"
	"math"
	"slices"

	"tracerec/trace"
)

// A thread that works in a team of another one does so below the call path in which the team was forked, which is known only when that other thread's events are read. So all
// events are looked at once before they are read for good. The region that a team executes is taken to last from the fork to the join on all of its threads, as SCOUT has it: the
// time that it takes to begin and to end it belongs to it.

// team is a team of threads of a process.
type team struct {
	process int
	comm    uint64
}

// instance is one of the times that a team was forked.
type instance struct {
	team team
	n    int
}

// unknown is one of which nothing is known.
var unknown = instance{n: -1}

// is notes of which team a step is, if that is known.
func (s *step) is(x instance) {
	if s.known = x != unknown; s.known {
		s.instance = x
	}
}

// step is an element of the stack of a location: a region, or its work in a team.
type step struct {
	instance
	work    bool // in a team
	known   bool // of which team
	region  uint32
	master  bool // it has forked the team itself
	entered bool // it is in the region that the team executes
	hidden  bool // the region that the team executes, entered by its own event: nothing beyond the step below
	levels  int  // so many levels end with it
	fork    int  // master: the how manieth fork of its location it is
	from    int64

	task    task  // that the location goes on with here; no region
	segment int32 // the how manieth time that it went on with one; 0: this is no task
	left    int32 // so many regions it has left that others have entered in the task
	beyond  int32 // so many regions are open in this one that are not kept
	mark    int32 // the place of the last step up to this one that is work or a task, from 1 on; 0: there is none
}

// walk is where the events of a location stand, as far as teams go. Reading can go on from a copy of it.
type walk struct {
	process  int
	stack    []step
	begun    map[team]int      // how often the location was in each team
	forks    int               // how often it has forked one
	held     []held            // locks of windows that it has
	started  map[target]bool   // windows of others that it may access, as they know, and whether it has
	accessed []target          // windows that the call that goes on accesses
	accesses bool              // the call that goes on is the first one to access one
	ended    step              // the team of another thread that it was in last
	recorded map[uint64]uint32 // streams in which events were recorded
	counts   []count           // what counters have counted

	location  trace.LocationID
	suspended map[task]kept // what is open in tasks that it has suspended
	segments  int32         // how often it has begun or resumed a task
	lost      bool          // of tasks more was open than is kept

	worker bool    // all that it does it does in teams of others; else it is idle
	last   int64   // time of its last event
	latest int64   // when work in a team ends at the latest, as the location does something else then
	wanted stretch // times of the events that are read
}

func newWalk(process int) *walk {
	return &walk{process: process, begun: map[team]int{}, started: map[target]bool{}, suspended: map[task]kept{}, last: math.MinInt64, latest: math.MaxInt64}
}

func (w *walk) clone() *walk {
	c := *w
	c.recorded, c.counts, c.stack, c.begun, c.held, c.started, c.accessed, c.suspended = maps.Clone(w.recorded), slices.Clone(w.counts), slices.Clone(w.stack), maps.Clone(w.begun), slices.Clone(w.held), maps.Clone(w.started), slices.Clone(w.accessed), maps.Clone(w.suspended)
	return &c
}

// size is how much a copy of it takes, in steps.
func (w *walk) size() int {
	return 4 + len(w.counts)/4 + len(w.recorded) + len(w.stack) + len(w.begun) + len(w.held) + len(w.started) + len(w.accessed) + len(w.suspended)
}

// push appends a step to the stack.
func (w *walk) push(s step) *step {
	n := len(w.stack)
	if s.mark = int32(w.mark(n) + 1); s.work || s.segment > 0 {
		s.mark = int32(n + 1)
	}
	w.stack = append(w.stack, s)
	return &w.stack[n]
}

// mark returns the place of the last of so many steps that is work or a task, -1 if none is.
func (w *walk) mark(steps int) int {
	if steps == 0 {
		return -1
	}
	return int(w.stack[steps-1].mark) - 1
}

// enter applies the begin of a region, and says whether it is that of the team, which has begun already; executes tells which one that is.
func (w *walk) enter(region uint32, executes func(*step) uint32) (hidden bool) {
	if n := len(w.stack); n > 0 && w.stack[n-1].work && !w.stack[n-1].entered {
		top := &w.stack[n-1]
		top.entered = true
		hidden = executes(top) == region
	}
	w.push(step{region: region, hidden: hidden})
	return hidden
}

// leave applies the end of a region, and says whether it ends a level, or is hidden. What others have entered in a task, as far as that is not known, and what was not kept is neither.
func (w *walk) leave() (ends, hidden bool) {
	n := len(w.stack)
	if n == 0 || w.stack[n-1].work {
		return true, false // of which there is none: whoever reads the events notices
	}
	if w.stack[n-1].segment > 0 {
		w.stack[n-1].left++
		return false, false
	}
	if w.stack[n-1].beyond > 0 {
		w.stack[n-1].beyond--
		return false, false
	}
	hidden = w.stack[n-1].hidden
	w.stack = w.stack[:n-1]
	return !hidden, hidden
}

// fork applies the fork of a team, of which nothing is known yet.
func (w *walk) fork(t int64) *step {
	w.forks++
	return w.push(step{work: true, master: true, fork: w.forks, from: t})
}

// passes notes when an event was, but for the end of work after which nothing is open: the thread has done nothing since the join, or since its last event before.
func (w *walk) passes(e *Event, t int64) {
	if e.Spec.ID != idThreadTeamEnd || len(w.stack) > 0 {
		w.last = max(w.last, t)
	}
}

// idle says whether the location is in no team if so many steps are forgotten.
func (w *walk) idle(steps int) bool { return w.worker && len(w.stack) == steps }

// begin applies the begin of work in a team, and returns its step.
func (w *walk) begin(comm uint64) *step {
	at := instance{team: team{w.process, comm}}
	at.n = w.begun[at.team]
	w.begun[at.team]++
	if n := len(w.stack); n == 0 || !w.stack[n-1].master || w.stack[n-1].known && w.stack[n-1].instance != at {
		w.push(step{work: true})
	}
	top := &w.stack[len(w.stack)-1]
	top.instance, top.known = at, true
	return top
}

// end applies the end of work in a team of another thread, or the join of one of this thread, and returns its step.
func (w *walk) end(master bool) (s step) {
	for i := w.mark(len(w.stack)); i >= 0; i = w.mark(i) {
		if s := w.stack[i]; s.work {
			if s.master != master {
				break
			}
			if w.stack = w.stack[:i]; !master {
				w.ended = s
			}
			return s
		}
	}
	return step{}
}

// forked is what is known of an instance of a team.
type forked struct {
	path     int32  // where it was forked
	region   uint32 // what it executes, noRegion unknown
	from, to int64  // times of fork and join; to is 0 if it is unknown
}

const noRegion = 1<<32 - 1

// forks are the call paths in which teams were forked.
type forks struct {
	paths [][]step
	of    map[team][]forked // by instance
}

// withoutTasks takes tasks out of a call path.
func withoutTasks(path []step) []step {
	return slices.DeleteFunc(path, func(x step) bool { return x.segment > 0 })
}

// mostBelow is so many steps that call paths of forks have at most. Damaged archives may say anything.
const mostBelow = 1000

// add notes that a team was forked; the path is its own from then on.
func (f *forks) add(t team, path []step, from int64) {
	for i := range path {
		path[i].mark = 0
	}
	same := func(p []step) bool { return slices.Equal(p, path) }
	first := max(0, len(f.paths)-recent)
	i := slices.IndexFunc(f.paths[first:], same)
	if i < 0 {
		i = len(f.paths) - first
		f.paths = append(f.paths, path)
	}
	f.of[t] = append(f.of[t], forked{path: int32(first + i), region: noRegion, from: from})
}

// recent is how many call paths are looked at before one is taken for new.
const recent = 64

// merge adds the forks of another location.
func (f *forks) merge(other *forks) {
	first := int32(len(f.paths))
	f.paths = append(f.paths, other.paths...)
	for t, list := range other.of {
		for i := range list {
			list[i].path += first
		}
		if f.of[t] == nil { // most teams are forked by one thread
			f.of[t] = list
		} else {
			f.of[t] = append(f.of[t], list...)
		}
	}
}

// at returns what is known of the team of a step, nil if that is nothing.
func (f *forks) at(s *step) *forked {
	if list := f.of[s.team]; s.known && s.n < len(list) {
		return &list[s.n]
	}
	return nil
}

// executes returns the region that the team of a step executes.
func (f *forks) executes(s *step) uint32 {
	if x := f.at(s); x != nil {
		return x.region
	}
	return noRegion
}

// below appends the regions of the call path in which the team of a step was forked. There is an end to them.
func (f *forks) below(to []uint32, at *step) []uint32 {
	left := mostBelow
	return f.path(to, at, &left)
}

// path appends them while there are steps left to look at.
func (f *forks) path(to []uint32, at *step, left *int) []uint32 {
	x := f.at(at)
	if x == nil {
		return to
	}
	path := f.paths[x.path]
	for i := range path {
		if *left--; *left < 0 {
			break
		}
		s := &path[i]
		if !s.work {
			if !s.hidden {
				to = append(to, s.region)
			}
			continue
		}
		if !s.master {
			to = f.path(to, s, left)
		}
		if region := f.executes(s); region != noRegion {
			to = append(to, region)
		}
	}
	return to
}

// know completes the steps of a location that was looked at when not all forks were known. forked are those of the location.
func (f *forks) know(stack []step, forked []instance) {
	for i := range stack {
		s := &stack[i]
		switch {
		case s.work:
			if s.master && s.fork <= len(forked) {
				s.is(forked[s.fork-1])
			}
			if s.levels = 0; !s.master {
				s.levels = len(f.below(nil, s))
			}
			if f.executes(s) != noRegion {
				s.levels++
			}
		case s.hidden:
			s.hidden = f.executes(&stack[i-1]) == s.region
		}
	}
}

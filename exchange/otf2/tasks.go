package otf2

import (
	"cmp"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// A thread that meets a task of its team executes it below what it is in, such as a barrier. It may suspend the task and go on with another one, or with what it was in. What is entered and left belongs to the task:
// the regions that are open in it are left when it is suspended, and entered again when it is resumed, which is no visit. An untied task may be resumed by another thread, so what is open in it is known only when the events
// of that one are read: if a location leaves what it has not entered in a task, or seems to begin one with anything but the region of a task, all events are looked at again for how each location changes what is open in tasks.

// task is a task of a team of a process, by the thread that made it: the how manieth one it is. Number 0 is what threads execute without tasks.
type task struct{ team, creator, number uint64 }

// taskOf returns the task that an event is about.
func taskOf(e *Event) task { return task{e.Values[0], e.Values[1], e.Values[2]} }

// segment is that a location executes a task, from its begin, or from where it was resumed, on.
type segment struct {
	task
	from   int64
	left   int    // of what was open it has left so many regions
	open   []step // what it has entered
	over   bool   // the task is complete
	before []step // what was open
}

// marker returns where in the stack a task begins that the thread executes, or has executed before those that follow, -1 if it does not.
func (w *walk) marker(t task) int {
	for i := len(w.stack) - 1; i >= 0 && !w.stack[i].work; i-- {
		if w.stack[i].task == t && w.stack[i].segment > 0 {
			return i
		}
	}
	return -1
}

// inner returns the first task in the stack behind some place, of the innermost team; the length of the stack if there is none.
func (w *walk) inner(behind int) int {
	at := len(w.stack)
	for i := len(w.stack) - 1; i > behind && !w.stack[i].work; i-- {
		if w.stack[i].segment > 0 {
			at = i
		}
	}
	return at
}

// note notes what is open in the innermost task.
func (w *walk) note(segments []segment) {
	if at := w.innermost(); at >= 0 && w.stack[at].segment <= len(segments) {
		x := &segments[w.stack[at].segment-1]
		x.left, x.open = w.stack[at].left, slices.Clone(w.stack[at+1:])
	}
}

// innermost returns where the innermost task begins, -1 if there is none.
func (w *walk) innermost() int {
	for i := len(w.stack) - 1; i >= 0 && !w.stack[i].work; i-- {
		if w.stack[i].segment > 0 {
			return i
		}
	}
	return -1
}

// strange says whether what the location leaves next in a task was entered by others, and that is not known.
func (w *walk) strange() bool { return len(w.stack) > 0 && w.stack[len(w.stack)-1].segment > 0 }

// around returns the region around that which is open, which may be a task's, noRegion if there is none.
func (w *walk) around() uint32 {
	i := len(w.stack) - 2
	for i >= 0 && w.stack[i].segment > 0 {
		i--
	}
	if i < 0 || w.stack[i].work {
		return noRegion
	}
	return w.stack[i].region
}

// suspend takes the innermost task, and what is open in it, out of the stack.
func (w *walk) suspend() (t task, open []step) {
	at := w.innermost()
	t, open = w.stack[at].task, slices.Clone(w.stack[at+1:])
	w.stack = w.stack[:at]
	return t, open
}

// resumes begins a task, or goes on with it, below what the location is in. Of what is open in it open tells.
func (w *walk) resumes(t task, open []step) {
	w.segments++
	w.stack = append(append(w.stack, step{task: t, segment: w.segments, region: noRegion}), open...)
}

// switches applies that a location goes on with another task. Of those that it suspends, and of what is open in the one that it resumes, left and entered are told.
func (s *source) switches(w *walk, t task, left func(open []step), entered func(open []step)) {
	behind := w.marker(t)
	if behind < 0 && t.number > 0 {
		open := w.suspended[t]
		delete(w.suspended, t)
		if s.untied != nil {
			open = nil
			if list := s.untied[w.location]; w.segments < len(list) {
				open = list[w.segments].before
			}
		}
		w.resumes(t, open)
		entered(open)
		return
	}
	for at := w.inner(behind); at < len(w.stack); {
		x, open := w.suspend()
		if left(open); s.untied == nil && len(w.suspended) < mostSuspended {
			w.suspended[x] = open
		}
	}
}

// mostSuspended is how many tasks a location has suspended at once at most, which each chunk begins with. Damaged archives may have any number that nobody completes.
const mostSuspended = 1 << 16

// completes applies that a task is complete, which takes it out of the stack.
func (s *source) completes(w *walk, t task, left func(open []step)) {
	delete(w.suspended, t)
	if at := w.innermost(); at >= 0 && w.stack[at].task == t {
		_, open := w.suspend()
		left(open)
	}
}

// switched appends that a location switches to a task, or completes one.
func (s *source) switched(w *walk, e *Event, to []trace.Event) []trace.Event {
	w.last = max(w.last, s.since(e.Time))
	tell := func(kind wire.Kind, id uint32, word uint64) {
		to = append(to, trace.Event{Time: w.last, Kind: kind, ID: id, Word: word})
	}
	left := func(open []step) {
		levels := visible(open)
		if n := len(w.stack); levels > 0 && n > 0 && s.barrier(w.stack[n-1].region) {
			if object := s.team(w); object != 0 {
				if levels > 1 {
					tell(wire.Exit, uint32(levels-2), 0)
				}
				tell(wire.Within, 0, uint64(object))
				levels = 1
			}
		}
		if levels > 0 {
			tell(wire.Exit, uint32(levels-1), 0)
		}
	}
	if e.Spec.ID == idThreadTaskComplete {
		s.completes(w, taskOf(e), left)
		return to
	}
	s.switches(w, taskOf(e), left, func(open []step) {
		for i := range open {
			if !open[i].work && !open[i].hidden && open[i].segment == 0 {
				tell(wire.Enter, open[i].region, trace.Elsewhere)
			}
		}
	})
	return to
}

// visible returns how many levels some steps are.
func visible(open []step) (levels int) {
	for i := range open {
		switch x := &open[i]; {
		case x.work:
			levels += x.levels
		case x.segment == 0 && !x.hidden:
			levels++
		}
	}
	return levels
}

// switched applies it to what is known of the location.
func (v *survey) switched(s *source, w *walk, e *Event) {
	t := taskOf(e)
	w.note(v.segments)
	v.untied = v.untied || e.Spec.ID == idThreadTaskSwitch && w.strange()
	if e.Spec.ID == idThreadTaskComplete {
		if at := w.innermost(); at >= 0 && w.stack[at].task == t && w.stack[at].segment <= len(v.segments) {
			v.segments[w.stack[at].segment-1].over = true
		}
		s.completes(w, t, func([]step) {})
		return
	}
	s.switches(w, t, func([]step) {}, func([]step) {
		if s.untied != nil {
			v.segments = append(v.segments, segment{task: t, from: s.since(e.Time)})
		}
	})
}

// unties looks at all events again if a location leaves in a task what another one has entered.
func (s *source) unties(all []survey) []survey {
	if !slices.ContainsFunc(all, func(v survey) bool { return v.untied }) {
		return all
	}
	s.untied = make([][]segment, len(all)) // of each location nothing is known while it is looked at
	s.noted.Store(0)
	all = s.look()
	type at struct {
		process int
		*segment
	}
	var list []at
	for i := range all {
		s.untied[i] = all[i].segments
		for k := range s.untied[i] {
			list = append(list, at{s.Definitions.Locations[i].Process, &s.untied[i][k]})
		}
	}
	order := func(x, y at) int {
		return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.team, y.team), cmp.Compare(x.creator, y.creator), cmp.Compare(x.number, y.number))
	}
	slices.SortStableFunc(list, func(x, y at) int { return cmp.Or(order(x, y), cmp.Compare(x.from, y.from)) })
	for k := 1; k < len(list); k++ {
		if x, before := list[k], list[k-1]; order(before, x) == 0 && !before.over {
			x.before = append(slices.Clone(before.before[:max(0, len(before.before)-before.left)]), before.open...)
		}
	}
	return all
}

// resumed completes the stack with which a chunk begins by what was open in tasks that other locations have executed before.
func (s *source) resumed(w *walk) {
	for i := 0; s.untied != nil && i < len(w.stack); i++ {
		if x := &w.stack[i]; x.segment > 0 && x.segment <= len(s.untied[w.location]) {
			before := s.untied[w.location][x.segment-1].before
			w.stack = slices.Insert(w.stack, i+1, before[:max(0, len(before)-x.left)]...)
		}
	}
}

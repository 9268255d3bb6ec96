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

// kept is what is open in a task that goes on later: its outermost regions, and how many more there are, which are not entered again.
type kept struct {
	regions []uint32
	beyond  int
}

// What damaged archives may say any amount of has a bound.
const (
	mostKept      = 1 << 7  // regions that are entered again when a task is resumed
	mostNested    = 1 << 10 // tasks that a location executes in each other
	mostSuspended = 1 << 16 // tasks that a location has suspended at once
	mostSegments  = 1 << 20 // times that locations suspend tasks, and regions that are open then, if others resume them
	mostBefore    = 1 << 22 // regions that are open when such tasks are resumed
)

// keep returns what is open in a task. Only the last step that was kept before may have more beyond it.
func keep(open []step) (k kept) {
	n := min(len(open), mostKept)
	for i := range open[:n] {
		k.regions = append(k.regions, open[i].region)
		k.beyond += int(open[i].beyond)
	}
	k.beyond += len(open) - n
	return k
}

// without returns what is open after so many regions were left.
func (k kept) without(n int) kept {
	hidden := min(n, k.beyond)
	return kept{k.regions[:max(0, len(k.regions)-(n-hidden))], k.beyond - hidden}
}

// and returns what is open after others were entered.
func (k kept) and(more kept) kept {
	n := len(more.regions)
	if k.beyond > 0 {
		n = 0
	}
	n = min(n, mostKept-len(k.regions))
	return kept{slices.Concat(k.regions, more.regions[:n]), k.beyond + len(more.regions) - n + more.beyond}
}

// opens enters what was kept again.
func (w *walk) opens(k kept) {
	for _, region := range k.regions {
		w.push(step{region: region})
	}
	if len(k.regions) > 0 {
		w.stack[len(w.stack)-1].beyond = int32(k.beyond)
	}
}

// segment is that a location executes a task, from its begin, or from where it was resumed, on.
type segment struct {
	task
	from, to int64
	left     int  // of what was open it has left so many regions
	open     kept // what it has entered
	over     bool // the task is complete
}

// marker returns where in the stack a task begins that the thread executes, or has executed before those that follow, -1 if it does not; full says whether there may be no further one.
func (w *walk) marker(t task) (at int, full bool) {
	n := 0
	for at = w.mark(len(w.stack)); at >= 0 && !w.stack[at].work; at = w.mark(at) {
		if n++; w.stack[at].task == t {
			return at, false
		}
	}
	return -1, n >= mostNested
}

// inner returns the first task in the stack behind some place, of the innermost team; the length of the stack if there is none.
func (w *walk) inner(behind int) int {
	at := len(w.stack)
	for i := w.mark(at); i > behind && !w.stack[i].work; i = w.mark(i) {
		at = i
	}
	return at
}

// innermost returns where the innermost task begins, -1 if there is none.
func (w *walk) innermost() int {
	if at := w.mark(len(w.stack)); at >= 0 && !w.stack[at].work {
		return at
	}
	return -1
}

// strange says whether what the location leaves next in a task was entered by others, and that is not known.
func (w *walk) strange() bool { return len(w.stack) > 0 && w.stack[len(w.stack)-1].segment > 0 }

// knows says whether it is known what the location leaves next.
func (w *walk) knows() bool {
	return len(w.stack) == 0 || w.stack[len(w.stack)-1].segment == 0 && w.stack[len(w.stack)-1].beyond == 0
}

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
	t, open = w.stack[at].task, w.stack[at+1:]
	w.stack = w.stack[:at]
	return t, open
}

// switches applies that a location goes on with another task. It tells how many regions are left in each that it suspends, and which are entered in the one that it resumes.
func (s *source) switches(w *walk, t task, time int64, left func(levels int), entered func(kept)) {
	behind, full := w.marker(t)
	if behind < 0 && t.number > 0 {
		if w.lost = w.lost || full; full {
			return
		}
		open := w.suspended[t]
		delete(w.suspended, t)
		w.segments++
		if s.untied != nil {
			open = s.untied[w.location][w.segments]
		}
		w.push(step{task: t, segment: w.segments, region: noRegion, from: time})
		w.opens(open)
		entered(open)
		return
	}
	for at := w.inner(behind); at < len(w.stack); {
		x, open := w.suspend()
		left(len(open))
		full = s.untied == nil && len(w.suspended) >= mostSuspended
		if s.untied == nil && !full {
			w.suspended[x] = keep(open)
		}
		w.lost = w.lost || full || len(open) > mostKept
	}
}

// completes applies that a task is complete, which takes it out of the stack.
func (s *source) completes(w *walk, t task, left func(levels int)) {
	delete(w.suspended, t)
	if at := w.innermost(); at >= 0 && w.stack[at].task == t {
		_, open := w.suspend()
		left(len(open))
	}
}

// switched appends that a location switches to a task, or completes one.
func (s *source) switched(w *walk, e *Event, to []trace.Event) []trace.Event {
	w.last = max(w.last, s.since(e.Time))
	tell := func(kind wire.Kind, id uint32, word uint64) {
		to = append(to, trace.Event{Time: w.last, Kind: kind, ID: id, Word: word})
	}
	left := func(levels int) {
		if n := len(w.stack); levels > 0 && n > 0 && !w.stack[n-1].work && s.barrier(w.stack[n-1].region) {
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
	s.switches(w, taskOf(e), w.last, left, func(open kept) {
		for _, region := range open.regions {
			if region == programRegion { // a program in a task is damage
				region = s.undefined
			}
			tell(wire.Enter, region, trace.Elsewhere)
		}
	})
	return to
}

// switched applies it to what is known of the location.
func (v *survey) switched(s *source, w *walk, e *Event) {
	t, time, complete := taskOf(e), s.since(e.Time), e.Spec.ID == idThreadTaskComplete
	if at := w.innermost(); at >= 0 {
		v.note(s, w.stack[at:], time, complete && w.stack[at].task == t)
	}
	v.untied = v.untied || !complete && w.strange()
	if complete {
		s.completes(w, t, func(int) {})
		return
	}
	s.switches(w, t, time, func(int) {}, func(kept) {})
}

// note notes what a location has done until then in a task, and in what is open in it. What is over and left nothing that others had entered is no matter.
func (v *survey) note(s *source, stack []step, time int64, over bool) {
	x, open := &stack[0], stack[1:]
	switch {
	case s.untied == nil:
		if !over || x.left > 0 {
			v.suspended += 1 + min(len(open), mostKept)
		}
	case over && x.left == 0:
		delete(v.segments, x.segment)
	default:
		if v.segments == nil {
			v.segments = map[int32]segment{}
		}
		v.segments[x.segment] = segment{x.task, x.from, time, int(x.left), keep(open), over}
	}
}

// ended notes the tasks that a location executes at its end.
func (v *survey) ended(s *source, w *walk) {
	end := len(w.stack)
	for at := w.mark(end); at >= 0; at, end = w.mark(at), at {
		if w.stack[at].segment > 0 {
			v.note(s, w.stack[at:end], w.last, false)
		}
	}
}

// unties looks at all events again if a location leaves in a task what another one has entered.
func (s *source) unties(all []survey) []survey {
	if !slices.ContainsFunc(all, func(v survey) bool { return v.untied }) {
		return all
	}
	n := 0
	for i := range all {
		n += all[i].suspended
	}
	if n > mostSegments {
		s.followsNot()
		return all
	}
	s.untied = make([]map[int32]kept, len(all)) // of each location nothing is known while it is looked at
	s.noted.Store(0)
	s.device.noted.Store(0)
	all = s.look()
	s.follow(all)
	return all
}

// followsNot notes that what is open in tasks is not known of all.
func (s *source) followsNot() {
	s.Header.Notes = append(s.Header.Notes, "what is open in tasks that one thread suspends and another one resumes is not known of all of them: there are too many")
}

// follow finds out what is open in tasks that locations resume.
func (s *source) follow(all []survey) {
	type at struct {
		segment
		process, location int
		n                 int32
	}
	var list []at
	for i := range all {
		for n, x := range all[i].segments {
			list = append(list, at{x, s.Definitions.Locations[i].Process, i, n})
		}
		all[i].segments, s.untied[i] = nil, map[int32]kept{}
	}
	order := func(x, y at) int {
		return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.team, y.team), cmp.Compare(x.creator, y.creator), cmp.Compare(x.number, y.number))
	}
	last := func(x at) int {
		if x.over {
			return 1
		}
		return 0
	}
	slices.SortFunc(list, func(x, y at) int {
		return cmp.Or(order(x, y), cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to), cmp.Compare(last(x), last(y)), cmp.Compare(x.location, y.location), cmp.Compare(x.n, y.n))
	})
	regions := 0
	for k := 1; k < len(list); k++ {
		x, before := list[k], list[k-1]
		if order(before, x) != 0 || before.over {
			continue
		}
		open := s.untied[before.location][before.n].without(before.left)
		if len(before.open.regions) > 0 {
			open = open.and(before.open)
			if regions += len(open.regions); regions > mostBefore {
				s.followsNot()
				return
			}
		}
		if len(open.regions) > 0 {
			s.untied[x.location][x.n] = open
		}
	}
}

// resumed returns a stack of a location with what was open in tasks that other locations have executed before.
func (s *source) resumed(location trace.LocationID, stack []step) []step {
	if s.untied == nil {
		return stack
	}
	var w walk
	for i := range stack {
		if w.push(stack[i]); stack[i].segment > 0 {
			w.opens(s.untied[location][stack[i].segment].without(int(stack[i].left)))
		}
	}
	return w.stack
}

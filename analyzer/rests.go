package analyzer

import (
	"math"
	"slices"
	"sort"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// pauses collects the pauses by which the path may leave a location.
func (w *walker) pauses(matchWorkers []*matchWorker) {
	var readings, rests []*list[pause]
	for _, m := range matchWorkers {
		readings, rests = append(readings, &m.readings), append(rests, &m.rests)
	}
	for _, s := range w.s.workers {
		rests = append(rests, &s.sleeps)
	}
	w.readings, w.rests = newPauses(w.s.store, readings), newPauses(w.s.store, rests)
}

// hurdle is a wait for a lock that the path was led on by.
type hurdle struct {
	begin int64 // of the wait; unknownTime if the path would have been the same without it
	loc   uint32
	took  int    // number of waits up to it by which the path was led on
	step  cursor // the last step of the path before it
}

// cursor is the place of a step in a list of them.
type cursor struct{ block, at int }

// farAside is how many waits are followed at most, as those that end at one time may lead round in circles.
const farAside = 10000

// before says whether a step comes before another one in the list: later in time.
func (c cursor) before(other cursor) bool {
	return c.block < other.block || c.block == other.block && c.at < other.at
}

// hindered says whether the path, which is on location loc up to t, came there by waits for locks, directly or by what their holders waited for, and loc rested before
// the last of these began, but behind another time. Who waited was on his own way then, and did not need what loc did before: only a lock was in his way. So the path goes
// on where it would have been at the end of that rest without locks, by the first of these waits since which it was not there again.
func (w *walker) hindered(loc uint32, behind, t int64) (by uint32, at int64, is bool) {
	last := w.hurdles.last()
	if last == nil || len(w.rests) == 0 {
		return loc, t, false
	}
	rested := w.rests.until(loc, behind, min(t, last.begin-1))
	if len(rested) == 0 {
		return loc, t, false
	}
	at = rested[len(rested)-1].end
	var joined cursor
	for h := range w.hurdles.all() {
		if w.aside--; h.step.before(joined) {
			h.begin = unknownTime
		} else if h.begin > at {
			by, joined = w.without(h, at)
			if by == loc {
				joined = cursor{block: math.MaxInt}
			} else if by != NoCauser {
				for took := h.took; w.took >= took; {
					w.back()
				}
				w.segment(loc, at, t)
				return by, at, true
			}
			h.begin = unknownTime
		}
	}
	for last = w.hurdles.last(); last != nil && last.begin == unknownTime; last = w.hurdles.last() {
		w.hurdles.pop()
	}
	return loc, t, false
}

// without returns where the path would be at a time if who waited for a lock had not waited for any. If that is not known, it returns NoCauser, and if it is because the path
// came there before that time, its step then.
func (w *walker) without(h *hurdle, at int64) (by uint32, step cursor) {
	loc, t, step := h.loc, h.begin, h.step
	for n := 0; n < farAside && w.aside > 0; n++ {
		next, then := w.led(loc, t, at)
		if next == NoCauser {
			then = max(w.s.locations[loc].begin, at)
			next = w.s.locations[loc].creator
		}
		if w.joins(&step, loc, then, t) {
			return NoCauser, step
		}
		if then == at {
			if w.jumps.inside(loc, at) {
				break
			}
			return loc, step
		}
		if next == uint32(trace.NoLocation) || !w.s.locations[next].lives(then) {
			break
		}
		loc, t = next, then
	}
	return NoCauser, cursor{}
}

// joins says whether the path is on a location at any time between two, from a step on, which becomes the first one behind the later time for which that is so, or else the last.
func (w *walker) joins(step *cursor, loc uint32, from, to int64) bool {
	for {
		w.aside--
		x, last := &w.here, *step == w.steps.end()
		if !last {
			x = &w.steps.blocks[step.block][step.at]
		}
		if x.from < to && x.loc == loc {
			return true
		}
		if last || x.from <= from {
			return false
		}
		if step.at++; step.at == cap(w.steps.blocks[step.block]) {
			*step = cursor{block: step.block + 1}
		}
	}
}

// profileWriter is the function of a goroutine that waits for the profile of the processor, in system calls.
const profileWriter = "runtime/pprof.profileWriter"

// Who is waited for shortly after resting for long is an attendant: for less than one part in so many of its life before.
const attendantParts = 20

// attended says whether the path, which is on location loc up to t, came there by a wait that was the first one for loc, and short, and loc rested before that, but behind
// another time: something that goes on beside the program for as long as that lasts, such as showing its progress, and is told to end. What it did before held up nobody,
// so the path goes on at the waiter, before the wait.
func (w *walker) attended(loc uint32, behind, t int64) (by uint32, at int64, is bool) {
	last := w.taken.last()
	if last == nil {
		return loc, t, false
	}
	j := &w.jumps.list[last.jump]
	if j.causer != loc || j.begin >= t || (j.at-j.begin)*attendantParts >= j.begin-max(w.s.locations[loc].begin, w.path.begin) || w.s.locations[last.loc].begin >= j.begin {
		return loc, t, false
	}
	rested := w.s.regions.list[w.s.locations[loc].begun].Func == profileWriter && behind < j.begin
	for _, r := range slices.Backward(w.rests.until(loc, behind, t)) {
		if rested = rested || r.begin < j.begin; rested {
			break
		}
	}
	if !rested || w.firstAwaited(loc) < j.begin {
		return loc, t, false
	}
	if _, is := w.jumps.waiting(last.loc, j.begin); is {
		return loc, t, false
	}
	w.segment(loc, j.begin, t)
	return w.back().loc, j.begin, true
}

// firstAwaited returns when the first wait for a location began that was not for a lock: whom a lock hinders does not need what its holder does.
func (w *walker) firstAwaited(loc uint32) int64 {
	if w.awaited == nil {
		w.awaited = slices.Repeat([]int64{endOfTime}, len(w.s.locations))
		for i := range w.jumps.list {
			if i%paced == 0 {
				w.s.store.Pace()
			}
			if j := &w.jumps.list[i]; !w.forLock(j) {
				w.awaited[j.causer] = min(w.awaited[j.causer], j.begin)
			}
		}
	}
	return w.awaited[loc]
}

// led returns who ended the last wait of a location up to a time but behind another one, and when, of waits for what is no lock and for those who did not wait themselves
// then; NoCauser if nobody did.
func (w *walker) led(loc uint32, to, behind int64) (uint32, int64) {
	v := w.jumps.of(loc)
	v = v[:sort.Search(len(v), func(i int) bool { return v[i].at > to })]
	for i := range slices.Backward(v) {
		j := &v[i]
		if j.at <= behind {
			break
		}
		if !w.forLock(j) && !w.jumps.inside(j.causer, j.at) {
			return j.causer, j.at
		}
	}
	return NoCauser, behind
}

// forLock says whether a wait is for a lock.
func (w *walker) forLock(j *jump) bool { return w.s.paths.nodes[j.path].kind == wire.LockBegin }

// told says whether the states of a location are told, so that what it waits for without a causer comes from outside.
func (s *scan) told(loc uint32) bool { return s.defs.Processes[s.defs.Locations[loc].Process].States }

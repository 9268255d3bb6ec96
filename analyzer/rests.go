package analyzer

import "tracerec/trace/wire"

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

// hindered says whether the path, which is on location loc up to t, came there by a wait for a lock, and loc rested before that wait began, but behind another time. The
// waiter was at work then, and did not need what loc did before: only the lock was in its way. So the path goes on at the waiter, from the end of that rest.
func (w *walker) hindered(loc uint32, behind, t int64) (waiter uint32, at int64, is bool) {
	back := w.taken.last()
	if back == nil || len(w.rests) == 0 {
		return loc, t, false
	}
	j := &w.jumps.list[back.jump]
	if j.causer != loc || w.s.paths.nodes[j.path].kind != wire.LockBegin {
		return loc, t, false
	}
	rested := w.rests.until(loc, behind, min(t, j.begin-1))
	if len(rested) == 0 {
		return loc, t, false
	}
	waiter, at = back.loc, rested[len(rested)-1].end
	if _, waits := w.jumps.waiting(waiter, at); waits || w.s.locations[waiter].begin >= at {
		return loc, t, false
	}
	w.taken.pop()
	w.segment(loc, at, t)
	return waiter, at, true
}

// told says whether the states of a location are told, so that what it waits for without a causer comes from outside.
func (s *scan) told(loc uint32) bool { return s.defs.Processes[s.defs.Locations[loc].Process].States }

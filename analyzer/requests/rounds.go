package requests

import (
	"tracerec/report"
	"tracerec/trace/wire"
)

// pause is an operation in which a goroutine may wait for its next round.
type pause struct {
	path       int32
	begin, end int64 // end unknown if it has not ended
}

// leastPauses is how often a goroutine has to be at the place where it waits, so that it is a loop. Between them are two whole rounds.
const leastPauses = 3

// pauses says whether a call path may be that of a pause: the function that has the operation is one of the program itself, or a recording shows nothing else between that and the operation.
func (p *paths) pauses(path int32) bool {
	switch x := &p.list[path]; x.kind {
	case wire.RecvBegin, wire.SelectBegin, wire.SleepBegin, wire.CondBegin:
		if x.own == x.depth-1 && x.own > 0 {
			return true
		}
		r := p.region(x.region)
		return ofProgram(&r)
	}
	return false
}

// roundsOf adds the rounds of a goroutine, none if it has no loop: the place where it waits is the outermost one to which it comes so often, of several one in a
// function of the program itself, and then the one that was first. What comes before the first pause is no round, and neither is what comes after the last, if the goroutine ends with it.
func (r *reader) roundsOf(loc uint32, l *life, all []request) []request {
	if len(l.pauses) < leastPauses {
		return all
	}
	often := map[int32]int{}
	for _, p := range l.pauses {
		often[p.path]++
	}
	at := int32(-1)
	for _, p := range l.pauses {
		if often[p.path] >= leastPauses && (at < 0 || r.outer(p.path, at)) {
			at = p.path
		}
	}
	if at < 0 {
		return all
	}
	found := func(begin, end int64, cut bool) {
		all = add(r.done.store, all, request{loc: loc, begin: begin, end: end, label: r.labels.number(label{kind: report.KindRound, name: r.loop(at)}), cut: cut})
	}
	begin := int64(unknown)
	for _, p := range l.pauses {
		if p.path != at {
			continue
		}
		if begin != unknown {
			found(begin, p.begin, false)
		}
		begin = p.end
	}
	if begin != unknown && !l.ended {
		found(begin, l.last, true)
	}
	return all
}

// outer says whether a place is rather that of a loop than another one.
func (r *reader) outer(path, than int32) bool {
	x, y := &r.paths.list[path], &r.paths.list[than]
	if x.depth != y.depth {
		return x.depth < y.depth
	}
	own, others := r.paths.region(x.region), r.paths.region(y.region)
	return ofProgram(&own) && !ofProgram(&others)
}

// loop returns the name of the function of the program in which an operation is: one of a library, which this calls, or which is called back in it, has no loop of the program.
func (r *reader) loop(path int32) string {
	x := &r.paths.list[path]
	if f := r.paths.region(x.region); ofProgram(&f) {
		return wire.ShortName(f.Func)
	}
	if x.parent < 0 {
		return ""
	}
	return r.paths.region(r.paths.list[x.parent].region).Name
}

package analyzer

import (
	"math"

	"tracerec/trace/wire"
)

// quiet says whether an operation tells nothing if all others on its lock are quiet, too: it acquired the lock at once, or released it.
func (o *Op) quiet() bool {
	return (o.Kind == wire.LockBegin || o.Kind == wire.Release) && o.Blocked == NotBlocked && !o.Open
}

// holding is which holds of a lock a location has.
type holding struct {
	loc   uint32 // one more
	last  int64  // begin of its last operation on the lock
	holds [2]int32
}

// add takes an operation of a location and says whether it is the next one, and no release without acquisition, which may be that of another location.
func (h *holding) add(o *Op) bool {
	if h.loc != o.Loc+1 {
		*h = holding{loc: o.Loc + 1, last: math.MinInt64}
	}
	if o.Begin < h.last {
		return false
	}
	h.last = o.Begin
	mode := wire.Exclusive
	if o.Mode == wire.Shared {
		mode = wire.Shared
	}
	switch {
	case o.Kind == wire.Release:
		h.holds[mode]--
		return h.holds[mode] >= 0
	case o.Outcome != wire.OK:
	case mode == wire.Shared:
		h.holds[mode]++
	default:
		h.holds[mode] = 1 // if it has it already, another location has released it
	}
	return true
}

// quiet returns which objects of a part are locks for which nobody waited, as most are: matching them finds nothing, so that their operations are not expanded.
// It is nil if there are none. calm has the objects without operations that are not quiet, and is used up.
func (w *matchWorker) quiet(p uint32, runs []opRun, calm []bool) []bool {
	some := false
	for i, is := range calm {
		object := i*parts + int(p)
		calm[i] = is && object < len(w.m.s.defs.Objects) && (w.m.s.defs.Objects[object].Kind == wire.Mutex || w.m.s.defs.Objects[object].Kind == wire.RWMutex)
		some = some || calm[i]
	}
	if !some {
		return nil
	}
	holdings := make([]holding, len(calm))
	for _, r := range runs {
		w.m.s.store.Pace()
		from := w.m.s.workers[r.worker].ops.part[p].reader(r.at)
		for o := (Op{}); r.n > 0; r.n-- {
			i := from.object()
			from.op(&o, r.loc, o.Begin)
			calm[i] = calm[i] && holdings[i].add(&o)
		}
	}
	return calm
}

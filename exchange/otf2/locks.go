package otf2

import (
	"cmp"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// lock is a lock of a process.
type lock struct {
	process   int
	model, id uint64
}

// lockOf returns the lock of an event that acquires or releases it.
func lockOf(w *walk, e *Event) (l lock, order uint64) {
	n := len(e.Values)
	l = lock{w.process, openMP, e.Values[n-2]}
	if n == 3 {
		l.model = e.Values[0]
	}
	return l, e.Values[n-1]
}

// lock notes the lock of an event.
func (v *survey) lock(w *walk, e *Event) {
	if v.locks == nil {
		v.locks = map[lock]bool{}
	}
	l, _ := lockOf(w, e)
	v.locks[l] = true
}

// numberLocks gives objects to the locks that locations have named.
func (s *source) numberLocks(all []survey) {
	var locks []lock
	for i := range all {
		for l := range all[i].locks {
			locks = append(locks, l)
		}
	}
	slices.SortFunc(locks, func(x, y lock) int {
		return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.model, y.model), cmp.Compare(x.id, y.id))
	})
	for _, l := range slices.Compact(locks) {
		s.Definitions.Objects = append(s.Definitions.Objects, trace.Object{Kind: wire.OrderedLock, Region: trace.NoRegion, Process: l.process})
		s.passing.locks[l] = uint32(len(s.Definitions.Objects))
	}
}

// acquires are the classes of regions in which locks are acquired.
var acquires = map[string]wire.Acquisition{
	"omp_critical": wire.ByCritical, "omp_lock_api": wire.ByCall, "pthread_lock_api": wire.ByMutex, "pthread_conditional": wire.ByCond,
}

// locked tells that the region in which the location is acquired or released a lock.
func (s *source) locked(e *Event, w *walk, tell func(kind wire.Kind, id uint32, word uint64)) {
	l, order := lockOf(w, e)
	how, kind := wire.ByNobody, wire.Freed
	if e.Spec.ID == idThreadAcquireLock || e.Spec.ID == idOmpAcquireLock {
		kind = wire.Acquired
		if n := len(w.stack); n > 0 && !w.stack[n-1].work && int(w.stack[n-1].region) < len(s.passing.classes) {
			how = acquires[s.passing.classes[w.stack[n-1].region].name]
		}
	}
	tell(kind, uint32(order), uint64(s.passing.locks[l])|uint64(how)<<32)
}

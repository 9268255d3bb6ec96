package analyzer

import (
	"slices"
	"sync/atomic"

	"tracerec/internal/spill"
)

// onPath measures each metric against the critical path: how long the path was on causers of the waits of the
// metric or its descendants. Causer by causer, for at no time is the path on two of them.
func (b *builder) onPath() {
	b.out.OnPath = make([]int64, len(b.out.Metrics))
	parent := make([]int, len(b.out.Metrics))
	index := map[string]int{"": -1}
	for i := range b.out.Metrics {
		index[b.out.Metrics[i].Name] = i
		parent[i] = index[b.out.Metrics[i].Parent]
	}
	keys := map[uint32][]unionKey{} // by causer
	for k := range b.waits.unions {
		keys[k.causer] = append(keys[k.causer], k)
	}
	causers := make([]uint32, 0, len(keys))
	for causer := range keys {
		causers = append(causers, causer)
	}
	var next atomic.Int64
	parallel(b.matchWorkers, func(*matchWorker) {
		of := make([]metricUnion, len(parent))
		for i := next.Add(1) - 1; i < int64(len(causers)); i = next.Add(1) - 1 {
			for _, k := range keys[causers[i]] {
				of[k.line.metric].add(b.s.store, metricUnion{list: b.waits.unions[k], length: unknownTime})
			}
			for m := range slices.Backward(of) { // behind those below it
				atomic.AddInt64(&b.out.OnPath[m], of[m].measure(b.s.store))
				if parent[m] >= 0 {
					of[parent[m]].add(b.s.store, of[m])
				} else if of[m].own {
					spill.Free(b.s.store, of[m].list)
				}
				of[m] = metricUnion{}
			}
		}
	})
}

// metricUnion is when the critical path was on a causer of waits of a metric.
type metricUnion struct {
	list   []interval
	length int64 // of all intervals, unknownTime if it was not asked for
	own    bool  // the list is nobody else's
}

// add unites it with another one, which is used up.
func (u *metricUnion) add(store *spill.Store, x metricUnion) {
	if len(x.list) == 0 {
		return
	}
	if len(u.list) == 0 {
		*u = x
		return
	}
	all := metricUnion{unite(store, u.list, x.list), unknownTime, true}
	for _, v := range [...]*metricUnion{u, &x} {
		if v.own {
			spill.Free(store, v.list)
		}
	}
	*u = all
}

// measure returns the length of all intervals.
func (u *metricUnion) measure(store *spill.Store) int64 {
	if len(u.list) > 0 && u.length == unknownTime {
		u.length = length(store, u.list)
	}
	return u.length
}

package analyzer

import (
	"cmp"
	"container/heap"
	"slices"
)

// roster finds locations of a process that do not wait for others, at times that never rise. A location is asleep
// while it waits, so that each of its waits is looked at once.
type roster struct {
	s      *scan
	jumps  *jumps
	dead   []uint32 // those whose lives ended before the time, the latest end last
	ready  numbers  // those that may be open
	asleep sleepers
}

func newRoster(s *scan, j *jumps, process int) *roster {
	r := &roster{s: s, jumps: j}
	for i := range s.locations {
		if s.locations[i].seen && s.defs.Locations[i].Process == process {
			r.dead = append(r.dead, uint32(i))
		}
	}
	slices.SortFunc(r.dead, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.locations[a].end, s.locations[b].end), cmp.Compare(b, a))
	})
	return r
}

// open returns the lowest-numbered location that is open at t, or at the latest earlier time at which there is one, and
// that time. It is NoCauser if there is none.
func (r *roster) open(t int64) (loc uint32, at int64) {
	for {
		for n := len(r.dead); n > 0 && r.s.locations[r.dead[n-1]].end >= t; n = len(r.dead) {
			heap.Push(&r.ready, r.dead[n-1])
			r.dead = r.dead[:n-1]
		}
		for len(r.asleep) > 0 && r.asleep[0].since >= t {
			heap.Push(&r.ready, heap.Pop(&r.asleep).(sleeper).loc)
		}
		for len(r.ready) > 0 {
			loc := r.ready[0]
			if r.s.locations[loc].begin >= t {
				heap.Pop(&r.ready)
			} else if since, is := r.jumps.waiting(loc, t); is {
				heap.Pop(&r.ready)
				heap.Push(&r.asleep, sleeper{since, loc})
			} else {
				return loc, t
			}
		}
		if len(r.dead)+len(r.asleep) == 0 {
			return NoCauser, t
		}
		t = unknownTime
		if n := len(r.dead); n > 0 {
			t = r.s.locations[r.dead[n-1]].end
		}
		if len(r.asleep) > 0 {
			t = max(t, r.asleep[0].since)
		}
	}
}

// numbers is a heap of locations, the lowest first.
type numbers []uint32

func (h numbers) Len() int           { return len(h) }
func (h numbers) Less(i, j int) bool { return h[i] < h[j] }
func (h numbers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *numbers) Push(x any)        { *h = append(*h, x.(uint32)) }
func (h *numbers) Pop() any          { return pop((*[]uint32)(h)) }

// sleeper is a location that waits since a time.
type sleeper struct {
	since int64
	loc   uint32
}

// sleepers is a heap of them, the latest first.
type sleepers []sleeper

func (h sleepers) Len() int           { return len(h) }
func (h sleepers) Less(i, j int) bool { return h[i].since > h[j].since }
func (h sleepers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *sleepers) Push(x any)        { *h = append(*h, x.(sleeper)) }
func (h *sleepers) Pop() any          { return pop((*[]sleeper)(h)) }

// pop takes the last element off, for package heap.
func pop[T any](v *[]T) any {
	n := len(*v) - 1
	x := (*v)[n]
	*v = (*v)[:n]
	return x
}

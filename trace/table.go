package trace

import (
	"maps"
	"slices"
)

// table maps the numbers that a process gives to its locations, regions or objects to values. Numbers
// are dense as a rule and then index a slice; whatever a damaged file says, memory stays proportional
// to the number of entries.
type table[T any] struct {
	dense  []slot[T]
	sparse map[uint64]*slot[T] // numbers behind the end of dense
	count  int
	top    uint64 // greatest number
	tried  int    // count at which packing was tried last
}

type slot[T any] struct {
	value T
	used  bool
}

// find returns the value of n, or nil.
func (t *table[T]) find(n uint64) *T {
	if n < uint64(len(t.dense)) {
		if s := &t.dense[n]; s.used {
			return &s.value
		}
		return nil
	}
	if s := t.sparse[n]; s != nil {
		return &s.value
	}
	return nil
}

// bound is the number below which everything may be dense.
func (t *table[T]) bound() uint64 { return uint64(4*t.count + 16) }

// get returns the value of n, which it makes if there is none, and whether it made it. The pointer is
// valid until the next call.
func (t *table[T]) get(n uint64) (*T, bool) {
	if t.sparse != nil && t.count >= 2*t.tried {
		t.pack()
	}
	if n >= uint64(len(t.dense)) && n < t.bound() && t.sparse == nil {
		t.resize(min(max(n+1, 2*uint64(len(t.dense))), t.bound()))
	}
	var s *slot[T]
	if n < uint64(len(t.dense)) {
		s = &t.dense[n]
	} else if s = t.sparse[n]; s == nil {
		if t.sparse == nil {
			t.sparse = map[uint64]*slot[T]{}
			t.tried = max(t.count, 1)
		}
		s = new(slot[T])
		t.sparse[n] = s
	}
	made := !s.used
	if made {
		s.used = true
		t.count++
		t.top = max(t.top, n)
	}
	return &s.value, made
}

func (t *table[T]) resize(n uint64) {
	t.dense = append(make([]slot[T], 0, n), t.dense...)[:n]
}

// pack makes everything dense if the numbers, which came out of order, allow it by now.
func (t *table[T]) pack() {
	t.tried = t.count
	if t.top >= t.bound() {
		return
	}
	t.resize(max(t.top+1, uint64(len(t.dense))))
	for n, s := range t.sparse {
		t.dense[n] = *s
	}
	t.sparse = nil
}

// each calls f for every entry, numbers ascending.
func (t *table[T]) each(f func(n uint64, v *T)) {
	for n := range t.dense {
		if s := &t.dense[n]; s.used {
			f(uint64(n), &s.value)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(t.sparse)) {
		f(n, &t.sparse[n].value)
	}
}

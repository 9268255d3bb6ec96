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
	sparse map[uint64]*slot[T]
	count  int
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

// get returns the value of n, which it makes if there is none, and whether it made it. The pointer is
// valid until the next call.
func (t *table[T]) get(n uint64) (*T, bool) {
	if bound := uint64(4*t.count + 1024); n >= uint64(len(t.dense)) && n < bound && t.sparse == nil {
		size := min(max(n+1, 2*uint64(len(t.dense))), bound)
		t.dense = append(make([]slot[T], 0, size), t.dense...)[:size]
	}
	var s *slot[T]
	if n < uint64(len(t.dense)) {
		s = &t.dense[n]
	} else if s = t.sparse[n]; s == nil {
		if t.sparse == nil {
			t.sparse = map[uint64]*slot[T]{} // the slice stays as it is from now on
		}
		s = new(slot[T])
		t.sparse[n] = s
	}
	made := !s.used
	if made {
		s.used = true
		t.count++
	}
	return &s.value, made
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

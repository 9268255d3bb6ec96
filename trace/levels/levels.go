// Package levels follows the call path of a location: which regions and operations are open. Only this package
// and the column Does of [wire.Specs] say what an event does to them. A reader of events keeps a [Stack] with what it needs to know of each level.
//
// For each event, in this order: if [Stack.Forgets] says so, [Stack.Forget] removes the select that the event shows to be over;
// [Stack.Close] closes what the event closes; [Stack.Open] opens the level that the event opens.
//
// A select whose case records nothing stays open in the record. It ends at the next action of its location, but later events
// still count it as a level and as an operation. So the stack remembers forgotten selects, each with the level directly around it.
package levels

import (
	"slices"

	"tracerec/trace/wire"
)

// Level is an open level: a region or an operation.
type Level[T any] struct {
	Kind      wire.Kind // of the event that opened it
	forgotten uint32    // forgotten selects directly in it
	Of        T         // what its reader keeps of it
}

// Operation says whether the level is an operation, not a region.
func (l *Level[T]) Operation() bool { return l.Kind != wire.Enter }

// Stack is the open levels of a location. The zero Stack is that of a location at its first event. It is used by one goroutine at a time.
type Stack[T any] struct {
	Levels    []Level[T] // outermost first; to be changed by the methods only, but an empty one may be replaced by one with room
	forgotten uint32     // forgotten selects outside any level
}

// Top returns the innermost level, nil if none is open. It is valid until the next change.
func (s *Stack[T]) Top() *Level[T] {
	if n := len(s.Levels); n > 0 {
		return &s.Levels[n-1]
	}
	return nil
}

// Open opens a level, of which nothing is known yet. What it returns is valid until the next change.
func (s *Stack[T]) Open(kind wire.Kind) *T {
	if n := len(s.Levels); n < cap(s.Levels) {
		s.Levels = s.Levels[:n+1]
	} else {
		s.Levels = append(s.Levels, Level[T]{})
	}
	l := &s.Levels[len(s.Levels)-1]
	*l = Level[T]{Kind: kind}
	return &l.Of
}

// Exit closes the innermost level if that is a region and all that an Exit with this id closes, as nearly always. Else it changes nothing.
func (s *Stack[T]) Exit(id uint32) bool {
	n := len(s.Levels) - 1
	if id > 0 || n < 0 || s.Levels[n].Kind != wire.Enter || s.Levels[n].forgotten > 0 {
		return false
	}
	s.Levels = s.Levels[:n]
	return true
}

// Leave closes the innermost level and returns it if that is an operation and all that an event closes which leaves one, as nearly always.
// Else it changes nothing and returns nil. What it returns is valid until the next change.
func (s *Stack[T]) Leave() *Level[T] {
	n := len(s.Levels) - 1
	if n < 0 || s.Levels[n].Kind == wire.Enter || s.Levels[n].forgotten > 0 {
		return nil
	}
	l := &s.Levels[n]
	s.Levels = s.Levels[:n]
	return l
}

// Forgets says whether the innermost level is a select, and an event of kind k shows that its location is in it no more.
func (s *Stack[T]) Forgets(k wire.Kind) bool {
	n := len(s.Levels)
	return n > 0 && s.Levels[n-1].Kind == wire.SelectBegin && k.Does().LeavesSelect()
}

// Forget takes the innermost level, a select, out and returns it. It is valid until the next change.
func (s *Stack[T]) Forget() *Level[T] {
	n := len(s.Levels) - 1
	l := &s.Levels[n]
	s.Levels = s.Levels[:n]
	*s.forgottenIn(n)++
	return l
}

// Close closes what an event with this id closes, and returns it, outermost first, and the number of levels that should have been open and
// were not. The levels are valid until the next change.
func (s *Stack[T]) Close(k wire.Kind, id uint32) (closed []Level[T], missing uint64) {
	n, missing := s.outside(k, id)
	closed, s.Levels = s.Levels[n:], s.Levels[:n]
	return closed, missing
}

// outside returns the number of levels that an event does not close, and forgets the forgotten selects that it does.
func (s *Stack[T]) outside(k wire.Kind, id uint32) (n int, missing uint64) {
	switch k.Does() {
	case wire.Exits:
		return s.counted(uint64(id) + 1)
	case wire.Loses:
		return s.counted(uint64(id))
	case wire.Leaves:
		return s.left()
	case wire.Ends:
		s.forgotten = 0
		return 0, 0
	}
	return len(s.Levels), 0
}

// counted returns the number of levels outside the innermost n.
func (s *Stack[T]) counted(n uint64) (outside int, missing uint64) {
	for outside = len(s.Levels); n > 0; n-- {
		f := s.forgottenIn(outside)
		d := min(n, uint64(*f))
		*f -= uint32(d)
		if n -= d; n == 0 {
			break
		}
		if outside == 0 {
			return 0, n
		}
		outside--
	}
	return outside, 0
}

// left returns the number of levels outside the innermost operation.
func (s *Stack[T]) left() (outside int, missing uint64) {
	n, forgotten := s.innermost()
	switch {
	case n < 0:
		return len(s.Levels), 1
	case forgotten:
		*s.forgottenIn(n)--
	}
	return n, 0
}

// innermost returns the index of the innermost operation, -1 if there is none. If that is a forgotten select, it lies in the
// innermost of n levels.
func (s *Stack[T]) innermost() (n int, forgotten bool) {
	for n = len(s.Levels); ; n-- {
		switch {
		case *s.forgottenIn(n) > 0:
			return n, true
		case n == 0:
			return -1, false
		case s.Levels[n-1].Operation():
			return n - 1, false
		}
	}
}

// Operation returns the innermost operation, nil if there is none or it is a forgotten select. It is valid until the next change.
func (s *Stack[T]) Operation() *Level[T] {
	if n, forgotten := s.innermost(); n >= 0 && !forgotten {
		return &s.Levels[n]
	}
	return nil
}

// forgottenIn returns how many forgotten selects lie directly in the innermost of n levels.
func (s *Stack[T]) forgottenIn(n int) *uint32 {
	if n == 0 {
		return &s.forgotten
	}
	return &s.Levels[n-1].forgotten
}

// Forgotten returns how many forgotten selects lie outside any level, and directly in each one; nil if there are none.
func (s *Stack[T]) Forgotten() (counts []uint32) {
	some := s.forgotten
	for i := range s.Levels {
		some |= s.Levels[i].forgotten
	}
	if some == 0 {
		return nil
	}
	for n := range len(s.Levels) + 1 {
		counts = append(counts, *s.forgottenIn(n))
	}
	return counts
}

// Remember puts back what [Stack.Forgotten] returned when the same levels were open.
func (s *Stack[T]) Remember(counts []uint32) {
	for n, count := range counts {
		*s.forgottenIn(n) = count
	}
}

// Region returns the number of the level of the region with so many regions within it, -1 if there is none.
func (s *Stack[T]) Region(within uint32) int {
	for i := range slices.Backward(s.Levels) {
		if s.Levels[i].Operation() {
			continue
		} else if within == 0 {
			return i
		}
		within--
	}
	return -1
}

// Package boxed has locks where no type tells of them.
package boxed

import (
	"sync"

	"tracerec/instrument"
)

// Set has a lock, and others by name.
type Set struct {
	mu     instrument.RWMutex
	byName sync.Map
}

// New returns a Set.
func New() *Set { return &Set{} }

// Use uses one of either.
func (s *Set) Use() {
	s.mu.RLock() // rlock
	s.mu.RUnlock()
	l, _ := s.byName.LoadOrStore("x", &instrument.RWMutex{})
	l.(*instrument.RWMutex).RLock() // rlock
	l.(*instrument.RWMutex).RUnlock()
}

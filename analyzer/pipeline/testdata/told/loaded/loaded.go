// Package loaded asks a function for a lock.
package loaded

import "tracerec/instrument"

type set struct {
	mu   instrument.RWMutex
	list []*instrument.RWMutex
}

//go:noinline
func (s *set) of(i int) *instrument.RWMutex { return s.list[i] }

// Use uses it.
func Use() {
	s := &set{list: []*instrument.RWMutex{{}}}
	s.of(0).RLock() // rlock
	s.of(0).RUnlock()
	s.mu.RLock() // rlock
	s.mu.RUnlock()
}

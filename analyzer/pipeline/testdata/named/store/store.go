// Package store is where other packages' objects are.
package store

import "tracerec/instrument"

// Shared is a lock of the package.
var Shared instrument.Mutex

// Outer holds a Store.
type Outer struct{ Inner Store }

// Store has locks.
type Store struct {
	Mu   instrument.Mutex
	data instrument.RWMutex
}

// New returns a Store.
func New() *Store { return &Store{} }

// Use uses its locks.
func (s *Store) Use() {
	s.data.RLock() // rlock Store.data !
	defer s.data.RUnlock()
	use(&s.Mu)
	Use(&s.Mu)
}

func use(mu *instrument.Mutex) {
	mu.Lock() // lock Store.Mu !
	mu.Unlock()
}

// Use is called by others, nobody knows with what.
func Use(mu *instrument.Mutex) {
	mu.Lock() // lock mu
	mu.Unlock()
}

// Package handed hands a lock on: it is the field or what others hand over.
package handed

import "tracerec/instrument"

type owner struct{ mu instrument.RWMutex }

// Use hands the lock on.
func Use() {
	o := &owner{}
	with(&o.mu)
	o.mu.RLock() // rlock owner.mu !
	o.mu.RUnlock()
}

//go:noinline
func with(mu *instrument.RWMutex) {
	mu.RLock() // rlock
	mu.RUnlock()
}

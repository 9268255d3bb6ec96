// Package two has two locks.
package two

import "tracerec/instrument"

type pair struct{ left, right instrument.RWMutex }

// Use uses both.
func Use() {
	var p pair
	p.left.RLock() // rlock
	p.left.RUnlock()
	p.right.RLock() // rlock
	p.right.RUnlock()
}

// Package stripes has many locks of one name.
package stripes

import "tracerec/instrument"

var stripes [4]instrument.RWMutex

// Use uses one.
func Use() {
	stripes[3].RLock() // rlock stripes[…] !
	stripes[3].RUnlock()
}

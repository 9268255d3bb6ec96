// Package shared has a variable.
package shared

import "tracerec/instrument"

var group instrument.WaitGroup

var table instrument.RWMutex

// Use uses both.
func Use() {
	group.Add(1)
	group.Done()
	group.Wait()  // wait group !
	table.RLock() // rlock table !
	table.RUnlock()
}

// Command full locks a million locks, of which there is no room for all, and then does operations on a wait group.
package main

import "sync"

const (
	locks      = 1_000_000
	operations = 1000
)

var list [locks]sync.Mutex

func main() {
	for i := range list {
		list[i].Lock()
		list[i].Unlock()
	}
	var wg sync.WaitGroup
	for range operations {
		wg.Add(1)
		wg.Done()
	}
}

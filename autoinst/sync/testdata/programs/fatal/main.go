// Program fatal waits for a goroutine that panics, before it does anything else, or waits, too.
package main

import (
	"os"
	"sync"
)

func panics() { panic("at once") }

func waits() { select {} }

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	if os.Args[1] == "panic" {
		go panics()
	} else {
		go waits()
	}
	wg.Wait()
}

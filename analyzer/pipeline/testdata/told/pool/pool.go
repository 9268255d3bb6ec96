// Package pool starts workers.
package pool

import "tracerec/instrument"

type worker[T any] struct {
	idle instrument.RWMutex
	last T
}

// Run runs workers.
func Run(n int) {
	var wg instrument.WaitGroup
	w := &worker[int]{}
	for range n {
		wg.Add(1)
		instrument.Go(func() {
			defer wg.Done()
			w.use(n)
		})
	}
	wg.Wait() // wait wg
}

func (w *worker[T]) use(v T) {
	w.idle.RLock() // rlock worker.idle !
	w.idle.RUnlock()
	w.last = v
}

// Package queue has a condition.
package queue

import "tracerec/instrument"

// Queue is one.
type Queue struct {
	ready *instrument.Cond
	meet  *instrument.Barrier
	jobs  chan int
}

// New returns a Queue.
func New() *Queue {
	return &Queue{ready: instrument.NewCond(&instrument.Mutex{}), meet: instrument.NewBarrier(1), jobs: make(chan int, 1)}
}

// Put puts.
func (q *Queue) Put() {
	q.ready.L.Lock() // lock
	q.ready.Signal() // signal Queue.ready !
	q.ready.L.Unlock()
	q.ready.Broadcast()          // broadcast Queue.ready !
	q.meet.Wait()                // barrier Queue.meet !
	instrument.Send(q.jobs, 1)   // send
	instrument.Recv[int](q.jobs) // recv
}

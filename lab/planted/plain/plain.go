// Package plain has the functions of package instrument, but records nothing. Where the test puts it in place of instrument, a program is
// only partly instrumented, as real programs are.
package plain

import (
	"iter"
	"sync"
	"time"
)

// What package sync has.
type (
	Mutex     = sync.Mutex     // a lock
	RWMutex   = sync.RWMutex   // a lock that readers share
	WaitGroup = sync.WaitGroup // a join
	Cond      = sync.Cond      // a condition
	Once      = sync.Once      // a function that runs once
)

// NewCond is sync.NewCond.
func NewCond(l sync.Locker) *sync.Cond { return sync.NewCond(l) }

// Go is a go statement.
func Go(f func()) { go f() }

// Send is ch <- v.
func Send[T any](ch chan<- T, v T) { ch <- v }

// Recv is <-ch.
func Recv[T any](ch <-chan T) T { return <-ch }

// Recv2 is v, ok := <-ch.
func Recv2[T any](ch <-chan T) (T, bool) {
	v, ok := <-ch
	return v, ok
}

// Range is ch in a range clause.
func Range[T any](ch <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range ch {
			if !yield(v) {
				return
			}
		}
	}
}

// Close is close(ch).
func Close[T any](ch chan<- T) { close(ch) }

// Sleep is time.Sleep.
func Sleep(d time.Duration) { time.Sleep(d) }

// OnceValue is sync.OnceValue.
func OnceValue[T any](f func() T) func() T { return sync.OnceValue(f) }

// Selection is a select statement of which nothing is told.
type Selection struct{}

// Select is nothing.
func Select() Selection { return Selection{} }

// Sent does nothing.
func (Selection) Sent(any) {}

// Received does nothing.
func (Selection) Received(any, bool) {}

// Default does nothing.
func (Selection) Default() {}

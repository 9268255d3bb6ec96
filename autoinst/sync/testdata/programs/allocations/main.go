// Command allocations says how often operations allocate.
package main

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"
)

func main() {
	var mu sync.Mutex
	var rw sync.RWMutex
	c, full := make(chan int, 1), make(chan int)
	for _, o := range []struct {
		name string
		do   func()
	}{
		{"WaitGroup.Go", func() { var wg sync.WaitGroup; wg.Go(func() { mu.Lock(); mu.Unlock() }); wg.Wait() }},
		{"go", func() { done := make(chan int); go func() { close(done) }(); <-done }},
		{"pull", func() {
			next, stop := iter.Pull(numbers)
			next()
			stop()
		}},
		{"pull2", func() {
			next, stop := iter.Pull2(pairs)
			next()
			stop()
		}},
		{"locks", func() {
			mu.Lock()
			mu.Unlock()
			rw.RLock()
			rw.RUnlock()
			rw.Lock()
			rw.Unlock()
		}},
		{"tries", func() {
			mu.TryLock()
			mu.Unlock()
			rw.TryRLock()
			rw.RUnlock()
			rw.TryLock()
			rw.Unlock()
		}},
		{"local lock", func() { var own sync.Mutex; own.Lock(); own.Unlock() }},
		{"channel", func() { c <- 1; <-c }},
		{"select", func() {
			select {
			case c <- 1:
				<-c
			case <-full:
			}
		}},
		{"once", func() { var o sync.Once; o.Do(func() {}) }},
		{"once value", func() { sync.OnceValue(func() int { return 1 })() }},
		{"cond", func() { sync.NewCond(&mu).Broadcast() }},
		{"sleep", func() { time.Sleep(1) }},
		{"timer", func() { <-time.After(1) }},
		{"context", func() { _, cancel := context.WithCancel(context.Background()); cancel() }},
	} {
		fmt.Println(o.name, testing.AllocsPerRun(200, o.do))
	}
}

func numbers(yield func(int) bool)    { _ = yield(1) && yield(2) }
func pairs(yield func(int, int) bool) { _ = yield(1, 1) && yield(2, 2) }

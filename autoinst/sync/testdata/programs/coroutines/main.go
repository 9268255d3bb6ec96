// Command coroutines pulls values from sequences: one that sleeps, computes and receives, one that pulls from it, and some that end early, in
// ways of their own, or never.
package main

import (
	"iter"
	"runtime"
	"time"
)

const values = 4

func main() {
	pulls()
	stops()
	fails()
	exits()
	leaves()
}

// pulls pulls from a sequence that pulls from another one. Of the three, one goes on at a time.
func pulls() {
	next, stop := iter.Pull(twice)
	defer stop()
	computes(10 * time.Millisecond) // before the first value is asked for
	for _, ok := next(); ok; _, ok = next() {
		computes(time.Millisecond)
	}
}

func twice(yield func(int) bool) {
	next, stop := iter.Pull2(slow)
	defer stop()
	for i, _, ok := next(); ok; i, _, ok = next() {
		if !yield(i) || !yield(i) {
			return
		}
	}
}

func slow(yield func(int, bool) bool) {
	time.Sleep(30 * time.Millisecond)
	numbers := make(chan int)
	go send(numbers)
	for i := range numbers {
		time.Sleep(10 * time.Millisecond)
		computes(5 * time.Millisecond)
		if !yield(i, true) {
			return
		}
	}
}

func send(numbers chan<- int) {
	for i := range values {
		time.Sleep(20 * time.Millisecond)
		numbers <- i
	}
	close(numbers)
}

func computes(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

func stops() {
	_, stop := iter.Pull(count) // which never begins
	stop()
	next, stop := iter.Pull(count)
	next()
	stop()
}

func count(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

func fails() {
	defer func() { recover() }()
	next, stop := iter.Pull(func(func(int) bool) { panic("no values") })
	defer stop()
	next()
}

// exits ends a goroutine by a sequence that does.
func exits() {
	done := make(chan bool)
	go func() {
		defer close(done)
		next, _ := iter.Pull(func(func(int) bool) { runtime.Goexit() })
		next()
	}()
	<-done
}

// leaves leaves a coroutine that waits for ever.
func leaves() {
	next, _ := iter.Pull(count)
	next()
	next()
}

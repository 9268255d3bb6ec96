// Command operations does each operation that is recorded, one after the other, in ways that leave no choice to the scheduler.
package main

import (
	"bytes"
	"context"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

func main() {
	channels()
	blocked()
	panics()
	selects()
	locks()
	rwlocks()
	joins()
	conds()
	onces()
	timers()
	goroutines()
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
	forever()
}

func channels() {
	c := make(chan int, 2)
	c <- 1
	c <- 2
	<-c
	close(c)
	for range c {
	}
	_, _ = <-c
	select {
	case <-c: // sees it closed
	default:
	}
}

// hand sends as soon as somebody waits for it: tries that fail are not recorded.
func hand(c chan int) {
	for {
		select {
		case c <- 1:
			return
		default:
			runtime.Gosched()
		}
	}
}

// take receives as soon as somebody waits to send.
func take(c chan int) {
	for {
		select {
		case <-c:
			return
		default:
			runtime.Gosched()
		}
	}
}

func blocked() {
	c := make(chan int)
	go hand(c)
	<-c
	go take(c)
	c <- 1
	full := make(chan int, 1)
	full <- 1
	go func() { // takes the value that waits only when it is behind the other one
		for waiters(full) == 0 {
			runtime.Gosched()
		}
		<-full
	}()
	full <- 2
	<-full
	go func() {
		for waiters(c) == 0 {
			runtime.Gosched()
		}
		close(c)
	}()
	<-c
}

// waiters returns whether somebody waits for a channel: the queues are behind seven words, and what the recorder put in between.
func waiters(c chan int) uintptr {
	h := reflect.ValueOf(c).UnsafePointer()
	for i := uintptr(9); i < 13; i++ {
		if w := atomic.LoadUintptr((*uintptr)(unsafe.Add(h, i*8))); w != 0 {
			return w
		}
	}
	return 0
}

func panics() {
	c := make(chan int, 1)
	close(c)
	try(func() { c <- 1 })
	try(func() { close(c) })
	try(func() {
		select {
		case c <- 1:
		case <-make(chan int):
		}
	})
	d := make(chan int)
	go func() {
		for waiters(d) == 0 {
			runtime.Gosched()
		}
		close(d)
	}()
	try(func() { d <- 1 })
}

func try(f func()) {
	defer func() { recover() }()
	f()
}

func selects() {
	in, out, never := make(chan int, 1), make(chan int, 1), make(chan int)
	in <- 1
	select {
	case <-in:
	case <-never:
	}
	select {
	case out <- 1:
	case <-never:
	}
	select {
	case <-out:
	default:
	}
	select {
	case <-never:
	case never <- 1:
	default:
	}
	close(in)
	select {
	case <-in:
	case <-never:
	}
	go hand(never)
	select {
	case <-never:
	case out <- <-never:
	}
	<-out
	go hand(never)
	select {
	case <-never:
	case <-out:
	}
	reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: reflect.ValueOf(out), Send: reflect.ValueOf(1)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(never)}})
}

func locks() {
	var m sync.Mutex
	m.Lock()
	m.TryLock()
	go func() {
		for atomic.LoadInt32((*int32)(unsafe.Pointer(&m)))>>3 == 0 { // nobody waits
			runtime.Gosched()
		}
		m.Unlock()
	}()
	m.Lock()
	m.Unlock()
	m.TryLock()
	m.Unlock()
	semaphore := make(chan struct{}, 1)
	semaphore <- struct{}{}
	<-semaphore
}

func rwlocks() {
	var m sync.RWMutex
	m.RLock()
	m.TryLock()
	m.TryRLock()
	m.RUnlock()
	m.RUnlock()
	m.Lock()
	m.TryRLock()
	m.Unlock()
	l := m.RLocker()
	l.Lock()
	l.Unlock()
	m.TryLock()
	m.Unlock()
}

func joins() {
	var wg sync.WaitGroup
	wg.Wait()
	wg.Add(2)
	wg.Done()
	wg.Done()
	wg.Wait()
	var at sync.Mutex
	wg.Go(func() {
		at.Lock()
		at.Unlock()
	})
	wg.Wait()
	try(func() { wg.Add(-1) })
}

func conds() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	c.Signal()
	woken := false
	m.Lock()
	go func() {
		m.Lock()
		woken = true
		m.Unlock()
		c.Broadcast()
	}()
	for !woken {
		c.Wait()
	}
	m.Unlock()
}

func onces() {
	var o, p sync.Once
	var m sync.Mutex
	o.Do(func() {
		m.Lock()
		m.Unlock()
	})
	o.Do(nil)
	try(func() { p.Do(func() { panic("") }) })
	sync.OnceValue(func() int { return 1 })()
}

func timers() {
	time.Sleep(1)
	<-time.After(1)
	t := time.NewTimer(1)
	for len(t.C) > 0 {
	}
	time.Sleep(time.Millisecond)
	t.Stop() // drops a value
	t.Reset(1)
	<-t.C
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	<-ctx.Done()
}

func goroutines() {
	done := make(chan int, 1)
	done <- 0
	<-done
	go method{done}.run(1)
	<-done
	go func() {
		defer close(done)
		runtime.Goexit()
	}()
	<-done
	next, stop := iter.Pull(func(yield func(int) bool) {
		var m sync.Mutex
		m.Lock()
		m.Unlock()
		yield(1)
	})
	next()
	stop()
	over := make(chan int, 1)
	over <- 0
	<-over
	time.AfterFunc(1, func() { over <- 1 })
	<-over
}

type method struct{ done chan int }

//go:noinline
func (m method) run(v int) { m.done <- v }

// forever has goroutines that never end.
func forever() {
	var never chan int
	var begun sync.WaitGroup
	begun.Add(3)
	go func() {
		begun.Done()
		never <- 1
	}()
	go func() {
		begun.Done()
		<-never
	}()
	go func() {
		begun.Done()
		select {}
	}()
	begun.Wait()
	stacks := make([]byte, 1<<16)
	for _, state := range []string{"[chan send (nil chan)", "[chan receive (nil chan)", "[select (no cases)"} {
		for !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte(state)) {
			runtime.Gosched()
		}
	}
}

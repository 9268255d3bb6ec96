// Program idle has finalizers and cleanups, one of which waits for main; and goroutines that wait for the collector, and to stop the world.
package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

type thing struct{ bytes [64]byte }

var (
	lock  sync.Mutex
	done  = make(chan bool, 1)
	given = make(chan bool)
)

func finalize(*thing) { lock.Lock(); lock.Unlock(); done <- true }

func cleanUp(int) { lock.Lock(); lock.Unlock(); done <- true }

func blocked(*thing) { <-given }

//go:noinline
func lose(finalizer func(*thing)) { runtime.SetFinalizer(new(thing), finalizer) }

//go:noinline
func loseToo() { runtime.AddCleanup(new(thing), cleanUp, 1) }

// collect runs the collector until something is done.
func collect(until func() bool) {
	for !until() {
		runtime.GC()
		runtime.Gosched()
	}
}

func isDone() bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func stacks() string {
	text := make([]byte, 1<<16)
	return string(text[:runtime.Stack(text, true)])
}

func stop(wg *sync.WaitGroup) {
	defer wg.Done()
	var stats runtime.MemStats
	for range 20 {
		runtime.GC()
		stacks()
		debug.SetGCPercent(100)
		runtime.ReadMemStats(&stats)
		lock.Lock()
		lock.Unlock()
	}
}

func main() {
	for range 20 {
		lose(finalize)
		collect(isDone)
		loseToo()
		collect(isDone)
	}
	lose(blocked)
	collect(func() bool { // until it waits
		text, at := stacks(), 0
		if at = strings.Index(text, "main.blocked("); at < 0 {
			return false
		}
		return strings.Contains(text[strings.LastIndex(text[:at], "\n\n")+1:at], "[chan receive")
	})
	given <- true
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go stop(&wg)
	}
	wg.Wait()
}

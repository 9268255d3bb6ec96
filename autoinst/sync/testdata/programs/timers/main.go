// Program timers waits for what timers start: the deadline of a context, and functions that are called when time has passed, one of a timer that another goroutine has set again.
// With "turns" and a duration, each timer sets the next. With "older" and one, it sets a timer before it is recorded; status 3 if the time has passed before it is.
// With "idle" and one, it ends while goroutines wait for a timer that runs so long, and for one that was stopped.
package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"sync"
	"time"
	_ "unsafe" // for go:linkname
)

//go:linkname recording runtime.tracerecRecording
var recording uint32

const short = 20 * time.Millisecond

var fired, again = make(chan bool), make(chan bool)

func fire() { close(fired) }

func fireAgain() { close(again) }

func never() { panic("the timer was stopped") }

func plain(wg *sync.WaitGroup) { defer wg.Done() }

func reset(t *time.Timer) { t.Reset(short) }

// tick is called by one timer after another, five times.
func tick(n int, pause time.Duration) {
	if n == 5 {
		close(fired)
		return
	}
	time.AfterFunc(pause, func() { tick(n+1, pause) })
}

func older(long time.Duration) {
	time.AfterFunc(long, fire)
	for recording == 0 {
		time.Sleep(time.Millisecond)
	}
	select {
	case <-fired:
		os.Exit(3)
	default:
		<-fired
	}
}

func awaitsRunning(t *time.Timer) { awaits(t) }

func awaitsStopped(t *time.Timer) { awaits(t) }

func awaits(t *time.Timer) {
	select {
	case <-t.C:
	case <-fired:
	}
}

func idle(long time.Duration) {
	stopped := time.NewTimer(long)
	stopped.Stop()
	go awaitsStopped(stopped)
	go awaitsRunning(time.NewTimer(long))
	stacks := make([]byte, 1<<16)
	for bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("[select")) < 2 {
		runtime.Gosched()
	}
}

func main() {
	if len(os.Args) > 2 {
		long, err := time.ParseDuration(os.Args[2])
		switch {
		case err != nil:
			panic(err)
		case os.Args[1] == "older":
			older(long)
		case os.Args[1] == "idle":
			idle(long)
		default:
			tick(0, long)
			<-fired
		}
		return
	}
	stopped := time.AfterFunc(time.Hour, never)
	stopped.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), short)
	defer cancel()
	<-ctx.Done()
	time.AfterFunc(short, fire)
	<-fired
	go reset(time.AfterFunc(time.Hour, fireAgain))
	<-again
	select { // these timers start nobody
	case <-time.After(short):
	case <-time.NewTimer(time.Hour).C:
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go plain(&wg)
	wg.Wait()
}

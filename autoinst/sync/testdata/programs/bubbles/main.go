// Command bubbles runs tests in bubbles of testing/synctest. Of one, a goroutine never ends.
package main

import (
	"bytes"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

const rounds = 20

func main() {
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "Bubbles", F: func(t *testing.T) {
		for range rounds {
			bubble(t)
		}
		stuck(t)
		settles(t)
	}}}, nil, nil)
}

// bubble has four goroutines: one that begins it, one that runs the test, and two that the test starts.
func bubble(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		done := make(chan bool)
		go func() {
			time.Sleep(time.Hour)
			done <- true
		}()
		<-done
		go func() {}()
		synctest.Wait()
	})
}

// settles waits until another goroutine is blocked, in a select, and then until it has ended.
func settles(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		give := make(chan bool)
		go last(give)
		synctest.Wait()
		give <- true
		synctest.Wait()
	})
}

func last(give chan bool) {
	works()
	select {
	case <-give:
	case <-make(chan bool):
	}
	works()
}

// works works until somebody is in synctest.Wait.
func works() {
	stacks := make([]byte, 1<<16)
	for !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte(" [synctest.Wait")) {
	}
}

func stuck(t *testing.T) {
	defer func() { recover() }()
	synctest.Test(t, func(*testing.T) { <-make(chan bool) })
}

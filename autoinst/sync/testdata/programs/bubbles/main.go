// Command bubbles runs tests in bubbles of testing/synctest. Of the last one, a goroutine never ends.
package main

import (
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

func stuck(t *testing.T) {
	defer func() { recover() }()
	synctest.Test(t, func(*testing.T) { <-make(chan bool) })
}

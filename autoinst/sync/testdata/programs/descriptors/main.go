// Command descriptors has goroutines wait for the lock under which a pipe is written to: those that come second, while the first has more to say than the pipe holds.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

const rounds = 5

func main() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	for range rounds {
		var all sync.WaitGroup
		all.Go(func() { first(w) })
		until("main.first", "waitWrite") // the pipe is full
		all.Go(func() { second(w) })
		until("main.second", "rwlock")
		if _, err := io.ReadFull(r, make([]byte, much+1)); err != nil {
			panic(err)
		}
		all.Wait()
	}
	alone()
}

const much = 1 << 20

func first(w *os.File) { w.Write(make([]byte, much)) }

func second(w *os.File) { fmt.Fprint(w, "x") }

// alone writes where nobody waits.
func alone() {
	_, w, _ := os.Pipe()
	w.Write([]byte("x"))
	w.Close()
}

// until waits until a goroutine is in both functions.
func until(a, b string) {
	for buf := make([]byte, 1<<20); ; runtime.Gosched() {
		for stack := range bytes.SplitSeq(buf[:runtime.Stack(buf, true)], []byte("\n\n")) {
			if bytes.Contains(stack, []byte(a)) && bytes.Contains(stack, []byte(b)) {
				return
			}
		}
	}
}

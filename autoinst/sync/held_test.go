package sync_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/tracetext"
)

// held has a goroutine wait for a lock as it does for the recorder's, then be ready to run while the only processor is busy, and then give up its
// processor as the recorder does.
const held = `package main

import (
	"runtime"
	"sync"
	_ "unsafe" // for go:linkname
)

//go:linkname quiet runtime.tracerecQuiet
func quiet(n int32)

const holds = 1 << 16

var (
	mu   sync.Mutex
	work int
)

func main() {
	runtime.GOMAXPROCS(1)
	quiet(1)
	mu.Lock()
	quiet(-1)
	done := make(chan bool)
	go waiter(done)
	quiet(1)
	for range 100 {
		runtime.Gosched()
	}
	mu.Unlock()
	quiet(-1)
	for range 1_000_000 {
		work++
	}
	<-done
}

func waiter(done chan bool) {
	quiet(holds)
	mu.Lock()
	mu.Unlock()
	quiet(1-holds)
	runtime.Gosched()
	quiet(-1)
	close(done)
}
`

// TestHeld: a goroutine that waits for the recorder is held up until it could go on; then it is ready to run. If the recorder gives up its processor,
// the program does not.
func TestHeld(t *testing.T) {
	program := linked(t, held)
	var text bytes.Buffer
	require.NoError(t, tracetext.Format(recordCommand(t, program), &text))
	require.Regexp(t, `overhead \d+\n +\d+ running on 0\n +\d+ ready preempted`, text.String())
	require.NotContains(t, text.String(), "ready yielded")
}

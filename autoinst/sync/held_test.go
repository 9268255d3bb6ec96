package sync_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
	"tracerec/trace/tracetext"
)

// held has a goroutine wait for a lock as it does for the recorder's, then be ready to run while the only processor is busy, and then give up its
// processor as the recorder does.
const held = `package main

import (
	"runtime"
	"sync"
	"time"
	_ "unsafe" // for go:linkname
)

//go:linkname quiet runtime.tracerecQuiet
func quiet(n int32)

const holds = 1 << 16

var mu sync.Mutex

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
	for t := time.Now(); time.Since(t) < time.Millisecond; {
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
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module held\n\ngo 1.26\n", "main.go": held} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	program := filepath.Join(dir, "held")
	b, err := build.New("build", []string{"-C", dir, "-ldflags", "-checklinkname=0", "-o", program}, regions.Options{})
	defer b.Close()
	require.NoError(t, err)
	_, err = b.Run(nil, given.Orders{}, os.Stdout, os.Stderr)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, tracetext.Format(recordCommand(t, program), &text))
	require.Regexp(t, `overhead \d+\n +\d+ running on 0\n +\d+ ready preempted`, text.String())
	require.NotContains(t, text.String(), "ready yielded")
}

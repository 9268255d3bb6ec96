package sync_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// start has the recorder look again where goroutines have their numbers, while it is recorded, and starts goroutines that may get the
// descriptors of those by which it looked.
const start = `package main

import _ "unsafe" // for go:linkname

//go:linkname findGoid tracerec/instrument.findGoid
func findGoid() uintptr

//go:linkname quiet runtime.tracerecQuiet
func quiet(n int32)

func main() {
	for range 10 {
		quiet(1)
		found := findGoid()
		quiet(-1)
		if found == 0 {
			panic("not found")
		}
		done := make(chan bool)
		go worker(done)
		<-done
	}
}

func worker(done chan bool) { close(done) }
`

// TestOwnStart: the goroutines by which the recorder finds out where goroutines have their numbers are not the program's, even if they
// end when it is recorded already.
func TestOwnStart(t *testing.T) {
	t.Setenv("GOGC", "off") // the goroutines of finalizers and cleanups begin when there is something for them
	program := linked(t, start)
	require.Len(t, recordCommand(t, program).Definitions().Locations, 1+10) // main and the workers
}

package instrument

import (
	"bytes"
	"runtime"
	"strconv"
	"unsafe"
)

// goidOffset is where a goroutine's descriptor holds its id; 0 not known. It is private to the runtime and so
// searched for.
var goidOffset = uintptr(0)

// goidAt reads the id in a descriptor.
//
//go:norace
//go:nocheckptr
func goidAt(g unsafe.Pointer) uint64 { return *(*uint64)(unsafe.Add(g, goidOffset)) }

// searched is the part of a descriptor that is looked at; it is larger in every supported Go version.
const searched = 400

// findGoid looks for the one place at which the descriptors of several goroutines all hold the id that the
// runtime prints for them. It returns 0 when there is none, or more than one.
func findGoid() uintptr {
	if getg() == nil {
		return 0
	}
	var candidate [searched / 8]int
	const tries = 4
	for range tries {
		done := make(chan struct{})
		go func() {
			quiet(1) // for good: when it ends, the recording may have begun
			defer close(done)
			id := printedGoid()
			words := (*[searched / 8]uint64)(getg())
			for i := range words {
				if peek(words, i) == id {
					candidate[i]++
				}
			}
		}()
		<-done
	}
	var offset uintptr
	for i, hits := range candidate {
		switch {
		case hits < tries:
		case offset != 0:
			return 0
		default:
			offset = uintptr(i) * 8
		}
	}
	return offset
}

// peek reads a word of a descriptor behind the back of the race detector.
//
//go:norace
func peek(words *[searched / 8]uint64, i int) uint64 { return words[i] }

// printedGoid returns the running goroutine's id as the runtime prints it, in some microseconds.
func printedGoid() uint64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}

// Package witness tells whether a goroutine was taken off its thread between two moments, and which thread that is.
package witness

import (
	"runtime"
	"unsafe"
)

// Witness finds the byte of a goroutine's g that the runtime steps by one each time it takes the
// goroutine off its thread (g.trackingSeq, stepped in casgstatus). It is private to the runtime, so its
// offset is searched for by observation and used only if exactly one byte behaves like it.
//
// The byte wraps: 256 (or a multiple) deschedules between two readings on the same thread would pass
// unseen. Instrumented operations that block close a sample, so only that many preemptions or foreign
// blocking calls inside one stretch of a region can do it.
type Witness struct {
	offset uintptr // 0: not found
	fsbase bool    // the processor and the kernel permit to read it
}

// searched is the part of g that is looked at; g is larger in every supported Go version.
const searched = 400

// rounds is how often the search deschedules its goroutine. Preemption may add steps, so a round may
// show more than one; standing still or stepping back disqualifies a byte.
const rounds = 200

// Find searches with a goroutine of its own; it takes a few tens of microseconds. getg returns the calling goroutine's g.
func Find(getg func() unsafe.Pointer) Witness {
	found := make(chan uintptr)
	go func() { found <- search(getg) }()
	return Witness{<-found, canReadFSBase()}
}

// Found reports whether the byte was found; without it Sequence tells nothing.
func (w Witness) Found() bool { return w.offset != 0 }

func search(getg func() unsafe.Pointer) uintptr {
	g := getg()
	if g == nil {
		return 0
	}
	var single [searched]int // rounds in which the byte stepped by exactly one
	var wrong [searched]bool
	for range rounds {
		before := *(*[searched]byte)(g)
		quiet := *(*[searched]byte)(g)
		runtime.Gosched()
		after := *(*[searched]byte)(g)
		for i := range before {
			step := after[i] - quiet[i]
			if step == 0 || step > 4 || quiet[i]-before[i] > 4 {
				wrong[i] = true
			}
			if step == 1 {
				single[i]++
			}
		}
	}
	var at uintptr
	for i := range wrong {
		if wrong[i] || single[i] < rounds*9/10 {
			continue
		}
		if at != 0 {
			return 0 // ambiguous
		}
		at = uintptr(i)
	}
	return at
}

// Sequence returns the number of the goroutine with that g, constant 0 when it was not found.
func (w Witness) Sequence(g unsafe.Pointer) uint8 {
	if w.offset == 0 {
		return 0
	}
	return *(*uint8)(unsafe.Add(g, w.offset))
}

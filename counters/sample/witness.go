package sample

import (
	"bytes"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"tracerec/internal/clock"
)

// witness tells whether the running goroutine has been taken off its thread since it was asked before. It uses two fields
// of the goroutine's descriptor that mean something only while the goroutine waits:
//
//   - waitsince, which the scheduler clears whenever it puts a goroutine on a thread. The witness puts the time there at which
//     the recording began.
//   - waitreason, which is set before a goroutine parks and, without passing the scheduler, before it switches to
//     another one as a coroutine does (iter.Pull). The witness puts nought there.
//
// As long as both stand as they were planted, the goroutine has not left its thread, however long that is. A printed stack of a
// goroutine that blocks in the kernel may give the planted time as the begin of that.
//
// The fields are private to the runtime, so they are searched for by observation, and used only if exactly one place
// behaves like them.
type witness struct {
	reason uintptr // offset of waitreason, 0: not found; waitsince is the word before
	since  int64   // what is planted: ns of the monotonic clock
}

// searched is the part of a descriptor that is looked at; it is larger in every supported Go version.
const searched = 400

// findWitness searches with a goroutine of its own; it takes a few hundred microseconds.
func findWitness(getg func() unsafe.Pointer) witness {
	found := make(chan uintptr)
	go func() { found <- searchWitness(getg) }()
	return witness{<-found, int64(clock.Now(clock.Monotonic))}
}

// searchWitness looks for a byte that tells receiving from a channel and sleeping apart, next to the words that are before
// waitreason: the status, the goroutine's number, a link, and waitsince.
func searchWitness(getg func() unsafe.Pointer) uintptr {
	g := getg()
	if g == nil {
		return 0
	}
	const rounds = 4
	var seen [2][rounds][searched]byte
	for i := range rounds {
		ch := make(chan int)
		go func() { runtime.Gosched(); ch <- 1 }()
		for len(ch) == 0 { // parks: nobody sends before this goroutine is gone
			<-ch
			break
		}
		seen[0][i] = look(g)
		time.Sleep(time.Microsecond)
		seen[1][i] = look(g)
	}
	id := printedGoid()
	var at uintptr
	for i := 32; i < searched; i += 8 {
		if !tells(&seen, i) || word(g, i-24) != id || word(g, i-8) != 0 {
			continue
		}
		if at != 0 {
			return 0 // ambiguous
		}
		at = uintptr(i)
	}
	if w := (witness{at, 1}); at != 0 && !w.works(g) {
		return 0
	}
	return at
}

func tells(seen *[2][4][searched]byte, i int) bool {
	received, slept := seen[0][0][i], seen[1][0][i]
	if received == 0 || slept == 0 || received == slept {
		return false
	}
	for round := range seen[0] {
		if seen[0][round][i] != received || seen[1][round][i] != slept {
			return false
		}
	}
	return true
}

// works tries the witness out on the goroutine.
func (w witness) works(g unsafe.Pointer) bool {
	quiet := 0
	for range 100 {
		w.plant(g)
		if w.stayed(g) { // it may be preempted
			quiet++
		}
		w.plant(g)
		runtime.Gosched()
		if w.stayed(g) {
			return false
		}
	}
	return quiet > 50
}

// printedGoid returns the goroutine's number as the runtime prints it.
func printedGoid() uint64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}

// look and the functions below touch a descriptor behind the back of the race detector.
//
//go:norace
//go:nocheckptr
func look(g unsafe.Pointer) [searched]byte { return *(*[searched]byte)(g) }

//go:norace
//go:nocheckptr
func word(g unsafe.Pointer, at int) uint64 { return *(*uint64)(unsafe.Add(g, at)) }

// plant begins a stay, as far as the witness knows.
//
//go:norace
//go:nocheckptr
func (w witness) plant(g unsafe.Pointer) {
	if w.reason != 0 {
		*(*uint8)(unsafe.Add(g, w.reason)) = 0
		*(*int64)(unsafe.Add(g, w.reason-8)) = w.since
	}
}

// stayed reports whether the goroutine is still in the stay that it was in when plant was called.
//
//go:norace
//go:nocheckptr
func (w witness) stayed(g unsafe.Pointer) bool {
	return w.reason != 0 && *(*uint8)(unsafe.Add(g, w.reason)) == 0 && *(*int64)(unsafe.Add(g, w.reason-8)) != 0
}

// Package witness tells whether a goroutine was taken off its thread between two moments.
//
// A scheduling interval lasts from when a goroutine is put on a thread until it leaves the thread; nothing else runs there meanwhile. Intervals have numbers. The
// witness writes them into the goroutine's descriptor, into two fields that mean something only while the goroutine waits:
//
//   - waitsince, which the scheduler clears whenever it puts a goroutine on a thread, or gets it back from a system call. The
//     witness writes the number there.
//   - waitreason, which is set before a goroutine parks and, without passing the scheduler, before it switches to
//     another one as a coroutine does (iter.Pull). The witness writes 0 there.
//
// As long as both fields have these values, the goroutine has not left its thread, however long that is. No number is written
// twice, so all callers share the marks: equal numbers are the same interval of the same goroutine. Numbers are times in the far
// future; a printed stack does not say for how long a goroutine with a mark has been waiting.
//
// The fields are private to the runtime. The witness finds them by observation, and uses them only if exactly one place
// behaves like them.
package witness

import (
	"bytes"
	"iter"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"tracerec/internal/goid"
)

// Witness knows where the marks are. The zero value has not found them: it tells nothing.
type Witness struct {
	reason uintptr // offset of waitreason, 0: not found; waitsince is the word before
}

// firstInterval is beyond all times that the runtime puts in waitsince, which are of the monotonic clock.
const firstInterval = 1 << 62

// intervals is how many there have been, of all goroutines.
var intervals atomic.Uint64

// Find searches for the marks, once in a process; that takes about a millisecond.
func Find() Witness { return found() }

var found = sync.OnceValue(func() Witness { return find(waiting) })

func find(waiting func() (wait, end func())) Witness {
	at := make(chan uintptr)
	go func() {
		wait, end := waiting()
		defer end()
		// Whoever searches may be preempted, which looks like anything, or need not wait. A search that was not disturbed decides.
		for range 100 {
			if p := search(goid.G(), wait); p != 0 {
				at <- p
				return
			}
		}
		at <- 0
	}()
	return Witness{<-at}
}

// Found reports whether the marks were found and passed their test.
func (w Witness) Found() bool { return w.reason != 0 }

// searched is the part of a descriptor that is looked at; it is larger in every supported Go version.
const searched = 400

const rounds = 4

// search looks for a byte that tells a coroutine's switch and waiting for a channel apart, next to the words that are before waitreason: the
// status, the goroutine's number, a link, and waitsince.
func search(g unsafe.Pointer, wait func()) uintptr {
	if g == nil {
		return 0
	}
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(0) {
		}
	})
	defer stop()
	var seen [2][rounds][searched]byte
	for i := range rounds {
		next()
		seen[0][i] = look(g)
		wait()
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
	if w := (Witness{at}); at != 0 && !w.works(g, next) {
		return 0
	}
	return at
}

// waiting returns how to wait for a channel so that it leaves its mark, and what to do at the end. Whether a receive has to wait is up to who
// sends, on another thread; the mark of one that did stays, so it is tried some times. A sleep always waits, but the first timer of a process
// starts Go's network poller, with two descriptors that a measured program did not ask for.
func waiting() (wait, end func()) {
	asked, answered := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(answered)
		for range asked {
			runtime.Gosched()
			answered <- struct{}{}
		}
	}()
	wait = func() {
		for range 8 {
			asked <- struct{}{}
			<-answered
		}
	}
	return wait, func() { close(asked); <-answered }
}

func tells(seen *[2][rounds][searched]byte, i int) bool {
	switched, slept := seen[0][0][i], seen[1][0][i]
	if switched == 0 || slept == 0 || switched == slept {
		return false
	}
	for round := range seen[0] {
		if seen[0][round][i] != switched || seen[1][round][i] != slept {
			return false
		}
	}
	return true
}

// works tries the witness out on the goroutine.
func (w Witness) works(g unsafe.Pointer, next func() (int, bool)) bool {
	quiet := 0
	for range 100 {
		if w.Undisturbed(g, w.Interval(g)) { // it may be preempted
			quiet++
		}
		for _, leave := range []func(){runtime.Gosched, func() { next() }} {
			interval := w.Interval(g)
			if leave(); w.Undisturbed(g, interval) {
				return false
			}
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

// Interval returns the number of the interval in which the calling goroutine is, the descriptor of which is g. It is 0 when the marks were not
// found.
//
//go:norace
//go:nocheckptr
func (w Witness) Interval(g unsafe.Pointer) uint64 {
	if w.reason == 0 {
		return 0
	}
	reason, since := (*uint8)(unsafe.Add(g, w.reason)), (*uint64)(unsafe.Add(g, w.reason-8))
	if interval := *since; *reason == 0 && interval > firstInterval {
		return interval
	}
	interval := firstInterval + intervals.Add(1)
	*reason = 0
	*since = interval // whoever leaves the thread before this is in the interval when he is back
	return interval
}

// Undisturbed reports whether the calling goroutine is still in that interval.
//
//go:norace
//go:nocheckptr
func (w Witness) Undisturbed(g unsafe.Pointer, interval uint64) bool {
	return w.reason != 0 && interval != 0 && *(*uint64)(unsafe.Add(g, w.reason-8)) == interval && *(*uint8)(unsafe.Add(g, w.reason)) == 0
}

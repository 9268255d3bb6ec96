//go:build tracerec_runtime

package instrument

import "tracerec/internal/shm"

// timed says whether it is measured how long the next call of the hook takes. That of one in shm.Timed is, whatever operation it is for.
//
//go:norace
func (g *goroutine) timed() bool {
	n := g.location
	if g.slot != nil {
		n += uint64(g.slot.pos / 8)
	}
	return hash(n) <= 1<<63/(shm.Timed/2)
}

// timed is record, and measures how long that takes. Reading the clock is not part of it, nor is what other programs did meanwhile on the processor.
//
//go:noinline
//go:norace
func (se *session) timed(op uint64, object uintptr, arg uint64) uint64 {
	_, first := se.now()
	_, second := se.now()
	r := se.record(op, object, arg)
	_, end := se.now()
	if took := int64(end - second - (second - first)); took > 0 {
		se.buffer.Took(min(uint64(took), se.second/longestOperation))
	}
	return r
}

// longestOperation is the longest time that recording an operation is believed to take, as a part of a second.
const longestOperation = 100_000

//go:build tracerec_runtime

package instrument

// timed calls the hook, and measures how long that takes. Reading the clock is not part of it.
//
//go:noinline
//go:norace
func (se *session) timed(op uint64, object uintptr, arg uint64) uint64 {
	_, first := se.now()
	_, second := se.now()
	r := hook(op, object, arg)
	_, end := se.now()
	if took := int64(end - second - (second - first)); took > 0 {
		se.buffer.Took(min(uint64(took), se.second/longestOperation))
	}
	return r
}

// longestOperation is the longest time that recording an operation is believed to take, as a part of a second: for more than that, something else had the processor.
const longestOperation = 100_000

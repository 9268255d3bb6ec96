package instrument

import (
	"runtime"
	"sync/atomic"

	"tracerec/trace/wire"
)

// Region enters a region of the calling goroutine, named at the place of the call. Close it on the same
// goroutine:
//
//	defer instrument.Region("solve").End()
func Region(name string) Span {
	if current.Load() != nil {
		return enterNamed(name)
	}
	return Span{}
}

//go:noinline
func enterNamed(name string) Span {
	se := current.Load()
	if se == nil {
		return Span{}
	}
	return se.enter(wire.Enter, se.site(name))
}

// End exits the region, with all regions in it that are still open. It does nothing when the region was
// ended before, was not recorded, or belongs to another goroutine; the last is counted.
func (s Span) End() {
	if s.slot != nil {
		s.exit()
	}
}

// Handle is a region made beforehand, for places where every nanosecond counts.
type Handle struct {
	name string
	pc   uintptr       // where it was made
	id   atomic.Uint64 // session number and region
}

// NewRegion makes a region with a name; it is defined in the record, at the place of this call, when it is
// first entered.
//
//go:noinline
func NewRegion(name string) *Handle {
	h := &Handle{name: name}
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	h.pc = pcs[0]
	return h
}

// Enter enters the region on the calling goroutine.
func (h *Handle) Enter() Span {
	if current.Load() != nil {
		return h.enter()
	}
	return Span{}
}

//go:noinline
func (h *Handle) enter() Span {
	se := current.Load()
	if se == nil {
		return Span{}
	}
	id := h.id.Load()
	if uint32(id>>32) != se.number {
		id = uint64(se.number)<<32 | uint64(se.siteAt(h.pc, h.name).region)
		h.id.Store(id)
	}
	return se.enter(wire.Enter, uint32(id))
}

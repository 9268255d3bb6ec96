package instrument

import (
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
	pc   atomic.Uintptr // of the first place where it was entered: the address behind it
	id   atomic.Uint64  // session number and region of that place
}

// NewRegion makes a region with a name. It is defined in the record when it is first entered, at the place of that, and once more for each
// other place where it is entered.
func NewRegion(name string) *Handle { return &Handle{name: name} }

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
	if !framesLinked {
		return se.enter(wire.Enter, se.site(h.name))
	}
	pc := ownReturnPC()
	id := h.id.Load()
	if uint32(id>>32) != se.number || h.pc.Load() != pc {
		return se.enter(wire.Enter, h.at(se, pc))
	}
	return se.enter(wire.Enter, uint32(id))
}

// at returns the region for a place where h is entered. The first place is kept in h.
//
//go:noinline
func (h *Handle) at(se *session, pc uintptr) uint32 {
	s := se.siteAt(pc, h.name, 0)
	if s.inside { // called by a method value, or not inlined
		return se.site(h.name)
	}
	if h.pc.CompareAndSwap(0, pc) || h.pc.Load() == pc {
		h.id.Store(uint64(se.number)<<32 | uint64(s.region))
	}
	return s.region
}

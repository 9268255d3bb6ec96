package instrument

import (
	"unsafe"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// Go does go f(), and records who started the goroutine, and its begin and end.
func Go(f func()) {
	if current.Load() != nil && f != nil {
		spawn(f, entryPC(f))
	} else {
		go f()
	}
}

// spawn starts a goroutine that is to run f, known in the record by the function at pc.
//
//go:noinline
func spawn(f func(), pc uintptr) {
	se := current.Load()
	if se == nil {
		go f()
		return
	}
	location := se.buffer.NewLocation()
	creator := se.recordCreate(se.site("go"), location)
	region := se.entryOf(pc)
	quiet(1)
	defer quiet(-1)
	go func() {
		mine().recorded(se, location, creator)
		se.beginLocation(location, creator, region)
		defer mine().ends()
		defer se.endLocation()
		f()
	}()
}

// recordCreate returns the running goroutine's location.
//
//go:norace
func (se *session) recordCreate(region uint32, location uint64) uint64 {
	se.point(wire.Create, region, location)
	return se.slotOf(getg()).location
}

func (se *session) beginLocation(location, creator uint64, region uint32) {
	if current.Load() == se {
		g, t := se.now()
		se.heldUp(se.beginLocationAt(g, t, location, creator, region))
	}
}

// beginLocationAt records that the running goroutine began at the time t, and returns for how long it had to wait for memory now, which is to be told by heldUp.
//
//go:norace
func (se *session) beginLocationAt(g unsafe.Pointer, t, location, creator uint64, region uint32) (s *slot, waited uint64) {
	if se.byID != nil {
		id := printedGoid()
		s = se.newSlot(nil)
		se.adopt(s, id, location)
	} else {
		s = se.slotFor(g)
		se.adopt(s, goidAt(g), location)
	}
	waited, ok := se.take(s, t)
	if !ok {
		return s, 0
	}
	s.reach(t)
	se.readCounters(s, g, t, false)
	s.put1(wire.Begin, region, t, creator)
	return s, waited
}

// heldUp records that the running goroutine has waited for memory.
//
//go:norace
func (se *session) heldUp(s *slot, waited uint64) {
	if waited == 0 {
		return
	}
	_, now := se.now()
	if t, ok := se.prepare(s, 2, now); ok {
		s.put1(wire.Overhead, 0, t, waited)
	}
}

//go:norace
func (se *session) endLocation() {
	if current.Load() != se {
		return
	}
	g, t := se.now()
	s := se.slotOf(g)
	if s.depth > 0 {
		se.buffer.Count(shm.MissingEnds, uint64(s.depth))
	}
	if t, ok := se.prepare(s, 1+se.readingRoom, t); ok {
		se.readCounters(s, g, t, false)
		s.put(wire.End, 0, t)
	}
	se.release(s)
}

//go:build !tracerec_runtime

package instrument

import (
	"unsafe"
	"weak"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// hooked says whether the runtime tells what goroutines do. This program's does not.
const hooked = false

// tellRuntime tells a runtime with hooks which recording is in progress, whether it wants states, and whether its clock is the system's.
func tellRuntime(recording uint32, states, monotonic bool) {}

// announce makes sure that the begin of the running goroutine is recorded.
func announce() {}

// forEachOlder knows of no goroutines.
func forEachOlder(found func(entry uintptr, waitsFor string)) {}

// quiet makes what the running goroutine does the recorder's own (1), or no more (-1).
func quiet(n int32) {}

// countVisit counts a visit of a function. A runtime with hooks has this function.
//
//go:linkname countVisit
//go:noinline
//go:norace
func countVisit(f *function) {
	var here byte
	at := uintptr(f.counts)
	if at <= uncounted {
		return // that has changed just now
	}
	if (*(**shm.Counts)(unsafe.Pointer(&at))).Add(uintptr(unsafe.Pointer(&here))) >= shm.Enough && f.counts == uint64(at) {
		f.counts = uncounted
		if se := current.Load(); se == nil || uint32(f.id.Load()>>32) != se.number { // the recording has ended meanwhile, and the next one has to see it
			f.counts = 0
		}
	}
}

func (se *session) prepareTold(s *slot, words uintptr, t uint64) (uint64, bool) {
	return se.room(s, words, t)
}

func (se *session) tellSoon(s *slot, t uint64, words uintptr) bool { return false }

// kept returns the slot that a descriptor has in the session; nil if it has none.
//
//go:norace
func (se *session) kept(g unsafe.Pointer) *slot {
	if e := se.slots.find(uint64(uintptr(g))); e != nil {
		return &e.value
	}
	return nil
}

// keep gives a descriptor its slot in the session. The caller holds mu.
func (se *session) keep(g unsafe.Pointer, e *entry[slot]) { se.slots.put(e, nil) }

// lifeOf returns the life of what is at an address, of which nothing is known.
func (se *session) lifeOf(at uintptr) life { return life{} }

// goroutine is what a runtime with hooks keeps of a goroutine.
type goroutine struct{}

// mine returns what the runtime keeps of the running goroutine.
func mine() (g goroutine) { return }

func (goroutine) quiet()         {}
func (goroutine) loud()          {}
func (goroutine) waits()         {}
func (goroutine) expects(bool)   {}
func (goroutine) passed() uint32 { return 0 }

func (goroutine) recorded(se *session, location, creator uint64) {}
func (goroutine) ends()                                          {}

// streams are known to runtimes with hooks.
type streams struct{}

func (*streams) prepare() {}

// knownChannel returns the object id of the channel at p, 0 for nil, and whether it is defined.
func (se *session) knownChannel(p unsafe.Pointer) (id uint32, ok bool) {
	if p == nil {
		return 0, true
	}
	if e := se.chans.find(uint64(uintptr(p))); e != nil && e.value.alive.Value() == (*byte)(p) {
		return e.value.id, true
	}
	return 0, false
}

func (se *session) newChannel(p unsafe.Pointer, capacity int, region uint32) uint32 {
	se.mu.Lock()
	defer se.mu.Unlock()
	if id, ok := se.knownChannel(p); ok {
		return id
	}
	id := se.newObject(wire.Channel, uint64(capacity), region)
	e := &entry[channel]{uint64(uintptr(p)), channel{weak.Make((*byte)(p)), id}}
	se.chans.put(e, func(old *entry[channel]) bool { return old.value.alive.Value() != nil })
	return id
}

package instrument

import (
	"reflect"
	"sync/atomic"
	"unsafe"
	"weak"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// object is the identity of a synchronisation object in the record: session number and object id.
type object struct{ word atomic.Uint64 }

// of returns the object's id in the session; on its first use in the session it is defined, at the place of the call of an operation.
func (o *object) of(se *session, kind wire.ObjectKind, size uint64, operation string) uint32 {
	if w := o.word.Load(); uint32(w>>32) == se.number {
		return uint32(w)
	}
	return o.at(se, kind, size, se.site(operation))
}

// at is of for an object that was perhaps not used in the session, and else is in this region now. Of several goroutines that would define it
// at once only the first one does: definitions are counted.
func (o *object) at(se *session, kind wire.ObjectKind, size uint64, region uint32) uint32 {
	first := firstUses(uint64(uintptr(unsafe.Pointer(o))))
	first.Lock()
	defer first.Unlock()
	switch w := o.word.Load(); {
	case uint32(w>>32) == se.number:
		return uint32(w)
	case uint32(w>>32) > se.number:
		return 0 // this is a late call: the object is that of a later session now
	}
	id := se.newObject(kind, size, region)
	o.word.Store(uint64(se.number)<<32 | uint64(id))
	return id
}

// newObject defines an object; it is 0, no object, when there is no room.
func (se *session) newObject(kind wire.ObjectKind, size uint64, region uint32) uint32 {
	id := se.objects.defined.Add(1)
	if id > 1<<32-1-uint64(se.before) {
		se.buffer.Count(shm.DefinitionsLost, 1)
		return 0
	}
	if !se.buffer.Define(wire.Def{Type: wire.DefObject, ID: uint32(id), Object: kind, Size: size, Region: region}) {
		return 0
	}
	return uint32(id)
}

// stripes are the locks for first uses of objects, by address: a goroutine that loses its processor while it has one keeps few others from theirs.
// They outlast sessions, as late calls of one meet those of the next.
var stripes [64]struct {
	mu shm.BriefMutex
	_  [cacheLine - unsafe.Sizeof(shm.BriefMutex{})]byte
}

// cacheLine is how far apart things are that processors write without regard to each other.
const cacheLine = 64

// firstUses returns the lock for the first use of what has a key.
//
//go:norace
func firstUses(key uint64) *shm.BriefMutex { return &stripes[stripe(key)].mu }

//go:norace
func stripe(key uint64) uint64 { return hash(key) >> 16 % uint64(len(stripes)) }

// objects are those that were used in a session.
type objects struct {
	_       [cacheLine]byte
	defined atomic.Uint64
	_       [cacheLine]byte
	parts   [len(stripes)]objectsPart
}

// objectsPart is what a lock of stripes guards of them.
type objectsPart struct {
	placed table[placed] // those that are known by their address alone
	_      [cacheLine - unsafe.Sizeof(table[placed]{})]byte
}

func (o *objects) prepare() {
	for i := range o.parts {
		o.parts[i].placed.cells.Store(newCells[placed](4))
	}
}

// placed is an object known by its address, for as long as that is its own.
type placed struct {
	word atomic.Uint64 // its id; above it, in the heap, the count when its life began: that of another one may have been there before
	life
}

// life says how long an address belongs to an object. The zero life is that of global variables: for ever.
type life struct {
	freed *uint32 // counts how often something was freed where the object in the heap is that contains the address; nil: it is elsewhere
	slot  *slot   // of the goroutine on whose stack it is; nil: elsewhere
	of    uint64  // that count when the life began, or the location of that goroutine
}

// known returns the object's id, and whether the address still belongs to it.
//
//go:norace
func (p *placed) known() (id uint32, lasts bool) {
	w := p.word.Load()
	if p.freed != nil {
		return uint32(w), atomic.LoadUint32(p.freed) == uint32(w>>32)
	}
	return uint32(w), p.slot == nil || p.slot.location == p.of
}

// kept tells whether a table that grows keeps an entry: also where something was freed once since, as the next object there takes it.
//
//go:norace
func kept(e *entry[placed]) bool {
	if p := &e.value; p.freed != nil {
		return atomic.LoadUint32(p.freed)-uint32(p.word.Load()>>32) <= 1
	}
	_, lasts := e.value.known()
	return lasts
}

// objectAt returns the object id of what is at an address. Several may begin there: one of each kind.
func (se *session) objectAt(at uintptr, kind wire.ObjectKind, operation string) uint32 {
	return se.objectIn(at, kind, unknownRegion, operation)
}

// objectIn is objectAt for an operation whose region is known, unless that is the unknown one.
//
//go:norace
func (se *session) objectIn(at uintptr, kind wire.ObjectKind, region uint32, operation string) uint32 {
	key := uint64(at)<<4 | uint64(kind)
	if e := se.objects.parts[stripe(key)].placed.find(key); e != nil && (e.value.slot == nil || e.value.slot.g == getg()) {
		if id, lasts := e.value.known(); lasts {
			return id
		}
	}
	if region == unknownRegion {
		region = se.site(operation)
	}
	l := se.lifeOf(at)
	id, ok := se.place(key, kind, region, l, nil)
	if !ok {
		id, _ = se.place(key, kind, region, l, &entry[placed]{key: key, value: placed{life: l}})
	}
	return id
}

// place defines the object that has a key if nobody has. Where another one in the heap was at the address before, it takes its entry, else the fresh one. If that is nil, it
// returns false: whoever allocates may have to work for the garbage collector first, which nobody should wait for.
//
//go:norace
func (se *session) place(key uint64, kind wire.ObjectKind, region uint32, l life, fresh *entry[placed]) (id uint32, ok bool) {
	first, all := firstUses(key), &se.objects.parts[stripe(key)].placed
	first.Lock()
	defer first.Unlock()
	e := all.find(key)
	if e != nil && e.value.slot == l.slot {
		if id, ok = e.value.known(); ok {
			return id, true
		}
	}
	again := e != nil && l.freed != nil && e.value.freed == l.freed
	if !again && fresh == nil {
		return 0, false
	}
	if id = se.newObject(kind, 0, region); !again {
		e = fresh
	}
	e.value.word.Store(l.of<<32 | uint64(id))
	if !again {
		all.put(e, kept)
	}
	return id, true
}

// channel is a channel known by its address. The address may be used again, but not before the weak pointer has become nil.
type channel struct {
	alive weak.Pointer[byte]
	id    uint32
}

// channelID returns the object id of the channel at p. The caller keeps the channel alive.
func (se *session) channelID(p unsafe.Pointer, capacity int, region uint32) uint32 {
	if id, ok := se.knownChannel(p); ok {
		return id
	}
	return se.newChannel(p, capacity, region)
}

// pointerOf returns the address of a channel.
func pointerOf[C any](ch C) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&ch)) }

// channelIn returns the address and the capacity of the channel in an interface; nil if there is none.
func channelIn(ch any) (unsafe.Pointer, int) {
	v := reflect.ValueOf(ch)
	if v.Kind() != reflect.Chan {
		return nil, 0
	}
	return v.UnsafePointer(), v.Cap()
}

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

// at is of for an object that was perhaps not used in the session, and else is in this region now.
func (o *object) at(se *session, kind wire.ObjectKind, size uint64, region uint32) uint32 {
	se.mu.Lock()
	defer se.mu.Unlock()
	if w := o.word.Load(); uint32(w>>32) == se.number {
		return uint32(w)
	}
	id := se.newObject(kind, size, region)
	o.word.Store(uint64(se.number)<<32 | uint64(id))
	return id
}

// newObject defines an object; it is 0, no object, when there is no room. The caller holds mu.
func (se *session) newObject(kind wire.ObjectKind, size uint64, region uint32) uint32 {
	if se.objects == 1<<32-1 {
		se.buffer.Count(shm.DefinitionsLost, 1)
		return 0
	}
	id := se.objects + 1
	if !se.buffer.Define(wire.Def{Type: wire.DefObject, ID: id, Object: kind, Size: size, Region: region}) {
		return 0
	}
	se.objects = id
	return id
}

// placed is an object known by its address.
type placed struct {
	kind wire.ObjectKind
	id   uint32
}

// objectAt returns the object id of what is at an address. The address may be used again, for one of another kind then.
//
//go:norace
func (se *session) objectAt(at uintptr, kind wire.ObjectKind, operation string) uint32 {
	if e := se.placed.find(uint64(at)); e != nil && e.value.kind == kind {
		return e.value.id
	}
	region := se.site(operation)
	se.mu.Lock()
	defer se.mu.Unlock()
	if e := se.placed.find(uint64(at)); e != nil && e.value.kind == kind {
		return e.value.id
	}
	id := se.newObject(kind, 0, region)
	se.placed.put(&entry[placed]{uint64(at), placed{kind, id}}, nil)
	return id
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

package instrument

import (
	"sync"
	"time"
	"unsafe"

	"tracerec/counters/sample"
	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// slot is where a goroutine writes its events: its place in the chunk that it owns, and its open levels. It
// lies outside of the Go heap, so that a million of them cost the collector nothing. It is found by the
// goroutine's descriptor, which is used again after the goroutine's end by another one: the id tells.
//
// Only its goroutine touches a slot. The race detector would not know, for it does not see one goroutine
// end before the next gets the descriptor: functions that touch slots are marked norace.
type slot struct {
	end      uintptr         // of the chunk; 0 when there is none. See state.go for what else it may be, and why it is first
	pos      uintptr         // of the next event; likewise
	last     uint64          // ticks of the last event
	goid     uint64          // 0: the goroutine has ended
	g        unsafe.Pointer  // nil in sessions that find slots by id
	depth    uint32          // levels open
	number   uint32          // of the session
	stamp    [guarded]uint32 // of the outermost open levels: low half of the ticks of their begin
	location uint64
	chunk    uintptr
	loss     *shm.Loss // nil until an event is dropped; outside of the Go heap
	seq      uint32    // of the next chunk
	recorded uint32    // when dropping: outermost levels that are in the record and still open
	dropping bool
}

// guarded is how many levels are protected against a second End of an earlier region at the same depth.
const guarded = 8

const _ = uint(128 - unsafe.Sizeof(entry[slot]{})) // two cache lines

// word makes a pointer of an address outside of the Go heap.
func word(address uintptr) *uint64 { return *(**uint64)(unsafe.Pointer(&address)) }

// slotOf returns the running goroutine's slot, ready for events of this goroutine at the time t.
//
//go:norace
func (se *session) slotOf(g unsafe.Pointer) *slot {
	if se.byID != nil {
		return se.slotByID(printedGoid())
	}
	if s := se.find(g); s != nil {
		return s
	}
	announce()
	if s := se.find(g); s != nil {
		return s
	}
	s := se.slotFor(g)
	se.adopt(s, goidAt(g), 0)
	return s
}

// find returns the running goroutine's slot; nil if nothing of it was recorded, or slots are not found so.
//
//go:norace
func (se *session) find(g unsafe.Pointer) *slot {
	if s := se.kept(g); s != nil && s.goid == goidAt(g) {
		return s
	}
	return nil
}

// slotFor returns the slot that goes with a descriptor.
//
//go:norace
func (se *session) slotFor(g unsafe.Pointer) *slot {
	if s := se.kept(g); s != nil {
		return s
	}
	return se.newSlot(g)
}

// slotByID is the way to slots for want of descriptors.
func (se *session) slotByID(id uint64) *slot {
	se.mu.Lock()
	s := se.byID[id]
	se.mu.Unlock()
	if s == nil {
		s = se.newSlot(nil)
		se.adopt(s, id, 0)
	}
	return s
}

const slabSlots = 512

// counting is an entry of a session with counters: the goroutine's last reading lies behind its slot.
type counting struct {
	entry   entry[slot]
	reading sample.Reading
}

// reading returns what the slot of a session with counters has behind it.
//
//go:norace
func (s *slot) reading() *sample.Reading {
	var c counting
	return (*sample.Reading)(unsafe.Add(unsafe.Pointer(s), unsafe.Offsetof(c.reading)-unsafe.Offsetof(c.entry.value)))
}

//go:norace
func (se *session) newSlot(g unsafe.Pointer) *slot {
	se.mu.Lock()
	defer se.mu.Unlock()
	size := unsafe.Sizeof(entry[slot]{})
	if se.counters != nil {
		size = unsafe.Sizeof(counting{})
	}
	if se.slabLeft == 0 {
		se.slab, se.slabLeft = shm.Memory(int(slabSlots*size)), slabSlots
	}
	e := (*entry[slot])(se.slab)
	se.slab, se.slabLeft = unsafe.Add(se.slab, size), se.slabLeft-1
	e.value.number = se.number
	if g != nil {
		e.key, e.value.g = uint64(uintptr(g)), g
		se.keep(g, e)
	}
	return &e.value
}

// adopt gives a slot to a goroutine, as a location: the given one, or the next if that is 0.
//
//go:norace
func (se *session) adopt(s *slot, goid, location uint64) {
	se.retire(s)
	if location == 0 {
		location = se.buffer.NewLocation()
	}
	*s = slot{g: s.g, number: s.number, goid: goid, location: location}
	if se.counters != nil {
		*s.reading() = sample.Reading{}
	}
	if se.byID != nil {
		se.mu.Lock()
		se.byID[goid] = s
		se.mu.Unlock()
	}
}

// release ends the use of a slot by its goroutine.
//
//go:norace
func (se *session) release(s *slot) {
	se.retire(s)
	if se.byID != nil {
		se.mu.Lock()
		delete(se.byID, s.goid)
		se.mu.Unlock()
	}
	s.goid = 0
}

//go:norace
func (se *session) retire(s *slot) {
	if s.chunk != 0 {
		se.buffer.Retire(s.chunk)
	}
	s.chunk, s.pos, s.end = 0, 0, 0
}

// prepare makes sure that words can be written at the time t, whatever it takes, and that what the scheduler did with the goroutine before
// is. It returns the time to write them at, which is t unless it had to wait for memory, or false when the event is to be dropped.
//
//go:norace
func (se *session) prepare(s *slot, words uintptr, t uint64) (uint64, bool) {
	if !se.states {
		return se.room(s, words, t)
	}
	return se.prepareTold(s, words, t)
}

// wordsOfTime are those of an event that reach may write.
const wordsOfTime = 2

// room is prepare for words alone.
//
//go:norace
func (se *session) room(s *slot, words uintptr, t uint64) (uint64, bool) {
	if int64(t-s.last) < 0 && s.chunk != 0 {
		t = s.last // the clocks of two processors may differ by a few ticks
	}
	if s.pos+8*(words+wordsOfTime) > s.end {
		waited, ok := se.take(s, t)
		if !ok {
			return t, false
		}
		if waited > 0 {
			t += waited
			s.reach(t)
			s.put1(wire.Overhead, 0, t, waited)
		}
	}
	s.reach(t)
	return t, true
}

// take is refill for an event at the time t, which is lost if that fails.
//
//go:norace
func (se *session) take(s *slot, t uint64) (waited uint64, ok bool) {
	if waited, ok = se.refill(s, t); waited > 0 {
		se.buffer.Count(shm.HeldUp, waited)
	}
	if !ok {
		se.loses(s, t)
	}
	return waited, ok
}

// loses counts an event at the time t for which take found no room.
//
//go:norace
func (se *session) loses(s *slot, t uint64) {
	s.loss.Add(t)
	se.buffer.Count(shm.EventsLost, 1)
}

// reach makes the distance from the last event to the time t fit into a head.
//
//go:norace
func (s *slot) reach(t uint64) {
	if t-s.last > wire.MaxDelta {
		s.last = t
		s.put1(wire.Time, 0, t, t)
	}
}

// refill gives a slot a new chunk, and returns the ticks for which it waited for memory. In dropping it does so only
// when all levels open are in the record, so that whole levels are missing from it.
//
//go:norace
func (se *session) refill(s *slot, t uint64) (waited uint64, ok bool) {
	se.retire(s)
	if s.dropping && (s.depth != s.recorded || !se.buffer.Available()) {
		return 0, false
	}
	waited = se.buffer.Reserve()
	chunk, class := se.alloc(s, t)
	if chunk == 0 && se.block.Load() {
		_, start := se.now()
		chunk, class = se.await(s, t)
		_, end := se.now()
		waited += end - start
	}
	if chunk == 0 {
		if !s.dropping {
			s.dropping, s.recorded = true, s.depth
			if s.loss == nil {
				s.loss = se.buffer.NewLoss(s.location, s.goid)
			}
			s.loss.Begin(t, s.seq)
		}
		return waited, false
	}
	s.chunk, s.pos, s.end = chunk, chunk+shm.ChunkHeader, chunk+uintptr(class.Size())
	s.last = t
	s.seq++
	if s.dropping {
		events, closed := s.loss.End()
		s.put1(wire.Lost, uint32(min(closed, wire.MaxID)), t, events)
		s.dropping = false
	}
	return waited, true
}

// await waits for a chunk. It gives up, with 0, when the recorder has none to give back, or does not live.
//
//go:norace
func (se *session) await(s *slot, t uint64) (chunk uintptr, class shm.Class) {
	for tries := 1; se.block.Load() && current.Load() == se; tries++ {
		awaited := se.buffer.Awaited()
		if chunk, class = se.alloc(s, t); chunk != 0 || !awaited {
			return chunk, class
		}
		if tries%256 == 0 && !se.buffer.Attended() {
			se.block.Store(false) // for all goroutines
		}
		pause()
	}
	return 0, class
}

// pausing is held by the goroutine that waits for a while, on behalf of all that do.
var pausing sync.Mutex

// pause waits for a while, without a timer, see clock.Pause, and with one thread, however many goroutines do.
func pause() {
	quiet(1)
	defer quiet(-1)
	if pausing.TryLock() {
		clock.Pause(50 * time.Microsecond)
	} else {
		pausing.Lock()
	}
	pausing.Unlock()
}

// alloc takes a chunk: goroutines that do little get little.
//
//go:norace
func (se *session) alloc(s *slot, t uint64) (uintptr, shm.Class) {
	want, much := shm.Large, se.readsMuch()
	switch {
	case s.seq == 0 && !much:
		want = shm.Small
	case s.seq == 1 && !much:
		want = shm.Short
	case s.seq <= 2:
		want = shm.Medium
	}
	chunk, class := se.buffer.Alloc(want, shm.Label{Location: s.location, GoID: s.goid, Seq: uint64(s.seq), Base: t})
	if chunk != 0 && much && class.Size() < shm.Medium.Size() { // nothing else is left
		se.buffer.Retire(chunk)
		s.seq++
		return 0, class
	}
	return chunk, class
}

// readsMuch tells whether a reading of the counters, with the events that it comes with, does not fit into a small chunk.
func (se *session) readsMuch() bool {
	const others = roomOfOperation + 4
	return 8*(se.readingRoom+others) > uintptr(shm.Small.Size()-shm.ChunkHeader)
}

// put writes an event without words. There must be room, and t in reach.
//
//go:norace
func (s *slot) put(k wire.Kind, id uint32, t uint64) {
	head := word(s.pos)
	s.pos += 8
	delta := t - s.last
	s.last = t
	publish(head, wire.Head(k, id, delta))
}

// put1 writes an event with a word. There must be room, and t in reach.
//
//go:norace
func (s *slot) put1(k wire.Kind, id uint32, t, value uint64) {
	head := word(s.pos)
	*word(s.pos + 8) = value
	s.pos += 16
	delta := t - s.last
	s.last = t
	publish(head, wire.Head(k, id, delta))
}

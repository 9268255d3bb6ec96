package shm

import (
	"sync/atomic"
	"unsafe"

	"tracerec/trace/wire"
)

// Loss is what a location lost because buffers were full. The process keeps it beside the events, as there is no room among them until
// they go on: so the recorder knows it also of those that never do. Only the goroutine of the location writes it.
type Loss struct {
	location atomic.Uint64 // 0: not in use
	goid     uint64
	seq      atomic.Uint64 // 1 + the number of the chunk in which the location would go on; 0 it goes on
	first    uint64        // ticks of the first event lost since the last one recorded,
	last     uint64        // and of the last one
	events   uint64        // how many since then
	closed   uint64        // levels in the record that ended since then
	before   uint64        // ticks between first and last of earlier times
}

const _ = uint(64 - unsafe.Sizeof(Loss{}))
const _ = uint(unsafe.Sizeof(Loss{}) - 64)

// NewLoss returns the place for what a location loses. The recorder sees it unless there is no room for it either.
func (b *Buffer) NewLoss(location, goid uint64) *Loss {
	size := uint64(unsafe.Sizeof(Loss{}))
	b.lossMu.Lock()
	defer b.lossMu.Unlock()
	if b.losses.from == b.losses.to && !b.newLosses() {
		from := uint64(uintptr(Memory(blockSize))) - uint64(b.base)
		b.losses = span{from, from + blockSize}
	}
	at := b.base + uintptr(b.losses.from)
	l := *(**Loss)(unsafe.Pointer(&at))
	b.losses.from += size
	l.goid = goid
	l.location.Store(location)
	return l
}

// newLosses begins another block of losses, of which there are few, for definitions need room as well. The caller holds lossMu.
func (b *Buffer) newLosses() bool {
	if b.lossBlocks > b.blocks/32 {
		return false
	}
	b.losses = b.reservedBlock(losses)
	if b.losses.to == 0 {
		return false
	}
	b.lossBlocks++
	return true
}

// Begin says that events of the location are lost from the time t on, which would go into its chunk seq.
func (l *Loss) Begin(t uint64, seq uint32) {
	l.first, l.last, l.events, l.closed = t, t, 0, 0
	l.seq.Store(1 + uint64(seq))
}

// Add counts an event lost at the time t.
func (l *Loss) Add(t uint64) {
	l.events++
	l.last = t
}

// Close counts levels in the record that ended, while events are lost.
func (l *Loss) Close(levels uint32) { l.closed += uint64(levels) }

// End says that the location goes on. It returns how many events were lost, and how many levels closed.
func (l *Loss) End() (events, closed uint64) {
	l.seq.Store(0)
	l.before += l.last - l.first
	return l.events, l.closed
}

// LocationLoss is what a location lost.
type LocationLoss struct {
	Location, GoID uint64
	Ticks          uint64 // in which it lost events
}

// Losses returns which locations lost events, and what stands for these at the ends of those that did not go on: a chunk with the event
// that says how many. Only when the process is dead or finished are these all.
func (v *View) Losses() (lost []LocationLoss, ends []Chunk) {
	for i := range min(v.h.grown.Load(), v.blocks) {
		if v.class[i] != byte(1+losses) {
			continue
		}
		size := uint64(unsafe.Sizeof(Loss{}))
		for at := v.block(i); at < v.block(i)+blockSize; at += size {
			l := (*Loss)(unsafe.Pointer(&v.mem[at]))
			location, seq := l.location.Load(), l.seq.Load()
			if location == 0 {
				break
			}
			ticks := l.before
			if seq != 0 && l.events > 0 {
				ticks += l.last - l.first
				ends = append(ends, Chunk{Label: Label{Location: location, GoID: l.goid, Seq: seq - 1, Base: l.last},
					Words: []uint64{wire.Head(wire.Lost, uint32(min(l.closed, wire.MaxID)), 0), l.events}})
			}
			lost = append(lost, LocationLoss{location, l.goid, ticks})
		}
	}
	return lost, ends
}

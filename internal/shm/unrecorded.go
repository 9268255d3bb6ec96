package shm

import (
	"sync/atomic"
	"unsafe"

	"tracerec/trace/wire"
)

// Unrecorded counts visits of a region that are not recorded. Many goroutines may count at once, so there are several counters.
type Unrecorded struct {
	named  atomic.Uint64 // 1: the name is there
	name   [120]byte     // up to the first 0
	counts Counts
}

// Counts are counters in cache lines of their own. The runtime of a program that is recorded as it is adds to that of a processor; see
// package autoinst/sync.
type Counts [16]struct {
	n atomic.Uint64
	_ [7]uint64
}

const _ = uint((1152 - unsafe.Sizeof(Unrecorded{})) * (unsafe.Sizeof(Unrecorded{}) - 1152)) // as many cache lines

// Enough is how many visits one of the counters counts. Then no more are counted, as that takes as long as some functions do.
const Enough = 1 << 16

// perBlock is how many fit into a block.
const perBlock = blockSize / unsafe.Sizeof(Unrecorded{})

// NewUnrecorded returns what counts for a region, nil if there is no room.
func (b *Buffer) NewUnrecorded(region string) *Unrecorded {
	b.lossMu.Lock()
	defer b.lossMu.Unlock()
	size := uint64(unsafe.Sizeof(Unrecorded{}))
	if b.unrecorded.to-b.unrecorded.from < size {
		if b.unrecorded = b.reservedBlock(unrecorded); b.unrecorded.to == 0 {
			return nil
		}
	}
	at := b.base + uintptr(b.unrecorded.from)
	u := *(**Unrecorded)(unsafe.Pointer(&at))
	b.unrecorded.from += size
	copy(u.name[:], region)
	u.named.Store(1)
	return u
}

// Counts returns what counts the visits.
func (u *Unrecorded) Counts() *Counts { return &u.counts }

// Add counts a visit by a goroutine, given an address on its stack, and returns how many the counter has counted.
func (c *Counts) Add(stack uintptr) uint64 { return c[(stack>>11^stack>>15)%16].n.Add(1) }

// unrecordedVisits adds what is counted for each region to a list of warnings.
func (v *View) unrecordedVisits(to map[string]uint64) {
	for i := range min(v.h.grown.Load(), v.blocks) {
		if v.class[i] != byte(1+unrecorded) {
			continue
		}
		for j := range uint64(perBlock) {
			u := (*Unrecorded)(unsafe.Pointer(&v.mem[v.block(i)+j*uint64(unsafe.Sizeof(Unrecorded{}))]))
			if u.named.Load() == 0 {
				break
			}
			name := u.name[:]
			for k, c := range name {
				if c == 0 {
					name = name[:k]
					break
				}
			}
			n, more := uint64(0), false
			for k := range u.counts {
				counted := u.counts[k].n.Load()
				n, more = n+counted, more || counted >= Enough
			}
			if n > 0 {
				to[wire.UnrecordedVisits(string(name), more)] += n
			}
		}
	}
}

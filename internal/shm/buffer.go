package shm

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"tracerec/internal/clock"
	"tracerec/trace/wire"
)

// Buffer is the measured process's side of its buffer file. Its methods may be called concurrently.
// The mapping lasts as long as the process.
type Buffer struct {
	file
	base uintptr

	mu    BriefMutex
	local [classes]atomic.Uint64 // stacks of free chunks taken from the recorder, linked like theirs; change under mu
	cut   [classes]span          // chunks of a block that were never used
	next  atomic.Uint64          // first block never used; changes under mu
	limit uint64                 // blocks for chunks; the others are kept for definitions

	growing BriefMutex
	refused atomic.Bool // the system gave no memory: do not ask again

	recorder     int    // process id
	recorderBorn uint64 // its bootTicks

	defMu BriefMutex
	def   *chunkHeader

	lossMu     BriefMutex
	losses     span // of the last block of them: not given out
	lossBlocks uint64
	unrecorded span // likewise
}

// span is a range of file offsets.
type span struct{ from, to uint64 }

const (
	growth    = 16 // blocks that are allocated at a time; a quarter of them at first, for programs that do little, then as many as there are
	reserve   = 4  // blocks in which others go on while one allocates; a quarter of all at first
	minBlocks = 2 * growth
)

// Create makes the buffer file of this process in the session directory. Events will be stamped by the
// clock of kind k, and one costs the process about eventCost picoseconds. No descriptor stays open.
func Create(c Config, k clock.Kind, eventCost uint64) (*Buffer, error) {
	blocks, err := blocksFor(c)
	if err != nil {
		return nil, err
	}
	// Unlike any before it, also if the process becomes another program (exec) and joins again.
	name := fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	unborn := filepath.Join(c.Dir, "."+name)
	b := &Buffer{limit: forChunks(blocks), recorder: c.Recorder}
	b.recorderBorn, _ = bootTicks(strconv.Itoa(c.Recorder))
	b.path = filepath.Join(c.Dir, name+Suffix)
	if err = b.create(unborn, blocks); err == nil {
		b.describe(k, c.FrequencyOf(k))
		b.h.eventCost = eventCost
		b.Processors(runtime.GOMAXPROCS(0))
		if b.newDefs(0) && b.newLosses() {
			err = os.Rename(unborn, b.path)
		} else {
			err = fmt.Errorf("%s: no memory for the buffer", unborn)
		}
	}
	if err != nil {
		os.Remove(unborn)
		return nil, err
	}
	return b, nil
}

// Processors says how many goroutines of the process may run at once from now on.
func (b *Buffer) Processors(n int) { b.h.processors.Store(uint64(min(n, runtime.NumCPU()))) }

// Timed is one in how many calls that record operations are measured.
const Timed = 64

// Took says that such a call took so many ticks.
func (b *Buffer) Took(ticks uint64) {
	b.h.timed.Add(1)
	b.h.took.Add(ticks)
}

// Unborn tells whether a file of that name in a session directory is a buffer that its process is making, or died in making.
func Unborn(name string) bool {
	pid, at, ok := strings.Cut(strings.TrimPrefix(name, "."), "-")
	return name != "" && name[0] == '.' && ok && number(pid) && number(at)
}

func number(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}

// blocksFor returns how many blocks the buffer gets: as many as the configuration says, unless others need the room as well.
func blocksFor(c Config) (uint64, error) {
	size, why := c.Buffer, ""
	if size <= 0 {
		size = DefaultBuffer
	}
	atMost := func(n int64, because string) {
		if n < size {
			size, why = max(n, 0), ", limited by "+because
		}
	}
	if space, err := freeSpace(c.Dir); err == nil {
		atMost(space/2, "free space")
	}
	atMost(addressSpace()/4, "address space (ulimit -v)")
	atMost(fileLimit()-int64(dataOffset(uint64(size/blockSize))), "file size (ulimit -f)") // beyond the limit the system kills
	blocks := uint64(min(size/blockSize, maxBlocks))
	if blocks < minBlocks {
		return 0, fmt.Errorf("%s: a buffer of %d KiB is too small%s", c.Dir, size>>10, why)
	}
	return blocks, nil
}

// create makes and maps the file, with memory for its header.
func (b *Buffer) create(path string, blocks uint64) (err error) {
	start := dataOffset(blocks)
	size := start + blocks*blockSize
	var locked bool
	if b.mem, locked, err = createFile(path, int64(size)); err != nil {
		return err
	}
	b.base = uintptr(unsafe.Pointer(&b.mem[0]))
	if err := allocate(b.base, uintptr(pageSize+blocks)); err != 0 {
		unmapFile(b.mem)
		return fmt.Errorf("%s: no memory for the buffer: %w", path, err)
	}
	b.attach(blocks)
	b.h.magic, b.h.version = magic, version
	b.h.fileSize, b.h.blocks, b.h.dataStart = size, blocks, start
	if locked {
		b.h.locked = 1
	}
	return nil
}

// describe fills in who writes the file.
func (b *Buffer) describe(k clock.Kind, frequency uint64) {
	b.h.pid, b.h.parent = uint64(os.Getpid()), uint64(os.Getppid())
	b.h.bootTicks, _ = bootTicks("self") // in a name space of processes the number may be another's in /proc
	b.h.clockKind, b.h.frequency = uint64(k), frequency
	stamp := clock.Take(k)
	b.h.startTicks, b.h.startMono, b.h.startWall = stamp.Ticks, uint64(stamp.Mono), uint64(stamp.Wall)
	b.h.used = CPUTime()
	args := strings.Join(os.Args, "\x00") + "\x00"
	b.h.argsLength = uint64(copy(b.mem[argsStart:pageSize], args))
}

// forChunks returns how many of all blocks are for chunks.
func forChunks(blocks uint64) uint64 { return blocks - blocks/16 - 1 }

// Path returns the name of the buffer file.
func (b *Buffer) Path() string { return b.path }

// Clock returns the kind of clock given to Create.
func (b *Buffer) Clock() clock.Kind { return clock.Kind(b.h.clockKind) }

// NewLocation gives out the next location number, from 1.
func (b *Buffer) NewLocation() uint64 { return b.h.locations.Add(1) }

// Count adds n to what the process counts under c.
func (b *Buffer) Count(c Count, n uint64) { b.h.counts[c].Add(n) }

// Finish says that the process records no more.
func (b *Buffer) Finish() { b.h.finished.Store(max(1, CPUTime())) }

// Label is what is known about a chunk's events.
type Label struct {
	Location uint64 // number of the location, from NewLocation
	GoID     uint64 // the goroutine's id in the runtime
	Seq      uint64 // number of the chunk within its location, from 0
	Base     uint64 // ticks from which the first event's delta counts
}

// Alloc returns the address of an owned chunk and its class: the one wanted, or another when only that
// is left. The address is 0 when there is none.
func (b *Buffer) Alloc(want Class, l Label) (uintptr, Class) {
	offset, class := b.takeFree(want)
	if offset == 0 {
		return 0, want
	}
	c := b.chunk(offset)
	c.location, c.goid, c.seq, c.base = l.Location, l.GoID, l.Seq, l.Base
	c.state.Store(owned)
	return b.base + uintptr(offset), class
}

// Available tells, without waiting, whether Alloc has a chance. Only the recorder can make room after it
// once failed.
func (b *Buffer) Available() bool {
	for i := range b.h.free {
		if b.h.free[i].Load() != 0 || b.local[i].Load() != 0 {
			return true
		}
	}
	return false
}

// Awaited tells whether the recorder has chunks that it will give back. Otherwise waiting for room is waiting for
// other goroutines, which may wait for this one.
func (b *Buffer) Awaited() bool {
	returned := b.h.returned.Load()
	return b.h.handed.Load() != returned
}

// Attended tells whether the recorder lives, as far as that is known. It is slow: it asks the system.
func (b *Buffer) Attended() bool {
	return b.recorder == 0 || runs(b.recorder, b.recorderBorn)
}

// Reserve sees to it that the next chunks have memory. It returns the ticks of the clock that it took to get
// some, mostly 0. Alloc alone does as well, but does not tell.
func (b *Buffer) Reserve() uint64 {
	grown := b.h.grown.Load()
	ahead := min(reserve, grown/4)
	if b.next.Load()+ahead <= grown || b.refused.Load() || grown == b.blocks || !b.growing.TryLock() {
		return 0
	}
	b.growing.Unlock()
	start := clock.Now(b.Clock())
	b.grow(ahead)
	return clock.Now(b.Clock()) - start
}

// grow allocates blocks, unless there are n never used, and tells whether there are any then. It is nosplit as take is.
//
//go:nosplit
func (b *Buffer) grow(n uint64) bool {
	b.growing.Lock()
	if grown := b.h.grown.Load(); b.next.Load()+n > grown && grown < b.blocks && !b.refused.Load() {
		more := min(growth, max(grown, growth/4), b.blocks-grown)
		if allocate(b.base+uintptr(b.block(grown)), uintptr(more*blockSize)) == 0 {
			b.h.grown.Store(grown + more)
		} else {
			b.refused.Store(true)
			b.Count(MemoryRefused, 1)
		}
	}
	b.growing.Unlock()
	return b.next.Load() < b.h.grown.Load()
}

func (b *Buffer) takeFree(want Class) (uint64, Class) {
	for {
		if offset := b.take(want, true); offset != 0 {
			return offset, want
		}
		if b.next.Load() >= b.limit || !b.grow(1) {
			break
		}
	}
	for class := range classes {
		if offset := b.take(class, false); offset != 0 {
			return offset, class
		}
	}
	return 0, want
}

// take takes a free chunk of a class, cutting up a new block for it if allowed; 0 if there is none. As it and
// what it calls are nosplit, the scheduler cannot take the processor from a goroutine that holds the lock: among a
// million others it would not come back soon, and all would wait for it.
//
//go:nosplit
func (b *Buffer) take(class Class, mayCut bool) uint64 {
	b.mu.Lock()
	offset := b.pop(class)
	if cut := &b.cut[class]; offset == 0 {
		if cut.from == cut.to && mayCut {
			*cut = b.takeBlock(class)
		}
		if cut.from != cut.to {
			offset = cut.from
			cut.from += uint64(class.Size())
		}
	}
	b.mu.Unlock()
	return offset
}

// pop takes a chunk that the recorder gave back. The caller holds mu.
//
//go:nosplit
func (b *Buffer) pop(class Class) uint64 {
	offset := b.local[class].Load()
	if offset == 0 {
		offset = b.h.free[class].Swap(0)
	}
	if offset != 0 {
		c := b.chunk(offset)
		b.local[class].Store(c.next.Load())
		c.next.Store(0)
	}
	return offset
}

// takeBlock finds a block for a class: a free large chunk, which is a whole block, or a new one. The caller holds
// mu.
//
//go:nosplit
func (b *Buffer) takeBlock(class Class) span {
	var offset uint64
	if class != Large {
		offset = b.pop(Large)
	}
	if offset == 0 {
		limit := b.limit
		if class >= classes {
			limit = b.blocks
		}
		next := b.next.Load()
		if next >= min(limit, b.h.grown.Load()) {
			return span{}
		}
		b.next.Store(next + 1)
		offset = b.block(next)
	}
	b.class[(offset-b.dataStart)/blockSize] = byte(1 + class)
	return span{offset, offset + blockSize}
}

// Retire hands an owned chunk to the recorder.
func (b *Buffer) Retire(chunk uintptr) {
	offset := uint64(chunk - b.base)
	b.chunk(offset).state.Store(retired)
	b.h.handed.Add(1)
	b.push(&b.h.retired, offset)
}

// Define publishes a definition. It returns false, and counts, when there is no room.
func (b *Buffer) Define(d wire.Def) bool {
	var brief [64]byte // enough for an object, of which there may be many
	encoded := wire.AppendDef(brief[:0], d)
	if b.append(encoded) {
		return true
	}
	if b.next.Load() >= b.h.grown.Load() {
		b.grow(1) // not while others wait for the lock
	}
	b.defMu.Lock()
	defer b.defMu.Unlock()
	if !b.fits(encoded) && !b.newDefs(b.def.seq+1) {
		b.Count(DefinitionsLost, 1)
		return false
	}
	b.put(encoded)
	return true
}

// append publishes a definition if there is room for it in its block. The scheduler cannot come in between: all wait for who has the lock.
//
//go:nosplit
func (b *Buffer) append(encoded []byte) bool {
	b.defMu.Lock()
	ok := b.fits(encoded)
	if ok {
		b.put(encoded)
	}
	b.defMu.Unlock()
	return ok
}

// fits says whether there is room for a definition in the block.
//
//go:nosplit
func (b *Buffer) fits(encoded []byte) bool {
	return b.def.used.Load()+uint64(len(encoded)) <= blockSize-ChunkHeader
}

// put writes a definition into the block.
//
//go:nosplit
func (b *Buffer) put(encoded []byte) {
	used := b.def.used.Load()
	room := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(b.def), ChunkHeader)), blockSize-ChunkHeader)
	copy(room[used:], encoded)
	b.def.used.Store(used + uint64(len(encoded)))
}

// newDefs begins another block of definitions.
func (b *Buffer) newDefs(seq uint64) bool {
	block := b.reservedBlock(definitions)
	if block.to == 0 {
		return false
	}
	b.def = b.chunk(block.from)
	b.def.seq = seq
	b.def.state.Store(owned)
	b.h.defChunks.Add(1)
	return true
}

// reservedBlock returns a block for something else than chunks, an empty span if there is none.
func (b *Buffer) reservedBlock(class Class) (block span) {
	for block.to == 0 {
		b.mu.Lock()
		block = b.takeBlock(class)
		b.mu.Unlock()
		if block.to == 0 && !b.grow(1) {
			break
		}
	}
	return block
}

// Package shm is the buffer file that a measured process shares with its recorder.
//
// The process creates the file, under another name first, maps it once, and closes it; it only ever grows, block by
// block, up to a size fixed at the start, and file memory is allocated, through the mapping, before it is touched.
//
//	page 0            header: who, when, which clock; list heads; counts of what was lost
//	class table       one byte per block: what the block is cut into
//	blocks            64 KiB each: chunks of one size class, definitions, losses, or visits
//	                  that are not recorded
//
// A chunk holds consecutive events of one location. It begins with a 64-byte header; the rest is event
// words, and zeros after the last one. Its state changes in a cycle:
//
//	free → owned       the process takes it (Alloc) and writes events
//	owned → retired    it is full, or its location has ended (Retire)
//	retired → free     the recorder has saved its events, and cleared it (Free)
//
// Retired and free chunks travel between the processes on lock-free stacks, whose heads are in the header:
// one side pushes single chunks, the other takes the whole stack at once, so no element can come back
// between the two steps of a pop. The stacks only save time. After the end of the process the recorder
// scans all blocks and believes no stack (Owned).
//
// Definitions are encoded by package wire and only appended, never moved or freed; the number of bytes
// in use is stored after the bytes, so they can be read at any time.
//
// The package is linked into measured programs and uses the standard library only.
package shm

import (
	"sync/atomic"
	"unsafe"
)

// Suffix ends the names of buffer files; files with other names are not (or not yet) buffers.
const Suffix = ".buffer"

const (
	magic   = 0x6275662d63657274 // "trec-buf"
	version = 3

	pageSize  = 4096
	blockSize = 64 << 10
	argsStart = 2048 // in page 0, up to its end
	maxBlocks = 1 << 24

	// ChunkHeader is the size of a chunk's header in bytes; event words follow.
	ChunkHeader = 64
)

// Class is a size of chunks. The class table stores 1 + class; 0 is a block not in use.
type Class uint8

const (
	Small  Class = iota // 256 B: enough for a goroutine that does one thing
	Short               // 512 B: what a goroutine gets next that does a few things more
	Medium              // 4 KiB
	Large               // 64 KiB: a whole block
	classes

	unrecorded  Class = 5 // a block of Unrecorded
	losses      Class = 6 // a block of Loss
	definitions Class = 7 // a block of definitions
)

// Size returns the size of a chunk in bytes, header included.
//
//go:nosplit
func (c Class) Size() int {
	switch c {
	case Small:
		return 256
	case Short:
		return 512
	case Medium:
		return 4096
	}
	return blockSize
}

// header is page 0 up to the arguments.
type header struct {
	magic, version uint64
	fileSize       uint64
	blocks         uint64 // at most, as many as fileSize holds
	dataStart      uint64 // offset of block 0

	pid, parent uint64
	bootTicks   uint64 // start of the process in the kernel's count, tells it from a later one of the same pid
	startTicks  uint64
	startMono   uint64
	startWall   uint64
	clockKind   uint64
	frequency   uint64
	argsLength  uint64        // bytes, each argument ends with NUL
	eventCost   uint64        // picoseconds
	locked      uint64        // 1: the file is locked as long as the process lives
	processors  atomic.Uint64 // goroutines that can run at once
	used        uint64        // processor time when recording began, ns
	_           [14]uint64

	finished  atomic.Uint64 // 0: the process records; else, as used, when it ceased to
	grown     atomic.Uint64 // blocks backed by file memory
	locations atomic.Uint64 // numbers given out
	defChunks atomic.Uint64 // blocks of definitions
	_         [4]uint64
	counts    [32]atomic.Uint64
	timed     atomic.Uint64 // calls that record operations, of which it was measured what they take
	took      atomic.Uint64 // ticks that these took
	_         [22]uint64
	retired   atomic.Uint64 // offset of the stack's top chunk, 0 empty
	handed    atomic.Uint64 // chunks ever retired
	_         [6]uint64
	free      [classes]atomic.Uint64
	returned  atomic.Uint64 // chunks ever given back
}

const _ = uint(argsStart - unsafe.Sizeof(header{})) // must fit

// Chunk states. Free is zero, the state of memory never used.
const (
	free uint64 = iota
	owned
	retired
)

// chunkHeader begins every chunk. A chunk of definitions uses state, seq and used.
type chunkHeader struct {
	state    atomic.Uint64
	location uint64
	seq      uint64 // number of the chunk within its location, from 0
	base     uint64 // ticks of the instant from which the first delta counts
	goid     uint64
	next     atomic.Uint64 // on a stack: offset of the chunk below, 0 none
	used     atomic.Uint64 // bytes of definitions
	_        uint64
}

const _ = uint(ChunkHeader - unsafe.Sizeof(chunkHeader{}))
const _ = uint(unsafe.Sizeof(chunkHeader{}) - ChunkHeader)

// Count is something that a process counts.
type Count uint8

const (
	EventsLost      Count = iota // events dropped because the buffer was full
	MissingEnds                  // regions or operations closed by the end of an outer one
	WrongGoroutine               // ends on another goroutine than the enter
	DefinitionsLost              // definitions that found no room
	MemoryRefused                // times the system gave no more memory for the buffer
	HeldUp                       // ticks for which goroutines waited for buffer memory: no warning, see View.HeldUp
	ReadingsRefused              // times the system did not let a goroutine read the counters
	counts
)

var countNames = [counts]string{
	"events lost",
	"regions closed by an outer end",
	"ends on another goroutine",
	"definitions lost",
	"buffer memory refused",
	"",
	"readings of counters refused by the system",
}

// file is a mapped buffer file, of either side. What addresses depend on is kept out of the reach of the
// other side.
type file struct {
	path      string
	mem       []byte
	h         *header
	class     []byte // the class table
	blocks    uint64
	dataStart uint64
}

// attach points into the mapping.
func (f *file) attach(blocks uint64) {
	f.h = (*header)(unsafe.Pointer(&f.mem[0]))
	f.class = f.mem[pageSize : pageSize+blocks]
	f.blocks, f.dataStart = blocks, dataOffset(blocks)
}

//go:nosplit
func (f *file) chunk(offset uint64) *chunkHeader {
	return (*chunkHeader)(unsafe.Pointer(&f.mem[offset]))
}

//go:nosplit
func (f *file) block(i uint64) uint64 { return f.dataStart + i*blockSize }

// push puts a chunk on a stack.
func (f *file) push(top *atomic.Uint64, offset uint64) {
	for {
		old := top.Load()
		f.chunk(offset).next.Store(old)
		if top.CompareAndSwap(old, offset) {
			return
		}
	}
}

// dataOffset returns where blocks begin in a file of so many.
func dataOffset(blocks uint64) uint64 {
	return (pageSize + blocks + blockSize - 1) / blockSize * blockSize
}

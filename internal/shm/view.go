package shm

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"tracerec/internal/clock"
	"tracerec/trace/wire"
)

// View is the recorder's side of a buffer file. It trusts nothing in the file: whatever it contains, the
// methods neither panic nor read outside of it. They must not be called concurrently.
type View struct {
	file
	fd      int // of the file, for its lock
	info    Info
	locked  bool     // by the process, as long as it lives
	defs    []uint64 // offsets of the blocks of definitions, by number; 0 not seen yet
	defAt   int      // block being read
	defUsed uint64   // bytes of it that were read
	damage  uint64
}

// Info is what a buffer file says about its process.
type Info struct {
	Path      string
	PID       int
	Parent    int
	Args      []string
	Start     clock.Stamp // instant at which recording began
	Clock     clock.Kind
	Frequency uint64 // of the clock, ticks per second, roughly
	EventCost uint64 // what recording an event costs the process, picoseconds, roughly
	Used      int64  // processor time that the process had used when recording began, ns
	// Processors is how many goroutines could run at once when recording began, 0 unknown.
	Processors uint64
	// Born is when the process started, in the kernel's clock ticks since boot, 0 unknown. It tells the process from others of its number,
	// which may also be in other name spaces.
	Born uint64
}

// Chunk is a chunk on its way to the archive. Words are in the buffer itself: they are valid until Free
// or Close.
type Chunk struct {
	Label
	Words  []uint64 // whole events
	offset uint64
	class  Class
}

// Size returns the bytes of memory that the chunk takes.
func (c Chunk) Size() int { return c.class.Size() }

// Open maps a buffer file and checks its header. Errors name the file.
func Open(path string) (*View, error) {
	fd, size, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v := &View{}
	v.path, v.fd = path, fd
	if size < pageSize || size > int64(dataOffset(maxBlocks)+maxBlocks*blockSize) {
		err = fmt.Errorf("%d bytes is not the size of a buffer", size)
	} else if v.mem, err = mapFile(fd, int(size)); err == nil {
		err = v.check((*header)(unsafe.Pointer(&v.mem[0])))
	}
	if err != nil {
		v.Close()
		return nil, fmt.Errorf("%s: offset 0: %w", path, err)
	}
	return v, nil
}

// check reads the header. Each field is read once, for the process may change it meanwhile.
func (v *View) check(h *header) error {
	blocks, argsLength := h.blocks, h.argsLength
	switch {
	case h.magic != magic:
		return errors.New("not a measurement buffer")
	case h.version != version:
		return fmt.Errorf("buffer version %d; this program reads %d", h.version, version)
	case blocks < 1 || blocks > maxBlocks || h.dataStart != dataOffset(blocks) ||
		h.fileSize != dataOffset(blocks)+blocks*blockSize || h.fileSize != uint64(len(v.mem)):
		return fmt.Errorf("the buffer has %d bytes, but its header says %d, with %d blocks", len(v.mem), h.fileSize, blocks)
	case argsLength > pageSize-argsStart:
		return fmt.Errorf("a command line of %d bytes is too long", argsLength)
	}
	v.attach(blocks)
	args := string(v.mem[argsStart : argsStart+argsLength])
	v.locked = h.locked != 0
	v.info = Info{
		Path: v.path, PID: int(h.pid), Parent: int(h.parent),
		Args:      strings.Split(strings.TrimSuffix(args, "\x00"), "\x00"),
		Start:     clock.Stamp{Ticks: h.startTicks, Mono: int64(h.startMono), Wall: int64(h.startWall)},
		Clock:     clock.Kind(h.clockKind),
		Frequency: h.frequency,
		EventCost: h.eventCost, Used: int64(min(h.used, math.MaxInt64)), Processors: h.processors.Load(), Born: h.bootTicks,
	}
	return nil
}

// Close unmaps the file. It does not remove it.
func (v *View) Close() {
	if v.mem != nil {
		unmapFile(v.mem)
		v.mem = nil
	}
	closeFile(v.fd)
}

// Info returns what the file said when it was opened.
func (v *View) Info() Info { return v.info }

// Processors returns how many goroutines of the process can run at once by now, 0 unknown.
func (v *View) Processors() uint64 { return v.h.processors.Load() }

// Operations returns about how many calls have recorded operations, and how many ticks they took.
func (v *View) Operations() (calls, ticks uint64) {
	return v.h.timed.Load() * Timed, v.h.took.Load() * Timed
}

// Finished tells whether the process said that it records no more, and how much processor time it had used then, ns.
func (v *View) Finished() (used int64, finished bool) {
	n := v.h.finished.Load()
	return int64(min(n, math.MaxInt64)), n != 0
}

// Alive tells whether the process may still write: it holds the file's lock; where there are no locks, a process of its number and its
// time of start runs. A process that becomes another program (exec) is dead in this sense.
func (v *View) Alive() bool {
	return locked(v.fd) || !v.locked && v.info.Born != 0 && runs(v.info.PID, v.info.Born)
}

// Await returns when the process has ended or become another program, false if that cannot be waited for. It takes a thread meanwhile.
func (v *View) Await() bool { return v.locked && awaitUnlocked(v.path) }

// Replaced tells of a process that is not Alive whether it has become another program (exec), instead of having ended.
func (v *View) Replaced() bool { return v.info.Born != 0 && executes(v.info.PID, v.info.Born) }

// Mend makes the file as long as it was, if somebody cut it off, and tells whether that was so. What was behind the cut is lost.
func (v *View) Mend() bool {
	if size := fileSize(v.fd); size < 0 || size >= int64(len(v.mem)) {
		return false
	}
	extend(v.fd, int64(len(v.mem)))
	return true
}

// Contains tells whether the view is mapped at an address.
func (v *View) Contains(address uintptr) bool {
	base := uintptr(unsafe.Pointer(&v.mem[0]))
	return address >= base && address < base+uintptr(len(v.mem))
}

// Named tells whether the file is still where it was opened.
func (v *View) Named() bool { return names(v.path, v.fd) }

// Locations returns how many location numbers the process has given out.
func (v *View) Locations() uint64 { return v.h.locations.Load() }

// Exhausted tells whether the process may wait for memory: there is no more, and none that was given back that it has not seen.
func (v *View) Exhausted() bool {
	for i := range v.h.free {
		if v.h.free[i].Load() != 0 {
			return false
		}
	}
	return v.h.grown.Load() >= forChunks(v.blocks) || v.h.counts[MemoryRefused].Load() > 0
}

// Memory returns the bytes of memory that the blocks of the file take.
func (v *View) Memory() int64 { return int64(min(v.h.grown.Load(), v.blocks)) * blockSize }

// Warnings returns what the process counted, by what it is, without zeros.
func (v *View) Warnings() map[string]uint64 {
	m := map[string]uint64{}
	for c, name := range countNames {
		if n := v.h.counts[c].Load(); n != 0 && name != "" {
			m[name] = n
		}
	}
	v.unrecordedVisits(m)
	if v.damage != 0 {
		m["damaged chunks"] = v.damage
	}
	return m
}

// HeldUp returns for how many ticks, summed over goroutines, the process waited for buffer memory: for the system to
// give some, or with Config.Block for the recorder.
func (v *View) HeldUp() uint64 { return v.h.counts[HeldUp].Load() }

// TakeRetired takes the chunks that the process has retired since the last call, those of one location in
// their order, and appends them to those given. Give each to Free once its events are saved.
func (v *View) TakeRetired(chunks []Chunk) []Chunk {
	before := len(chunks)
	offset := v.h.retired.Swap(0)
	for n := uint64(0); offset != 0 && n < uint64(len(v.mem))/uint64(Small.Size()); n++ {
		class, ok := v.classAt(offset)
		if !ok || v.chunk(offset).state.Load() != retired {
			v.damage++ // and whatever is below: found by Owned
			break
		}
		chunks = append(chunks, v.read(offset, class))
		offset = v.chunk(offset).next.Load()
	}
	slices.Reverse(chunks[before:])
	return chunks
}

// Owned finds every chunk that holds events and was not freed, retired or not, in order of location and
// number. Only when the process is dead or finished are these all and whole, see OwnedNow.
func (v *View) Owned() []Chunk {
	var chunks []Chunk
	for i := range min(v.h.grown.Load(), v.blocks) {
		class, ok := v.classAt(v.block(i))
		if !ok {
			continue
		}
		for at := uint64(0); at < blockSize; at += uint64(class.Size()) {
			if state := v.chunk(v.block(i) + at).state.Load(); state == owned || state == retired {
				chunks = append(chunks, v.read(v.block(i)+at, class))
			}
		}
	}
	slices.SortFunc(chunks, func(a, b Chunk) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.offset, b.offset))
	})
	return chunks
}

// OwnedNow is Owned while the process may go on writing: of each location, what it had when the call began. What a chunk follows was there
// before it, but not always before it was looked for.
func (v *View) OwnedNow() []Chunk {
	last := map[uint64]uint64{}
	for _, c := range v.Owned() {
		last[c.Location] = c.Seq + 1
	}
	return slices.DeleteFunc(v.Owned(), func(c Chunk) bool { return c.Seq >= last[c.Location] })
}

// classAt returns the class of the chunk at offset, false if there can be none.
func (v *View) classAt(offset uint64) (Class, bool) {
	if offset < v.dataStart || offset >= v.dataStart+v.blocks*blockSize {
		return 0, false
	}
	class := Class(v.class[(offset-v.dataStart)/blockSize] - 1)
	return class, class < classes && (offset-v.dataStart)%uint64(class.Size()) == 0
}

func (v *View) read(offset uint64, class Class) Chunk {
	c := v.chunk(offset)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&v.mem[offset+ChunkHeader])), (class.Size()-ChunkHeader)/8)
	return Chunk{
		Label:  Label{Location: c.location, GoID: c.goid, Seq: c.seq, Base: c.base},
		Words:  words[:wholeEvents(words)],
		offset: offset, class: class,
	}
}

// wholeEvents returns the number of words up to the first zero or unknown head.
func wholeEvents(words []uint64) int {
	at := 0
	for at < len(words) {
		kind, id, _ := wire.Unpack(atomic.LoadUint64(&words[at]))
		n := wire.WordsOf(kind, id)
		if n < 0 || n >= len(words)-at {
			break
		}
		at += 1 + n
	}
	return at
}

// Free clears a chunk and gives it back to the process.
func (v *View) Free(c Chunk) {
	clear(v.mem[c.offset+ChunkHeader : c.offset+uint64(c.class.Size())])
	h := v.chunk(c.offset)
	h.location, h.goid, h.seq, h.base = 0, 0, 0, 0
	h.state.Store(free)
	v.push(&v.h.free[c.class], c.offset)
	v.h.returned.Add(1)
}

// NewDefs goes through the definitions published since it last did, in order. Damage is an error in place of a definition: those
// behind it in the same block are given up.
func (v *View) NewDefs() iter.Seq2[wire.Def, error] {
	return func(yield func(wire.Def, error) bool) {
		for v.findDefs(); v.defAt < len(v.defs); v.defAt, v.defUsed = v.defAt+1, 0 {
			if !v.defsOfBlock(yield) || v.defAt+1 == len(v.defs) { // where the process may still append
				return
			}
			if v.defs[v.defAt] == 0 && !yield(wire.Def{}, fmt.Errorf("%s: block %d of definitions is missing", v.path, v.defAt)) {
				return
			}
		}
	}
}

// defsOfBlock goes through the new definitions of the block being read.
func (v *View) defsOfBlock(yield func(wire.Def, error) bool) (goOn bool) {
	block := v.defs[v.defAt]
	if block == 0 {
		return true
	}
	end := block + ChunkHeader + min(v.chunk(block).used.Load(), blockSize-ChunkHeader)
	for at := block + ChunkHeader + v.defUsed; at < end; at = block + ChunkHeader + v.defUsed {
		d, n, err := wire.ReadDef(v.mem[at:end])
		if err != nil {
			d, n, err = wire.Def{}, int(end-at), fmt.Errorf("%s: offset %d: %w", v.path, at, err)
		}
		v.defUsed += uint64(n)
		if !yield(d, err) {
			return false
		}
	}
	return true
}

// findDefs looks for new blocks of definitions.
func (v *View) findDefs() {
	if v.h.defChunks.Load() <= uint64(len(v.defs)) {
		return
	}
	var blocks []uint64
	for i := range min(v.h.grown.Load(), v.blocks) {
		if v.class[i] == byte(1+definitions) {
			blocks = append(blocks, v.block(i))
		}
	}
	v.defs = append(v.defs, make([]uint64, max(0, len(blocks)-len(v.defs)))...)
	for _, block := range blocks {
		if seq := v.chunk(block).seq; seq < uint64(len(v.defs)) {
			v.defs[seq] = block
		}
	}
}

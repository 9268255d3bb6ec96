package analyzer

import (
	"encoding/binary"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// A stream is an append-only sequence of small varint records in fixed blocks: it neither copies what it
// holds nor wastes more than a block. Records do not cross blocks.
type stream struct {
	store  *spill.Store
	blocks [][]byte
}

const (
	blockBits = 15
	blockSize = spill.BlockSize
	maxRecord = 96
)

// room returns the block to append one record to; the caller stores it back with put.
func (s *stream) room() []byte {
	if n := len(s.blocks); n > 0 && len(s.blocks[n-1])+maxRecord <= blockSize {
		return s.blocks[n-1]
	}
	s.blocks = append(s.blocks, s.store.Block()[:0])
	return s.blocks[len(s.blocks)-1]
}

func (s *stream) put(b []byte) { s.blocks[len(s.blocks)-1] = b }

// free gives the blocks back.
func (s *stream) free() {
	s.store.GiveBack(s.blocks)
	s.blocks = nil
}

// at returns the position of the next record.
func (s *stream) at() uint64 {
	b := s.room()
	return uint64(len(s.blocks)-1)<<blockBits | uint64(len(b))
}

// reader reads a stream from a position on. It moves an index and not a slice: writing pointers is expensive while garbage
// is collected.
type reader struct {
	s     *stream
	block int
	data  []byte // of the block
	pos   int
}

func (s *stream) reader(at uint64) reader {
	r := reader{s: s, block: int(at >> blockBits), pos: int(at & (blockSize - 1))}
	if r.block < len(s.blocks) {
		r.data = s.blocks[r.block]
	}
	return r
}

// more tells whether there is another record, and goes to it.
func (r *reader) more() bool {
	for r.pos >= len(r.data) {
		if r.block++; r.block >= len(r.s.blocks) {
			return false
		}
		r.data, r.pos = r.s.blocks[r.block], 0
	}
	return true
}

func (r *reader) uint() uint64 {
	if b := r.data[r.pos]; b < 0x80 {
		r.pos++
		return uint64(b)
	}
	return r.long()
}

// long reads a number of any length, mostly of two or three bytes.
func (r *reader) long() uint64 {
	b, i := r.data, r.pos
	if len(b)-i > 2 {
		v := uint64(b[i]&0x7f) | uint64(b[i+1]&0x7f)<<7
		if b[i+1] < 0x80 {
			r.pos = i + 2
			return v
		}
		if b[i+2] < 0x80 {
			r.pos = i + 3
			return v | uint64(b[i+2])<<14
		}
	}
	v, n := binary.Uvarint(b[i:])
	r.pos = i + n
	return v
}

func (r *reader) int() int64 {
	v := r.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) byte() byte {
	b := r.data[r.pos]
	r.pos++
	return b
}

// appendInt appends a signed varint.
func appendInt(b []byte, v int64) []byte { return binary.AppendUvarint(b, uint64(v<<1)^uint64(v>>63)) }

// parts is the number of parts into which operations are divided by object. Only the parts being matched
// are expanded in memory.
const parts = 64

// opStore holds the operations that one worker of the scan found, divided by object.
type opStore struct {
	worker uint32 // its number
	part   [parts]opPart
}

type opPart struct {
	stream
	runs  list[opRun]
	last  *opRun
	n     int         // operations
	count []objectOps // by object of the part
	begin int64       // of the record before
	spent bool        // some have nested levels, or states
}

// objectOps is what is known of the operations on an object.
type objectOps struct {
	n     int
	busy  bool // some are not quiet
	locks bool // some waited for a lock
}

// opRun says where the operations of one location in one chunk are.
type opRun struct {
	loc, chunk, n uint32
	worker        uint32
	at            uint64
}

// Flags of an operation's record.
const (
	hasBlocked = 1 << iota
	hasMode
	hasNested
	isOpen
	outcomeShift = 4
)

// inOp is how an operation was spent in part.
type inOp struct {
	nested int64 // in nested levels and overhead
	ready  int64 // outside of these, ready to run
}

// add appends an operation on an object.
func (s *opStore) add(chunk, object uint32, o *Op, in inOp) {
	p := &s.part[object%parts]
	if p.last == nil || p.last.loc != o.Loc || p.last.chunk != chunk {
		p.last = p.runs.add(opRun{loc: o.Loc, chunk: chunk, worker: s.worker, at: p.at()})
		p.begin = 0
	}
	p.last.n++
	p.n++
	i := int(object / parts)
	if i >= len(p.count) {
		p.count = append(p.count, make([]objectOps, i+1-len(p.count))...)
	}
	of := &p.count[i]
	of.n++
	of.busy = of.busy || !o.quiet() || in.ready > 0
	of.locks = of.locks || o.Kind == wire.LockBegin && o.Blocked != NotBlocked
	flags := byte(o.Outcome) << outcomeShift
	if o.Blocked != NotBlocked {
		flags |= hasBlocked
	}
	if o.Mode != 0 {
		flags |= hasMode
	}
	if in != (inOp{}) {
		flags |= hasNested
		p.spent = true
	}
	if o.Open {
		flags |= isOpen
	}
	b := binary.AppendUvarint(p.room(), uint64(i))
	b = append(b, byte(o.Kind), flags)
	b = binary.AppendUvarint(b, uint64(o.Path))
	b = appendInt(b, o.Begin-p.begin)
	b = binary.AppendUvarint(b, uint64(o.End-o.Begin))
	if flags&hasBlocked != 0 {
		b = binary.AppendUvarint(b, uint64(o.Blocked-o.Begin))
	}
	if flags&hasMode != 0 {
		b = binary.AppendUvarint(b, uint64(o.Mode))
	}
	if flags&hasNested != 0 {
		b = binary.AppendUvarint(b, uint64(in.nested))
		b = binary.AppendUvarint(b, uint64(in.ready))
	}
	p.begin = o.Begin
	p.put(b)
}

// object goes to the next record of an operation and returns which object of the part it is on. The rest is what op reads.
func (r *reader) object() uint32 {
	r.more()
	return uint32(r.uint())
}

// op reads an operation of location loc; begin is that of the record before. It is written where it is to be, as copying what has just been written in smaller pieces takes long.
func (r *reader) op(o *Op, loc uint32, begin int64) (in inOp) {
	o.Loc, o.Kind = loc, wire.Kind(r.byte())
	flags := r.byte()
	o.Outcome, o.Open = wire.Outcome(flags>>outcomeShift), flags&isOpen != 0
	o.Path = uint32(r.uint())
	o.Begin = begin + r.int()
	o.End = o.Begin + int64(r.uint())
	if o.Blocked = NotBlocked; flags&hasBlocked != 0 {
		o.Blocked = o.Begin + int64(r.uint())
	}
	if o.Mode = 0; flags&hasMode != 0 {
		o.Mode = uint32(r.uint())
	}
	if flags&hasNested != 0 {
		in = inOp{int64(r.uint()), int64(r.uint())}
	}
	return in
}

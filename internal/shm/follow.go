package shm

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"tracerec/trace/wire"
)

// Follower reads what a process records while it goes on, beside the recorder, and changes nothing. What the recorder gives
// back to the process between two looks is missed. Its methods must not be called concurrently.
type Follower struct {
	*View
	read map[uint64]progress // by the offset of the chunk
}

// progress is how far a chunk was read.
type progress struct {
	location, seq uint64
	words         int
	whole         bool
}

// Piece is consecutive events of one location.
type Piece struct {
	Label
	At    int // words of the chunk that came in earlier pieces
	Words []uint64
	Whole bool // nothing more of this chunk will come
}

// Follow maps a buffer file in order to follow it.
func Follow(path string) (*Follower, error) {
	v, err := Open(path)
	if err != nil {
		return nil, err
	}
	return &Follower{View: v, read: map[uint64]progress{}}, nil
}

// Next returns the events that were recorded since the last call, as far as they are still in the buffer, those of one location
// in their order.
func (f *Follower) Next() []Piece {
	var pieces []Piece
	for i := range min(f.h.grown.Load(), f.blocks) {
		class, ok := f.classAt(f.block(i))
		if !ok {
			continue
		}
		for at := uint64(0); at < blockSize; at += uint64(class.Size()) {
			if p := f.follow(f.block(i)+at, class); len(p.Words) > 0 || p.Whole {
				pieces = append(pieces, p)
			}
		}
	}
	slices.SortFunc(pieces, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.At, b.At))
	})
	return pieces
}

// follow copies what is new in a chunk. The recorder may give the chunk back meanwhile, and the process take it for other
// events: then its label has changed, and nothing is believed.
func (f *Follower) follow(offset uint64, class Class) Piece {
	c := f.chunk(offset)
	if state := c.state.Load(); state != owned && state != retired {
		delete(f.read, offset)
		return Piece{}
	}
	label := labelOf(c)
	seen := f.read[offset]
	if seen.location != label.Location || seen.seq != label.Seq {
		seen = progress{location: label.Location, seq: label.Seq}
	}
	all := unsafe.Slice((*uint64)(unsafe.Pointer(&f.mem[offset+ChunkHeader])), (class.Size()-ChunkHeader)/8)
	if seen.whole {
		return Piece{}
	}
	whole := c.state.Load() == retired // before the words are read: then no more will be written
	words := copyEvents(all[seen.words:])
	if state := c.state.Load(); labelOf(c) != label || state != owned && state != retired {
		return Piece{}
	}
	p := Piece{Label: label, At: seen.words, Words: words, Whole: whole}
	seen.words += len(words)
	seen.whole = whole
	f.read[offset] = seen
	return p
}

// labelOf reads a label that others may be writing.
func labelOf(c *chunkHeader) Label {
	return Label{atomic.LoadUint64(&c.location), atomic.LoadUint64(&c.goid), atomic.LoadUint64(&c.seq), atomic.LoadUint64(&c.base)}
}

// copyEvents copies whole events up to the first zero or unknown head.
func copyEvents(words []uint64) (events []uint64) {
	for at := 0; at < len(words); {
		head := atomic.LoadUint64(&words[at])
		kind, id, _ := wire.Unpack(head)
		n := wire.WordsOf(kind, id)
		if n < 0 || n >= len(words)-at {
			break
		}
		events = append(events, head)
		for i := range n {
			events = append(events, atomic.LoadUint64(&words[at+1+i]))
		}
		at += 1 + n
	}
	return events
}

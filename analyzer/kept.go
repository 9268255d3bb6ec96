package analyzer

import "encoding/binary"

// keptWait is what the critical path needs of a wait.
type keptWait struct {
	keptLine
	causer      uint32
	from, end   int64
	begin, done int64 // of a jump: begin of the first wait of the operation for another, and end of the operation
}

// keptLine is what many waits in a row have in common.
type keptLine struct {
	metric    uint16
	path, loc uint32
	class     uint32 // of the object
}

// waitStream keeps waits. Its blocks can be read on their own.
type waitStream struct {
	stream
	line keptLine // of the wait before
	end  int64    // its end
}

// Flags of a wait's record, in its first number, below the causer.
const (
	otherLine   = 1 << iota // the line is not that of the wait before
	beginsFirst             // begin is before from
	endsLater               // done is behind end
	causerShift = iota
)

func (s *waitStream) add(k *keptWait) {
	b := s.room()
	head := uint64(k.causer) << causerShift
	if len(b) == 0 {
		s.end = 0
	}
	if len(b) == 0 || k.keptLine != s.line {
		head |= otherLine
	}
	if k.begin != k.from {
		head |= beginsFirst
	}
	if k.done != k.end {
		head |= endsLater
	}
	b = binary.AppendUvarint(b, head)
	if head&otherLine != 0 {
		b = binary.AppendUvarint(b, uint64(k.metric))
		b = binary.AppendUvarint(b, uint64(k.path))
		b = binary.AppendUvarint(b, uint64(k.loc))
		b = binary.AppendUvarint(b, uint64(k.class))
		s.line = k.keptLine
	}
	b = appendInt(b, k.end-s.end)
	b = binary.AppendUvarint(b, uint64(k.end-k.from))
	if head&beginsFirst != 0 {
		b = binary.AppendUvarint(b, uint64(k.from-k.begin))
	}
	if head&endsLater != 0 {
		b = binary.AppendUvarint(b, uint64(k.done-k.end))
	}
	s.end = k.end
	s.put(b)
}

// waitReader reads one block of a waitStream.
type waitReader struct {
	reader
	keptWait
}

// next goes to the next wait.
func (r *waitReader) next() bool {
	if r.pos == len(r.data) {
		return false
	}
	head := r.uint()
	r.causer = uint32(head >> causerShift)
	if head&otherLine != 0 {
		r.metric, r.path, r.loc, r.class = uint16(r.uint()), uint32(r.uint()), uint32(r.uint()), uint32(r.uint())
	}
	r.end += r.int()
	r.from = r.end - int64(r.uint())
	r.begin, r.done = r.from, r.end
	if head&beginsFirst != 0 {
		r.begin -= int64(r.uint())
	}
	if head&endsLater != 0 {
		r.done += int64(r.uint())
	}
	return true
}

func newWaitReader(block []byte) *waitReader { return &waitReader{reader: reader{data: block}} }

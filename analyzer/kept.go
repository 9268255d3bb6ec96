package analyzer

import "encoding/binary"

// keptWait is what the critical path needs of a wait.
type keptWait struct {
	metric            uint16
	path, loc, causer uint32
	class             uint32 // of the object
	from, end         int64
	begin, done       int64 // begin of the first wait of the operation for another, and end of the operation
}

// waitStream keeps waits. Its blocks can be read on their own.
type waitStream struct {
	stream
	end int64 // of the wait before
}

func (s *waitStream) add(k *keptWait) {
	b := s.room()
	if len(b) == 0 {
		s.end = 0
	}
	b = binary.AppendUvarint(b, uint64(k.metric))
	b = binary.AppendUvarint(b, uint64(k.path))
	b = binary.AppendUvarint(b, uint64(k.loc))
	b = binary.AppendUvarint(b, uint64(k.causer))
	b = binary.AppendUvarint(b, uint64(k.class))
	b = appendInt(b, k.end-s.end)
	b = binary.AppendUvarint(b, uint64(k.end-k.from))
	b = binary.AppendUvarint(b, uint64(k.from-k.begin))
	b = binary.AppendUvarint(b, uint64(k.done-k.end))
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
	r.metric, r.path, r.loc, r.causer, r.class = uint16(r.uint()), uint32(r.uint()), uint32(r.uint()), uint32(r.uint()), uint32(r.uint())
	r.end += r.int()
	r.from = r.end - int64(r.uint())
	r.begin, r.done = r.from-int64(r.uint()), r.end+int64(r.uint())
	return true
}

func newWaitReader(block []byte) *waitReader { return &waitReader{reader: reader{data: block}} }

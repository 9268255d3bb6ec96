package otf2

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"tracerec/trace"
)

const (
	minChunk  = 18      // the header of a chunk
	maxChunk  = 1 << 24 // as OTF2 itself permits
	zipHeader = 20      // before each compressed chunk: a mark, its size, that of its content, that of the chunk before
)

// zipMark is how a compressed file begins. Its writer's byte order tells the two forms apart; the sizes behind it are little-endian.
var zipMark = [2][]byte{{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}}

func isZipped(b []byte) bool { return bytes.HasPrefix(b, zipMark[0]) || bytes.HasPrefix(b, zipMark[1]) }

// file is a file of chunks.
type file struct {
	name   string
	f      io.ReaderAt
	size   int64
	chunk  int64 // size of its chunks
	zipped bool
}

func openFile(name string, chunk uint64) (*file, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = trace.Problem{File: name, What: "not a regular file"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	x := &file{name: name, f: f, size: info.Size(), chunk: int64(chunk)}
	var mark [8]byte
	n, _ := f.ReadAt(mark[:], 0)
	x.zipped = isZipped(mark[:n])
	return x, nil
}

func (f *file) close() {
	if c, ok := f.f.(io.Closer); ok {
		c.Close()
	}
}

// problem describes what is wrong at an offset.
func (f *file) problem(offset int64, format string, args ...any) error {
	return trace.Problem{File: f.name, Offset: offset, What: fmt.Sprintf(format, args...)}
}

// spans returns where the chunks of the file are, as far as can be told, and what keeps the rest from being found.
func (f *file) spans() (list []span, err error) {
	if f.size == 0 {
		return nil, f.problem(0, "the file is empty")
	}
	if !f.zipped {
		for at := int64(0); at < f.size; at += f.chunk {
			list = append(list, span{at, min(f.chunk, f.size-at)})
		}
		return list, nil
	}
	var head [zipHeader]byte
	for at := int64(0); at < f.size; {
		if n, _ := f.f.ReadAt(head[:], at); n < zipHeader {
			return list, f.problem(at, "it ends within the header of a compressed chunk")
		}
		size, content := int64(binary.LittleEndian.Uint32(head[8:])), int64(binary.LittleEndian.Uint32(head[12:]))
		if !isZipped(head[:]) || content > maxChunk {
			return list, f.problem(at, "not a compressed chunk")
		}
		if rest := f.size - at - zipHeader; size > rest {
			return append(list, span{at, f.size - at}), f.problem(at, "a compressed chunk of %d bytes, of which %d are there", size, rest)
		}
		list = append(list, span{at, zipHeader + size})
		at += zipHeader + size
		// Some writers wrote as many bytes as the content has.
		if n, _ := f.f.ReadAt(head[:], at); n == zipHeader && !isZipped(head[:]) && content > size {
			at += content - size
		}
	}
	return list, nil
}

// span is a part of a file.
type span struct{ offset, size int64 }

// read returns the content of a chunk, in the memory of buf if that suffices. What is there of a damaged one is returned with the error.
func (f *file) read(s span, buf []byte) ([]byte, error) {
	if s.size > maxChunk+zipHeader {
		return nil, f.problem(s.offset, "a chunk of %d bytes", s.size)
	}
	if !f.zipped {
		buf = room(buf, s.size)
		n, err := f.f.ReadAt(buf, s.offset)
		if err != nil {
			return buf[:n], f.problem(s.offset, "%v", err)
		}
		return buf, nil
	}
	stored := make([]byte, s.size)
	if _, err := f.f.ReadAt(stored, s.offset); err != nil {
		return nil, f.problem(s.offset, "%v", err)
	}
	content := int64(binary.LittleEndian.Uint32(stored[12:]))
	r, err := zlib.NewReader(bytes.NewReader(stored[zipHeader:]))
	if err != nil {
		return nil, f.problem(s.offset, "compressed data: %v", err)
	}
	const best = 1100 // zlib never makes less than a thousandth of anything
	buf = room(buf, min(content, maxChunk, best*s.size))
	n, err := io.ReadFull(r, buf)
	if err != nil { // the end of a stream is never stored, but neither is it read
		return buf[:n], f.problem(s.offset, "compressed data: %v", err)
	}
	return buf[:n], nil
}

// room returns n bytes, b's memory if that suffices.
func room(b []byte, n int64) []byte {
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// scanFile reads the records of a file of definitions or markers, and returns the first thing that is wrong with it. The record is valid during the call.
func scanFile(name string, family Family, chunk uint64, use func(r *Record)) error {
	f, err := openFile(name, chunk)
	if err != nil {
		return err
	}
	defer f.close()
	return f.scan(family, use)
}

func (f *file) scan(family Family, use func(r *Record)) error {
	spans, wrong := f.spans()
	note := func(err error) {
		if wrong == nil {
			wrong = err
		}
	}
	var r Record
	var buf []byte
	for _, s := range spans {
		b, err := f.read(s, buf)
		note(err)
		note(f.scanChunk(s, b, family, &r, use))
		buf = b[:0]
	}
	return wrong
}

// scanChunk reads the records of a chunk.
func (f *file) scanChunk(s span, b []byte, family Family, r *Record, use func(r *Record)) error {
	c := cursor{b: b}
	if err := c.chunk(f, s); err != nil {
		return err
	}
	for c.at < len(c.b) {
		at := c.at
		id := c.byte()
		if id < chunkHeader {
			return f.ended(s, id)
		}
		if spec := SpecOf(family, id); spec == nil { // of a newer version
			if c.at += c.length(); c.bad {
				return f.problem(s.offset+int64(at), "not a record: %d", id)
			}
		} else if err := c.record(spec, r); err != nil {
			return f.problem(s.offset+int64(at), "%v", err)
		} else {
			use(r)
		}
	}
	return f.problem(s.offset+int64(len(c.b)), "it ends without an end mark")
}

// ended says what is wrong with a chunk that ends with a mark: the last one is the end of the file.
func (f *file) ended(s span, mark byte) error {
	if mark == endOfChunk && s.offset+s.size >= f.size {
		return f.problem(f.size, "the rest of the file is missing")
	}
	return nil
}

// chunk reads the header of a chunk.
func (c *cursor) chunk(f *file, s span) error {
	if len(c.b) < minChunk || c.b[0] != chunkHeader {
		return f.problem(s.offset, "not a chunk; %d bytes lost", s.size)
	}
	known := false
	if c.big, known = order(c.b[1]); !known {
		return f.problem(s.offset+1, "unknown byte order; %d bytes lost", s.size)
	}
	c.at = minChunk
	return nil
}

package addresstrace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

// Reader reads a trace of either format. It is used by one goroutine at a time.
type Reader struct {
	from   *bufio.Reader
	offset int64 // of what is read next
	next   func() (Record, error)
	err    error // that ended it

	total    uint64 // records that were returned, of a binary trace
	at       int64  // offset of the chunk at hand
	left     uint64 // records of it
	raw      []byte // what is left of it
	all      []byte // room for chunks
	stored   []byte
	previous previous
	decoder  *zstd.Decoder
}

// maxLine is the longest line of a text.
const maxLine = 1 << 10

// NewReader returns a reader; what the trace begins with tells its format.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{from: bufio.NewReaderSize(r, 1<<16)}
	first, err := t.from.Peek(len(head))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case string(first) == head:
		if t.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderLowmem(true)); err != nil {
			return nil, err
		}
		t.discard(len(head))
		t.next = t.binary
	case len(first) == len(head) && string(first[:len(head)-1]) == head[:len(head)-1]:
		return nil, corrupt(int64(len(head)-1), "version %d; this program reads %d", first[len(head)-1], head[len(head)-1])
	case len(first) == 0 || first[0] >= '0' && first[0] <= '4' || first[0] == ' ' || first[0] == '\n':
		t.next = t.dinero
	default:
		return nil, corrupt(0, "it begins with %q: neither Dinero's text nor a binary trace", first)
	}
	return t, nil
}

// Next returns the next record, io.EOF at the end. Other errors wrap [ErrCorrupt], or are those of what is read.
func (r *Reader) Next() (Record, error) {
	if r.err != nil {
		return Record{}, r.err
	}
	record, err := r.next()
	if err != nil {
		r.err = err
		if r.decoder != nil {
			r.decoder.Close()
		}
	}
	return record, err
}

func (r *Reader) discard(n int) {
	n, _ = r.from.Discard(n) // they were peeked at
	r.offset += int64(n)
}

// dinero reads a line: a label, an address in hexadecimal, and anything.
func (r *Reader) dinero() (Record, error) {
	for {
		at := r.offset
		line, err := r.from.ReadSlice('\n')
		r.offset += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine:
			return Record{}, corrupt(at, "a line of more than %d bytes", maxLine)
		case err == io.EOF && len(line) == 0:
			return Record{}, io.EOF
		case err != nil && err != io.EOF:
			return Record{}, err
		}
		words := bytes.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) < 2 || len(words[0]) != 1 || words[0][0] < '0' || words[0][0] > '2' {
			return Record{}, corrupt(at, "%.40q is not a label from 0 to 2 and an address", bytes.TrimSpace(line))
		}
		address, err := strconv.ParseUint(string(bytes.TrimPrefix(words[1], []byte("0x"))), 16, 64)
		if err != nil {
			return Record{}, corrupt(at, "%.40q is not an address in hexadecimal", words[1])
		}
		return Record{Op: Op(words[0][0] - '0'), Address: address}, nil
	}
}

// binary decodes a record.
func (r *Reader) binary() (Record, error) {
	for r.left == 0 {
		if err := r.chunk(); err != nil {
			return Record{}, err
		}
	}
	first := r.raw[0]
	r.raw = r.raw[1:]
	record := Record{Op: Op(first & 7)}
	if code := first >> 3 & 7; code != sizeUnknown {
		record.Size = 1 << code
	}
	v, n := uint64(0), 0
	if first&nothing == 0 {
		if v, n = binary.Uvarint(r.raw); n <= 0 {
			return Record{}, corrupt(r.at, "record %d of the chunk is truncated", r.total)
		}
		r.raw = r.raw[n:]
	}
	if record.Op >= ops || first>>7 != 0 {
		return Record{}, corrupt(r.at, "a record of kind %d", first)
	}
	if record.Op <= Fetch {
		v = unzigzag(v)
	}
	record.Address = v + r.previous.from(record.Op)
	r.previous.advance(record)
	r.left--
	r.total++
	if (r.left == 0) != (len(r.raw) == 0) {
		return Record{}, corrupt(r.at, "%d bytes left for %d records", len(r.raw), r.left)
	}
	return record, nil
}

// chunk reads the next chunk, and returns io.EOF after the last one.
func (r *Reader) chunk() error {
	r.at = r.offset
	var b [chunkHead]byte
	if err := r.full(b[:]); err != nil {
		return err
	}
	le := binary.LittleEndian
	raw, stored, records, sum := le.Uint32(b[0:]), le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
	if raw > maxRaw || stored > maxStored || records > raw || (records == 0) != (raw == 0) || raw == 0 && stored != 8 {
		return corrupt(r.at, "a chunk of %d records, %d bytes, stored in %d", records, raw, stored)
	}
	if cap(r.stored) < int(stored) {
		r.stored = make([]byte, stored)
	}
	r.stored = r.stored[:stored]
	if err := r.full(r.stored); err != nil {
		return err
	}
	if crc32.Update(crc32.Checksum(b[:12], castagnoli), castagnoli, r.stored) != sum {
		return corrupt(r.at, "the chunk's checksum is wrong")
	}
	if raw == 0 {
		return r.last(le.Uint64(r.stored))
	}
	all, err := r.decoder.DecodeAll(r.stored, r.all[:0])
	switch {
	case err != nil:
		return corrupt(r.at, "%v", err)
	case len(all) != int(raw):
		return corrupt(r.at, "a chunk of %d bytes instead of %d", len(all), raw)
	}
	r.all, r.raw, r.left, r.previous = all, all, uint64(records), previous{}
	return nil
}

// last checks the end of a trace.
func (r *Reader) last(total uint64) error {
	if total != r.total {
		return corrupt(r.at, "%d records instead of %d", r.total, total)
	}
	if _, err := r.from.Peek(1); err != io.EOF {
		return corrupt(r.offset, "there is something after the end")
	}
	return io.EOF
}

// full reads as many bytes.
func (r *Reader) full(b []byte) error {
	n, err := io.ReadFull(r.from, b)
	r.offset += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return corrupt(r.offset, "the trace is truncated")
	}
	return err
}

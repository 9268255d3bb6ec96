package addresstrace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes a trace. It is used by one goroutine at a time.
type Writer struct {
	to     *bufio.Writer
	format Format
	err    error // the first one; nothing is written after it

	total, records uint64 // of all, of the chunk
	raw, stored    []byte
	previous       previous
	encoder        *zstd.Encoder
}

// NewWriter returns a writer of a format, to be closed at the end.
func NewWriter(w io.Writer, f Format) (*Writer, error) {
	t := &Writer{to: bufio.NewWriterSize(w, 1<<16), format: f}
	switch f {
	case Dinero:
		return t, nil
	case Binary:
	default:
		return nil, fmt.Errorf("address trace: unknown format %q: neither %s nor %s", f, Dinero, Binary)
	}
	var err error
	if t.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	_, t.err = t.to.WriteString(head)
	return t, nil
}

// Add writes a record; what goes wrong says Close. Dinero's format takes accesses and instructions only, and leaves the rest out.
func (w *Writer) Add(r Record) {
	if w.format == Dinero {
		if r.Op <= Fetch {
			w.total++
			w.raw = append(w.raw, '0'+byte(r.Op), ' ')
			w.raw = append(strconv.AppendUint(w.raw, r.Address, 16), '\n')
		}
	} else {
		w.encode(r)
	}
	if len(w.raw) >= chunkRaw {
		w.flush()
	}
}

func (w *Writer) encode(r Record) {
	code := uint8(sizeUnknown)
	if r.Size != 0 {
		code = uint8(bits.TrailingZeros8(r.Size))
	}
	v := r.Address - w.previous.from(r.Op)
	if r.Op <= Fetch {
		v = zigzag(v)
	}
	first := uint8(r.Op) | code<<3
	if v == 0 {
		w.raw = append(w.raw, first|nothing)
	} else {
		w.raw = binary.AppendUvarint(append(w.raw, first), v)
	}
	w.previous.advance(r)
	w.records++
	w.total++
}

// Records returns how many records were written.
func (w *Writer) Records() uint64 { return w.total }

// flush writes the chunk at hand.
func (w *Writer) flush() {
	if w.format == Dinero {
		w.write(w.raw)
	} else {
		w.stored = w.encoder.EncodeAll(w.raw, w.stored[:0])
		w.chunk(uint32(len(w.raw)), w.stored)
	}
	w.raw, w.records, w.previous = w.raw[:0], 0, previous{}
}

func (w *Writer) chunk(raw uint32, stored []byte) {
	var b [chunkHead]byte
	le := binary.LittleEndian
	le.PutUint32(b[0:], raw)
	le.PutUint32(b[4:], uint32(len(stored)))
	le.PutUint32(b[8:], uint32(w.records))
	le.PutUint32(b[12:], crc32.Update(crc32.Checksum(b[:12], castagnoli), castagnoli, stored))
	w.write(b[:])
	w.write(stored)
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

// Close ends the trace and returns the first error of all that was written. It does not close what the trace is written to.
func (w *Writer) Close() error {
	if len(w.raw) > 0 {
		w.flush()
	}
	if w.format == Binary {
		w.records = 0
		w.chunk(0, binary.LittleEndian.AppendUint64(nil, w.total))
		if err := w.encoder.Close(); w.err == nil {
			w.err = err
		}
	}
	if err := w.to.Flush(); w.err == nil {
		w.err = err
	}
	if w.err != nil {
		return fmt.Errorf("address trace: %w", w.err)
	}
	return nil
}

package cube

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"
)

// Rows are compressed as zlib does: two bytes of header, deflated data, and a checksum of what was deflated. Most of a row are
// zeros, of which the checksum needs no look, so it is computed here, apart from the inflating. This halves the time.

const (
	zlibHeader  = 0x7801 // deflate with a window of 32 KiB, fastest compression
	zlibTrailer = 4      // bytes of checksum
)

// inflater unpacks rows one after the other.
type inflater struct {
	z    io.ReadCloser
	from bytes.Reader
	row  []byte // not given away, to be used again
}

var inflaters = sync.Pool{New: func() any { return &inflater{z: flate.NewReader(bytes.NewReader(nil))} }}

// unpack returns the row of size bytes within raw. It is valid until the inflater is used again, unless keep is called.
func (f *inflater) unpack(raw []byte, size int64) ([]byte, error) {
	if len(raw) < 2 || raw[0]&0x0f != 8 || raw[0]>>4 > 7 || binary.BigEndian.Uint16(raw)%31 != 0 || raw[1]&0x20 != 0 {
		return nil, errors.New("does not begin as compressed data does")
	}
	if int64(cap(f.row)) < size {
		f.row = make([]byte, size)
	}
	row := f.row[:size]
	f.from.Reset(raw[2:])
	if err := f.z.(flate.Resetter).Reset(&f.from, nil); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(f.z, row); err != nil {
		return nil, err
	}
	if n, err := f.z.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("more than %d bytes, or damaged", size)
	}
	if f.from.Len() < zlibTrailer {
		return nil, io.ErrUnexpectedEOF
	}
	if sum := binary.BigEndian.Uint32(raw[len(raw)-f.from.Len():]); sum != adler(row) {
		return nil, fmt.Errorf("checksum is %08x instead of %08x", adler(row), sum)
	}
	return row, nil
}

// keep leaves the last row to the caller.
func (f *inflater) keep() { f.row = nil }

// deflater packs rows one after the other.
type deflater struct {
	z   *flate.Writer
	to  bytes.Buffer
	row []byte
}

var deflaters = sync.Pool{New: func() any {
	z, err := flate.NewWriter(nil, flate.BestSpeed) // most of what can be gained are zeros
	if err != nil {
		panic(err) // the level is right
	}
	return &deflater{z: z}
}}

// spread returns the values of all locations in a byte order. They are valid until f is used again, and not to be changed.
func (f *deflater) spread(r Row, order binary.ByteOrder) []byte {
	if !r.sparse && order == binary.LittleEndian {
		return r.data
	}
	f.row = slices.Grow(f.row[:0], r.n*r.layout.size)[:r.n*r.layout.size]
	r.fill(f.row)
	if order == binary.BigEndian {
		r.layout.swap(f.row)
	}
	return f.row
}

// pack returns the compressed form of values.
func (f *deflater) pack(values []byte) ([]byte, error) {
	f.to.Reset()
	f.to.Write(binary.BigEndian.AppendUint16(nil, zlibHeader))
	f.z.Reset(&f.to)
	if _, err := f.z.Write(values); err != nil {
		return nil, err
	}
	if err := f.z.Close(); err != nil {
		return nil, err
	}
	f.to.Write(binary.BigEndian.AppendUint32(nil, adler(values)))
	return bytes.Clone(f.to.Bytes()), nil
}

// adler returns the checksum Adler-32.
func adler(b []byte) uint32 {
	const prime = 65521
	const most = 5552 // bytes after which the sums must be reduced, to stay within 32 bits
	s, t := uint32(1), uint32(0)
	for len(b) > 0 {
		n := zeros(b)
		t = uint32((uint64(t) + uint64(n)%prime*uint64(s)) % prime)
		b = b[n:]
		for n = 0; n < len(b) && n < most; n += 8 {
			word := b[n:min(n+8, len(b))]
			if len(word) == 8 && binary.LittleEndian.Uint64(word) == 0 {
				break
			}
			for _, x := range word {
				s += uint32(x)
				t += s
			}
		}
		s, t = s%prime, t%prime
		b = b[min(n, len(b)):]
	}
	return t<<16 | s
}

// zeros counts the zeros at the beginning, many at a time as long as there are many.
func zeros(b []byte) (n int) {
	word := binary.LittleEndian.Uint64
	for len(b)-n >= 32 {
		if p := b[n : n+32]; word(p)|word(p[8:])|word(p[16:])|word(p[24:]) != 0 {
			break
		}
		n += 32
	}
	for len(b)-n >= 8 && word(b[n:]) == 0 {
		n += 8
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

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
	row  []byte  // not given away, to be used again
	at   []int32 // columns of the values that are not zero
}

var inflaters = sync.Pool{New: func() any { return &inflater{z: flate.NewReader(bytes.NewReader(nil))} }}

// unpack returns the row of n values of a size within raw, and sets f.at. It is valid until the inflater is used again, unless
// keep is called.
func (f *inflater) unpack(raw []byte, n, size int) ([]byte, error) {
	if len(raw) < 2 || raw[0]&0x0f != 8 || raw[0]>>4 > 7 || binary.BigEndian.Uint16(raw)%31 != 0 || raw[1]&0x20 != 0 {
		return nil, errors.New("does not begin as compressed data does")
	}
	if cap(f.row) < n*size {
		f.row = make([]byte, n*size)
	}
	row := f.row[:n*size]
	f.from.Reset(raw[2:])
	if err := f.z.(flate.Resetter).Reset(&f.from, nil); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(f.z, row); err != nil {
		return nil, err
	}
	if n, err := f.z.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("more than %d bytes, or damaged", len(row))
	}
	if f.from.Len() < zlibTrailer {
		return nil, io.ErrUnexpectedEOF
	}
	f.at = columns(f.at[:0], row, size)
	if want, sum := binary.BigEndian.Uint32(raw[len(raw)-f.from.Len():]), adler(row, len(row), f.at, size); sum != want {
		return nil, fmt.Errorf("checksum is %08x instead of %08x", sum, want)
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
	at  []int32
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

// pack returns the compressed form of a row in a byte order.
func (f *deflater) pack(r Row, order binary.ByteOrder) ([]byte, error) {
	f.to.Reset()
	f.to.Write(binary.BigEndian.AppendUint16(nil, zlibHeader))
	size := r.layout.size
	var sum uint32
	if r.sparse && order == binary.LittleEndian {
		f.to.Write(deflateSparse(f.to.AvailableBuffer(), r))
		sum = adler(r.data, r.n*size, r.at, size)
	} else {
		values := f.spread(r, order)
		f.at = columns(f.at[:0], values, size)
		sum = adler(values, len(values), f.at, size)
		f.z.Reset(&f.to)
		if _, err := f.z.Write(values); err != nil {
			return nil, err
		}
		if err := f.z.Close(); err != nil {
			return nil, err
		}
	}
	f.to.Write(binary.BigEndian.AppendUint32(nil, sum))
	return bytes.Clone(f.to.Bytes()), nil
}

// adler returns the checksum Adler-32 of a row of values of a size that has length bytes, given the columns of those that are
// not zero. Values may be all, or those only.
func adler(values []byte, length int, at []int32, size int) uint32 {
	const prime = 65521
	s, t, done := uint64(1), uint64(0), 0
	for i, column := range at {
		from := int(column) * size
		t += uint64(from-done) * s // the zeros
		value := values
		if len(values) == length {
			value = values[from:]
		} else {
			value = values[i*size:]
		}
		for _, x := range value[:size] {
			s += uint64(x)
			t += s
		}
		if done = from + size; t > 1<<62 || i&1023 == 0 {
			s, t = s%prime, t%prime
		}
	}
	t += uint64(length-done) * s
	return uint32(t%prime)<<16 | uint32(s%prime)
}

// noughts are compared with, which is the fastest way to find that many bytes are zero.
var noughts [128]byte

func zero(b []byte) bool {
	for ; len(b) > len(noughts); b = b[len(noughts):] {
		if !bytes.Equal(b[:len(noughts)], noughts[:]) {
			return false
		}
	}
	return bytes.Equal(b, noughts[:len(b)])
}

// columns appends the columns of the values that are not zero, of a row of values of a size.
func columns(at []int32, row []byte, size int) []int32 {
	many := max(1, len(noughts)/size)
	for i := 0; len(row) > 0; i += many {
		block := row[:min(len(row), many*size)]
		if row = row[len(block):]; zero(block) {
			continue
		}
		for j := i; len(block) > 0; j++ {
			if size == 8 && binary.LittleEndian.Uint64(block) != 0 || size != 8 && !zero(block[:size]) {
				at = append(at, int32(j))
			}
			block = block[size:]
		}
	}
	return at
}

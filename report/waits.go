package report

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"slices"
	"sort"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// WaitIndex says who ended the waits of the locations of a trace: for each operation that waited for another location, when it was let go, and
// by whom. It is a sequence of blocks, each of some waits of one location, by location and ascending in time. A block begins with numbers: the
// location beyond that of the block before, the waits, the first time, two widths, and how many bytes follow. In these lie bits, the lowest
// of a byte first: for each wait but the first the time since the one before as a Rice code of the first width; then a bit that is set if the
// causer is that of the wait before (at first location 0), else the causer in as many bits as the second width says.
type WaitIndex []byte

// Member returns the index as a member of a report file, which a zero may end.
func (x WaitIndex) Member() *cube.Member {
	return cube.MakeMember(query.WaitsMember, cube.Unfilled(slices.Clip(x), 0))
}

// waitsOf returns the member with the index, nil if there is none.
func waitsOf(c *cube.Cube) *cube.Member {
	if i := slices.IndexFunc(c.Members, func(m *cube.Member) bool { return m.Name == query.WaitsMember }); i >= 0 {
		return c.Members[i]
	}
	return nil
}

// ReadWaits reads the index of a report, nil if there is none. It is checked when it is used.
func ReadWaits(e *Experiment) (WaitIndex, error) {
	if e.Waits == nil {
		return nil, nil
	}
	return io.ReadAll(e.Waits.Open())
}

// BlockWaits is how many waits are in a block of an index at most.
const BlockWaits = 512

// The largest width, and unary part of a Rice code: behind that stands the whole time.
const (
	mostRice  = 48
	mostUnary = 32
)

// WaitEnd is the end of a wait.
type WaitEnd struct {
	Release int64  // when the location was let go, ns
	Causer  uint32 // location of the trace
}

// Append adds the waits of a location, ascending in time, with times not before 0. Locations come ascending; last is the one before, 0 at first.
func (x WaitIndex) Append(location, last uint32, waits []WaitEnd) WaitIndex {
	for len(waits) > 0 {
		n := min(len(waits), BlockWaits)
		x = appendBlock(x, location-last, waits[:n])
		waits, last = waits[n:], location
	}
	return x
}

// appendBlock appends one block.
func appendBlock(x []byte, location uint32, waits []WaitEnd) []byte {
	length, causers := 0, uint32(0)
	for i := range waits {
		causers |= waits[i].Causer
		if i > 0 {
			length += bits.Len64(uint64(waits[i].Release - waits[i-1].Release))
		}
	}
	rice, width := uint(min(length/len(waits), mostRice)), uint(bits.Len32(causers))
	var w bitWriter
	last := WaitEnd{Release: waits[0].Release}
	for i, v := range waits {
		if i > 0 {
			w.rice(uint64(v.Release-last.Release), rice)
		}
		if v.Causer == last.Causer {
			w.put(1, 1)
		} else {
			w.put(0, 1)
			w.put(uint64(v.Causer), width)
		}
		last = v
	}
	data := w.bytes()
	for _, v := range []uint64{uint64(location), uint64(len(waits)), uint64(waits[0].Release), uint64(rice), uint64(width), uint64(len(data))} {
		x = binary.AppendUvarint(x, v)
	}
	return append(x, data...)
}

// bitWriter collects bits.
type bitWriter struct {
	data []byte
	word uint64 // not yet in data
	n    uint   // bits of it, fewer than 8
}

// put appends n bits, at most 56.
func (w *bitWriter) put(v uint64, n uint) {
	w.word |= v << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.data = append(w.data, byte(w.word))
		w.word >>= 8
	}
}

func (w *bitWriter) rice(v uint64, k uint) {
	if high := v >> k; high < mostUnary {
		w.put(1<<high-1, uint(high)+1)
		w.put(v&(1<<k-1), k)
		return
	}
	w.put(1<<mostUnary-1, mostUnary)
	w.put(v&(1<<32-1), 32)
	w.put(v>>32, 32)
}

func (w *bitWriter) bytes() []byte {
	if w.n > 0 {
		return append(w.data, byte(w.word))
	}
	return w.data
}

// waitBlock is a block of a [WaitIndex].
type waitBlock struct {
	first       int64 // when the first wait ended
	waits       int
	rice, width uint
	data        []byte
}

var errWaits = errors.New("the index of waits is damaged")

// Locations returns readers for the locations that waited, of so many.
func (x WaitIndex) Locations(n int) (map[uint32]WaitReader, error) {
	all, location := map[uint32]WaitReader{}, uint64(0)
	for rest := []byte(x); len(rest) > 1; { // a zero may be left
		var v [6]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(rest); n <= 0 {
				return nil, errWaits
			}
			rest = rest[n:]
		}
		location += v[0]
		if v[0] > uint64(n) || location >= uint64(n) || v[1] == 0 || v[1] > BlockWaits || v[2] > 1<<62 || v[3] > mostRice || v[4] > 32 || v[5] > uint64(len(rest)) {
			return nil, errWaits
		}
		r := all[uint32(location)]
		r.blocks = append(r.blocks, waitBlock{int64(v[2]), int(v[1]), uint(v[3]), uint(v[4]), rest[:v[5]]})
		all[uint32(location)], rest = r, rest[v[5]:]
	}
	return all, nil
}

// WaitReader finds the waits of one location, fastest when each is near the one before. A copy of one that was not used yet may be used by
// another goroutine; that of a location that never waited is zero.
type WaitReader struct {
	blocks []waitBlock
	at     int // block that list is, beyond the first
	list   []WaitEnd
}

// Last returns the last wait that ended at t or before, and false if there is none.
func (r *WaitReader) Last(t int64) (WaitEnd, bool) {
	i := sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].first > t }) - 1
	if i < 0 {
		return WaitEnd{}, false
	}
	if r.list == nil || r.at != i {
		r.at, r.list = i, r.blocks[i].append(r.list[:0])
	}
	n := sort.Search(len(r.list), func(i int) bool { return r.list[i].Release > t })
	if n == 0 {
		return WaitEnd{}, false // damage
	}
	return r.list[n-1], true
}

// append appends the waits of a block, up to where it is damaged.
func (b *waitBlock) append(list []WaitEnd) []WaitEnd {
	r, w := bitReader{data: b.data}, WaitEnd{Release: b.first}
	for i := range b.waits {
		before := w.Release
		if i > 0 {
			w.Release += int64(r.rice(b.rice))
		}
		if r.bits(1) == 0 {
			w.Causer = uint32(r.bits(b.width))
		}
		if r.over || w.Release < before {
			break
		}
		list = append(list, w)
	}
	return list
}

// bitReader reads what a bitWriter wrote.
type bitReader struct {
	data []byte
	at   uint // bit
	over bool // it was asked for more than there is
}

// bits reads n bits, at most 63.
func (r *bitReader) bits(n uint) (v uint64) {
	if r.at+n > 8*uint(len(r.data)) {
		r.over = true
		return 0
	}
	for have := uint(0); have < n; {
		take := min(8-r.at%8, n-have)
		part := uint64(r.data[r.at/8]>>(r.at%8)) & (1<<take - 1)
		v |= part << have
		have, r.at = have+take, r.at+take
	}
	return v
}

func (r *bitReader) rice(k uint) uint64 {
	high := uint64(0)
	for high < mostUnary && r.bits(1) == 1 {
		high++
	}
	if high == mostUnary {
		low := r.bits(32)
		return r.bits(32)<<32 | low
	}
	return high<<k | r.bits(k)
}

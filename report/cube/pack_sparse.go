package cube

import "encoding/binary"

// A sparse row is compressed without making a full one of it: runs of zeros become repetitions of the byte before, everything else
// stands for itself, in the code that deflate has fixed (RFC 1951, 3.2.6). That takes a tenth of the time of looking for
// repetitions, and the result is about as long.

// code is some bits, the first lowest.
type code struct {
	bits uint32
	n    uint8
}

var (
	literals [256]code
	runs     [maxRun - minRun + 1]code // by length: repetition of the byte before
)

const (
	minRun = 3 // bytes
	maxRun = 258
)

func init() {
	for i := range literals {
		literals[i] = fixed(i)
	}
	// Symbols stand for 1, 2, 4, … 32 lengths, four symbols for each but eight for one; which length it is follows.
	symbol, length := 257, minRun
	for class := 0; class <= 5; class++ {
		symbols := 4
		if class == 0 {
			symbols = 8
		}
		for range symbols {
			for extra := range 1 << class {
				c := fixed(symbol)
				runs[length-minRun] = code{c.bits | uint32(extra)<<c.n, c.n + uint8(class) + distanceOne}
				length++
			}
			symbol++
		}
	}
	last := fixed(symbol) // the longest has a code of its own, too
	runs[maxRun-minRun] = code{last.bits, last.n + distanceOne}
}

// distanceOne is the number of bits of the code for the byte before, which are zero.
const distanceOne = 5

// fixed returns the fixed code of a symbol: a byte, 256 for the end, or above for a length.
func fixed(symbol int) code {
	var bits, n int
	switch {
	case symbol < 144:
		bits, n = 0x30+symbol, 8
	case symbol < 256:
		bits, n = 0x190+symbol-144, 9
	case symbol < 280:
		bits, n = symbol-256, 7
	default:
		bits, n = 0xc0+symbol-280, 8
	}
	c := code{n: uint8(n)}
	for i := range n {
		c.bits |= uint32(bits>>i&1) << (n - 1 - i)
	}
	return c
}

// bitWriter appends codes to bytes.
type bitWriter struct {
	out  []byte
	bits uint64 // that are not bytes yet
	n    uint8
}

func (w *bitWriter) put(c code) {
	w.bits |= uint64(c.bits) << w.n
	if w.n += c.n; w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits))
		w.bits >>= 32
		w.n -= 32
	}
}

// zeros writes that many zeros; begun says that the byte before is one.
func (w *bitWriter) zeros(n int, begun bool) {
	if n > 0 && !begun {
		w.put(literals[0])
		n--
	}
	for n >= minRun {
		m := min(n, maxRun)
		w.put(runs[m-minRun])
		n -= m
	}
	for range n {
		w.put(literals[0])
	}
}

// end fills the last byte up.
func (w *bitWriter) end() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

// deflateSparse appends the deflated form of a sparse row, least significant bytes first.
func deflateSparse(out []byte, r Row) []byte {
	w := bitWriter{out: out}
	w.put(code{0b011, 3}) // the last block, of fixed codes
	size, done, begun := r.layout.size, 0, false
	for i, column := range r.at {
		value := r.data[i*size : (i+1)*size]
		for len(value) > 0 && value[len(value)-1] == 0 {
			value = value[:len(value)-1]
		}
		from := int(column) * size
		w.zeros(from-done, begun)
		begun = begun || from > done
		for _, x := range value {
			w.put(literals[x])
		}
		if done = from + len(value); len(value) > 0 {
			begun = false
		}
	}
	w.zeros(r.n*size-done, begun)
	w.put(fixed(256))
	w.end()
	return w.out
}

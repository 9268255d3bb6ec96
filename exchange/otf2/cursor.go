package otf2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// cursor reads fields out of bytes. Beyond the end, and after anything that cannot be, it delivers zeros and is bad.
type cursor struct {
	b   []byte
	at  int
	big bool // byte order
	bad bool
}

func (c *cursor) byte() byte {
	if c.at >= len(c.b) {
		c.bad = true
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

// fixed reads a number of n bytes, at most 8.
func (c *cursor) fixed(n int) (v uint64) {
	if c.bad || n > len(c.b)-c.at {
		c.at, c.bad = len(c.b), true
		return 0
	}
	b := c.b[c.at:]
	if len(b) < 8 { // the end of a chunk
		var last [8]byte
		copy(last[:], b)
		b = last[:]
	}
	c.at += n
	rest := uint(64 - 8*n)
	if c.big {
		return binary.BigEndian.Uint64(b) >> rest
	}
	return binary.LittleEndian.Uint64(b) << rest >> rest
}

// number reads a compressed number of up to so many bits.
func (c *cursor) number(bits uint8) uint64 {
	switch n := c.byte(); {
	case n == 0xff && bits == 32:
		return 1<<32 - 1
	case n == 0xff:
		return 1<<64 - 1
	case n > bits/8:
		c.bad = true
		return 0
	default:
		return c.fixed(int(n))
	}
}

func (c *cursor) text() string {
	n := bytes.IndexByte(c.b[c.at:], 0)
	if n < 0 {
		c.at, c.bad = len(c.b), true
		return ""
	}
	c.at += n + 1
	return string(c.b[c.at-n-1 : c.at-1])
}

// length reads the length of a record.
func (c *cursor) length() int {
	n := uint64(c.byte())
	if n == 0xff {
		n = c.fixed(8)
	}
	if n > uint64(len(c.b)-c.at) {
		c.bad = true
		return 0
	}
	return int(n)
}

// Types of attribute values that are no compressed numbers of 64 bits, by their numbers: they take so many bytes, or bits if compressed.
const (
	typeInt8     = 5
	typeInt16    = 6
	typeInt32    = 7
	typeInt64    = 8
	typeFloat    = 9
	typeDouble   = 10
	typeString   = 11
	typeLocation = 13
	typeLast     = 25 // of those that are known
)

var (
	valueBytes = [typeLast + 1]int{1: 1, 2: 2, typeInt8: 1, typeInt16: 2, typeFloat: 4, typeDouble: 8}
	valueBits  = func() (bits [256]uint8) {
		for i := range bits {
			bits[i] = 64
			if i == 3 || i == typeInt32 || typeString <= i && i <= typeLast && i != typeLocation {
				bits[i] = 32
			}
		}
		return bits
	}()
)

// valueRefers returns what a value of a type is the number of.
func valueRefers(kind uint64) Refers {
	if kind >= typeString && kind <= typeLast {
		return Refers(kind-typeString) + Strings
	}
	return Nothing
}

// value reads the value of an attribute. Those with a sign are extended to 64 bits; floating point numbers are their bits.
func (c *cursor) value(kind uint64) uint64 {
	n := 0
	if kind < uint64(len(valueBytes)) {
		n = valueBytes[kind]
	}
	if n == 0 {
		v := c.number(valueBits[kind&0xff])
		if kind == typeInt32 {
			return uint64(int64(int32(v)))
		}
		return v
	}
	switch v := c.fixed(n); kind {
	case typeInt8:
		return uint64(int64(int8(v)))
	case typeInt16:
		return uint64(int64(int16(v)))
	default:
		return v
	}
}

// idMap reads an IdMap: its mode, then its numbers. Mode 0 has a number for each local one, mode 1 pairs.
func (c *cursor) idMap(to []uint64) []uint64 {
	n, mode := c.number(64), c.byte()
	if mode == 1 {
		n *= 2
	}
	if mode > 1 || n > uint64(len(c.b)-c.at) {
		c.bad = true
		return to
	}
	to = append(to, uint64(mode))
	for range n {
		to = append(to, c.number(64))
	}
	return to
}

// Record is one record. What it refers to has the numbers that it has in the file.
type Record struct {
	Spec   *Spec
	Values []uint64 // of all fields but texts, see Spec. A Map is its mode and its numbers, at the end
	Texts  []string // of its fields of type Text
}

var errRecord = errors.New("it ends within a field, or a number is too long")

// record reads what follows the number of a record into r, whose memory it uses again.
func (c *cursor) record(s *Spec, r *Record) error {
	r.Spec, r.Values, r.Texts = s, r.Values[:0], r.Texts[:0]
	switch s.Frame {
	case Empty:
		c.at += c.length()
	case Short:
		r.Values = append(r.Values, c.number(s.Head[0].Bits))
	case Long:
		n := c.length()
		in := cursor{b: c.b[:c.at+n], at: c.at, big: c.big, bad: c.bad}
		in.fields(s, r)
		c.at, c.bad = c.at+n, in.bad
	}
	if c.bad {
		return fmt.Errorf("a record %s cannot be read: %w", s.Name, errRecord)
	}
	return nil
}

// fields reads the fields of a record. Those that are missing at the end the writer did not know.
func (c *cursor) fields(s *Spec, r *Record) {
	c.list(s.Head, r, false)
	if s.Each != nil {
		n := int(r.Values[len(r.Values)-1])
		if n*len(s.Each) > len(c.b)-c.at {
			c.bad = true
			return
		}
		for range n {
			c.list(s.Each, r, true)
		}
	}
	c.list(s.Tail, r, false)
}

func (c *cursor) list(fields []Field, r *Record, whole bool) {
	for i := range fields {
		f := &fields[i]
		if c.at == len(c.b) && !whole {
			if f.Type == Text {
				r.Texts = append(r.Texts, "")
			} else {
				r.Values = append(r.Values, f.Missing())
			}
			continue
		}
		var v uint64
		switch f.Type {
		case Byte:
			v = uint64(c.byte())
		case Number:
			v = c.number(f.Bits)
		case Signed:
			v = c.number(64)
		case Full, Float:
			v = c.fixed(8)
		case Value:
			v = c.value(r.Values[len(r.Values)-1])
		case Text:
			r.Texts = append(r.Texts, c.text())
			continue
		case Map:
			r.Values = c.idMap(r.Values)
			continue
		}
		r.Values = append(r.Values, v)
	}
}

// Get returns the value of a field, by its name. It has to be one of Head or Tail.
func (r *Record) Get(name string) uint64 {
	if at := r.Spec.index(name); at >= 0 {
		return r.Values[at]
	}
	return r.Values[len(r.Values)+r.Spec.index(name)]
}

// Each returns the values of the fields that are repeated.
func (r *Record) Each() []uint64 {
	if r.Spec.Each == nil {
		return nil
	}
	return r.Values[len(r.Spec.Head) : len(r.Values)-len(r.Spec.Tail)]
}

// order returns whether a file is in big-endian byte order, as its second byte says.
func order(mark byte) (big, ok bool) { return mark == bigMark, mark == bigMark || mark == littleMark }

// What says how numbers are stored.
const (
	littleMark = 0x42
	bigMark    = 0x23
)

package otf2

import (
	"encoding/binary"
	"math/bits"
)

// pen appends fields to bytes, as cursor reads them.
type pen struct {
	b   []byte
	big bool
}

func (p *pen) fixed(v uint64, n int) {
	for i := range n {
		shift := 8 * i
		if p.big {
			shift = 8 * (n - 1 - i)
		}
		p.b = append(p.b, byte(v>>shift))
	}
}

// number appends a compressed number.
func (p *pen) number(v uint64, width uint8) {
	if width == 32 && v == 1<<32-1 || width == 64 && v == 1<<64-1 {
		p.b = append(p.b, 0xff)
		return
	}
	n := (bits.Len64(v) + 7) / 8
	p.b = append(p.b, byte(n))
	p.fixed(v, n)
}

func (p *pen) text(s string) { p.b = append(append(p.b, s...), 0) }

func (p *pen) length(n int) {
	if n < 0xff {
		p.b = append(p.b, byte(n))
		return
	}
	p.b = append(p.b, 0xff)
	p.fixed(uint64(n), 8)
}

func (p *pen) value(kind, v uint64) {
	if kind < uint64(len(valueBytes)) && valueBytes[kind] > 0 {
		p.fixed(v, valueBytes[kind])
		return
	}
	width := valueBits[kind&0xff]
	if kind == typeInt32 {
		v = uint64(uint32(v))
	}
	p.number(v, width)
}

// idMap appends the mode and numbers of an IdMap.
func (p *pen) idMap(values []uint64) {
	n := uint64(len(values) - 1)
	if values[0] == 1 {
		n /= 2
	}
	p.number(n, 64)
	p.b = append(p.b, byte(values[0]))
	for _, v := range values[1:] {
		p.number(v, 64)
	}
}

// record appends a record with its number. Its values have to be those that its Spec demands.
func (p *pen) record(r *Record) {
	p.b = append(p.b, r.Spec.ID)
	switch r.Spec.Frame {
	case Empty:
		p.b = append(p.b, 0)
	case Short:
		p.number(r.Values[0], r.Spec.Head[0].Bits)
	case Long:
		body := pen{big: p.big, b: make([]byte, 0, 64)}
		body.fields(r)
		p.length(len(body.b))
		p.b = append(p.b, body.b...)
	}
}

func (p *pen) fields(r *Record) {
	values, texts := r.Values, r.Texts
	last := uint64(0) // the value before, which says the type of a Value
	list := func(fields []Field) {
		for i := range fields {
			switch f := &fields[i]; f.Type {
			case Text:
				p.text(texts[0])
				texts = texts[1:]
				continue
			case Map:
				p.idMap(values)
				values = nil
				continue
			case Byte:
				p.b = append(p.b, byte(values[0]))
			case Number:
				p.number(values[0], f.Bits)
			case Signed:
				p.signed(values[0])
			case Full, Float:
				p.fixed(values[0], 8)
			case Value:
				p.value(last, values[0])
			}
			last, values = values[0], values[1:]
		}
	}
	list(r.Spec.Head)
	if r.Spec.Each != nil {
		for range last {
			list(r.Spec.Each)
		}
	}
	list(r.Spec.Tail)
}

// signed appends a number with sign, of which none is the same as none of those without.
func (p *pen) signed(v uint64) {
	if v == 1<<64-1 {
		p.b = append(p.b, 8)
		p.fixed(v, 8)
		return
	}
	p.number(v, 64)
}

// attributes appends a list of attributes.
func (p *pen) attributes(list []Attribute) {
	body := pen{big: p.big}
	body.number(uint64(len(list)), 32)
	for _, a := range list {
		body.number(a.ID, 32)
		body.b = append(body.b, byte(a.Type))
		body.value(a.Type, a.Value)
	}
	p.b = append(p.b, attributeList)
	p.length(len(body.b))
	p.b = append(p.b, body.b...)
}

// mark returns what says the byte order.
func (p *pen) mark() byte {
	if p.big {
		return bigMark
	}
	return littleMark
}

// put sets a number of 8 bytes at an offset.
func (p *pen) put(at int, v uint64) {
	if p.big {
		binary.BigEndian.PutUint64(p.b[at:], v)
	} else {
		binary.LittleEndian.PutUint64(p.b[at:], v)
	}
}

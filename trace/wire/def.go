package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A definition on its way is one byte of type, the length of the body as uvarint, and the body: numbers
// as uvarints and strings as length and bytes, in the order in which the fields stand in appendBody.

const (
	// MaxDefString is the longest string in a definition; AppendDef cuts longer ones.
	MaxDefString = 4096
	maxDefNames  = 64
	maxDefBody   = (3 + maxDefNames) * (MaxDefString + binary.MaxVarintLen64)
)

var errShortDef = errors.New("the definition is truncated")

// AppendDef appends the encoding of d to dst. Strings beyond MaxDefString are cut.
func AppendDef(dst []byte, d Def) []byte {
	body := appendBody(make([]byte, 0, 128), d)
	dst = append(dst, byte(d.Type))
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

func appendBody(b []byte, d Def) []byte {
	switch d.Type {
	case DefRegion:
		b = appendNumbers(b, uint64(d.ID))
		b = appendStrings(b, d.Name, d.Func, d.File)
		b = appendNumbers(b, uint64(d.Line))
	case DefObject:
		b = appendNumbers(b, uint64(d.ID), uint64(d.Object), d.Size, uint64(d.Region))
	case DefMetric:
		b = appendNumbers(b, uint64(d.ID))
		b = appendStrings(b, d.Name, d.Unit)
	case DefMissing:
		b = appendStrings(b, d.Name, d.Unit)
	case DefCounters:
		names := d.Names[:min(len(d.Names), maxDefNames)]
		b = appendNumbers(b, uint64(len(names)))
		b = appendStrings(b, names...)
	}
	return b
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func appendStrings(b []byte, strings ...string) []byte {
	for _, s := range strings {
		s = s[:min(len(s), MaxDefString)]
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// ReadDef decodes the definition at the start of b and returns it with the number of bytes it takes. It
// accepts any input and allocates no more than the definition's own strings.
func ReadDef(b []byte) (Def, int, error) {
	if len(b) == 0 {
		return Def{}, 0, errShortDef
	}
	d := Def{Type: DefType(b[0])}
	size, n := binary.Uvarint(b[1:])
	if n <= 0 {
		return Def{}, 0, errShortDef
	}
	if size > maxDefBody {
		return Def{}, 0, fmt.Errorf("a definition of %d bytes is too long", size)
	}
	start := 1 + n
	if size > uint64(len(b)-start) {
		return Def{}, 0, errShortDef
	}
	r := defReader{b: b[start : start+int(size)]}
	switch d.Type {
	case DefRegion:
		d.ID = r.number32()
		d.Name, d.Func, d.File = r.string(), r.string(), r.string()
		d.Line = r.number32()
	case DefObject:
		d.ID = r.number32()
		d.Object = ObjectKind(r.number(0xff))
		d.Size = r.number(^uint64(0))
		d.Region = r.number32()
	case DefMetric:
		d.ID = r.number32()
		d.Name, d.Unit = r.string(), r.string()
	case DefMissing:
		d.Name, d.Unit = r.string(), r.string()
	case DefCounters:
		for range r.number(maxDefNames) {
			d.Names = append(d.Names, r.string())
		}
	default:
		return Def{}, 0, fmt.Errorf("a definition of unknown type %d", b[0])
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("the definition has %d bytes too many", len(r.b))
	}
	if r.err != nil {
		return Def{}, 0, r.err
	}
	return d, start + int(size), nil
}

// defReader reads the body of a definition. After an error it delivers zeros.
type defReader struct {
	b   []byte
	err error
}

func (r *defReader) number(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	switch {
	case r.err != nil:
		return 0
	case n <= 0:
		r.err = errShortDef
		return 0
	case v > limit:
		r.err = fmt.Errorf("number %d in a definition; at most %d is possible", v, limit)
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *defReader) number32() uint32 { return uint32(r.number(1<<32 - 1)) }

func (r *defReader) string() string {
	n := r.number(MaxDefString)
	if n > uint64(len(r.b)) {
		r.err = errShortDef
	}
	if r.err != nil {
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

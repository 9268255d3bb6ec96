package otf2

import (
	"math"
	"strconv"
)

// AppendText appends the fields of a record as text: receiver: 1, communicator: "MPI_COMM_WORLD" <0>, … Numbers are taken for shared ones.
func (a *Archive) AppendText(b []byte, r *Record) []byte {
	value, text := 0, 0
	begin := len(b)
	field := func(f *Field) {
		if len(b) > begin {
			b = append(b, ", "...)
		}
		b = append(append(b, f.Name...), ": "...)
		switch {
		case f.Type == Text:
			b = strconv.AppendQuote(b, r.Texts[text])
			text++
		case f.Type == Map:
			for i, v := range r.Values[value:] {
				if i > 0 {
					b = append(b, ' ')
				}
				b = strconv.AppendUint(b, v, 10)
			}
			value = len(r.Values)
		case f.Type == Value || f.Name == "metricValues":
			b = a.appendTyped(b, r.Values[value-1], r.Values[value])
			value++
		default:
			b = a.appendField(b, f, r.Values[value])
			value++
		}
	}
	for i := range r.Spec.Head {
		field(&r.Spec.Head[i])
	}
	for range len(r.Each()) / max(1, len(r.Spec.Each)) {
		for i := range r.Spec.Each {
			field(&r.Spec.Each[i])
		}
	}
	for i := range r.Spec.Tail {
		field(&r.Spec.Tail[i])
	}
	return b
}

// AppendAttributes appends attributes as AppendText does fields.
func (a *Archive) AppendAttributes(b []byte, list []Attribute) []byte {
	for i, x := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(strconv.AppendQuote(b, a.NameOf(Attributes, x.ID)), ": "...)
		b = a.appendTyped(b, x.Type, x.Value)
	}
	return b
}

// appendField appends one value.
func (a *Archive) appendField(b []byte, f *Field, v uint64) []byte {
	switch {
	case f.Refers != Nothing && f.Name == "self", f.Refers == Nothing && f.Words == nil && f.Type == Byte, f.Type == Full:
		return strconv.AppendUint(b, v, 10)
	case f.Refers != Nothing && (f.Words == nil || a.Find(f.Refers, v) != nil):
		return a.appendReference(b, f.Refers, v, f.undefined())
	case f.Flags:
		return appendFlags(b, f.Words, v)
	case f.Words != nil && v < uint64(len(f.Words)):
		return append(b, f.Words[v]...)
	case f.Type == Float:
		return strconv.AppendFloat(b, math.Float64frombits(v), 'g', -1, 64)
	case f.Type == Signed && (v == 1<<63 || v == 1<<64-1 && f.Name == "exitStatus"), f.Type == Number && v == f.undefined():
		return append(b, "UNDEFINED"...)
	case f.Type == Signed:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, v, 10)
}

// appendReference appends the name and number of a definition.
func (a *Archive) appendReference(b []byte, kind Refers, v, undefined uint64) []byte {
	if v == undefined {
		return append(b, "UNDEFINED"...)
	}
	if a.Find(kind, v) != nil {
		b = append(strconv.AppendQuote(b, a.NameOf(kind, v)), ' ')
	}
	return append(strconv.AppendUint(append(b, '<'), v, 10), '>')
}

func appendFlags(b []byte, words []string, v uint64) []byte {
	if v == 0 {
		return append(b, "NONE"...)
	}
	begin := len(b)
	for i, word := range words {
		if v>>i&1 != 0 {
			if len(b) > begin {
				b = append(b, '|')
			}
			b = append(b, word...)
			v &^= 1 << i
		}
	}
	if v != 0 { // of a newer version
		b = strconv.AppendUint(append(b, "|0x"...), v, 16)
	}
	return b
}

// appendTyped appends a value whose type goes with it.
func (a *Archive) appendTyped(b []byte, kind, v uint64) []byte {
	if to := valueRefers(kind); to != Nothing {
		return a.appendReference(b, to, v, 1<<valueBits[kind]-1)
	}
	switch kind {
	case typeFloat:
		return strconv.AppendFloat(b, float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case typeDouble:
		return strconv.AppendFloat(b, math.Float64frombits(v), 'g', -1, 64)
	case typeInt8, typeInt16, typeInt32, typeInt64:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, v, 10)
}

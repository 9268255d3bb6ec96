package web

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"tracerec/metric/spec"
	"tracerec/report/cube"
)

// column is a list of numbers for the page. Integers keep all digits; what is no number becomes null.
type column []cube.Value

// appendTo appends the column as JSON. It is here because columns are most of what is sent, and encoding/json reads everything that a
// MarshalJSON method returns once more.
func (c column) appendTo(b []byte) []byte {
	if c == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, v := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}

// MarshalJSON implements json.Marshaler.
func (c column) MarshalJSON() ([]byte, error) { return c.appendTo(nil), nil }

// ranges are what the values of a column lie in, nil for those that are certain or missing: [least, most] or null.
type ranges []*spec.Interval

func (r ranges) appendTo(b []byte) []byte {
	b = append(b, '[')
	for i, in := range r {
		if i > 0 {
			b = append(b, ',')
		}
		if in == nil {
			b = append(b, "null"...)
			continue
		}
		b = appendValue(append(b, '['), cube.Float(in.Low))
		b = append(appendValue(append(b, ','), cube.Float(in.High)), ']')
	}
	return append(b, ']')
}

// MarshalJSON implements json.Marshaler.
func (r ranges) MarshalJSON() ([]byte, error) { return r.appendTo(nil), nil }

// number is one value for the page.
type number cube.Value

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) { return appendValue(nil, cube.Value(n)), nil }

func appendValue(b []byte, v cube.Value) []byte {
	switch f := v.Float64(); {
	case f == 0:
		return append(b, '0')
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	}
	return v.Append(b)
}

// float is a number that may be missing: NaN becomes null.
type float float64

// MarshalJSON implements json.Marshaler.
func (f float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', -1, 64), nil
}

// marshal encodes an answer. Text may hold anything; it is for scripts, not for an HTML parser.
func marshal(answer any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(answer); err != nil {
		return nil, err
	}
	return harmless(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// harmless replaces what is not to be seen in a recorded name, or a line of source, but would change how its neighbours look:
// control characters but for tabs and ends of lines, and marks that turn the direction of writing. JSON remains JSON.
func harmless(b []byte) []byte {
	var out []byte
	from := 0 // of what is not copied yet
	for i := 0; i < len(b); {
		n, bad := 1, false
		switch c := b[i]; {
		case c == '\\' && b[i+1] == 'u':
			r, _ := strconv.ParseUint(string(b[i+2:i+6]), 16, 32)
			n, bad = 6, r < ' '
		case c == '\\':
			n, bad = 2, b[i+1] == 'b' || b[i+1] == 'f'
		case c >= 0x7f:
			var r rune
			r, n = utf8.DecodeRune(b[i:])
			bad = unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		}
		if bad {
			out = append(append(out, b[from:i]...), "\ufffd"...)
			from = i + n
		}
		i += n
	}
	if from == 0 {
		return b
	}
	return append(out, b[from:]...)
}

func jsonError(reason string) []byte {
	b, _ := marshal(map[string]string{"error": reason})
	return b
}

package trace

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vmihailenco/msgpack/v5"

	"tracerec/trace/wire"
)

// Everything but events is stored as msgpack arrays, one behind the other. This file is the only one
// that knows msgpack. Arrays are read element by element with their length checked, because decoding
// whole values allocates by lengths that a file merely claims.

// recordWriter appends records to a buffer.
type recordWriter struct {
	buf bytes.Buffer
	enc *msgpack.Encoder
}

func newRecordWriter() *recordWriter {
	w := &recordWriter{}
	w.enc = msgpack.NewEncoder(&w.buf)
	w.enc.UseCompactInts(true)
	return w
}

// Strings and lists of strings are cut to these many bytes, so that a record fits into a frame.
const maxString, maxStrings = 1 << 12, 1 << 20

// array appends an array of strings, integers and string slices. Writing to memory cannot fail.
func (w *recordWriter) array(fields ...any) {
	w.enc.EncodeArrayLen(len(fields))
	for _, f := range fields {
		switch v := f.(type) {
		case string:
			w.enc.EncodeString(v[:min(len(v), maxString)])
		case uint64:
			w.enc.EncodeUint(v)
		case int64:
			w.enc.EncodeInt(v)
		case []string:
			n := min(len(v), maxStrings/(maxString+8))
			w.enc.EncodeArrayLen(n)
			for _, s := range v[:n] {
				w.enc.EncodeString(s[:min(len(s), maxString)])
			}
		default:
			panic(fmt.Sprintf("trace: record field of type %T", f))
		}
	}
}

func (w *recordWriter) definition(d wire.Def) {
	id := uint64(d.ID)
	switch d.Type {
	case wire.DefRegion:
		w.array(uint64(d.Type), id, d.Name, d.Func, d.File, uint64(d.Line))
	case wire.DefObject:
		w.array(uint64(d.Type), id, uint64(d.Object), d.Size, uint64(d.Region))
	case wire.DefMetric:
		w.array(uint64(d.Type), id, d.Name, d.Unit)
	case wire.DefCounters:
		w.array(uint64(d.Type), d.Names)
	}
}

// stamp appends a reading of the clocks, and of the processor time that was used by then if that is known.
func (w *recordWriter) stamp(s Stamp, cpu int64, before ...any) {
	fields := append(before, s.Ticks, s.Mono, s.Wall)
	if cpu > 0 {
		fields = append(fields, cpu)
	}
	w.array(fields...)
}

func (w *recordWriter) counts(counts map[string]uint64) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		w.array(name, counts[name])
	}
}

// recordReader reads records; after a failure err is set and everything reads as zero.
type recordReader struct {
	r   *bytes.Reader
	dec *msgpack.Decoder
	err error
}

func newRecordReader(b []byte) *recordReader {
	r := bytes.NewReader(b)
	return &recordReader{r: r, dec: msgpack.NewDecoder(r)}
}

var errRecord = errors.New("a record is damaged")

// more says whether there is another record.
func (r *recordReader) more() bool { return r.err == nil && r.r.Len() > 0 }

// length reads the length of an array of at least one byte per element.
func (r *recordReader) length() int {
	if r.err != nil {
		return 0
	}
	n, err := r.dec.DecodeArrayLen()
	if err != nil || n < 0 || n > r.r.Len() {
		r.err = errRecord
		return 0
	}
	return n
}

// array reads the head of an array that must have n elements.
func (r *recordReader) array(n int) {
	if r.length() != n {
		r.err = errRecord
	}
}

func (r *recordReader) uint(limit uint64) uint64 {
	if r.err != nil {
		return 0
	}
	v, err := r.dec.DecodeUint64()
	if err != nil || v > limit {
		r.err = errRecord
		return 0
	}
	return v
}

func (r *recordReader) int() int64 {
	if r.err != nil {
		return 0
	}
	v, err := r.dec.DecodeInt64()
	if err != nil {
		r.err = errRecord
	}
	return v
}

func (r *recordReader) string() string {
	if r.err != nil {
		return ""
	}
	n, err := r.dec.DecodeBytesLen()
	if err != nil || n < 0 || n > r.r.Len() {
		r.err = errRecord
		return ""
	}
	b := make([]byte, n)
	if err := r.dec.ReadFull(b); err != nil {
		r.err = errRecord
	}
	return string(b)
}

func (r *recordReader) strings() []string {
	var s []string
	for range r.length() {
		s = append(s, r.string())
	}
	return s
}

// stamp reads a record of some fields and a stamp, with or without the processor time.
func (r *recordReader) stamp(before ...*int64) (s Stamp, cpu int64) {
	n, want := r.length(), len(before)+3
	if n != want && n != want+1 {
		r.err = errRecord
	}
	for _, field := range before {
		*field = r.int()
	}
	s = Stamp{r.uint(1<<64 - 1), r.int(), r.int()}
	if n > want {
		cpu = min(max(r.int(), 0), maxNS)
	}
	return s, cpu
}

// definition reads one definition.
func (r *recordReader) definition() (d wire.Def) {
	n := r.length()
	d.Type = wire.DefType(r.uint(255))
	want := 0
	switch d.Type {
	case wire.DefRegion:
		want = 6
		d.ID, d.Name, d.Func, d.File, d.Line = r.id(), r.string(), r.string(), r.string(), r.id()
	case wire.DefObject:
		want = 5
		d.ID, d.Object, d.Size, d.Region = r.id(), wire.ObjectKind(r.uint(255)), r.uint(1<<64-1), r.id()
	case wire.DefMetric:
		want = 4
		d.ID, d.Name, d.Unit = r.id(), r.string(), r.string()
	case wire.DefCounters:
		want = 2
		d.Names = r.strings()
	}
	if n != want {
		r.err = errRecord
	}
	return d
}

func (r *recordReader) processor() Processor {
	number := func() int { return int(int32(r.int())) }
	return Processor{Arch: r.string(), Vendor: r.string(), Family: number(), Model: number(), Stepping: number(), Name: r.string()}
}

func (r *recordReader) id() uint32 { return uint32(r.uint(1<<32 - 1)) }

package trace

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"tracerec/trace/wire"
)

// Decoder decodes chunks of one archive. Each worker needs one of its own.
type Decoder struct {
	a      *Archive
	zip    *zstd.Decoder
	source func(chunk int, to *Batch) error // nil for archives of this package's own
}

// Buffer holds what one Decode returned; with a warm one decoding is free of allocation. The zero Buffer is ready.
type Buffer struct {
	stored, raw []byte
	col         [columns]column
	dir         directory
	symbols     []decodedSymbol
	vector      []uint64
	events      []Event
	values      []uint64
	batches     []Batch
}

// decodedSymbol is a symbol with global id, and the predictor of its words.
type decodedSymbol struct {
	word  uint64
	id    uint32
	kind  wire.Kind
	class wordClass

	received bool // the events are of receives
}

// NewDecoder returns a decoder for chunks of a.
func (a *Archive) NewDecoder() *Decoder {
	if a.source != nil {
		return &Decoder{a: a, source: a.source.Decoder()}
	}
	zip, err := newDecompressor()
	if err != nil {
		panic(err) // its options are constants
	}
	return &Decoder{a: a, zip: zip}
}

// Decode reads a chunk. The batches are valid until buf is used again. An error is a [Problem]; the chunk of an archive of another format may have
// events nevertheless.
func (d *Decoder) Decode(c *Chunk, buf *Buffer) ([]Batch, error) {
	if d.source != nil {
		return d.decodeSource(c, buf)
	}
	if err := d.decode(c, buf); err != nil {
		return nil, Problem{c.segment.name, c.offset, err.Error()}
	}
	return buf.batches, nil
}

func (d *Decoder) decode(c *Chunk, buf *Buffer) error {
	buf.stored = resize(buf.stored, int(c.f.DirStored+c.f.Stored))
	if err := c.segment.read(buf.stored, c.offset+headerSize); err != nil {
		return err
	}
	// The directory is parsed before the columns take its place.
	buf.raw = resize(buf.raw, int(max(c.f.DirRaw, c.f.Raw+columns*padding)))
	dir, err := inflate(d.zip, buf.raw, buf.stored[:c.f.DirStored], int(c.f.DirRaw))
	if err != nil {
		return err
	}
	if err := buf.dir.parse(&c.f, dir); err != nil {
		return err
	}
	col := &buf.col
	stored, raw := buf.stored[c.f.DirStored:], buf.raw
	for i := range col {
		n, m := int(buf.dir.raw[i]), int(buf.dir.stored[i])
		if _, err := inflate(d.zip, raw[:n+padding], stored[:m], n); err != nil {
			return err
		}
		clear(raw[n : n+padding])
		col[i] = column{raw[:n+padding], 0}
		raw, stored = raw[n+padding:], stored[m:]
	}
	if err := buf.prepare(c); err != nil {
		return err
	}
	return buf.decode(c)
}

var errEvents = errors.New("the chunk's events are damaged")

// column is a cursor in a decompressed column, which has padding behind its end.
type column struct {
	b  []byte
	at int
}

// done says whether everything was read and nothing more.
func (c *column) done() bool { return c.at == len(c.b)-padding }

// varint reads a signed varint. Beyond the end it reads the padding, which done notices.
func (c *column) varint() uint64 {
	if c.at > len(c.b)-padding {
		return 0
	}
	if b := c.b[c.at]; b < 0x80 {
		c.at++
		return uint64(b>>1) ^ -uint64(b&1)
	}
	v, n := binary.Varint(c.b[c.at:])
	if n <= 0 {
		c.at = len(c.b) // more than 64 bits
		return 0
	}
	c.at += n
	return uint64(v)
}

// prepare sizes the buffer for c and translates its symbols.
func (buf *Buffer) prepare(c *Chunk) error {
	p := c.process
	buf.symbols = buf.symbols[:0]
	for _, s := range buf.dir.symbols {
		y := decodedSymbol{kind: s.kind, id: s.id, class: classOf[s.kind], received: receives(s.kind, s.id)}
		switch spec, _ := wire.SpecOf(s.kind); spec.ID {
		case wire.RegionID:
			r := p.regions.find(uint64(s.id))
			if r == nil {
				return errEvents
			}
			y.id = r.index
		case wire.MetricID:
			m := p.metrics.find(uint64(s.id))
			if m == nil {
				return errEvents
			}
			y.id = m.index
		case wire.CountID:
			if s.id > maxVector {
				return errEvents
			}
		}
		buf.symbols = append(buf.symbols, y)
	}
	if buf.vector == nil {
		buf.vector = make([]uint64, maxVector)
	}
	clear(buf.vector)
	if cap(buf.events) < c.Events {
		buf.events = make([]Event, c.Events)
	}
	if n := int(buf.dir.values); cap(buf.values) < n {
		buf.values = make([]uint64, n)
	}
	return nil
}

// chunkState is where the decoding of a chunk stands.
type chunkState struct {
	col    *[columns]column
	p      *process
	buf    *Buffer
	f      *frame
	values []uint64 // room left for counter values
	batch  int      // number of values of the batch so far
	lock   uint64   // raw word of the last LockBegin
	bad    bool

	numbers numbers
}

// decode decodes the runs of c into batches.
func (buf *Buffer) decode(c *Chunk) error {
	col := &buf.col
	s := chunkState{col: col, p: c.process, buf: buf, f: &c.f, values: buf.values[:buf.dir.values]}
	events := buf.events[:c.Events]
	buf.batches = buf.batches[:0]
	start := int64(0)
	for i := range buf.dir.runs {
		r := &buf.dir.runs[i]
		l := s.p.numbers.find(r.location)
		if l == nil {
			return errEvents
		}
		run, values := events[:r.events:r.events], s.values
		s.batch = 0
		first, ok := s.run(run, start)
		if !ok || s.bad {
			return errEvents
		}
		start = first
		buf.batches = append(buf.batches, Batch{*l, run, values[:s.batch:s.batch]})
		events = events[r.events:]
	}
	for i := tailColumn; i < columns; i++ {
		if !col[i].done() {
			return errEvents
		}
	}
	if len(s.values) != 0 {
		return errEvents
	}
	return nil
}

// run decodes one run and returns the time of its first event; start is that of the run before.
func (s *chunkState) run(events []Event, start int64) (first int64, ok bool) {
	sym, upper, times := &s.col[symbolColumn], &s.col[upperColumn], &s.col[timeColumn]
	lower, higher, classes := sym.b[sym.at:], upper.b[upper.at:], times.b[times.at:][:len(events)]
	lower = lower[:len(events)]
	wide := len(upper.b) > padding
	if wide {
		higher = higher[:len(events)]
		upper.at += len(events)
	}
	sym.at += len(events)
	times.at += len(events)
	tails := s.col[tailColumn]
	symbols, unit, last := s.buf.symbols, s.p.base.unit, s.f.Last
	t, limit := start, int64(-1<<63)
	var seg timeSegment
	for i := range events {
		k := int(lower[i])
		if wide {
			k |= int(higher[i]) << 8
		}
		c := classes[i]
		if k >= len(symbols) || tails.at > len(tails.b)-padding {
			return 0, false
		}
		y := &symbols[k]
		d := timeBase[c] + binary.LittleEndian.Uint64(tails.b[tails.at:])&timeMask[c]
		tails.at += int(timeTail[c])
		if i > 0 {
			if d > uint64(last-t) {
				return 0, false
			}
			t += int64(d)
		} else if t += int64(d>>1) ^ -int64(d&1); t < s.f.First || t > last {
			return 0, false
		} else {
			first = t
		}
		if t >= limit {
			seg, limit = s.p.base.segment(t)
		}
		hi, lo := bits.Mul64(uint64(t)*unit-uint64(seg.tick), seg.slope)
		e := &events[i]
		e.Time = seg.ns + int64(hi<<32|lo>>32)
		e.ID, e.Kind, e.Word = y.id, y.kind, 0
		if y.class != noWord {
			e.Word = s.word(y, t)
		}
	}
	s.col[tailColumn].at = tails.at
	return first, true
}

// word decodes the word of an event with symbol y at time t.
func (s *chunkState) word(y *decodedSymbol, t int64) uint64 {
	switch y.class {
	case objectWord:
		y.word = s.rawObject(y.word)
		return s.object(y.word)
	case lockWord:
		y.word = s.rawObject(y.word)
		s.lock = y.word
		return s.object(y.word)
	case releaseWord:
		return s.object(s.rawObject(s.lock))
	case channelWord:
		y.word = s.rawObject(y.word)
		s.numbers.at = placeOf(uint32(y.word), y.received)
		return s.object(y.word)
	case choseWord:
		object := uint32(y.word) + uint32(s.col[objectColumn].varint())
		at := placeOf(object, y.received)
		number := s.numbers.next(at) + uint32(s.col[extraColumn].varint())
		y.word, s.numbers.last[at] = wire.ObjectWord(object, number), number
		return s.object(y.word)
	case numberWord:
		n := &s.numbers
		number := uint64(n.next(n.at)) + s.col[valueColumn].varint()
		n.last[n.at] = uint32(number)
		return number
	case counterWord:
		return s.counters(int(y.id))
	}
	y.word += s.col[valueColumn].varint()
	switch y.class {
	case placeWord:
		if l := s.p.numbers.find(y.word); l != nil {
			return uint64(*l) + 1
		}
		return 0
	case ticksWord:
		return s.p.base.duration(y.word, t)
	}
	return y.word
}

// rawObject reads an object word as the process wrote it.
func (s *chunkState) rawObject(predicted uint64) uint64 {
	object := uint32(predicted) + uint32(s.col[objectColumn].varint())
	extra := uint32(predicted>>32) + uint32(s.col[extraColumn].varint())
	return wire.ObjectWord(object, extra)
}

// object translates an object word.
func (s *chunkState) object(raw uint64) uint64 {
	id := uint32(raw)
	switch o := s.p.objects.find(uint64(id)); {
	case id == 0:
		return raw
	case id > s.buf.dir.maxObject:
		s.bad = true
		return 0
	case o == nil:
		return raw&^(1<<32-1) | uint64(s.p.noObject+1)
	default:
		return raw&^(1<<32-1) | uint64(o.index+1)
	}
}

// counters reads a vector of n values and returns where it begins in the batch.
func (s *chunkState) counters(n int) uint64 {
	if n > len(s.values) {
		s.bad = true
		return 0
	}
	for i := range n {
		s.buf.vector[i] += s.col[valueColumn].varint()
		s.values[i] = s.buf.vector[i]
	}
	s.values = s.values[n:]
	s.batch += n
	return uint64(s.batch - n)
}

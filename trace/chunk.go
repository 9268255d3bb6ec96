package trace

import (
	"encoding/binary"
	"errors"

	"tracerec/trace/wire"
)

// A chunk keeps its events in columns, each compressed alone, because like stands next to like then:
//
//	symbols  one byte per event (a second column holds the upper byte if there are more than 256): index
//	         in the table of the distinct (kind, id) pairs of the chunk, which is in the directory
//	times    one byte per event: the time since the event before, or the class of it …
//	tails    … and the lower bytes of those that need more
//	objects  per event with an object: difference to the object predicted, as a signed varint
//	extras   per event with an object: the same for mode, delta, generation or number
//	values   per event with another word, and per counter value: difference to the one predicted
//
// The prediction is the word of the last event with the same symbol, but for Release the word of the
// last LockBegin, and for the numbers of values see numbers.
const (
	symbolColumn = iota
	upperColumn
	timeColumn
	tailColumn
	objectColumn
	extraColumn
	valueColumn
	columns
)

// Classes of times: a byte below 128 is the time itself; the others start at timeBase and are followed
// by timeTail bytes, little-endian, in the tail column.
var (
	timeBase [256]uint64
	timeTail [256]uint8
	timeMask [256]uint64
)

// timeClasses are the ranges of bytes with the same length of tail.
var timeClasses = [...]struct{ first, last, tail int }{{0, 127, 0}, {128, 191, 1}, {192, 239, 2}, {240, 247, 3}, {248, 248, 8}}

func init() {
	next := uint64(0)
	for _, c := range timeClasses {
		for b := c.first; b <= c.last; b++ {
			timeTail[b] = uint8(c.tail)
			timeMask[b] = 1<<(8*c.tail) - 1
			timeBase[b] = next
			next += 1 << (8 * c.tail)
		}
	}
	timeBase[248], timeMask[248] = 0, ^uint64(0)
	for b := 249; b < 256; b++ {
		timeTail[b] = 8
	}
}

// wordClass says how the word of an event is stored.
type wordClass uint8

const (
	noWord      wordClass = iota
	objectWord            // object id and something
	lockWord              // the same, and it predicts that of the Release to come
	releaseWord           // the same, predicted so
	channelWord           // the same, and it predicts the Passed to come
	choseWord             // object id and number
	numberWord            // of a value that went through a channel
	valueWord             // any number
	placeWord             // number of a location
	ticksWord             // a duration
	counterWord           // a vector
	badWord               // unknown kind
)

// classOf maps kinds to word classes.
var classOf = func() (t [256]wordClass) {
	for k := range t {
		t[k] = badWord
	}
	for _, s := range wire.Specs {
		switch {
		case s.Kind == wire.Time: // never in an archive
		case s.ID == wire.CountID:
			t[s.Kind] = counterWord
		case s.Kind == wire.LockBegin:
			t[s.Kind] = lockWord
		case s.Kind == wire.Release:
			t[s.Kind] = releaseWord
		case s.Kind == wire.SendBegin || s.Kind == wire.RecvBegin:
			t[s.Kind] = channelWord
		case s.Kind == wire.Chose:
			t[s.Kind] = choseWord
		case s.Kind == wire.Passed:
			t[s.Kind] = numberWord
		case s.Kind == wire.Overhead:
			t[s.Kind] = ticksWord
		case s.Kind == wire.Create, s.Kind == wire.Begin, s.Kind == wire.Ready:
			t[s.Kind] = placeWord
		case len(s.Words) == 0:
			t[s.Kind] = noWord
		case s.Object != 0:
			t[s.Kind] = objectWord
		default:
			t[s.Kind] = valueWord
		}
	}
	return t
}()

// hasObject says whether the word of an event names an object.
func (c wordClass) hasObject() bool { return objectWord <= c && c <= choseWord }

// numbers predicts the numbers of the values that go through channels: the next one of the channel, in the same direction. Writer and
// reader keep it alike. Channels that share a place are only predicted badly.
type numbers struct {
	last [1 << 8]uint32
	at   uint8 // place of the last send or receive that began
}

// receives says whether events of this kind and id are of receives.
func receives(kind wire.Kind, id uint32) bool {
	return kind == wire.RecvBegin || kind == wire.Chose && wire.Outcome(id) != wire.Sent
}

// placeOf returns the place of a channel and a direction.
func placeOf(object uint32, received bool) uint8 {
	at := uint8(object) << 1
	if received {
		at++
	}
	return at
}

// next returns the number predicted at a place.
func (n *numbers) next(at uint8) uint32 {
	if last := n.last[at]; last > 0 {
		return last + 1
	}
	return 0
}

// run is the head of consecutive events of one location within a chunk.
type run struct {
	location uint64 // number within the process
	goid     uint64
	seq      uint64 // of the first raw chunk in it
	pieces   uint64 // raw chunks that end in it
	events   uint32
}

// directory is the decoded head of a chunk: what a reader knows without touching the events.
type directory struct {
	symbols   []symbol
	runs      []run
	maxObject uint32 // greatest object id of the events
	values    uint32 // number of counter values
	raw       [columns]uint32
	stored    [columns]uint32
}

// symbol is a distinct (kind, id) pair of a chunk.
type symbol struct {
	kind wire.Kind
	id   uint32
}

// appendTo appends the directory's encoding. Numbers are varints; a field of all runs stands before the
// next field of all runs, and numbers and goroutine ids are differences.
func (d *directory) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(d.symbols)))
	for _, s := range d.symbols {
		b = binary.AppendUvarint(append(b, byte(s.kind)), uint64(s.id))
	}
	b = binary.AppendUvarint(b, uint64(d.maxObject))
	b = binary.AppendUvarint(b, uint64(d.values))
	for i := range d.raw {
		b = binary.AppendUvarint(b, uint64(d.raw[i]))
		b = binary.AppendUvarint(b, uint64(d.stored[i]))
	}
	var number, goid uint64
	for _, r := range d.runs {
		b = binary.AppendVarint(b, int64(r.location-number))
		number = r.location
	}
	for _, r := range d.runs {
		b = binary.AppendVarint(b, int64(r.goid-goid))
		goid = r.goid
	}
	for _, r := range d.runs {
		b = binary.AppendUvarint(b, r.seq)
	}
	for _, r := range d.runs {
		b = binary.AppendUvarint(b, r.pieces)
	}
	for _, r := range d.runs {
		b = binary.AppendUvarint(b, uint64(r.events))
	}
	return b
}

var errDirectory = errors.New("the chunk's directory is damaged")

// cursor reads varints from a slice; after the end it delivers zeros and is bad.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 || v > limit {
		c.b, c.bad = nil, true
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.b, c.bad = nil, true
		return 0
	}
	c.b = c.b[n:]
	return v
}

// parse reads the directory of the chunk with header f out of its decompressed bytes, reusing d's memory.
func (d *directory) parse(f *frame, b []byte) error {
	c := cursor{b: b}
	n := c.uvarint(min(maxSymbols, uint64(len(b))))
	d.symbols = d.symbols[:0]
	for range n {
		s := symbol{wire.Kind(c.uvarint(255)), uint32(c.uvarint(wire.MaxID))}
		if classOf[s.kind] == badWord {
			return errDirectory
		}
		d.symbols = append(d.symbols, s)
	}
	d.maxObject = uint32(c.uvarint(1<<32 - 1))
	d.values = uint32(c.uvarint(maxRaw))
	var raw, stored uint64
	for i := range d.raw {
		d.raw[i] = uint32(c.uvarint(maxRaw))
		d.stored[i] = uint32(c.uvarint(uint64(d.raw[i])))
		raw += uint64(d.raw[i])
		stored += uint64(d.stored[i])
	}
	d.runs = d.runs[:0]
	if c.bad || uint64(f.Entries)*5 > uint64(len(c.b)) || raw != uint64(f.Raw) || stored != uint64(f.Stored) ||
		d.raw[symbolColumn] != f.Events || d.raw[timeColumn] != f.Events ||
		d.raw[upperColumn] != 0 && d.raw[upperColumn] != f.Events || d.values > d.raw[valueColumn] || n == 0 {
		return errDirectory
	}
	return d.parseRuns(f, c)
}

// parseRuns reads the fields of the runs.
func (d *directory) parseRuns(f *frame, c cursor) error {
	var number, goid, events uint64
	for range f.Entries {
		number += uint64(c.varint())
		d.runs = append(d.runs, run{location: number})
	}
	for i := range d.runs {
		goid += uint64(c.varint())
		d.runs[i].goid = goid
	}
	for i := range d.runs {
		d.runs[i].seq = c.uvarint(1<<63 - 1)
	}
	for i := range d.runs {
		d.runs[i].pieces = c.uvarint(maxEvents)
	}
	for i := range d.runs {
		d.runs[i].events = uint32(c.uvarint(maxEvents))
		events += uint64(d.runs[i].events)
		if d.runs[i].events == 0 {
			return errDirectory
		}
	}
	if c.bad || len(c.b) != 0 || events != uint64(f.Events) {
		return errDirectory
	}
	return nil
}

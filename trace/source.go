package trace

import (
	"math"
	"math/bits"
	"slices"
)

// Source is an archive of another format, in the words of this package: all that reads archives reads it.
type Source struct {
	Header      Header
	Ticks       Ticks // of all its times; 0 is Nanoseconds
	Definitions Definitions
	Chunks      []SourceChunk // those of a location in order
	Problems    []Problem
	// Decoder returns a function that appends the events of a chunk, which is the n-th, and their values, to a batch. One goroutine uses it. With an error it may append the events that could be read.
	Decoder func() func(chunk int, to *Batch) error
}

// SourceChunk is a piece of a location's events that can be read alone.
type SourceChunk struct {
	Location    LocationID
	First, Last int64 // times of the earliest and the latest event, ticks since the start of the experiment
	Events      int
	Bytes       int64
}

// Ticks is a measure of time: how many ticks of a clock are a second.
type Ticks int64

// Nanoseconds are the ticks of all archives but those of other formats.
const Nanoseconds Ticks = 1e9

// Time returns a time in ns, rounded towards 0.
func (t Ticks) Time(ticks int64) int64 { return t.nanoseconds(ticks, 0) }

// Duration returns a duration in ns, rounded to the nearest.
func (t Ticks) Duration(ticks int64) int64 { return t.nanoseconds(ticks, uint64(t)/2) }

func (t Ticks) nanoseconds(ticks int64, half uint64) int64 {
	switch {
	case t == Nanoseconds:
		return ticks
	case ticks < 0:
		return -t.nanoseconds(-max(ticks, -math.MaxInt64), half)
	}
	high, low := bits.Mul64(uint64(ticks), uint64(Nanoseconds))
	low, carry := bits.Add64(low, half, 0)
	if high += carry; high >= uint64(t) {
		return math.MaxInt64
	}
	ns, _ := bits.Div64(high, low, uint64(t))
	return int64(min(ns, math.MaxInt64))
}

// FromSource returns the archive that a source is. Its definitions must be complete. Times are in ns, see [Archive.InTicks].
func FromSource(s *Source) *Archive {
	if s.Ticks <= 0 {
		s.Ticks = Nanoseconds
	}
	a := &Archive{header: s.Header, defs: s.Definitions, problems: s.Problems, source: s, ticks: Nanoseconds}
	a.defs.Processes = slices.Clone(s.Definitions.Processes)
	for i := range a.defs.Processes {
		p := &a.defs.Processes[i]
		p.Start, p.End = s.Ticks.Time(p.Start), s.Ticks.Time(p.End)
	}
	a.chunks = s.chunks(s.Ticks)
	return a
}

// Converted says whether the archive is one of another format. To decode its chunks takes longer.
func (a *Archive) Converted() bool { return a.source != nil }

// chunks returns the chunks, with times in ns if they are in ticks as said, as they are if those are ns.
func (s *Source) chunks(ticks Ticks) (list []*Chunk) {
	for i, c := range s.Chunks {
		list = append(list, &Chunk{First: ticks.Time(c.First), Last: ticks.Time(c.Last), Events: c.Events, Locations: []LocationID{c.Location}, bytes: c.Bytes, index: i})
	}
	return list
}

// InTicks returns the archive with its times as the clock told them, and what they mean: those of an archive of another format may be finer than ns.
func (a *Archive) InTicks() (*Archive, Ticks) {
	s := a.source
	if s == nil || s.Ticks == Nanoseconds {
		return a, Nanoseconds
	}
	return &Archive{header: s.Header, defs: s.Definitions, problems: s.Problems, source: s, ticks: s.Ticks, chunks: s.chunks(Nanoseconds)}, s.Ticks
}

// decodeSource reads a chunk of a source.
func (d *Decoder) decodeSource(c *Chunk, buf *Buffer) ([]Batch, error) {
	b := Batch{Location: c.Locations[0], Events: buf.events[:0], Values: buf.values[:0]}
	err := d.source(c.index, &b)
	if from := d.a.source.Ticks; from != d.a.ticks {
		for i := range b.Events {
			b.Events[i].Time = from.Time(b.Events[i].Time)
		}
	}
	buf.events, buf.values, buf.batches = b.Events, b.Values, buf.batches[:0]
	if len(b.Events) > 0 {
		buf.batches = append(buf.batches, b)
	}
	return buf.batches, err
}

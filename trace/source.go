package trace

// Source is an archive of another format, in the words of this package: all that reads archives reads it.
type Source struct {
	Header      Header
	Definitions Definitions
	Chunks      []SourceChunk // those of a location in order
	Problems    []Problem
	// Decoder returns a function that appends the events of a chunk, which is the n-th, to a list. One goroutine uses it. With an error it may return the events that could be read.
	Decoder func() func(chunk int, to []Event) ([]Event, error)
}

// SourceChunk is a piece of a location's events that can be read alone.
type SourceChunk struct {
	Location    LocationID
	First, Last int64 // times of the earliest and the latest event, ns since the start of the experiment
	Events      int
	Bytes       int64
}

// FromSource returns the archive that a source is. Its definitions must be complete.
func FromSource(s *Source) *Archive {
	a := &Archive{header: s.Header, defs: s.Definitions, problems: s.Problems, source: s}
	for i, c := range s.Chunks {
		a.chunks = append(a.chunks, &Chunk{First: c.First, Last: c.Last, Events: c.Events, Locations: []LocationID{c.Location}, bytes: c.Bytes, index: i})
	}
	return a
}

// decodeSource reads a chunk of a source.
func (d *Decoder) decodeSource(c *Chunk, buf *Buffer) ([]Batch, error) {
	events, err := d.source(c.index, buf.events[:0])
	buf.events, buf.batches = events, buf.batches[:0]
	if len(events) > 0 {
		buf.batches = append(buf.batches, Batch{Location: c.Locations[0], Events: events})
	}
	return buf.batches, err
}

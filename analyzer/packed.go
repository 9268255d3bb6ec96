package analyzer

import (
	"encoding/binary"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// packed keeps the events of chunks whose decoding takes long, as that of other formats does: later looks read them there.
type packed struct {
	chunks []packedChunk // nil: nothing is kept
}

// packedChunk says where the events of a chunk are, if they are kept.
type packedChunk struct {
	stream *stream
	at     uint64
	n      int
}

// chunkReader reads chunks for one worker.
type chunkReader struct {
	s       *scan
	decoder *trace.Decoder
	kept    *stream
}

// chunkBuffer holds what was read of a chunk.
type chunkBuffer struct {
	trace.Buffer
	events []trace.Event
	batch  [1]trace.Batch
}

// newReader returns a reader of chunks. What it decodes it keeps, in archives of other formats.
func (s *scan) newReader() *chunkReader {
	r := &chunkReader{s: s, decoder: s.archive.NewDecoder()}
	if s.packed.chunks != nil {
		r.kept = &stream{store: s.store}
	}
	return r
}

// read returns the batches of a chunk, valid until buf is used again.
func (r *chunkReader) read(chunk int, buf *chunkBuffer) ([]trace.Batch, error) {
	c := r.s.chunks[chunk]
	if r.kept == nil {
		return r.decoder.Decode(c, &buf.Buffer)
	}
	p := &r.s.packed.chunks[chunk]
	if p.stream == nil {
		batches, err := r.decoder.Decode(c, &buf.Buffer)
		*p = packedChunk{stream: r.kept, at: r.kept.at()}
		for _, b := range batches {
			r.kept.pack(b.Events)
			p.n += len(b.Events)
		}
		return batches, err
	}
	if p.n == 0 {
		return nil, nil
	}
	buf.events = p.unpack(buf.events[:0])
	buf.batch[0] = trace.Batch{Location: c.Locations[0], Events: buf.events}
	return buf.batch[:], nil
}

// pack appends events.
func (s *stream) pack(events []trace.Event) {
	last := int64(0)
	for i := range events {
		e := &events[i]
		b := append(s.room(), byte(e.Kind))
		b = appendInt(b, e.Time-last)
		b = binary.AppendUvarint(b, uint64(e.ID))
		s.put(binary.AppendUvarint(b, e.Word))
		last = e.Time
	}
}

// unpack appends the events of a chunk to a list.
func (p *packedChunk) unpack(to []trace.Event) []trace.Event {
	r, t := p.stream.reader(p.at), int64(0)
	for range p.n {
		r.more()
		kind := wire.Kind(r.byte())
		t += r.int()
		to = append(to, trace.Event{Time: t, Kind: kind, ID: uint32(r.uint()), Word: r.uint()})
	}
	return to
}

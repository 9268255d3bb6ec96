package analyzer

import (
	"encoding/binary"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// packedChunk says where the events of a chunk are whose decoding takes long, as that of other formats does: later looks read them there.
type packedChunk struct {
	stream *stream // nil: it was not decoded yet
	at     uint64
	events int
	values int
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
	batch [1]trace.Batch
}

// newReader returns a reader of chunks. What it decodes it keeps, in archives of other formats.
func (s *scan) newReader() *chunkReader {
	r := &chunkReader{s: s, decoder: s.archive.NewDecoder()}
	if s.packed != nil {
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
	p := &r.s.packed[chunk]
	if p.stream == nil {
		batches, err := r.decoder.Decode(c, &buf.Buffer)
		*p = packedChunk{stream: r.kept, at: r.kept.at()}
		for i := range batches { // of one location
			r.kept.pack(&batches[i])
			p.events, p.values = len(batches[i].Events), len(batches[i].Values)
		}
		return batches, err
	}
	if p.events == 0 {
		return nil, nil
	}
	b := &buf.batch[0]
	b.Location, b.Events, b.Values = c.Locations[0], b.Events[:0], b.Values[:0]
	p.unpack(b)
	return buf.batch[:], nil
}

// pack appends the events of a batch, and its values.
func (s *stream) pack(batch *trace.Batch) {
	last := int64(0)
	for i := range batch.Events {
		e := &batch.Events[i]
		b := append(s.room(), byte(e.Kind))
		b = appendInt(b, e.Time-last)
		b = binary.AppendUvarint(b, uint64(e.ID))
		s.put(binary.AppendUvarint(b, e.Word))
		last = e.Time
	}
	for _, v := range batch.Values {
		s.put(binary.AppendUvarint(s.room(), v))
	}
}

// unpack appends the events of a chunk, and their values, to a batch.
func (p *packedChunk) unpack(to *trace.Batch) {
	r, t := p.stream.reader(p.at), int64(0)
	for range p.events {
		r.more()
		kind := wire.Kind(r.byte())
		t += r.int()
		to.Events = append(to.Events, trace.Event{Time: t, Kind: kind, ID: uint32(r.uint()), Word: r.uint()})
	}
	for range p.values {
		r.more()
		to.Values = append(to.Values, r.uint())
	}
}

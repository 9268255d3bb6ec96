package gotrace

import (
	"tracerec/trace"
	"tracerec/trace/wire"
)

// outbox writes to an archive in a goroutine of its own, in the order in which it is told: compressing takes as long as reading. Nothing is lost
// if close is called.
type outbox struct {
	batch *batch      // in the making
	full  chan *batch // to be written
	free  chan *batch // written, or not used yet
}

// batch is what is handed over at once.
type batch struct {
	jobs  []job
	words []uint64 // of the chunks, one behind the other
	err   error    // why it was not written
}

// job is a definition, or a chunk.
type job struct {
	def   wire.Def
	chunk trace.RawChunk // without its words
	words int            // so many of the batch; 0 of a definition
}

const (
	batches    = 3
	batchWords = 1 << 15 // from which on a batch is full
)

func newOutbox(out *trace.ProcessWriter) *outbox {
	o := &outbox{batch: &batch{}, full: make(chan *batch, batches), free: make(chan *batch, batches)}
	for range batches - 1 {
		o.free <- &batch{}
	}
	go func() {
		for b := range o.full {
			b.err = b.write(out)
			o.free <- b
		}
	}()
	return o
}

// write writes a batch up to the first error.
func (b *batch) write(out *trace.ProcessWriter) error {
	words := b.words
	for i := range b.jobs {
		j := &b.jobs[i]
		var err error
		if j.words == 0 {
			err = out.Define(j.def)
		} else {
			j.chunk.Words, words = words[:j.words], words[j.words:]
			err = out.Chunk(j.chunk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// define tells a definition. The error is one of before.
func (o *outbox) define(d wire.Def) error { return o.add(job{def: d}) }

// chunk tells a chunk, whose words may be changed afterwards. The error is one of before.
func (o *outbox) chunk(c trace.RawChunk) error {
	o.batch.words = append(o.batch.words, c.Words...)
	j := job{chunk: c, words: len(c.Words)}
	j.chunk.Words = nil
	return o.add(j)
}

func (o *outbox) add(j job) error {
	b := o.batch
	if b.jobs = append(b.jobs, j); len(b.words) < batchWords && len(b.jobs) < batchWords {
		return nil
	}
	o.full <- b
	return o.next()
}

// next takes another batch, and returns what was wrong with it.
func (o *outbox) next() error {
	b := <-o.free
	err := b.err
	*b = batch{jobs: b.jobs[:0], words: b.words[:0]}
	o.batch = b
	return err
}

// close waits until all is written, and returns the first error.
func (o *outbox) close() (first error) {
	o.full <- o.batch
	close(o.full)
	for range batches {
		if err := o.next(); first == nil {
			first = err
		}
	}
	return first
}

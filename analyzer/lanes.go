package analyzer

import (
	"fmt"
	"sync"

	"tracerec/trace"
)

// lanes let workers look at all events, those of a location in their order. Each location is of one lane, which is with one worker at a time and
// passes the chunks one after the other. Who finds no lane that can go on decodes another chunk.
type lanes struct {
	s      *scan
	look   func(w *scanner, chunk, i int, b *trace.Batch) // at the i-th batch of a chunk
	came   func(chunk int, batches []trace.Batch)         // told of each decoded chunk, one at a time
	mu     sync.Mutex
	change sync.Cond
	at     []int // by lane: the chunk that it comes to
	busy   []bool
	next   int                // to be decoded
	open   map[int]*openChunk // those from which lanes are to pass on, by number
	most   int                // of these
	free   []*openChunk       // that all have passed
	errs   []error            // by chunk
}

// openChunk is a chunk that is decoded, or will be.
type openChunk struct {
	buf     *chunkBuffer
	batches []trace.Batch
	of      [][]int32 // by lane: its batches
	decoded bool
	left    int // lanes that have not passed it
}

// inOrder lets workers look at all batches, those of a location in their order, and returns what is wrong with each chunk. came is told first.
func (s *scan) inOrder(workers []*scanner, came func(chunk int, batches []trace.Batch), look func(w *scanner, chunk, i int, b *trace.Batch)) []error {
	n := len(workers)
	x := &lanes{s: s, look: look, came: came, at: make([]int, 2*n), busy: make([]bool, 2*n), open: map[int]*openChunk{}, most: n + 2, errs: make([]error, len(s.chunks))}
	x.change.L = &x.mu
	parallel(workers, x.work)
	return x.errs
}

// work does what there is to do until all is done.
func (x *lanes) work(w *scanner) {
	reader := x.s.newReader()
	x.mu.Lock()
	defer x.mu.Unlock()
	defer x.change.Broadcast()
	for x.s.store.Err() == nil {
		if lane := x.ready(); lane >= 0 {
			x.pass(w, lane)
		} else if x.next < len(x.s.chunks) && len(x.open) < x.most {
			x.decode(reader)
		} else if x.next == len(x.s.chunks) && len(x.open) == 0 {
			return
		} else {
			x.change.Wait()
		}
	}
}

// ready returns a lane that can go on, -1 if there is none: of several the one that is furthest behind, so that few chunks are open.
func (x *lanes) ready() int {
	best := -1
	for i, at := range x.at {
		if c := x.open[at]; c != nil && c.decoded && !x.busy[i] && (best < 0 || at < x.at[best]) {
			best = i
		}
	}
	return best
}

// pass looks at the batches of a lane in the chunk that it comes to.
func (x *lanes) pass(w *scanner, lane int) {
	at := x.at[lane]
	c := x.open[at]
	x.busy[lane] = true
	x.mu.Unlock()
	seen := paced
	for _, i := range c.of[lane] {
		b := &c.batches[i]
		if seen += len(b.Events); seen >= paced {
			x.s.store.Pace()
			seen = 0
		}
		x.look(w, at, int(i), b)
	}
	x.mu.Lock()
	x.busy[lane] = false
	x.at[lane]++
	if c.left--; c.left == 0 {
		delete(x.open, at)
		x.free = append(x.free, c)
	}
	x.change.Broadcast()
}

// decode decodes the next chunk.
func (x *lanes) decode(r *chunkReader) {
	at, c := x.next, &openChunk{buf: new(chunkBuffer), of: make([][]int32, len(x.at))}
	if n := len(x.free) - 1; n >= 0 {
		c, x.free = x.free[n], x.free[:n]
	}
	c.left, c.decoded = len(x.at), false
	x.next, x.open[at] = at+1, c
	x.mu.Unlock()
	batches, err := r.read(at, c.buf)
	for lane := range c.of {
		c.of[lane] = c.of[lane][:0]
	}
	for i := range batches {
		lane := int(batches[i].Location) % len(c.of)
		c.of[lane] = append(c.of[lane], int32(i))
	}
	x.mu.Lock()
	if err != nil && len(batches) == 0 {
		err = fmt.Errorf("%w (chunk skipped)", err)
	}
	x.errs[at], c.batches, c.decoded = err, batches, true
	if x.came != nil {
		x.came(at, batches)
	}
	x.change.Broadcast()
}

package trace

import (
	"cmp"
	"io"
	"slices"
)

// Merger delivers all events of an archive ordered by time; of events at the same time those of the
// location with the lower number come first. It keeps only those chunks in memory that hold events
// around the current time.
type Merger struct {
	d       *Decoder
	waiting []*Chunk // not yet read, by time
	heap    []mergeRun
	free    []*Buffer
	used    *openChunk // to be freed at the next call
}

// mergeRun is what is left of a batch.
type mergeRun struct {
	batch Batch
	chunk int // its place in the file
	open  *openChunk
}

// openChunk is a decoded chunk with batches still to be delivered.
type openChunk struct {
	buf  *Buffer
	left int
}

// Merge begins to deliver all events in order.
func (a *Archive) Merge() *Merger {
	m := &Merger{d: a.NewDecoder(), waiting: slices.Clone(a.chunks)}
	slices.SortStableFunc(m.waiting, func(a, b *Chunk) int { return cmp.Compare(a.First, b.First) })
	return m
}

// Next returns the next event, with the values of a Counters event (valid until the next call), or
// io.EOF. Another error is a [Problem] of one chunk; the next call goes on behind it.
func (m *Merger) Next() (LocationID, Event, []uint64, error) {
	if m.used != nil {
		m.free, m.used = append(m.free, m.used.buf), nil
	}
	for len(m.waiting) > 0 && (len(m.heap) == 0 || m.waiting[0].First <= m.heap[0].batch.Events[0].Time) {
		if err := m.open(); err != nil {
			return NoLocation, Event{}, nil, err
		}
	}
	if len(m.heap) == 0 {
		return NoLocation, Event{}, nil, io.EOF
	}
	top := &m.heap[0]
	e, location := top.batch.Events[0], top.batch.Location
	values := top.batch.CounterValues(e)
	if top.batch.Events = top.batch.Events[1:]; len(top.batch.Events) == 0 {
		if top.open.left--; top.open.left == 0 {
			m.used = top.open
		}
		n := len(m.heap) - 1
		m.heap[0] = m.heap[n]
		m.heap = m.heap[:n]
	}
	m.down()
	return location, e, values, nil
}

// open decodes the next chunk into the heap.
func (m *Merger) open() error {
	c := m.waiting[0]
	m.waiting = m.waiting[1:]
	buf := new(Buffer)
	if n := len(m.free); n > 0 {
		buf, m.free = m.free[n-1], m.free[:n-1]
	}
	batches, err := m.d.Decode(c, buf)
	if len(batches) == 0 {
		m.free = append(m.free, buf)
	}
	open := &openChunk{buf, len(batches)}
	for _, b := range batches {
		m.heap = append(m.heap, mergeRun{b, c.index, open})
		m.up()
	}
	return err
}

// less is the order of delivery.
func (m *Merger) less(i, j int) bool {
	a, b := &m.heap[i], &m.heap[j]
	if s, t := a.batch.Events[0].Time, b.batch.Events[0].Time; s != t {
		return s < t
	}
	if a.batch.Location != b.batch.Location {
		return a.batch.Location < b.batch.Location
	}
	return a.chunk < b.chunk
}

// up restores the heap after the last run was added.
func (m *Merger) up() {
	for i := len(m.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !m.less(i, parent) {
			return
		}
		m.heap[i], m.heap[parent] = m.heap[parent], m.heap[i]
		i = parent
	}
}

// down restores the heap after the first run has changed.
func (m *Merger) down() {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(m.heap); c++ {
			if m.less(c, least) {
				least = c
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

package otf2

import (
	"cmp"
	"errors"
	"io/fs"

	"tracerec/trace"
)

// Chunk is a piece of a location's events that can be read alone.
type Chunk struct {
	Location *Location
	First    uint64 // number of its first event, from 1
	Events   uint64 // as many as it says; Reader gives those that are there
	Time     uint64 // of its first event, ticks, not corrected
	span     span
	joined   []span // of those that are read with it
}

// join lets a chunk be read with those of another one that follows.
func (c *Chunk) join(next Chunk) {
	c.Events += next.Events
	c.joined = append(c.joined, next.span)
}

// bytes is how large a chunk is in the file.
func (c *Chunk) bytes() (n int64) {
	for _, s := range c.joined {
		n += s.size
	}
	return n + c.span.size
}

// Chunks returns the chunks of a location in order, and what keeps others from being read.
func (a *Archive) Chunks(l *Location) (chunks []Chunk, problems []trace.Problem) {
	f, err := openFile(a.file(l, ".evt"), a.Anchor.EventChunk)
	if errors.Is(err, fs.ErrNotExist) && l.Events == 0 {
		return nil, nil
	}
	note := func(err error) {
		x := Archive{Name: a.Name}
		x.note(err)
		problems = append(problems, x.problems...)
	}
	if err != nil {
		note(err)
		return nil, problems
	}
	defer f.close()
	spans, err := f.spans()
	var buf []byte
	for _, s := range spans {
		head := s
		if !f.zipped {
			head.size = min(s.size, minChunk+9)
		}
		b, wrong := f.read(head, buf)
		c := cursor{b: b}
		if bad := c.chunk(f, s); bad != nil {
			if wrong == nil {
				wrong = bad
			}
			note(wrong)
			continue
		}
		c.at = 2
		first, last := c.fixed(8), c.fixed(8)
		x := Chunk{Location: l, First: first, span: s}
		if last >= first {
			x.Events = min(last-first+1, maxChunk) // whatever it says
		}
		if c.byte() == timestamp {
			x.Time = c.fixed(8)
		}
		chunks, buf = append(chunks, x), b[:0]
	}
	note(err)
	return chunks, problems
}

// Attribute is what an event carries beyond its record.
type Attribute struct {
	ID    uint64
	Type  uint64
	Value uint64
}

// Event is an event. Numbers of definitions in it are shared ones.
type Event struct {
	Record
	Time       uint64 // ticks, corrected
	Attributes []Attribute
}

// Reader reads the events of chunks. It is used by one goroutine at a time, and again for the next chunk.
type Reader struct {
	Event Event // valid until the next call
	a     *Archive
	specs *[256]*Spec
	at    *Location
	local *local
	file  *file
	buf   []byte
	in    cursor
	span  span
	time  uint64
	err   error
	lost  error  // of chunks before
	rest  []span // chunks that belong to the one that is read
}

// NewReader returns a reader of the archive's chunks. It has to be closed.
func (a *Archive) NewReader() *Reader { return &Reader{a: a, specs: &specs()[Events]} }

// Close closes what the reader has open. It may be used again.
func (r *Reader) Close() {
	if r.file != nil {
		r.file.close()
	}
	r.file = nil
}

// Open begins to read a chunk. If it returns an error, there may be events nevertheless.
func (r *Reader) Open(c Chunk) error {
	r.in, r.err, r.lost, r.rest = cursor{}, nil, nil, nil
	err := r.move(c.Location)
	if r.file == nil {
		return err
	}
	r.rest = c.joined
	return cmp.Or(err, r.begin(c.span))
}

// begin begins to read a chunk of the file.
func (r *Reader) begin(s span) error {
	b, err := r.file.read(s, r.buf)
	r.in, r.span, r.buf, r.time, r.err = cursor{b: b}, s, b[:0], 0, nil
	bad := r.in.chunk(r.file, s)
	if bad != nil {
		r.in = cursor{}
	}
	return cmp.Or(err, bad)
}

// onward reads the next event of the chunks that belong to the one that was read, if there is one.
func (r *Reader) onward() bool {
	for len(r.rest) > 0 {
		r.lost = cmp.Or(r.lost, r.err)
		r.lost = cmp.Or(r.lost, r.begin(r.rest[0]))
		if r.rest = r.rest[1:]; r.Next() {
			return true
		}
	}
	return false
}

// move opens the events of a location.
func (r *Reader) move(l *Location) (err error) {
	if r.at != l {
		r.Close()
		r.local, err = r.a.readLocal(l, func(*Record) {})
		r.at = l
	}
	if r.file != nil {
		return err
	}
	f, wrong := openFile(r.a.file(l, ".evt"), r.a.Anchor.EventChunk)
	if r.file = f; err == nil {
		err = wrong
	}
	return err
}

// corrected returns the archive's time of the begin of a chunk.
func (r *Reader) corrected(c *Chunk) uint64 {
	_ = r.move(c.Location) // what is wrong is told when events are read
	return r.local.corrected(c.Time)
}

// Err returns what is wrong with the chunk that was read last: what follows it there is lost.
func (r *Reader) Err() error { return cmp.Or(r.lost, r.err) }

// Next reads the next event of the chunk, if there is one.
func (r *Reader) Next() bool {
	c, e := &r.in, &r.Event
	e.Attributes = e.Attributes[:0]
	for c.at < len(c.b) {
		at := c.at
		switch id := c.byte(); id {
		case endOfChunk, endOfBuffer, endOfFile:
			r.err, r.in = r.file.ended(r.span, id), cursor{}
			return false
		case timestamp:
			r.time = r.local.corrected(c.fixed(8))
			if c.bad {
				return r.damaged(at, "a time cannot be read")
			}
		case attributeList:
			if !r.attributes() {
				return r.damaged(at, "a list of attributes cannot be read")
			}
		default:
			spec := r.specs[id]
			if spec == nil { // of a newer version
				if c.at += c.length(); c.bad {
					return r.damaged(at, "not a record")
				}
				e.Attributes = e.Attributes[:0]
				continue
			}
			if err := c.record(spec, &e.Record); err != nil {
				return r.damaged(at, err.Error())
			}
			e.Time = r.time
			r.share()
			return true
		}
	}
	if len(c.b) > 0 {
		return r.damaged(c.at, "it ends without an end mark")
	}
	return false
}

// damaged ends the chunk.
func (r *Reader) damaged(at int, what string) bool {
	r.err = r.file.problem(r.span.offset+int64(at), "%s", what)
	r.in = cursor{}
	return false
}

// attributes reads the attributes of the event to come.
func (r *Reader) attributes() bool {
	n := r.in.length()
	c := cursor{b: r.in.b[:r.in.at+n], at: r.in.at, big: r.in.big, bad: r.in.bad}
	r.in.at += n
	for count := c.number(32); count > 0 && !c.bad; count-- {
		a := Attribute{ID: r.local.shared(Attributes, c.number(32)), Type: uint64(c.byte())}
		a.Value = c.value(a.Type)
		if to := valueRefers(a.Type); to != Nothing {
			a.Value = r.local.shared(to, a.Value)
		}
		r.Event.Attributes = append(r.Event.Attributes, a)
	}
	return !c.bad
}

// share makes the numbers of definitions in the event shared ones.
func (r *Reader) share() {
	s, v := r.Event.Spec, r.Event.Values
	if !s.translate || !r.local.maps {
		return
	}
	for i := range s.Head {
		if to := s.Head[i].Refers; to != Nothing {
			v[i] = r.local.shared(to, v[i])
		}
	}
	for i := len(s.Head); i+len(s.Tail) < len(v); i++ {
		if to := s.Each[(i-len(s.Head))%len(s.Each)].Refers; to != Nothing {
			v[i] = r.local.shared(to, v[i])
		}
	}
}

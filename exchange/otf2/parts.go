package otf2

import (
	"cmp"
	"math"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// part is what a chunk of package trace is: a chunk of the archive, or a piece of one. A thread may have been left out of any number of teams between two of its events, and what is told of these teams is not in
// the archive: so that chunks have a bound, such a chunk is read several times, each time for the events of another stretch of time.
type part struct {
	chunk       int
	first, last bool    // chunk of the archive of its location
	within      stretch // times of events of the chunk
	wanted      stretch // of the part
}

// leftOutAtOnce is of how many teams a chunk tells at most that its thread was left out.
const leftOutAtOnce = 1 << 12

// divide makes parts of chunks.
func (s *source) divide() {
	whole := s.Chunks
	s.Chunks, s.parts = make([]trace.SourceChunk, 0, len(whole)), make([]part, 0, len(whole))
	for i, c := range whole {
		p := part{chunk: i, within: stretch{c.First, c.Last}, wanted: stretch{math.MinInt64, math.MaxInt64}}
		p.first = i == 0 || whole[i-1].Location != c.Location
		p.last = i+1 == len(whole) || whole[i+1].Location != c.Location
		if s.workers[c.Location] {
			list := s.working[s.Definitions.Locations[c.Location].Process]
			at, _ := slices.BinarySearchFunc(list, c.First, func(x stretch, t int64) int { return cmp.Compare(x.to, t) })
			for at += leftOutAtOnce; at < len(list) && list[at].from < c.Last; at += leftOutAtOnce {
				p.wanted.to = list[at].from
				s.part(c, p)
				p.wanted = stretch{list[at].from, math.MaxInt64}
			}
		}
		s.part(c, p)
	}
}

// part adds a part of a chunk.
func (s *source) part(c trace.SourceChunk, p part) {
	if p.wanted.from > math.MinInt64 {
		c.First, c.Events, c.Bytes = p.wanted.from, 0, 0 // they are in its first part
	}
	c.Last = min(c.Last, p.wanted.to)
	s.Chunks, s.parts = append(s.Chunks, c), append(s.parts, p)
}

func (s *source) decoder() func(chunk int, to *trace.Batch) error {
	r := s.a.NewReader()
	return func(chunk int, to *trace.Batch) error {
		defer r.Close()
		p := &s.parts[chunk]
		err := r.Open(s.chunks[p.chunk])
		n, w := len(to.Events), s.starts[p.chunk].clone()
		w.stack = s.resumed(w.location, w.stack)
		if s.read(p, s.Chunks[chunk].Location, r, w, to); err == nil {
			err = r.Err()
		}
		if p.wanted.to < math.MaxInt64 {
			err = nil // the last part tells it
		}
		kept := slices.DeleteFunc(to.Events[n:], func(e trace.Event) bool { return e.Time < p.wanted.from || e.Time >= p.wanted.to })
		to.Events = to.Events[:n+len(kept)]
		return err
	}
}

// read appends the events of a part, which the reader stands before, and those of its chunk that are not asked for.
func (s *source) read(p *part, location trace.LocationID, r *Reader, w *walk, b *trace.Batch) {
	to := b.Events
	w.wanted = p.wanted
	if w.worker = s.workers[location]; w.worker && p.first {
		w.last = p.within.from
		to = append(to, s.idles(w.last))
	}
	stream := s.device.number[location] != 0
	if stream && p.first {
		w.last = s.since(s.chunks[p.chunk].Time)
		to = append(to, s.device.idles(w.last))
	}
	sampled := false // since the last event that is none of metrics
	sample := func() {
		if sampled {
			b.Events = to
			s.sampled(w, b)
			to, sampled = b.Events, false
		}
	}
	var ended Event // by which its work in a team ends, no later than its next event is
	end := func(latest int64) {
		if ended.Spec != nil {
			w.latest = latest
			to = s.event(&ended, w, s.forked[location], to)
			w.passes(&ended, s.since(ended.Time))
			ended.Spec = nil
		}
	}
	for r.Next() || r.onward() {
		if end(s.since(r.Event.Time)); r.Event.Spec.ID == idThreadTeamEnd {
			sample()
			ended = Event{Record: Record{Spec: r.Event.Spec}, Time: r.Event.Time}
			continue
		}
		if r.Event.Spec.ID == idMetric {
			if w.idle(0) {
				to = s.leftOut(w, s.since(r.Event.Time), to)
			}
			w.last = max(w.last, s.since(r.Event.Time))
			sampled = !stream && s.counts(&r.Event, w) || sampled
			continue
		}
		sample()
		if does, region := s.plainly(&r.Event, w); does != wire.None {
			w.last = max(w.last, s.since(r.Event.Time))
			if does == wire.Exit {
				region = 0 // levels beyond the first
			}
			to = append(to, trace.Event{Time: w.last, Kind: does, ID: region})
			continue
		}
		if stream {
			to = s.device.executes(s, location, w, &r.Event, to)
			continue
		}
		if r.Event.Spec.ID == idBufferFlush {
			to = s.flushed(r, p.within.to, w, to)
			continue
		}
		switch r.Event.Spec.ID {
		case idMpiCollectiveEnd, idRmaCollectiveEnd: // what else the call does begins then
			if n := len(w.stack); n > 0 {
				to = s.presents(w.stack[n-1].region, s.since(r.Event.Time), w, to)
			}
		case idLeave:
			to = s.presents(s.region(r.Event.Values[0]), s.since(r.Event.Time), w, to)
			to = s.touches(s.of[location], s.since(r.Event.Time), w, to)
		}
		to = s.event(&r.Event, w, s.forked[location], to)
		to = s.passes(s.chunks[p.chunk].Location, &r.Event, w, to)
		w.passes(&r.Event, s.since(r.Event.Time))
	}
	sample()
	end(p.within.to)
	if p.last && w.last != math.MinInt64 {
		if w.worker {
			if w.idle(0) {
				to = s.leftOut(w, p.within.to, to)
			}
			w.last = max(w.last, p.within.to)
		}
		to = append(to, trace.Event{Time: w.last, Kind: wire.End})
	}
	b.Events = to
}

// flushes defines a region for the time in which the recorder writes events, if it does.
func (s *source) flushes(all []survey) {
	if slices.ContainsFunc(all, func(v survey) bool { return v.flushes }) {
		s.flush = uint32(len(s.Definitions.Regions))
		s.Definitions.Regions = append(s.Definitions.Regions, trace.Region{Name: "TRACE BUFFER FLUSH", Class: overheadClass})
	}
}

// flushed appends that the recorder has held a location up to write its events, which are no later than end.
func (s *source) flushed(r *Reader, end int64, w *walk, to []trace.Event) []trace.Event {
	t := s.since(r.Event.Time)
	if w.idle(0) {
		to = s.leftOut(w, t, to)
	}
	w.last = max(w.last, t)
	to = append(to, trace.Event{Time: w.last, Kind: wire.Enter, ID: s.flush})
	w.last = max(w.last, min(s.since(r.local.corrected(r.Event.Values[0])), end)) // a writer need not know it
	return append(to, trace.Event{Time: w.last, Kind: wire.Exit})
}

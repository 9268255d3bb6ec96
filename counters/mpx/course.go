package mpx

import "math"

func round(x float64) int64 { return int64(math.Round(x)) }

// activate begins the course of an event that was not active: nothing is known of what it did before.
func (e *event) activate(now instant) {
	for i := range e.tracks {
		t := &e.tracks[i]
		t.end, t.rate, t.rated = now[i], 0, false
	}
	e.err = nil
}

// finish adds a slice that has ended to the event's sums, and gives sets that started since the last one their share.
// A slice in which the thread did not run is none.
func (e *event) finish(p piece, now instant, shortest float64) {
	if p.cycles[raw] == 0 {
		for _, k := range e.pending {
			k.current = false
		}
		return
	}
	for i := range e.tracks {
		t := &e.tracks[i]
		t.total.add(t.sum(p, i, t.end, shortest))
		for _, k := range e.pending {
			k.base[i] = t.total.minus(t.sum(p.after(k), i, k.at[i], shortest))
		}
		if rate, own := t.rateOf(p, i, shortest); own {
			t.rate, t.last, t.rated = rate, p.cycles[i], true
		}
		t.end = now[i]
	}
	for _, k := range e.pending {
		k.open = false
	}
	e.pending = e.pending[:0]
}

// after returns the part of the slice that belongs to the set.
func (p piece) after(k *mark) piece {
	if !k.current {
		return p
	}
	for i := range p.cycles {
		p.cycles[i] -= k.part.cycles[i]
		p.begin[i] = k.at[i]
	}
	p.count -= k.part.count
	return p
}

// since returns what is known of the event since the mark; last says that the period ends now.
func (e *event) since(k *mark, m *Multiplexer, now instant, last bool) outcome {
	o := outcome{err: e.err, whole: k.current && e.on != nil && k.turns == e.turns}
	shortest := float64(m.o.MinCycles)
	for i := range e.tracks {
		t := &e.tracks[i]
		s, from, p := &o.sums[i], t.end, piece{}
		if e.on != nil {
			p = m.piece(e.on)
		}
		if k.open {
			from = k.at[i]
			p = p.after(k)
		} else {
			*s = t.total.minus(k.base[i])
		}
		if e.on == nil {
			if !k.open && last {
				s.local += t.tail(now[i])
			}
			if !k.open {
				s.trapezoid += t.tail(now[i])
			}
			continue
		}
		part := t.sum(p, i, from, shortest)
		if !last { // the estimate of the gap may still fall
			part.local = float64(part.count)
		}
		s.add(part)
	}
	return o
}

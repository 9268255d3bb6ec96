package live

import (
	"strings"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// process is a process that is followed.
type process struct {
	m         *Monitor
	name      string // of its buffer file
	joined    uint64 // ticks when the view found it
	follower  *shm.Follower
	regions   map[uint32]wire.Def
	counters  []int  // metrics of its event set
	whole     []bool // counts for the whole process
	locations map[uint64]*location
}

// location is what is known of a goroutine.
type location struct {
	levels  []level
	seq     uint64   // chunk that was read last,
	whole   bool     // to its end
	last    uint64   // ticks of the last event
	charged uint64   // ticks up to which its time went to a region
	sample  []uint64 // last values of the event set, with where they were taken
}

// level is an open region or operation.
type level struct {
	row       int // of the innermost region
	operation bool
	blocked   bool
}

func newProcess(m *Monitor, name string, f *shm.Follower) *process {
	return &process{m: m, name: name, joined: clock.Now(f.Info().Clock), follower: f, regions: map[uint32]wire.Def{}, locations: map[uint64]*location{}}
}

// look reads what is new.
func (p *process) look() {
	pieces := p.follower.Next()
	// Definitions are published before their first use: these are complete for the pieces. What is damaged is the recorder's to tell.
	defs, _ := p.follower.NewDefs()
	for _, d := range defs {
		switch d.Type {
		case wire.DefRegion:
			p.regions[d.ID] = d
		case wire.DefCounters:
			p.counters, p.whole = nil, nil
			for _, name := range d.Names {
				p.counters = append(p.counters, p.m.number(name))
				p.whole = append(p.whole, strings.HasPrefix(name, wire.ProcessCounter))
			}
		}
	}
	for i := range pieces {
		p.piece(&pieces[i])
	}
}

// piece plays consecutive events of a location.
func (p *process) piece(c *shm.Piece) {
	l := p.locations[c.Location]
	if l == nil {
		l = &location{seq: c.Seq - 1, whole: true, charged: max(c.Base, p.joined)}
		p.locations[c.Location] = l
	}
	if c.Seq != l.seq {
		missed := c.Seq - l.seq - 1
		if !l.whole {
			missed++ // its end
		}
		if missed > 0 { // what is open now is not known
			p.m.missed += missed
			*l = location{charged: c.Base}
		}
		p.m.seen++
		l.seq, l.last = c.Seq, c.Base
	}
	l.whole = c.Whole
	for at := 0; at < len(c.Words); {
		kind, id, delta := wire.Unpack(c.Words[at])
		n := wire.WordsOf(kind, id)
		words := c.Words[at+1 : at+1+n]
		at += 1 + n
		l.last += delta
		if kind == wire.Time {
			l.last = words[0]
		}
		p.event(l, kind, id, words)
		if kind == wire.End {
			delete(p.locations, c.Location)
			return
		}
	}
}

// event plays one event at the time l.last.
func (p *process) event(l *location, kind wire.Kind, id uint32, words []uint64) {
	switch {
	case kind == wire.Counters:
		p.sample(l, words)
	case kind == wire.Blocked && len(l.levels) > 0:
		p.charge(l, l.last)
		l.levels[len(l.levels)-1].blocked = true
	case kind == wire.Exit:
		p.close(l, int(id)+1)
	case kind == wire.Lost:
		p.close(l, int(id))
	case kind.Does() == wire.Leaves:
		p.close(l, 1)
	case kind.Does() == wire.Opens:
		p.charge(l, l.last)
		l.levels = append(l.levels, p.opened(l, kind, id))
	}
}

// opened returns the level that an event opens; an operation belongs to the region around it.
func (p *process) opened(l *location, kind wire.Kind, id uint32) level {
	if kind != wire.Enter {
		if n := len(l.levels); n > 0 {
			return level{row: l.levels[n-1].row, operation: true}
		}
		return level{row: p.m.rowOf(Key{Name: "(outside of regions)"}), operation: true}
	}
	d, ok := p.regions[id]
	if !ok {
		d = unknown
	}
	row := p.m.rowOf(Key{d.Name, d.File, int(d.Line)})
	p.m.rows[row].Values[p.m.metric[Visits]]++
	return level{row: row}
}

// close closes levels; some may have been opened before the view began.
func (p *process) close(l *location, n int) {
	p.charge(l, l.last)
	l.levels = l.levels[:max(0, len(l.levels)-n)]
}

// charge gives the time up to t to the innermost region.
func (p *process) charge(l *location, t uint64) {
	if n := len(l.levels); n > 0 && int64(t-l.charged) > 0 {
		top, metric := l.levels[n-1], Executing
		if top.blocked {
			metric = Waiting
		}
		p.m.rows[top.row].Values[p.m.metric[metric]] += p.nanoseconds(t - l.charged)
	}
	if int64(t-l.charged) > 0 {
		l.charged = t
	}
}

func (p *process) nanoseconds(ticks uint64) int64 {
	return int64(float64(ticks) * 1e9 / float64(max(1, p.follower.Info().Frequency)))
}

// chargeAll charges time up to now, and returns how many goroutines are in a region.
func (p *process) chargeAll() (inside int) {
	t := clock.Now(p.follower.Info().Clock)
	for _, l := range p.locations {
		p.charge(l, t)
		if len(l.levels) > 0 {
			inside++
		}
	}
	return inside
}

// sample charges what was counted since the last sample of the location, where it is certain whose it is. A sample with bounds behind
// its values belongs to a stretch in which it is not: then these are what it may be at most.
func (p *process) sample(l *location, words []uint64) {
	n := len(p.counters)
	if len(words) != 1+n && len(words) != 1+2*n {
		l.sample = nil
		return
	}
	if k := len(l.levels); k > 0 && len(l.sample) == 1+n {
		row, bounded := &p.m.rows[l.levels[k-1].row], len(words) > 1+n
		same := !bounded && words[0] != 0 && words[0] == l.sample[0]
		for i, metric := range p.counters {
			d := int64(words[1+i] - l.sample[1+i])
			if bounded && !p.whole[i] {
				d = int64(words[1+n+i]) // no bound is negative
			}
			switch more := &row.Uncertain[metric]; {
			case same || p.whole[i]:
				row.Values[metric] += max(0, d)
			case !bounded && (l.levels[k-1].operation || d == 0), *more == Unbounded: // waits are nobody's
			case !bounded || d < 0:
				*more = Unbounded
			default:
				*more += d
			}
		}
	}
	l.sample = append(l.sample[:0], words[:1+n]...)
}

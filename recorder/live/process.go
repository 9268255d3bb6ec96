package live

import (
	"strings"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// process is a process that is followed.
type process struct {
	m         *monitor
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
	open    levels.Stack[level]
	seq     uint64   // chunk that was read last,
	whole   bool     // to its end
	last    uint64   // ticks of the last event
	charged uint64   // ticks up to which its time went to a region
	sample  []uint64 // last values of the event set, with where they were taken
}

// level is an open region or operation.
type level struct {
	row     int // of the innermost region
	blocked bool
}

func newProcess(m *monitor, name string, f *shm.Follower) *process {
	return &process{m: m, name: name, joined: clock.Now(f.Info().Clock), follower: f, regions: map[uint32]wire.Def{}, locations: map[uint64]*location{}}
}

// look reads what is new.
func (p *process) look() {
	pieces := p.follower.Next()
	// Definitions are published before their first use: these are complete for the pieces. What is damaged is the recorder's to tell.
	for d := range p.follower.NewDefs() {
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
		atOnce := wire.TakenAtOnce(kind, words)
		p.event(l, kind, id, words)
		if atOnce {
			p.event(l, wire.Leave, uint32(wire.OK), nil)
		}
		if kind == wire.End {
			delete(p.locations, c.Location)
			return
		}
	}
}

// event plays one event at the time l.last. What it closes may have been opened before the view began.
func (p *process) event(l *location, kind wire.Kind, id uint32, words []uint64) {
	does := kind.Does()
	if does != wire.Tells || kind == wire.Blocked {
		p.charge(l, l.last)
	}
	if l.open.Forgets(kind) {
		l.open.Forget()
	}
	switch {
	case kind == wire.Counters:
		p.sample(l, words)
	case kind == wire.Blocked:
		if o := l.open.Operation(); o != nil {
			o.Of.blocked = true
		}
	case does == wire.Opens:
		row := p.row(l, kind, id)
		l.open.Open(kind).row = row
	default:
		l.open.Close(kind, id)
	}
}

// row returns the row of a level that an event opens; an operation belongs to the region around it.
func (p *process) row(l *location, kind wire.Kind, id uint32) int {
	if kind != wire.Enter {
		if top := l.open.Top(); top != nil {
			return top.Of.row
		}
		return p.m.rowOf(Key{Name: "(outside of regions)"})
	}
	d, ok := p.regions[id]
	if !ok {
		d = unknown
	}
	row := p.m.rowOf(Key{d.Name, d.File, int(d.Line)})
	p.m.rows[row].Values[p.m.metric[visits]]++
	return row
}

// charge gives the time up to t to the innermost region.
func (p *process) charge(l *location, t uint64) {
	if int64(t-l.charged) <= 0 {
		return
	}
	if top := l.open.Top(); top != nil {
		metric := executing
		if top.Of.blocked {
			metric = waiting
		}
		p.m.rows[top.Of.row].Values[p.m.metric[metric]] += p.nanoseconds(t - l.charged)
	}
	l.charged = t
}

func (p *process) nanoseconds(ticks uint64) int64 {
	return int64(float64(ticks) * 1e9 / float64(max(1, p.follower.Info().Frequency)))
}

// chargeAll charges time up to now, and returns how many goroutines are in a region.
func (p *process) chargeAll() (inside int) {
	t := clock.Now(p.follower.Info().Clock)
	for _, l := range p.locations {
		p.charge(l, t)
		if l.open.Top() != nil {
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
	if top := l.open.Top(); top != nil && len(l.sample) == 1+n {
		row, bounded := &p.m.rows[top.Of.row], len(words) > 1+n
		same := !bounded && words[0] != 0 && words[0] == l.sample[0]
		for i, metric := range p.counters {
			d := int64(words[1+i] - l.sample[1+i])
			if bounded && !p.whole[i] {
				d = int64(words[1+n+i]) // no bound is negative
			}
			switch more := &row.Uncertain[metric]; {
			case same || p.whole[i]:
				row.Values[metric] += max(0, d)
			case !bounded && (top.Operation() || d == 0), *more == unbounded: // waits are nobody's
			case !bounded || d < 0:
				*more = unbounded
			default:
				*more += d
			}
		}
	}
	l.sample = append(l.sample[:0], words[:1+n]...)
}

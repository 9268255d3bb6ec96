package counters

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/counters/substrate"
)

// part is what a set reads with one call.
type part interface {
	// begin takes the reading from which counts count.
	begin() error
	// read brings counts and qualities up to date. A reading that is not the owner's says nothing about where the owner was.
	read(counts []int64, natives []native, qualities []Quality, mine bool) (certain bool, err error)
	// restart counts from the last reading.
	restart() error
	// end is called before the last reading.
	end() error
	// pause stops counting until again, and reports whether that is possible.
	pause() bool
	// again counts on, and reports whether that is still possible.
	again() bool
	close() error
}

// groupPart is events of one group, which may be shared with other sets.
type groupPart struct {
	group *shared
	take  []int // positions in the group's values
	at    []int // where they go in the set's counts
	last  []uint64
	now   []uint64
	where uint64 // of the owner's last reading
	timed *timedPart
	plain bool // counts of 64 bits and nothing else

	paused bool
}

// timedPart is what is kept of events that take turns: counts are estimates over the whole time since the last zero.
type timedPart struct {
	substrate.Timed
	first                  []uint64 // values then
	enabled, running       []uint64 // times in ns
	enabledFirst, ranFirst []uint64
	slices                 []slice
}

// open opens the natives, those of each substrate together.
func open(natives []native, o Options, m multiplexing) ([]part, error) {
	var parts []part
	var done []Substrate
	for _, n := range natives {
		if slices.Contains(done, n.from) {
			continue
		}
		done = append(done, n.from)
		var names []string
		var at []int
		for i, k := range natives {
			if k.from == n.from {
				names, at = append(names, k.name), append(at, i)
			}
		}
		opened, err := openOf(n.from, names, at, o, m)
		if err != nil {
			return nil, errors.Join(err, closeParts(parts))
		}
		parts = append(parts, opened...)
	}
	for _, p := range parts {
		if g, ok := p.(*groupPart); ok {
			odd := func(at int) bool { e := &natives[at].event; return e.Gauge || e.Bits != 0 }
			g.plain = g.timed == nil && !slices.ContainsFunc(g.at, odd)
		}
	}
	return parts, nil
}

// openOf opens events of one substrate: all at once if they fit, else by turns if that was asked for, which the system
// arranges if it can.
func openOf(from Substrate, names []string, at []int, o Options, m multiplexing) ([]part, error) {
	together := o
	together.Multiplex = false
	parts, err := table.open(from, names, at, together)
	if err == nil || !o.Multiplex || !scarce(err) {
		return parts, err
	}
	parts, kernel := table.open(from, names, at, o)
	if kernel == nil {
		return parts, nil
	}
	if !scarce(kernel) && !errors.Is(kernel, ErrUnsupported) {
		return nil, kernel
	}
	slotter, ok := from.(substrate.Slotter)
	if !ok {
		return nil, err
	}
	p, failed := openTurns(from, slotter, names, at, o, m)
	if errors.Is(failed, errNoTurns) {
		return nil, err // why they need turns, and which event
	} else if failed != nil {
		return nil, failed
	}
	return []part{p}, nil
}

// scarce reports whether an opening failed for want of counters.
func scarce(err error) bool {
	return errors.Is(err, ErrConflict) || errors.Is(err, ErrNoCounters) || errors.Is(err, ErrBusy)
}

func closeParts(parts []part) error {
	var errs []error
	for _, p := range parts {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}

func newPart(g *shared, take, at []int) *groupPart {
	n := len(g.names)
	p := &groupPart{group: g, take: take, at: at, last: make([]uint64, n), now: make([]uint64, n)}
	if t, ok := g.group.(substrate.Timed); ok {
		p.timed = &timedPart{t, make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]slice, n)}
	}
	return p
}

func (p *groupPart) begin() (err error) {
	if p.where, err = p.fetch(); err != nil {
		return err
	}
	p.last, p.now = p.now, p.last
	return p.restart()
}

func (p *groupPart) restart() error {
	if t := p.timed; t != nil {
		copy(t.first, p.last)
		copy(t.enabledFirst, t.enabled)
		copy(t.ranFirst, t.running)
		for k, v := range p.last {
			t.slices[k] = slice{value: v, enabled: t.enabled[k], ran: t.running[k], lastEnabled: t.enabled[k], lastRan: t.running[k]}
		}
	}
	return nil
}

func (p *groupPart) end() error   { return nil }
func (p *groupPart) close() error { return table.close(p.group, !p.paused) }

func (p *groupPart) pause() bool {
	p.paused = table.pause(p.group)
	return p.paused
}

func (p *groupPart) again() bool {
	p.paused = !table.again(p.group)
	return !p.paused
}

// fetch reads the group.
func (p *groupPart) fetch() (where uint64, err error) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if where, err = p.group.group.Read(p.now); err != nil {
		return 0, fmt.Errorf("%s: %w", p.group.from.Name(), err)
	}
	if p.timed != nil {
		p.timed.Times(p.timed.enabled, p.timed.running)
	}
	return where, nil
}

func (p *groupPart) read(counts []int64, natives []native, qualities []Quality, mine bool) (certain bool, err error) {
	where, err := p.fetch()
	if err != nil {
		return false, err
	}
	certain = true
	if mine {
		certain = where != 0 && where == p.where
		p.where = where
	}
	if p.plain {
		for i, k := range p.take {
			counts[p.at[i]] += int64(p.now[k] - p.last[k])
		}
		p.last, p.now = p.now, p.last
		return certain, nil
	}
	for i, k := range p.take {
		slot := p.at[i]
		switch e := &natives[slot].event; {
		case e.Gauge:
			counts[slot] = int64(p.now[k])
		case p.timed != nil:
			p.timed.cut(p.now[k], k)
			var estimate int64
			estimate, qualities[slot] = p.timed.estimate(p.now[k], k)
			counts[slot] = max(counts[slot], estimate) // which may come out lower than before; a count never falls
		default:
			counts[slot] += int64(difference(p.now[k], p.last[k], e.Bits))
		}
	}
	p.last, p.now = p.now, p.last
	return certain, nil
}

// difference subtracts readings of a counter of so many bits, which may have begun again at 0 once in between.
func difference(now, last uint64, bits int) uint64 {
	d := now - last
	if bits > 0 && bits < 64 {
		d &= 1<<bits - 1
	}
	return d
}

package counters

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/counters/substrate"
)

// part is what a set reads with one call: events of one group, which may be shared with other sets.
type part struct {
	group *shared
	take  []int // positions in the group's values
	at    []int // where they go in the set's counts
	last  []uint64
	now   []uint64
	where uint64 // of the owner's last reading

	// When the events took turns, counts are estimates over the whole time since the last zero.
	timed                  substrate.Timed
	first                  []uint64 // values then
	enabled, running       []uint64 // times in ns
	enabledFirst, ranFirst []uint64
}

// open opens the natives, those of each substrate together.
func open(natives []native, o Options) ([]part, error) {
	var parts []part
	var done []Substrate
	for _, n := range natives {
		if slices.Contains(done, n.from) {
			continue
		}
		done = append(done, n.from)
		var names []string
		var at []int
		for i, m := range natives {
			if m.from == n.from {
				names, at = append(names, m.name), append(at, i)
			}
		}
		opened, err := table.open(n.from, names, at, o)
		if err != nil {
			return nil, errors.Join(err, closeParts(parts))
		}
		parts = append(parts, opened...)
	}
	return parts, nil
}

func closeParts(parts []part) error {
	var errs []error
	for i := range parts {
		errs = append(errs, table.close(parts[i].group))
	}
	return errors.Join(errs...)
}

func newPart(g *shared, take, at []int) part {
	n := len(g.names)
	p := part{group: g, take: take, at: at, last: make([]uint64, n), now: make([]uint64, n)}
	if t, ok := g.group.(substrate.Timed); ok {
		p.timed = t
		p.first, p.enabled, p.running = make([]uint64, n), make([]uint64, n), make([]uint64, n)
		p.enabledFirst, p.ranFirst = make([]uint64, n), make([]uint64, n)
	}
	return p
}

// begin takes the reading from which counts count.
func (p *part) begin() (err error) {
	if p.where, err = p.fetch(); err != nil {
		return err
	}
	p.last, p.now = p.now, p.last
	p.restart()
	return nil
}

// restart counts from the last reading.
func (p *part) restart() {
	if p.timed != nil {
		copy(p.first, p.last)
		copy(p.enabledFirst, p.enabled)
		copy(p.ranFirst, p.running)
	}
}

// fetch reads the group.
func (p *part) fetch() (where uint64, err error) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if where, err = p.group.group.Read(p.now); err != nil {
		return 0, fmt.Errorf("%s: %w", p.group.from.Name(), err)
	}
	if p.timed != nil {
		p.timed.Times(p.enabled, p.running)
	}
	return where, nil
}

// read adds to the counts what was counted since the last reading. A reading by another goroutine than the set's owner
// says nothing about where the owner was.
func (p *part) read(counts []int64, natives []native, mine bool) (certain bool, err error) {
	where, err := p.fetch()
	if err != nil {
		return false, err
	}
	certain = true
	if mine {
		certain = where != 0 && where == p.where
		p.where = where
	}
	for i, k := range p.take {
		slot := p.at[i]
		switch e := &natives[slot].event; {
		case e.Gauge:
			counts[slot] = int64(p.now[k])
		case p.timed != nil:
			// An estimate may come out lower than an earlier one; a count never falls.
			counts[slot] = max(counts[slot], p.estimate(k))
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

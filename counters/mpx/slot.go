package mpx

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/counters/substrate"
)

// event is an entry of the master event list.
type event struct {
	name         string
	cost         float64 // cycles of one occurrence
	refs, active int
	on           *slot // on which it is counted now
	turns        int   // times that it came on a slot
	tracks       [2]track
	pending      []*mark // sets that started since its last slice ended
	err          error   // why it could not be counted when it was its turn
}

// slot is a counter that is shared.
type slot struct {
	substrate.Slot
	e      *event
	count  uint64  // of the slice, at the last sync
	cycles uint64  // likewise
	begin  instant // of the slice
	cost   float64 // m.cost then
}

// instant is a time of the thread in cycles, raw and without the cost of counting.
type instant [2]float64

// Indices of what is kept both ways.
const (
	raw = iota
	corrected
)

func (m *Multiplexer) now() instant { return instant{m.clock, m.clock - m.cost} }

// sync reads all slots. One that cannot be read is given up.
func (m *Multiplexer) sync() {
	for _, s := range slices.Clone(m.slots) {
		count, cycles, err := s.Read()
		if err != nil {
			s.e.err = err
			m.close(s)
			continue
		}
		m.advance(s, count, cycles)
	}
}

// advance takes note of what a slot has counted of its slice. The first slot's cycles are the thread's clock.
func (m *Multiplexer) advance(s *slot, count, cycles uint64) {
	if s == m.slots[0] {
		ran := float64(cycles - s.cycles)
		m.clock += ran
		if active := m.active(); active > 0 {
			m.share += ran * min(1, float64(len(m.slots))/float64(active))
		}
	}
	m.cost += float64(count-s.count) * s.e.cost
	s.count, s.cycles = count, cycles
}

func (m *Multiplexer) active() (n int) {
	for _, e := range m.events {
		if e.active > 0 {
			n++
		}
	}
	return n
}

// piece is what the slot has counted of its slice.
func (m *Multiplexer) piece(s *slot) piece {
	cycles := float64(s.cycles)
	return piece{int64(s.count), instant{cycles, cycles - (m.cost - s.cost)}, s.begin}
}

// begin starts a slice of e.
func (m *Multiplexer) begin(s *slot, e *event) {
	if s.e != e {
		e.turns++
	}
	e.on, e.err, s.e = s, nil, e
	s.count, s.cycles, s.begin, s.cost = 0, 0, m.now(), m.cost
}

// end adds the slice to the sums of its event.
func (m *Multiplexer) end(s *slot) {
	s.e.finish(m.piece(s), m.now(), float64(m.o.MinCycles))
	s.e.on = nil
}

// replace gives the slot to an event that waits, if one can be counted.
func (m *Multiplexer) replace(s *slot) bool {
	for range m.waiting() {
		next := m.pick()
		count, cycles, err := s.Switch(next.name)
		if err == nil || cycles >= max(s.cycles, 1) { // else the slice goes on
			m.advance(s, count, cycles)
			m.end(s)
			old := s.e
			if err == nil {
				m.stats.Switches++
				m.begin(s, next)
				return true
			}
			m.begin(s, old)
		}
		next.err = err
	}
	return false
}

// fill opens slots for events that wait, as long as there are counters. The error tells why there is none at all.
func (m *Multiplexer) fill() error {
	var errs []error
	for range m.waiting() {
		if m.limit > 0 && len(m.slots) >= m.limit {
			break
		}
		before := m.next
		e := m.pick()
		opened, err := m.from.OpenSlot(m.thread, e.name)
		if err == nil {
			s := &slot{Slot: opened}
			m.slots = append(m.slots, s)
			m.begin(s, e)
			continue
		}
		errs = append(errs, fmt.Errorf("mpx: %s: %w", e.name, err))
		if outOfCounters(err) {
			m.next, m.limit = before, max(len(m.slots), 1)
			break
		}
		e.err = err
	}
	if len(m.slots) == 0 {
		return errors.Join(errs...)
	}
	return nil
}

func outOfCounters(err error) bool {
	return errors.Is(err, substrate.ErrNoCounters) || errors.Is(err, substrate.ErrBusy) || errors.Is(err, substrate.ErrConflict)
}

// release takes events that are not active any more off their slots, and gives counters back that nobody waits for.
func (m *Multiplexer) release() {
	for _, s := range slices.Clone(m.slots) {
		if s.e.active == 0 && !m.replace(s) {
			m.close(s)
		}
	}
	if len(m.slots) == 0 {
		m.limit = m.o.Slots
	}
}

// close gives a counter back.
func (m *Multiplexer) close(s *slot) {
	m.end(s)
	if err := s.Close(); err != nil && s.e.err == nil {
		s.e.err = err
	}
	m.slots = slices.DeleteFunc(m.slots, func(o *slot) bool { return o == s })
}

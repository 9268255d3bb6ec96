package scripted

import (
	"fmt"
	"slices"

	"tracerec/counters/substrate"
)

// untilTurn returns for how long the context's events keep their counters, in ns.
func (s *Substrate) untilTurn(c *context) int64 {
	turn := int64(s.config.Turn)
	if turn == 0 || len(c.turns) == 0 {
		return 1 << 62
	}
	return turn - c.ran%turn
}

// run lets time pass in a context, and the next events have their turn when it is time.
func (s *Substrate) run(c *context, ns int64) {
	c.ran += ns
	c.each(func(k *counter) {
		k.enabled += ns
		if k.live {
			k.ran += ns
		}
	})
	if turn := int64(s.config.Turn); turn > 0 && len(c.turns) > 0 && c.ran%turn == 0 {
		c.next++
		s.choose(c)
	}
}

// choose gives the counters that are left to the events whose turn it is.
func (s *Substrate) choose(c *context) {
	if len(c.turns) == 0 {
		return
	}
	c.next %= len(c.turns)
	live := slices.Clone(c.fixed)
	for i := range c.turns {
		k := c.turns[(c.next+i)%len(c.turns)]
		if k.live = s.fits(append(slices.Clone(live), k)); k.live {
			live = append(live, k)
		}
	}
}

// Times stores for how long the events should have counted, and did.
func (g timedGroup) Times(enabled, running []uint64) {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	for i, c := range g.counters {
		enabled[i], running[i] = uint64(c.enabled), uint64(c.ran)
	}
}

// slot is a counter that its user gives to one event after the other.
type slot struct {
	of     *Substrate
	in     *context
	now    *counter
	began  int64 // time that the thread had run
	closed bool
}

// OpenSlot opens a slot on a thread. Its cycles are the nanoseconds for which the thread runs.
func (s *Substrate) OpenSlot(thread int, event string) (substrate.Slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.config.Slots {
		return nil, fmt.Errorf("%s: slots: %w", event, substrate.ErrUnsupported)
	}
	_, in, err := s.target(substrate.Options{Thread: thread})
	if err != nil {
		return nil, err
	}
	l := &slot{of: s, in: in}
	if err := l.begin(event); err != nil {
		return nil, err
	}
	s.groups++
	return l, nil
}

func (l *slot) begin(event string) error {
	c, err := l.of.counter(event, substrate.Options{})
	if err != nil {
		return err
	}
	all := append(slices.Clone(l.in.fixed), c)
	if !l.of.fits(all) {
		return fmt.Errorf("%s: %w", event, substrate.ErrConflict)
	}
	c.live, c.in, c.value = true, l.in, 0
	l.in.fixed, l.now, l.began = all, c, l.in.ran
	return nil
}

// Switch ends the event that is counted and counts the next; when that cannot be, the first goes on.
func (l *slot) Switch(next string) (count, cycles uint64, err error) {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if count, cycles, err = l.read(); err != nil {
		return 0, 0, err
	}
	before := l.now
	l.of.drop(l.in, []*counter{before})
	if err := l.begin(next); err != nil {
		l.in.fixed = append(l.in.fixed, before)
		return 0, 0, err
	}
	return count, cycles, nil
}

// Read stores what was counted and the cycles meanwhile.
func (l *slot) Read() (count, cycles uint64, err error) {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	return l.read()
}

func (l *slot) read() (count, cycles uint64, err error) {
	if err := l.of.broken[l.now.event.Name].read; err != nil {
		return 0, 0, fmt.Errorf("%s: %w", l.now.event.Name, err)
	}
	return l.now.value, uint64(l.in.ran - l.began), nil
}

// Close gives the counter back.
func (l *slot) Close() error {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.of.groups--
		l.of.drop(l.in, []*counter{l.now})
	}
	return nil
}

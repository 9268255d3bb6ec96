package scripted

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/counters/substrate"
)

// group is counters that are read together.
type group struct {
	of       *Substrate
	names    []string
	counters []*counter
	in       *context
	thread   int
	closed   bool
}

// timedGroup is a group of counters that take turns.
type timedGroup struct{ *group }

// Open makes events readable together.
func (s *Substrate) Open(names []string, o substrate.Options) (substrate.Group, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Multiplex && s.config.Turn == 0 {
		return nil, fmt.Errorf("%s: turns: %w", strings.Join(names, ","), substrate.ErrUnsupported)
	}
	g := &group{of: s, names: names}
	var err error
	if g.thread, g.in, err = s.target(o); err != nil {
		return nil, err
	}
	s.serial++
	for _, name := range names {
		c, err := s.counter(name, o)
		if err != nil {
			return nil, err
		}
		c.in = g.in
		g.counters = append(g.counters, c)
	}
	if s.config.Groups > 0 && s.groups >= s.config.Groups {
		return nil, fmt.Errorf("%s: %w: %d groups are open", names[0], substrate.ErrDescriptors, s.groups)
	}
	if o.Multiplex {
		for _, c := range g.counters {
			if !s.fits(append(slices.Clone(g.in.fixed), c)) {
				return nil, fmt.Errorf("%s: %w", c.event.Name, substrate.ErrConflict)
			}
		}
		g.in.turns = append(g.in.turns, g.counters...)
		s.choose(g.in)
		s.groups++
		return timedGroup{g}, nil
	}
	if err := s.place(g); err != nil {
		return nil, err
	}
	s.groups++
	return g, nil
}

// target finds what is to be counted on.
func (s *Substrate) target(o substrate.Options) (thread int, c *context, err error) {
	switch {
	case o.CPU > 0:
		return 0, contextOf(s.cpus, o.CPU-1), nil
	case o.Thread == 0:
		thread = gettid()
		return thread, s.thread(thread), nil
	}
	c = s.thread(o.Thread)
	if c.gone {
		return 0, nil, fmt.Errorf("thread %d: %w", o.Thread, substrate.ErrGone)
	}
	return o.Thread, c, nil
}

// counter makes a counter for an event.
func (s *Substrate) counter(name string, o substrate.Options) (*counter, error) {
	e, domain, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if err := s.broken[e.Name].open; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if domain == 0 {
		domain = o.Domain
	}
	if domain == 0 {
		domain = s.config.Permit
	}
	if domain&^s.config.Permit != 0 {
		return nil, fmt.Errorf("%s: %w: only some domains are permitted", name, substrate.ErrPermission)
	}
	return &counter{event: e, domain: domain, inherit: o.Inherit, since: s.serial, value: e.First}, nil
}

// place finds counters for all of a group's events.
func (s *Substrate) place(g *group) error {
	all := append(slices.Clone(g.in.fixed), g.counters...)
	if s.fits(all) {
		g.in.fixed = all
		for _, c := range g.counters {
			c.live = true
		}
		s.choose(g.in)
		return nil
	}
	names := strings.Join(g.names, ",")
	free := s.config.Counters - s.config.Taken
	switch {
	case len(g.counters) > s.config.Counters:
		return fmt.Errorf("%s: %w: there are %d", names, substrate.ErrNoCounters, s.config.Counters)
	case len(all) > free && len(all) <= s.config.Counters:
		return fmt.Errorf("%s: %w: %d of %d", names, substrate.ErrBusy, s.config.Taken, s.config.Counters)
	}
	return fmt.Errorf("%s: %w", names, substrate.ErrConflict)
}

// fits reports whether every one of them can have a counter of its own, by augmenting paths.
func (s *Substrate) fits(list []*counter) bool {
	if s.config.Counters == 0 {
		return true
	}
	n := s.config.Counters - s.config.Taken
	holder := make([]int, n) // 1 + the index in list
	var place func(i int, seen []bool) bool
	place = func(i int, seen []bool) bool {
		mask := list[i].event.Counters
		for k := range n {
			if mask != 0 && mask&(1<<k) == 0 || seen[k] {
				continue
			}
			seen[k] = true
			if holder[k] == 0 || place(holder[k]-1, seen) {
				holder[k] = i + 1
				return true
			}
		}
		return false
	}
	for i := range list {
		if list[i].event.Process || list[i].event.Gauge {
			continue // needs no counter
		}
		if !place(i, make([]bool, n)) {
			return false
		}
	}
	return true
}

// Read stores the values.
func (g *group) Read(dst []uint64) (where uint64, err error) {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if g.closed {
		return 0, fmt.Errorf("%s: read after close", strings.Join(g.names, ","))
	}
	g.of.reads++
	for i, c := range g.counters {
		if err := g.of.broken[c.event.Name].read; err != nil {
			return 0, fmt.Errorf("%s: %w", g.names[i], err)
		}
		dst[i] = c.value & mask(c.event.Bits)
	}
	process := slices.ContainsFunc(g.counters, func(c *counter) bool { return c.event.Process })
	if tid := gettid(); tid == g.thread && !process {
		return uint64(tid)<<16 | g.of.steps&0xffff, nil
	}
	return 0, nil
}

func mask(bits int) uint64 {
	if bits == 0 || bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// Close gives the counters back.
func (g *group) Close() error {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if g.closed {
		return fmt.Errorf("%s: closed twice", strings.Join(g.names, ","))
	}
	g.closed = true
	g.of.groups--
	g.of.drop(g.in, g.counters)
	return nil
}

// drop takes counters out of their context.
func (s *Substrate) drop(c *context, gone []*counter) {
	in := func(k *counter) bool { return slices.Contains(gone, k) }
	c.fixed = slices.DeleteFunc(c.fixed, in)
	c.turns = slices.DeleteFunc(c.turns, in)
	s.choose(c)
}

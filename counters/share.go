package counters

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tracerec/counters/substrate"
)

// shared is a group with the number of parts that read it.
type shared struct {
	from  Substrate
	names []string
	group substrate.Group
	key   groupKey

	// Guarded by the table's mu:
	refs    int // parts that hold it
	running int // parts that count; without any it is paused

	mu sync.Mutex // reading: sets of several goroutines may share the group
}

// groupKey tells groups apart whose events count the same.
type groupKey struct {
	from      Substrate
	options   Options // with the thread
	goroutine uint64  // that they count for, 0 for whatever is on the thread
}

// keyOf returns the key of groups that the caller opens with those options.
func keyOf(from Substrate, o Options) (groupKey, error) {
	key := groupKey{from: from, options: o}
	if o.Thread != 0 || o.CPU != 0 {
		return key, nil
	}
	if g, ok := from.(substrate.Goroutines); ok {
		var err error
		if key.goroutine, err = g.Goroutine(); err != nil || key.goroutine != 0 {
			return key, err
		}
	}
	key.options.Thread = thread()
	return key, nil
}

// groupTable knows all groups that are open in this process. An event is counted once, however many sets have it: what a group counts
// already is read from there. Counters run freely, and every set subtracts what it found at its start. A group stays open with
// all its events until the last set that reads any of them has ended. Groups of stopped sets are paused, and take no counters.
type groupTable struct {
	mu     sync.Mutex
	groups map[groupKey][]*shared
}

var table = groupTable{groups: map[groupKey][]*shared{}}

// open opens those of the events that no group counts yet, together. The values go to the positions at of a set's counts.
func (t *groupTable) open(from Substrate, names []string, at []int, o Options) ([]part, error) {
	key, err := keyOf(from, o)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found, rest, restAt := t.find(key, names, at)
	var own []part
	if len(rest) > 0 {
		p, err := t.add(key, rest, restAt, o)
		if err != nil {
			return nil, errors.Join(t.withRunning(err, key), t.pauseIdle(found))
		}
		own = append(own, p)
	}
	for _, p := range found {
		p.group.refs++
		p.group.running++
		own = append(own, p)
	}
	return own, nil
}

// add opens a group.
func (t *groupTable) add(key groupKey, names []string, at []int, o Options) (*groupPart, error) {
	g, err := key.from.Open(names, o)
	if err != nil {
		return nil, err
	}
	s := &shared{from: key.from, names: names, group: g, key: key, refs: 1, running: 1}
	t.groups[key] = append(t.groups[key], s)
	take := make([]int, len(names))
	for i := range take {
		take[i] = i
	}
	return newPart(s, take, at), nil
}

// find looks for events in groups that count, those first that have most of them, and returns those that are in none.
func (t *groupTable) find(key groupKey, names []string, at []int) (parts []*groupPart, rest []string, restAt []int) {
	groups := slices.Clone(t.groups[key])
	has := func(g *shared) (n int) {
		for _, name := range names {
			if slices.Contains(g.names, name) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(groups, func(a, b *shared) int { return has(b) - has(a) })
	taken := make([]bool, len(names))
	for _, g := range groups {
		var take, to []int
		for i, n := range names {
			if k := slices.Index(g.names, n); k >= 0 && !taken[i] {
				take, to = append(take, k), append(to, i)
			}
		}
		if take == nil || !t.resume(g) {
			continue
		}
		for j, i := range to {
			taken[i], to[j] = true, at[i]
		}
		parts = append(parts, newPart(g, take, to))
	}
	for i, n := range names {
		if !taken[i] {
			rest, restAt = append(rest, n), append(restAt, at[i])
		}
	}
	return parts, rest, restAt
}

// resume makes a group count and reports whether it does. One that cannot is not found any more.
func (t *groupTable) resume(s *shared) bool {
	p, ok := s.group.(substrate.Pauser)
	if !ok {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Resume() != nil {
		t.forget(s)
		return false
	}
	return true
}

// pauseIdle pauses those of the groups again that nobody reads.
func (t *groupTable) pauseIdle(found []*groupPart) error {
	var errs []error
	for _, p := range found {
		if pauser, ok := p.group.group.(substrate.Pauser); ok && p.group.running == 0 {
			errs = append(errs, pauser.Pause())
		}
	}
	return errors.Join(errs...)
}

// forget makes a group one that is not found.
func (t *groupTable) forget(s *shared) {
	of := slices.DeleteFunc(t.groups[s.key], func(g *shared) bool { return g == s })
	if t.groups[s.key] = of; len(of) == 0 {
		delete(t.groups, s.key)
	}
}

// withRunning adds to an error for want of counters what other sets of this program count on the same thread.
func (t *groupTable) withRunning(err error, key groupKey) error {
	if !scarce(err) {
		return err
	}
	var held []string
	for k, groups := range t.groups {
		if k.from != key.from || k.options.Thread != key.options.Thread || k.options.CPU != key.options.CPU {
			continue
		}
		for _, g := range groups {
			if g.running > 0 {
				held = append(held, g.names...)
			}
		}
	}
	if held == nil {
		return err
	}
	slices.Sort(held)
	return fmt.Errorf("%w (running event sets of this program count there: %s)", err, strings.Join(slices.Compact(held), ", "))
}

// pause makes a part one of a stopped set, which keeps the group, and reports whether that is possible.
func (t *groupTable) pause(s *shared) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := s.group.(substrate.Pauser)
	if !ok || !p.Pausable() || s.running == 1 && p.Pause() != nil {
		return false
	}
	s.running--
	return true
}

// again makes a part of a stopped set count, and reports whether its group does: one that could not once is of no use.
func (t *groupTable) again(s *shared) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.groups[s.key], s) || !t.resume(s) {
		return false
	}
	s.running++
	return true
}

// close gives a group back; the last one closes it.
func (t *groupTable) close(s *shared, running bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.refs--
	if running {
		s.running--
	}
	if s.refs > 0 {
		return t.pauseIdle([]*groupPart{{group: s}})
	}
	t.forget(s)
	return s.group.Close()
}

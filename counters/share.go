package counters

import (
	"slices"
	"sync"

	"tracerec/counters/substrate"
)

// shared is a group with the number of parts that read it.
type shared struct {
	from  Substrate
	names []string
	group substrate.Group
	key   groupKey
	refs  int // guarded by the table's mu

	mu sync.Mutex // reading: sets of several goroutines may share the group
}

// groupKey tells groups apart whose events count the same.
type groupKey struct {
	from    Substrate
	options Options
}

// groupTable knows all groups that are open in this process. An event that does not fit a second time, a watchpoint for
// instance, is read from the group that counts it already: counters run freely, and every set subtracts what it found at
// its start. A group stays open with all its events until the last set that reads any of them has ended.
type groupTable struct {
	mu     sync.Mutex
	groups map[groupKey][]*shared
}

var table = groupTable{groups: map[groupKey][]*shared{}}

// open opens the events together; what goes wrong for want of counters is tried again with those that are open already
// taken from there. The values go to the positions at of a set's counts.
func (t *groupTable) open(from Substrate, names []string, at []int, o Options) ([]part, error) {
	key := groupKey{from, o}
	if o.Thread == 0 && o.CPU == 0 {
		key.options.Thread = thread()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.add(key, names, at, o)
	if err == nil {
		return []part{p}, nil
	}
	if !scarce(err) {
		return nil, err
	}
	found, rest, restAt := t.find(key, names, at)
	if len(found) == 0 {
		return nil, err
	}
	var own []part
	if len(rest) > 0 {
		p, again := t.add(key, rest, restAt, o)
		if again != nil {
			return nil, err
		}
		own = append(own, p)
	}
	for _, p := range found {
		p.group.refs++
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
	s := &shared{from: key.from, names: names, group: g, key: key, refs: 1}
	t.groups[key] = append(t.groups[key], s)
	take := make([]int, len(names))
	for i := range take {
		take[i] = i
	}
	return newPart(s, take, at), nil
}

// find looks for events in groups that are open, and returns those that are in none.
func (t *groupTable) find(key groupKey, names []string, at []int) (parts []*groupPart, rest []string, restAt []int) {
	taken := make([]bool, len(names))
	for _, g := range t.groups[key] {
		var take, to []int
		for i, n := range names {
			if k := slices.Index(g.names, n); k >= 0 && !taken[i] {
				take, to, taken[i] = append(take, k), append(to, at[i]), true
			}
		}
		if take != nil {
			parts = append(parts, newPart(g, take, to))
		}
	}
	for i, n := range names {
		if !taken[i] {
			rest, restAt = append(rest, n), append(restAt, at[i])
		}
	}
	return parts, rest, restAt
}

// close gives a group back; the last one closes it.
func (t *groupTable) close(s *shared) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.refs--; s.refs > 0 {
		return nil
	}
	of := slices.DeleteFunc(t.groups[s.key], func(g *shared) bool { return g == s })
	if t.groups[s.key] = of; len(of) == 0 {
		delete(t.groups, s.key)
	}
	return s.group.Close()
}

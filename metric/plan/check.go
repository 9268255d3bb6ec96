package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Counter is a counter of a processor by its number, or none.
type Counter int

// none stands for the counter of an event that takes none.
const none Counter = -1

// Check tells whether sets are a plan for the problem: they have all events, no others, each can be counted as a whole, and
// what stays together can. It returns which counter counts which event, by set. It assigns counters by augmenting paths in each
// set for itself (Kuhn), and shares nothing with Plan.
func Check(p Problem, sets []Set) ([]map[string]Counter, error) {
	for i, s := range sets {
		seen := map[string]bool{}
		for _, e := range s {
			switch {
			case seen[e]:
				return nil, fmt.Errorf("set %d: %s is in it twice", i+1, e)
			case !slices.Contains(p.Events, e):
				return nil, fmt.Errorf("set %d: %s was not asked for", i+1, e)
			}
			seen[e] = true
		}
	}
	for _, e := range p.Events {
		if !slices.ContainsFunc(sets, func(s Set) bool { return slices.Contains(s, e) }) {
			return nil, fmt.Errorf("%s is in no set", e)
		}
	}
	var all []map[string]Counter
	for i, s := range sets {
		on, err := assign(p, s)
		if err != nil {
			return nil, fmt.Errorf("set %d: %w", i+1, err)
		}
		all = append(all, on)
	}
	for _, inputs := range p.Together {
		inputs = slices.DeleteFunc(slices.Clone(inputs), func(e string) bool { return !slices.Contains(p.Events, e) })
		slices.Sort(inputs)
		inputs = slices.Compact(inputs)
		if _, err := assign(p, inputs); err != nil {
			continue // they cannot be together
		}
		if !slices.ContainsFunc(sets, func(s Set) bool {
			return !slices.ContainsFunc(inputs, func(e string) bool { return !slices.Contains(s, e) })
		}) {
			return nil, fmt.Errorf("%s could be together and are in no set as a whole", strings.Join(inputs, ", "))
		}
	}
	return all, nil
}

// assign gives each event of one set a counter.
func assign(p Problem, s Set) (map[string]Counter, error) {
	if p.Most > 0 && len(s) > p.Most {
		return nil, fmt.Errorf("%d events, %d can be read together", len(s), p.Most)
	}
	for _, e := range s {
		if len(s) > 1 && slices.Contains(p.Machine.Alone, e) {
			return nil, fmt.Errorf("%s is counted with no other", e)
		}
	}
	on := map[string]Counter{}
	if len(p.Machine.Groups) > 0 {
		return on, inGroup(p, s)
	}
	holder := map[Counter]string{}
	var seat func(e string, refused map[Counter]bool) bool
	seat = func(e string, refused map[Counter]bool) bool {
		for c := range Counter(64) {
			if refused[c] || !fits(p, e, c) {
				continue
			}
			refused[c] = true
			if other, taken := holder[c]; !taken || seat(other, refused) {
				holder[c], on[e] = e, c
				return true
			}
		}
		return false
	}
	for _, e := range s {
		if takesNone(p, e) {
			on[e] = none
		} else if !seat(e, map[Counter]bool{}) {
			return nil, fmt.Errorf("no counter is left for %s", e)
		}
	}
	return on, nil
}

// fits says that a counter can count an event.
func fits(p Problem, event string, c Counter) bool {
	if mask, told := p.Machine.Fits[event]; told {
		return mask>>c&1 == 1
	}
	return int(c) < p.Machine.Counters
}

// takesNone says that an event needs no counter.
func takesNone(p Problem, event string) bool {
	mask, told := p.Machine.Fits[event]
	return told && mask == 0 || !told && p.Machine.Counters == 0
}

// inGroup returns an error unless some group has all events that need a counter.
func inGroup(p Problem, s Set) error {
	lone := len(s) == 1 && slices.Contains(p.Machine.Alone, s[0])
	for _, g := range append([][]string{nil}, p.Machine.Groups...) {
		ok := true
		for _, e := range s {
			mask, told := p.Machine.Fits[e]
			ok = ok && (slices.Contains(g, e) || told && mask == 0)
		}
		if ok || lone {
			return nil
		}
	}
	return fmt.Errorf("no group has all of %s", strings.Join(s, ", "))
}

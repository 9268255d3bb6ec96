//go:build linux

package simulated

import (
	"fmt"
	"strings"
)

// filter chooses the functions that are recorded.
type filter struct{ rules []rule }

type rule struct {
	parts   []string // of the pattern, between its asterisks
	exclude bool
}

// newFilter reads patterns, see [Options.Filter].
func newFilter(patterns []string) (*filter, error) {
	f := new(filter)
	for _, p := range patterns {
		name, exclude := strings.CutPrefix(p, "-")
		if name == "" {
			return nil, fmt.Errorf("filter %q: a pattern is a function's name, with * for any characters; - before it excludes", p)
		}
		f.rules = append(f.rules, rule{strings.Split(name, "*"), exclude})
	}
	return f, nil
}

// records tells whether a function is recorded; own is what holds if no pattern says anything.
func (f *filter) records(name string, own bool) bool {
	if len(f.rules) > 0 && !f.rules[0].exclude {
		own = false
	}
	for _, r := range f.rules {
		if r.matches(name) {
			own = !r.exclude
		}
	}
	return own
}

// matches tells whether the pattern fits the whole name.
func (r *rule) matches(name string) bool {
	first, last := r.parts[0], r.parts[len(r.parts)-1]
	if len(r.parts) == 1 {
		return name == first
	}
	rest, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for _, part := range r.parts[1 : len(r.parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}

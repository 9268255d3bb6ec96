//go:build linux

package simulated

import (
	"fmt"
	"strings"
)

// filter chooses the functions that are recorded.
type filter struct{ rules []rule }

type rule struct {
	pattern string
	parts   []string // of the pattern, between its asterisks
	exclude bool
	fits    bool // a function of a program that was executed
}

// newFilter reads patterns, see [Options.Filter].
func newFilter(patterns []string) (*filter, error) {
	f := new(filter)
	for _, p := range patterns {
		name, exclude := strings.CutPrefix(p, "-")
		if name == "" {
			return nil, fmt.Errorf("filter %q: a pattern is a function's name, with * for any characters; a - before it excludes", p)
		}
		if strings.Count(name, "[") != strings.Count(name, "]") && !strings.Contains(name, "*") {
			return nil, fmt.Errorf("filter %q: no function can have this name; type arguments are [...], and * matches any characters", p)
		}
		f.rules = append(f.rules, rule{pattern: p, parts: strings.Split(name, "*"), exclude: exclude})
	}
	return f, nil
}

// CheckFilter tells what is wrong with patterns of [Options.Filter].
func CheckFilter(patterns []string) error {
	_, err := newFilter(patterns)
	return err
}

// records tells whether a function is recorded; own is what holds if no pattern says anything.
func (f *filter) records(name string, own bool) bool {
	if len(f.rules) > 0 && !f.rules[0].exclude {
		own = false
	}
	for i := range f.rules {
		if r := &f.rules[i]; r.matches(name) {
			own, r.fits = !r.exclude, true
		}
	}
	return own
}

// idle lists the patterns that fit no function of any program.
func (f *filter) idle() (patterns []string) {
	for _, r := range f.rules {
		if !r.fits {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
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

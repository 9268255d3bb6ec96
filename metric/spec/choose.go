package spec

import (
	"fmt"
	"slices"
	"strings"
)

// SplitEvents splits a list of events at its commas, other than those between the slashes of an event of a unit:
// cpu/event=0x3c,umask=0/.
func SplitEvents(list string) (names []string) {
	within := false
	for i, begin := 0, 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && !within:
			if name := strings.TrimSpace(list[begin:i]); name != "" {
				names = append(names, name)
			}
			begin, within = i+1, false
		case list[i] == '/' && !within:
			end := strings.IndexByte(list[i+1:], '/')
			within = end >= 0 && strings.Contains(list[i+1:i+1+end], "=")
		case list[i] == '/':
			within = false
		}
	}
	return names
}

// MayBeSet tells whether what somebody asks for may be the name of a set that is shipped: these are identifiers.
func MayBeSet(text string) bool { return !strings.ContainsAny(text, "-:,/ ") }

// SetOf returns what somebody asks for: a set of a specification by its name, or a list of counters.
func SetOf(text string, specs []*Spec) (Set, error) {
	for _, s := range specs {
		if i := slices.IndexFunc(s.Sets, func(x Set) bool { return x.Name == text }); i >= 0 {
			return s.Sets[i], nil
		}
	}
	names := SplitEvents(text)
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return Set{}, fmt.Errorf("%s: %s is in it twice", text, n)
		}
	}
	if len(names) == 0 {
		return Set{}, fmt.Errorf("%q: no counters", text)
	}
	return Set{Events: names}, nil
}

//go:build linux

package count

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"tracerec/simulator/cache"
)

// NotCounted says that nothing was counted of those who were asked for.
type NotCounted struct {
	Who   string
	There []string // of whom something was counted, sorted
}

func (e *NotCounted) Error() string {
	return fmt.Sprintf("%s: nothing was counted for it; there are counts for %s", e.Who, strings.Join(e.There, ", "))
}

// Only returns what was counted of goroutines by the function with which they began, with * for any characters in its name, or of a domain; of all
// for "". The error is a *[NotCounted].
func (c *Counters) Only(who string) (v Values, err error) {
	if who == "" {
		return c.Totals(), nil
	}
	var known []string
	found := false
	for _, a := range c.Accounts() {
		domain := a.Domain.String()
		if who == domain || wildcard(who, a.Start) {
			v.Add(&a.Values)
			found = true
		}
		if known = append(known, domain); a.Start != "" {
			known = append(known, a.Start)
		}
	}
	if !found {
		slices.Sort(known)
		return v, &NotCounted{who, slices.Compact(known)}
	}
	return v, nil
}

// wildcard tells whether a name is what a pattern says, with * for any characters.
func wildcard(pattern, name string) bool {
	flat := func(s string) string { return strings.ReplaceAll(s, "/", ":") }
	matched, err := path.Match(flat(pattern), flat(name))
	return name != "" && (pattern == name || matched && err == nil)
}

// Amount is the value of an event.
type Amount struct {
	Event // its name as it was asked for
	Value uint64
}

// Amounts returns the values of events as far as they are counted, of those whom Only chooses. NAME:k is what is the kernel's of it, NAME:u the rest.
func (c *Counters) Amounts(who string, names []string) (list []Amount, err error) {
	v, err := c.Only(who)
	if err != nil {
		return nil, err
	}
	there := c.named()
	for _, name := range names {
		base, mode, _ := strings.Cut(name, ":")
		if e, ok := there[base]; ok {
			part := inMode(v, mode)
			n := c.Evaluate(&e, &part)
			e.Name = name
			list = append(list, Amount{e, n})
		}
	}
	return list, nil
}

// inMode returns what is of the kernel, k, or of the program, u; all else.
func inMode(v Values, mode string) Values {
	kernel := v[KernelCycles]
	switch mode {
	case "k":
		v = Values{}
		v[KernelCycles] = kernel
	case "u":
		v[KernelCycles] = 0
	}
	return v
}

// Choosable tells whether misses have to be told apart by kind to count the events, all of which have to exist on a machine; nil is none.
func Choosable(m *cache.Machine, names []string) (apart bool, err error) {
	plain, err := New(m, Options{})
	if err != nil {
		return false, err
	}
	all, err := New(m, Options{Classify: true})
	if err != nil {
		return false, err
	}
	for _, text := range names {
		name, mode, more := strings.Cut(text, ":")
		e, ok := all.named()[name]
		switch {
		case !ok:
			return false, fmt.Errorf("%s: %w", text, ErrUnknown)
		case more && mode != "u" && mode != "k":
			return false, fmt.Errorf("%s: the suffix must be :u or :k", text)
		case mode == "k" && !all.Kernel(&e):
			return false, fmt.Errorf("%s: only cycles of the kernel are modelled: use SIM_KERNEL_CYC", text)
		}
		_, without := plain.named()[name]
		apart = apart || !without
	}
	return apart, nil
}

package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tracerec/trace/wire"
)

// Said returns what there is to say of counts of a process, in order. Of functions whose visits were counted instead of recorded it names those with
// the most; there may be many.
func Said(counts map[string]uint64) (said []string) {
	const named = 3
	var visits []string
	all, more := uint64(0), false
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if _, atLeast, ok := wire.Unrecorded(name); ok {
			visits = append(visits, name)
			all, more = all+counts[name], more || atLeast
		} else {
			said = append(said, fmt.Sprintf("%s: %d", name, counts[name]))
		}
	}
	if len(visits) == 0 {
		return said
	}
	slices.SortStableFunc(visits, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	text := fmt.Sprintf("%s: %d", visits[0], all)
	if n := len(visits); n > 1 {
		text = fmt.Sprintf("%s: %d", wire.UnrecordedVisits(fmt.Sprint(n, " functions"), more), all)
		for i, name := range visits[:min(n, named)] {
			region, _, _ := wire.Unrecorded(name)
			text += fmt.Sprintf("%s%d of %s", []string{"; ", ", ", ", "}[i], counts[name], region)
		}
		if n > named {
			text += ", …"
		}
	}
	return append(said, text)
}

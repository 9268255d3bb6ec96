package trace

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/trace/wire"
)

// Said returns what there is to say of counts of a process, in order. Of functions whose visits were counted instead of recorded it names those with
// the most; there may be many. A remark has no count.
func Said(counts map[string]uint64) (said []string) {
	const named = 3
	var visits []string
	all, more := uint64(0), false
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if _, atLeast, ok := wire.Unrecorded(name); ok {
			visits = append(visits, name)
			all, more = all+counts[name], more || atLeast
		} else if counts[name] == 1 && strings.HasSuffix(name, ")") { // a remark, with what there is to say of it
			said = append(said, name)
		} else {
			said = append(said, name+": "+readable.Grouped(counts[name], 0))
		}
	}
	if len(visits) == 0 {
		return said
	}
	slices.SortStableFunc(visits, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	n, sum := len(visits), ": "+readable.Grouped(all, 0)
	if n == 1 {
		return append(said, visits[0]+sum)
	}
	text := wire.UnrecordedVisits(readable.Plural(n, "function"), more) + sum
	for i, name := range visits[:min(n, named)] {
		region, _, _ := wire.Unrecorded(name)
		text += []string{"; ", ", ", ", "}[i] + readable.Grouped(counts[name], 0) + " of " + region
	}
	if n > named {
		text += ", …"
	}
	return append(said, text)
}

package build

import (
	"fmt"
	"path/filepath"
	"strings"

	"tracerec/internal/readable"
)

// Hint is a sentence that says how to see more of what a report says first of all, which is at this line of a file: an operation, or the work of a function.
// It is "" if nothing there is hidden, or nothing is known of it.
func (b *Build) Hint(file string, line int, operation bool) string {
	if len(b.regions) == 0 || file == "" {
		return ""
	}
	made := b.made
	made.Overlay = b.overlay
	h, err := made.Beneath(file, line, operation, b.deps, b.regions)
	if err != nil {
		return ""
	}
	where, flags := "", ""
	switch {
	case len(h.Modules) > 3:
		where, flags = "what it calls in other modules", " --deps all"
	case len(h.Modules) > 0:
		where = list(h.Modules) + ", which it calls"
		for _, m := range h.Modules {
			flags += " --deps " + readable.Argument(m+"/...")
		}
	case len(h.Small) > 0:
		where = list(h.Small) + ", which the compiler inlines"
		for _, name := range h.Small {
			flags += " --include " + readable.Argument(name)
		}
	default:
		return ""
	}
	if operation {
		return fmt.Sprintf("the wait at %s:%d is in %s: to see in which of its functions, record again with%s", filepath.Base(file), line, h.Modules[0], flags)
	}
	return fmt.Sprintf("part of the work in %s may be in %s: to see it, record again with%s", h.Function, where, flags)
}

// list is an enumeration in words.
func list(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return names[0]
}

package instrument

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracerec/trace/wire"
)

// older is what goroutines that waited all through a recording have in common: what they were started with, and what they wait for, in the runtime's words.
type older struct{ name, waitsFor string }

// mostOlder is of how many kinds of these a recording tells.
const mostOlder = 5

// tellOlder tells of the goroutines that waited all the time. They are older than the recording, which has no event of them.
func (se *session) tellOlder() {
	names, kinds, all := map[uintptr]string{}, map[older]int{}, 0
	forEachOlder(func(entry uintptr, waitsFor string) {
		name, known := names[entry]
		if !known {
			if name = entryAt(entry).Name; name == "runtime.main" {
				name = "main"
			}
			names[entry] = name
		}
		kinds[older{name, waitsFor}]++
		all++
	})
	if all > 0 {
		se.buffer.Define(wire.Def{Type: wire.DefMissing, Unit: olderText(kinds, all)})
	}
}

// olderText says for people which goroutines waited all the time: those that wait for a lock first, as that is nothing to wait for long.
func olderText(kinds map[older]int, all int) string {
	locked := func(k older) int {
		if strings.HasPrefix(k.waitsFor, "sync.") {
			return 0
		}
		return 1
	}
	list := slices.SortedFunc(maps.Keys(kinds), func(x, y older) int {
		return cmp.Or(cmp.Compare(locked(x), locked(y)), cmp.Compare(kinds[y], kinds[x]), strings.Compare(x.name, y.name), strings.Compare(x.waitsFor, y.waitsFor))
	})
	var texts []string
	more := all
	for _, k := range list[:min(len(list), mostOlder)] {
		text := k.name
		if n := kinds[k]; n > 1 {
			text = fmt.Sprintf("%s ×%d", text, n)
		}
		texts = append(texts, text+" ["+k.waitsFor+"]")
		more -= kinds[k]
	}
	if more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return "goroutines that waited all the time, since before the recording began, are not in it: " + strings.Join(texts, ", ") + " (a goroutine dump shows where)"
}

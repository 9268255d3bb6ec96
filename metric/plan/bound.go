package plan

import (
	"fmt"
	"math/bits"
	"slices"

	"tracerec/internal/readable"
)

// bound returns how many sets are needed at least, by counting: of the events that fit on certain counters only, each of these
// counters counts one in a set (Hall's theorem). What else is asked for can only make it more.
func (t *task) bound() Proof {
	best := Proof{How: "there is nothing to measure"}
	better := func(n int, how string, args ...any) {
		if n > best.LowerBound {
			best.LowerBound, best.How = n, fmt.Sprintf(how, args...)
		}
	}
	alone := 0
	var masks []uint64
	for i, m := range t.mask {
		if t.alone[i] {
			alone++
		} else if m != 0 && !slices.Contains(masks, m) {
			masks = append(masks, m)
		}
	}
	better(alone+min(1, len(t.name)-alone), "one set has all")
	if t.Most > 0 {
		better(alone+ceil(len(t.name)-alone, t.Most), "%s, of which %d can be read together", readable.Plural(len(t.name), "event"), t.Most)
	}
	for _, on := range unions(masks) {
		var fit []int
		for i, m := range t.mask {
			if m != 0 && m&^on == 0 && !t.alone[i] {
				fit = append(fit, i)
			}
		}
		n := bits.OnesCount64(on)
		how := "%s need %s"
		if len(fit) < len(t.name)-alone {
			how = "%s fit only on the same %s"
		}
		better(alone+ceil(len(fit), n), how+", one each in a set", readable.Plural(len(fit), "event"), readable.Plural(n, "counter"))
	}
	if alone > 0 && len(t.name) > 1 {
		best.How += fmt.Sprintf("; %s counted with no other", readable.Plural(alone, "event"))
	}
	return best
}

func ceil(a, b int) int { return (a + b - 1) / b }

// unions returns all unions of masks; of too many masks, themselves and all together.
func unions(masks []uint64) []uint64 {
	const many = 12
	if len(masks) > many {
		all := uint64(0)
		for _, m := range masks {
			all |= m
		}
		return append(slices.Clone(masks), all)
	}
	var list []uint64
	for choice := 1; choice < 1<<len(masks); choice++ {
		on := uint64(0)
		for i, m := range masks {
			if choice&(1<<i) != 0 {
				on |= m
			}
		}
		list = append(list, on)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

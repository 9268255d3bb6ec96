package analyzer

import (
	"cmp"
	"slices"
)

// onPath measures each metric against the critical path: how long the path was on causers of the waits of the
// metric or its descendants. Causer by causer, for at no time is the path on two of them.
func (b *builder) onPath() {
	list := b.out.Metrics
	b.out.OnPath = make([]int64, len(list))
	parent := make([]int, len(list))
	index := map[string]int{"": -1}
	for i := range list {
		index[list[i].Name] = i
		parent[i] = index[list[i].Parent]
	}
	keys := make([]unionKey, 0, len(b.waits.unions))
	for k := range b.waits.unions {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y unionKey) int { return cmp.Compare(x.causer, y.causer) })
	for len(keys) > 0 {
		causer := keys[0].causer
		of := map[int][]interval{} // by metric
		for ; len(keys) > 0 && keys[0].causer == causer; keys = keys[1:] {
			for m := int(keys[0].line.metric); m >= 0; m = parent[m] {
				of[m] = unite(b.s.store, of[m], b.waits.unions[keys[0]])
			}
		}
		for m, v := range of {
			b.out.OnPath[m] += length(b.s.store, v)
		}
	}
}

package plan

import (
	"fmt"
	"slices"

	"tracerec/internal/readable"
)

// fromGroups makes a plan for a processor that counts certain groups of events only: the fewest groups that have all blocks
// and single events, found by trying, for a block that few groups have, all of them, and so on.
func (t *task) fromGroups() *Result {
	c := &cover{task: t}
	var free []int // they take no counter
	for _, e := range t.single {
		switch {
		case t.free(e):
			free = append(free, e)
		default:
			c.parts = append(c.parts, []int{e})
		}
	}
	c.parts = append(slices.Clone(t.blocks), c.parts...)
	c.find()
	proof := Proof{Optimal: true, LowerBound: c.bound(make([]bool, len(c.parts)))}
	for k := proof.LowerBound; !c.choose(make([]bool, len(c.parts)), nil, k); k++ {
		if c.looks >= budget {
			proof.Optimal = false
			c.looks = 0
		} else if proof.Optimal {
			proof.LowerBound = k + 1
		}
	}
	sets := c.sets()
	proof.Optimal = proof.Optimal && len(sets) == len(c.chosen)
	for _, e := range free {
		i := slices.IndexFunc(sets, func(s []int) bool { return (t.Most == 0 || len(s) < t.Most) && !t.alone[e] && !t.alone[s[0]] })
		if i < 0 {
			i = len(sets)
			sets = append(sets, nil)
			proof.Optimal = proof.Optimal && (i == 0 || t.alone[e])
		}
		sets[i] = union(sets[i], []int{e})
	}
	proof.How = fmt.Sprintf("all ways to choose fewer of the %s were tried", readable.Plural(len(c.groups), "group"))
	if !proof.Optimal {
		proof.How = "not all ways to choose fewer groups were tried"
	}
	return t.result(sets, proof)
}

// cover chooses groups that have all parts.
type cover struct {
	*task
	parts  [][]int  // blocks and single events
	groups [][]bool // by group of those that matter: which parts it has
	most   int      // parts of a group
	chosen []int
}

// find lists the groups that matter: those whose parts no other has, too. An event that is counted alone is a group.
func (c *cover) find() {
	lists := slices.Clone(c.Machine.Groups)
	for _, e := range c.Machine.Alone {
		lists = append(lists, []string{e})
	}
	for _, g := range lists {
		has, any := make([]bool, len(c.parts)), false
		for i, part := range c.parts {
			lone := len(part) == 1 && c.alone[part[0]]
			has[i] = c.within(part, g) && (!lone || len(g) == 1)
			any = any || has[i]
		}
		if any && !slices.ContainsFunc(c.groups, func(other []bool) bool { return includes(other, has) }) {
			c.groups = append(slices.DeleteFunc(c.groups, func(other []bool) bool { return includes(has, other) }), has)
		}
	}
	for _, g := range c.groups {
		c.most = max(c.most, count(g))
	}
}

// includes says that a has all that b has.
func includes(a, b []bool) bool {
	for i := range b {
		if b[i] && !a[i] {
			return false
		}
	}
	return true
}

func count(list []bool) (n int) {
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}

// bound returns how many more groups are needed at least: for parts no two of which are in one group, one each.
func (c *cover) bound(done []bool) int {
	n := 0
	blocked := slices.Clone(done)
	for i := range c.parts {
		if blocked[i] {
			continue
		}
		n++
		for _, g := range c.groups {
			if g[i] {
				for j, has := range g {
					blocked[j] = blocked[j] || has
				}
			}
		}
	}
	return max(n, ceil(len(done)-count(done), max(1, c.most)))
}

// choose finds k groups that have all parts that are not done.
func (c *cover) choose(done []bool, chosen []int, k int) bool {
	rarest, fewest := -1, 0
	for i := range c.parts {
		if done[i] {
			continue
		}
		n := 0
		for _, g := range c.groups {
			if g[i] {
				n++
			}
		}
		if rarest < 0 || n < fewest {
			rarest, fewest = i, n
		}
	}
	if rarest < 0 {
		c.chosen = slices.Clone(chosen)
		return true
	}
	c.looks += len(c.parts) * len(c.groups)
	if c.looks >= budget || c.bound(done) > k {
		return false
	}
	for g, has := range c.groups {
		if !has[rarest] {
			continue
		}
		more := slices.Clone(done)
		for i := range has {
			more[i] = more[i] || has[i]
		}
		if c.choose(more, append(chosen, g), k-1) {
			return true
		}
	}
	return false
}

// sets returns what the chosen groups are to measure, each part once. What makes a set too large to be read gets one of its own.
func (c *cover) sets() [][]int {
	done := make([]bool, len(c.parts))
	var sets [][]int
	for _, g := range c.chosen {
		var set []int
		for i, has := range c.groups[g] {
			if !has || done[i] {
				continue
			}
			done[i] = true
			if both := union(set, c.parts[i]); c.Most > 0 && len(both) > c.Most {
				sets = append(sets, c.parts[i])
			} else {
				set = both
			}
		}
		if len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

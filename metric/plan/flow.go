package plan

import (
	"math/bits"
	"slices"
)

// flow is a network in which events flow to sets: one unit from the source to each event, on to a counter of a set that the
// event fits on, or straight to the set if it takes none, and from the set to the sink as many as can be read together.
// All events have a place if all units arrive (Ford and Fulkerson).
type flow struct {
	edges []edge
	from  [][]int // by node: numbers of its edges
	via   []int   // by node: edge by which it was reached, -1 not yet
	queue []int
	looks int // at edges
}

// edge leads to a node; its number xor 1 is that of the edge back.
type edge struct{ to, room int }

// Numbers of nodes. Sets, their counters, and events follow.
const (
	source = iota
	sink
	nodes
)

// counters is how many a mask has.
const counters = 64

func (f *flow) edge(from, to, room int) {
	f.from[from] = append(f.from[from], len(f.edges))
	f.from[to] = append(f.from[to], len(f.edges)+1)
	f.edges = append(f.edges, edge{to, room}, edge{from, 0})
}

// places finds a place for all events: those that sets have already, and others that may be in any. It returns what
// the sets have then, nil if there is no room. Events of sets that are there are given counters anew.
func (t *task) places(sets [][]int, others []int) [][]int {
	k := len(sets)
	node := func(s int) int { return nodes + s }
	slot := func(s, c int) int { return nodes + k + counters*s + c }
	unit := func(u int) int { return nodes + k + counters*k + u }
	n := len(others)
	for _, set := range sets {
		n += len(set)
	}
	f := &flow{from: make([][]int, unit(n)), via: make([]int, unit(n))}
	defer func() { t.looks += f.looks }()
	link := func(u, e, s int) { // unit u, which is event e, may be in set s
		if t.mask[e] == 0 {
			f.edge(unit(u), node(s), 1)
		}
		for m := t.mask[e]; m != 0; m &= m - 1 {
			at := slot(s, bits.TrailingZeros64(m))
			if f.from[at] == nil {
				f.edge(at, node(s), 1)
			}
			f.edge(unit(u), at, 1)
		}
	}
	u := 0
	for s, set := range sets {
		room := t.Most
		if room == 0 {
			room = len(t.name)
		}
		f.edge(node(s), sink, room)
		for _, e := range set {
			f.edge(source, unit(u), 1)
			link(u, e, s)
			u++
		}
	}
	first := u
	for _, e := range others {
		f.edge(source, unit(u), 1)
		for s := range sets {
			link(u, e, s)
		}
		u++
	}
	for range u {
		if !f.augment() {
			return nil
		}
	}
	full := slices.Clone(sets)
	for i, e := range others {
		s := f.next(unit(first+i)) - nodes
		if s >= k {
			s = (s - k) / counters
		}
		full[s] = union(full[s], []int{e})
	}
	return full
}

// next returns the node to which a node's unit flows.
func (f *flow) next(node int) int {
	for _, x := range f.from[node] {
		if x%2 == 0 && f.edges[x].room == 0 {
			return f.edges[x].to
		}
	}
	panic("plan: a unit does not flow") // all of them do, or places has returned
}

// augment lets one more unit flow, by a shortest way.
func (f *flow) augment() bool {
	for i := range f.via {
		f.via[i] = -1
	}
	f.queue = append(f.queue[:0], source)
	for next := 0; next < len(f.queue); next++ {
		at := f.queue[next]
		f.looks += len(f.from[at])
		for _, x := range f.from[at] {
			to := f.edges[x].to
			if to == source || f.via[to] >= 0 || f.edges[x].room == 0 {
				continue
			}
			f.via[to] = x
			if to == sink {
				f.use()
				return true
			}
			f.queue = append(f.queue, to)
		}
	}
	return false
}

// use lets a unit flow on the way that was found.
func (f *flow) use() {
	for at := sink; at != source; at = f.edges[f.via[at]^1].to {
		f.edges[f.via[at]].room--
		f.edges[f.via[at]^1].room++
	}
}

package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// noPath is the absence of a call path, and the parent of a root.
const noPath = ^uint32(0)

// node is one call path: a parent, the region of its last level, and the kind of event that opened it.
type node struct {
	parent, region uint32 // region is an index in regions.list
	kind           wire.Kind
}

// paths interns call paths. Numbers are in order of discovery, which depends on scheduling: nothing may
// depend on them but equality, until canonical has put them in order.
type paths struct {
	mu    sync.RWMutex
	index map[node]uint32
	nodes []node
}

// intern returns the number of n.
func (p *paths) intern(n node) uint32 {
	p.mu.RLock()
	id, ok := p.index[n]
	p.mu.RUnlock()
	if ok {
		return id
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if id, ok = p.index[n]; !ok {
		id = uint32(len(p.nodes))
		p.nodes = append(p.nodes, n)
		p.index[n] = id
	}
	return id
}

// region returns the region of the last level of a call path.
func (p *paths) region(path uint32) uint32 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.nodes[path].region
}

// depth returns the number of levels of a call path. No path may be interned meanwhile.
func (p *paths) depth(path uint32) (n uint32) {
	for ; path != noPath; path = p.nodes[path].parent {
		n++
	}
	return n
}

// first returns of each path the outermost two on the way to it; noPath where there is none.
func (p *paths) first() [][2]uint32 {
	first := make([][2]uint32, len(p.nodes))
	for i := range p.nodes {
		// Parents have lower numbers.
		if parent := p.nodes[i].parent; parent == noPath {
			first[i] = [2]uint32{uint32(i), noPath}
		} else if first[i] = first[parent]; first[i][1] == noPath {
			first[i][1] = uint32(i)
		}
	}
	return first
}

// canonical returns the numbers of all paths in preorder, siblings ascending by (region, kind), and the
// inverse: rank[number] is the place.
func (p *paths) canonical() (order, rank []uint32) {
	n := len(p.nodes)
	order, rank = make([]uint32, n), make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	// Siblings in order behind one another, parents in any order; then preorder with a stack.
	slices.SortFunc(order, func(a, b uint32) int {
		x, y := &p.nodes[a], &p.nodes[b]
		return cmp.Or(cmp.Compare(x.parent, y.parent), cmp.Compare(x.region, y.region), cmp.Compare(x.kind, y.kind))
	})
	first, last := make([]uint32, n+1), make([]uint32, n+1) // children of path i−1 in order; 0: roots
	for i, id := range order {
		k := p.nodes[id].parent + 1
		if last[k] == 0 {
			first[k] = uint32(i)
		}
		last[k] = uint32(i + 1)
	}
	siblings := slices.Clone(order)
	order = order[:0]
	var stack []uint32
	push := func(k uint32) {
		for i := last[k]; i > first[k]; i-- {
			stack = append(stack, siblings[i-1])
		}
	}
	for push(0); len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		rank[id] = uint32(len(order))
		order = append(order, id)
		push(id + 1)
	}
	return order, rank
}

// regions are the distinct regions of an archive in order of (name, file, line, function).
type regions struct {
	list                           []trace.Region // Process is meaningless
	of                             []uint32       // by region number of the archive
	class, counts                  []uint16       // the metrics of their time and visits, by their place in list; unnamed for none
	testing                        []bool         // it is a place in package testing, by its place in list
	signals                        []bool         // it is the function that hands on signals, by its place in list
	reads                          []bool         // it is a function as which readers begin, by its place in list
	carries                        []bool         // likewise of carriers
	goroutine, unknown, unrecorded uint32
}

// newRegions unifies the regions of all processes.
func newRegions(defs *trace.Definitions) *regions {
	all := slices.Clone(defs.Regions)
	outside := "(goroutine)"
	if threads(defs) {
		outside = "(outside regions)"
	}
	all = append(all, trace.Region{Name: outside}, trace.Region{Name: "(unknown)"}, trace.Region{Name: "(not recorded)"})
	byPlace := make([]uint32, len(all))
	for i := range all {
		all[i].Process = 0
		byPlace[i] = uint32(i)
	}
	slices.SortFunc(byPlace, func(i, j uint32) int { return compareRegions(&all[i], &all[j]) })
	r := &regions{of: make([]uint32, len(all))}
	for _, i := range byPlace {
		if n := len(r.list); n == 0 || r.list[n-1] != all[i] {
			r.list = append(r.list, all[i])
		}
		r.of[i] = uint32(len(r.list) - 1)
	}
	for i := range r.list {
		r.testing = append(r.testing, strings.HasPrefix(r.list[i].Func, "testing."))
		r.signals = append(r.signals, handsOnSignals(r.list[i].Func))
		r.reads = append(r.reads, readers[r.list[i].Func])
		r.carries = append(r.carries, carriers[r.list[i].Func])
	}
	n := len(defs.Regions)
	r.goroutine, r.unknown, r.unrecorded, r.of = r.of[n], r.of[n+1], r.of[n+2], r.of[:n]
	return r
}

func compareRegions(a, b *trace.Region) int {
	c := cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line), cmp.Compare(a.Func, b.Func), cmp.Compare(a.Class, b.Class))
	if c == 0 && a.Parallel != b.Parallel {
		c = 1
		if b.Parallel {
			c = -1
		}
	}
	return c
}

// id returns the region of an event's id.
func (r *regions) id(event uint32) uint32 {
	if int(event) < len(r.of) {
		return r.of[event]
	}
	return r.unknown
}

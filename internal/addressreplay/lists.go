package addressreplay

import (
	"math/bits"
	"slices"

	"tracerec/simulator/cache"
)

// lists is a cache whose sets are lists of lines.
type lists struct {
	g    cache.Geometry
	ways int
	sets []lines
}

// lines is a set.
type lines struct {
	held []held // in the order of their last use, the latest first; with FIFO, of their coming; with a tree, by way
	next []bool // with a tree: which half of each node goes next
}

type held struct {
	line  uint64
	dirty bool
	there bool
}

// newLists returns an empty cache, nil if there is no geometry.
func newLists(g *cache.Geometry) *lists {
	if g == nil {
		return nil
	}
	c := &lists{g: *g, ways: int(g.Ways)}
	if c.ways == 0 {
		c.ways = int(g.Size / g.Line)
	}
	c.sets = make([]lines, int(g.Size/g.Line)/c.ways)
	return c
}

// line returns the number of the line that holds an address.
func (c *lists) line(address uint64) uint64 { return address / c.g.Line }

// access looks for a line and fetches it. It tells whether it was there, and otherwise whether a line that was stored to had to go, and which.
func (c *lists) access(line uint64, store bool) (hit, dirty bool, victim uint64) {
	s := &c.sets[line%uint64(len(c.sets))]
	if s.next == nil && c.g.Replacement == cache.Tree {
		s.next, s.held = make([]bool, c.ways), make([]held, c.ways)
	}
	at := slices.IndexFunc(s.held, func(h held) bool { return h.there && h.line == line })
	marks := store && !c.g.WriteThrough
	switch {
	case at >= 0:
		s.held[at].dirty = s.held[at].dirty || marks
		s.use(c.g.Replacement, at)
		return true, false, 0
	case store && c.g.NoWriteAllocate:
		return false, false, 0
	}
	out := s.replace(c.g.Replacement, c.ways, held{line, marks, true})
	return false, out.dirty, out.line
}

// use notes that a line was used.
func (s *lines) use(r cache.Replacement, at int) {
	switch r {
	case cache.LRU:
		h := s.held[at]
		copy(s.held[1:], s.held[:at])
		s.held[0] = h
	case cache.Tree:
		s.away(at)
	}
}

// replace puts a line into the set and returns the one that had to go.
func (s *lines) replace(r cache.Replacement, ways int, in held) (out held) {
	if r == cache.Tree {
		at := slices.IndexFunc(s.held, func(h held) bool { return !h.there })
		if at < 0 {
			at = s.choose()
		}
		out, s.held[at] = s.held[at], in
		s.away(at)
		return out
	}
	if len(s.held) == ways {
		out = s.held[ways-1]
		s.held = s.held[:ways-1]
	}
	s.held = slices.Insert(s.held, 0, in)
	return out
}

// away lets all nodes above a way point to their other half. The node of number n has those of 2n and 2n+1 below it, the first one is 1; the ways are below
// the last ones.
func (s *lines) away(way int) {
	node := 1
	for level := bits.Len(uint(len(s.next))) - 2; level >= 0; level-- {
		right := way>>level&1 == 1
		s.next[node] = !right
		node = 2*node + int(one(right))
	}
}

// choose follows the nodes to a way.
func (s *lines) choose() int {
	node := 1
	for node < len(s.next) {
		node = 2*node + int(one(s.next[node]))
	}
	return node - len(s.next)
}

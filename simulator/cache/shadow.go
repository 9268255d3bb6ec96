package cache

import "math/bits"

// shadow is the fully associative cache with LRU that tells conflicts from want of capacity, and knows all lines that were
// ever there. Its nodes are a heap by when they were used, as far as the heap knows: a use only notes the time, and the
// heap learns of it when a line has to go.
type shadow struct {
	size  int
	clock *uint64
	nodes []node
	chain []int32 // by the low bits of a line, the first node of such a line, from 1 on; 0 is none
	heap  []entry
	ever  map[uint64]*[lineGroup / 64]uint64 // groups of lines, and which of them were ever there
	left  func(line uint64)                  // is told of lines that have to go; nil for nobody
	node  int32                              // that was accessed last
}

// lineGroup is how many lines are remembered together.
const lineGroup = 512

type node struct {
	line, used uint64
	next       int32 // in its chain
}

// entry is a node in the heap. It was used at that time, or later.
type entry struct {
	used uint64
	node int32
}

func newShadow(size int, clock *uint64) *shadow {
	return &shadow{size: size, clock: clock, chain: make([]int32, 1<<bits.Len(uint(size))),
		ever: map[uint64]*[lineGroup / 64]uint64{}}
}

// access returns of which kind a miss would be.
func (s *shadow) access(line uint64) Kind {
	first := s.first(line)
	for i := *first; i > 0; i = s.nodes[i-1].next {
		if n := &s.nodes[i-1]; n.line == line {
			n.used, s.node = *s.clock, i-1
			return Conflict
		}
	}
	if len(s.nodes) < s.size {
		s.node = int32(len(s.nodes))
		s.nodes = append(s.nodes, node{line, *s.clock, *first})
		s.heap = append(s.heap, entry{*s.clock, s.node}) // the latest: it is in its place
	} else {
		s.node = s.oldest()
		s.forget(s.node)
		s.nodes[s.node] = node{line, *s.clock, *first}
		s.sink()
	}
	*first = s.node + 1
	group := s.ever[line/lineGroup]
	if group == nil {
		group = new([lineGroup / 64]uint64)
		s.ever[line/lineGroup] = group
	}
	word, bit := &group[line%lineGroup/64], uint64(1)<<(line%64)
	if *word&bit != 0 {
		return Capacity
	}
	*word |= bit
	return Cold
}

// first returns the beginning of the chain of a line.
func (s *shadow) first(line uint64) *int32 { return &s.chain[line&uint64(len(s.chain)-1)] }

// forget takes a node out of its chain, whose line has to go.
func (s *shadow) forget(i int32) {
	n := &s.nodes[i]
	at := s.first(n.line)
	for *at != i+1 {
		at = &s.nodes[*at-1].next
	}
	if *at = n.next; s.left != nil {
		s.left(n.line)
	}
}

// oldest returns the node that was used least recently: the first of the heap, once that knows when it was used.
func (s *shadow) oldest() int32 {
	for s.nodes[s.heap[0].node].used != s.heap[0].used {
		s.sink()
	}
	return s.heap[0].node
}

// sink tells the heap when its first node was used, and puts it in its place.
func (s *shadow) sink() {
	e := entry{s.nodes[s.heap[0].node].used, s.heap[0].node}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			break
		}
		if child+1 < len(s.heap) && s.heap[child+1].used < s.heap[child].used {
			child++
		}
		if s.heap[child].used >= e.used {
			break
		}
		s.heap[i] = s.heap[child]
		i = child
	}
	s.heap[i] = e
}

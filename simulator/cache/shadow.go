package cache

// shadow is the fully associative cache with LRU that tells conflicts from want of capacity, and knows all lines that were
// ever there.
type shadow struct {
	size  int
	at    map[uint64]int32 // place of each line that was ever there; -1 if it is not now
	nodes []node
	first int32 // most recently used
	last  int32
}

type node struct {
	line       uint64
	prev, next int32
}

func newShadow(size int) *shadow {
	return &shadow{size: size, at: map[uint64]int32{}, first: -1, last: -1}
}

// access returns of which kind a miss would be.
func (s *shadow) access(line uint64) Kind {
	i, known := s.at[line]
	switch {
	case known && i >= 0:
		s.unlink(i)
		s.push(i)
		return Conflict
	case len(s.nodes) < s.size:
		s.nodes = append(s.nodes, node{line: line})
		i = int32(len(s.nodes) - 1)
	default:
		i = s.last
		s.unlink(i)
		s.at[s.nodes[i].line] = -1
		s.nodes[i].line = line
	}
	s.at[line] = i
	s.push(i)
	if known {
		return Capacity
	}
	return Cold
}

func (s *shadow) unlink(i int32) {
	n := &s.nodes[i]
	if n.prev >= 0 {
		s.nodes[n.prev].next = n.next
	} else {
		s.first = n.next
	}
	if n.next >= 0 {
		s.nodes[n.next].prev = n.prev
	} else {
		s.last = n.prev
	}
}

func (s *shadow) push(i int32) {
	s.nodes[i].prev, s.nodes[i].next = -1, s.first
	if s.first >= 0 {
		s.nodes[s.first].prev = i
	} else {
		s.last = i
	}
	s.first = i
}

func (s *shadow) flush() {
	for line := range s.at {
		s.at[line] = -1
	}
	s.nodes, s.first, s.last = nil, -1, -1
}

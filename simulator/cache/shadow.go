package cache

// shadow is the fully associative cache with LRU that tells conflicts from want of capacity, and knows all lines that were
// ever there. Its nodes are a heap by when they were used, as far as the heap knows: a use only notes the time, and the
// heap learns of it when a line has to go.
type shadow struct {
	size  int
	clock *uint64
	at    map[uint64]int32 // node of each line that was ever there; -1 if it is not now
	nodes []node           // which stay where they are
	heap  []entry
	left  func(line uint64) // is told of lines that have to go; nil for nobody
	node  int32             // that was accessed last
}

type node struct{ line, used uint64 }

// entry is a node in the heap. It was used at that time, or later.
type entry struct {
	used uint64
	node int32
}

func newShadow(size int, clock *uint64) *shadow {
	return &shadow{size: size, clock: clock, at: map[uint64]int32{}, nodes: make([]node, 0, size), heap: make([]entry, 0, size)}
}

// access returns of which kind a miss would be.
func (s *shadow) access(line uint64) Kind {
	i, known := s.at[line]
	switch {
	case known && i >= 0:
		s.nodes[i].used, s.node = *s.clock, i
		return Conflict
	case len(s.nodes) < s.size:
		i = int32(len(s.nodes))
		s.nodes = append(s.nodes, node{line, *s.clock})
		s.heap = append(s.heap, entry{*s.clock, i}) // the latest: it is in its place
	default:
		i = s.oldest()
		if s.at[s.nodes[i].line] = -1; s.left != nil {
			s.left(s.nodes[i].line)
		}
		s.nodes[i] = node{line, *s.clock}
		s.sink()
	}
	s.at[line], s.node = i, i
	if known {
		return Capacity
	}
	return Cold
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

func (s *shadow) flush() {
	for line := range s.at {
		s.at[line] = -1
	}
	s.nodes, s.heap = s.nodes[:0], s.heap[:0]
}

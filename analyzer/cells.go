package analyzer

// gather brings the cells of all workers together: by call path, ascending by location, each once.
func (s *scan) gather() [][]scanCell {
	var cells list[scanCell]
	for _, w := range s.workers {
		cells.blocks = append(cells.blocks, w.cells.blocks...)
		w.cells = list[scanCell]{}
	}
	byLoc, _ := counted(&cells, len(s.locations), func(c *scanCell) uint32 { return c.loc })
	cells.blocks = [][]scanCell{byLoc}
	all, first := counted(&cells, len(s.paths.nodes), func(c *scanCell) uint32 { return c.path })
	out := make([][]scanCell, len(s.paths.nodes))
	for i := range out {
		out[i] = addUp(all[first[i]:first[i+1]])
	}
	return out
}

// counted sorts cells by a key below n, equal ones as they were, and says where each key begins. The list is used up.
func counted(cells *list[scanCell], n int, key func(*scanCell) uint32) (sorted []scanCell, first []int) {
	first = make([]int, n+1)
	for c := range cells.all() {
		first[key(c)+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	sorted = make([]scanCell, first[n])
	for i, b := range cells.blocks {
		for j := range b {
			k := key(&b[j])
			sorted[first[k]] = b[j]
			first[k]++
		}
		cells.blocks[i] = nil
	}
	copy(first[1:], first) // each is where the next begins
	first[0] = 0
	return sorted, first
}

// addUp unites the cells of each location.
func addUp(v []scanCell) []scanCell {
	n := 0
	for _, c := range v {
		if n > 0 && v[n-1].loc == c.loc {
			v[n-1].time += c.time
			v[n-1].visits += c.visits
			v[n-1].good += c.good
			continue
		}
		v[n] = c
		n++
	}
	return v[:n]
}

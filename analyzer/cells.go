package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
)

// eachCell visits the cells of a worker, in no order that means anything.
func (w *scanner) eachCell(visit func(c *scanCell)) {
	for i := range w.cells {
		for _, block := range w.cells[i].blocks {
			w.s.store.Pace()
			for k := range block {
				visit(&block[k])
			}
		}
	}
}

// eachCell visits the cells of all workers.
func (s *scan) eachCell(visit func(c *scanCell)) {
	for _, w := range s.workers {
		w.eachCell(visit)
	}
}

// gather brings the cells of all workers together: by call path, ascending by location, each once.
func (s *scan) gather() [][]scanCell {
	out := make([][]scanCell, len(s.paths.nodes))
	next := make([]uint32, len(s.locations)+1)
	for path := range out {
		var cells list[scanCell]
		for _, w := range s.workers {
			if path < len(w.cells) {
				cells.blocks = append(cells.blocks, w.cells[path].blocks...)
				w.cells[path] = list[scanCell]{}
			}
		}
		out[path] = addUp(byLocation(&cells, next, s.store), s.store)
	}
	return out
}

// byLocation returns the cells in the order of locations. It counts them if they are many, for which it needs next.
func byLocation(cells *list[scanCell], next []uint32, store *spill.Store) []scanCell {
	n := cells.len()
	if n < len(next)/8 {
		v := slices.Concat(cells.blocks...)
		slices.SortFunc(v, func(a, b scanCell) int { return cmp.Compare(a.loc, b.loc) })
		return v
	}
	clear(next)
	for _, block := range cells.blocks {
		store.Pace()
		for i := range block {
			next[block[i].loc+1]++
		}
	}
	for i := range next[1:] {
		next[i+1] += next[i]
	}
	v := spill.Make[scanCell](store, n)
	for _, block := range cells.blocks {
		store.Pace()
		for i := range block {
			c := &block[i]
			v[next[c.loc]] = *c
			next[c.loc]++
		}
	}
	return v
}

// addUp unites the cells of each location.
func addUp(v []scanCell, store *spill.Store) []scanCell {
	n := 0
	for i, c := range v {
		if i%paced == 0 {
			store.Pace()
		}
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

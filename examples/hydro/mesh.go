package main

import "fmt"

// ghosts is the number of cells that a domain keeps of each neighbour: a face state needs the cell behind
// the face, and that cell's slope needs one more.
const ghosts = 2

// heavy is how many times as wide as the others the first slab of each divided axis becomes with -skew.
const heavy = 3

// domain is one goroutine's part of the mesh with ghost cells all around.
type domain struct {
	rank   int
	lo     [3]int // global index of its first cell
	size   [3]int // cells along each axis, ghosts not counted
	stride [3]int
	cells  []cons
	dx     float64
	sides  [3][2]*link // to the lower and upper neighbour of each axis; nil is a wall
	reduce *reduction
	line   pencil

	time float64
	step int
}

// link is one domain's end of the connection with a neighbour.
type link struct {
	out  chan<- []cons
	in   <-chan []cons
	face [2][]cons // sent in turn: the neighbour may still read the one of the step before
}

// mesh is the unit cube, cut into n³ cells and these into domains.
type mesh struct {
	n       int
	grid    [3]int // domains along each axis
	domains []*domain
}

// newMesh cuts n³ cells into procs domains. With skew the first slab of every divided axis is wider.
func newMesh(n, procs int, skew bool) (*mesh, error) {
	if n < 1 || procs < 1 {
		return nil, fmt.Errorf("mesh of %d³ cells in %d domains", n, procs)
	}
	m := &mesh{n: n, grid: factor(procs)}
	var cut [3][]int
	for axis, parts := range m.grid {
		cut[axis] = cuts(n, parts, skew)
		for i := range parts {
			if cut[axis][i+1]-cut[axis][i] < ghosts {
				return nil, fmt.Errorf("mesh of %d³ cells is too small for %d×%d×%d domains", n, m.grid[0], m.grid[1], m.grid[2])
			}
		}
	}
	reduce := newReduction(procs)
	for rank := range procs {
		at := m.place(rank)
		d := &domain{rank: rank, dx: 1 / float64(n), reduce: reduce}
		for axis, i := range at {
			d.lo[axis] = cut[axis][i]
			d.size[axis] = cut[axis][i+1] - cut[axis][i]
		}
		d.stride = [3]int{1, d.size[0] + 2*ghosts, (d.size[0] + 2*ghosts) * (d.size[1] + 2*ghosts)}
		d.cells = make([]cons, d.stride[2]*(d.size[2]+2*ghosts))
		d.line = newPencil(max(d.size[0], d.size[1], d.size[2]))
		m.domains = append(m.domains, d)
	}
	m.connect()
	return m, nil
}

// factor splits procs into three factors, as equal as possible, largest first.
func factor(procs int) [3]int {
	best := [3]int{procs, 1, 1}
	for c := 1; c*c*c <= procs; c++ {
		for b := c; b*b*c <= procs; b++ {
			if a := procs / (b * c); a*b*c == procs && a+b+c < best[0]+best[1]+best[2] {
				best = [3]int{a, b, c}
			}
		}
	}
	return best
}

// cuts returns the parts+1 borders of n cells cut into parts.
func cuts(n, parts int, skew bool) []int {
	first := 1
	if skew && parts > 1 {
		first = heavy
	}
	at := make([]int, parts+1)
	for i := 1; i <= parts; i++ {
		at[i] = n * (first + i - 1) / (first + parts - 1)
	}
	return at
}

// place is where in the grid of domains a rank lies.
func (m *mesh) place(rank int) [3]int {
	return [3]int{rank % m.grid[0], rank / m.grid[0] % m.grid[1], rank / (m.grid[0] * m.grid[1])}
}

// connect makes a channel in each direction between all neighbours.
func (m *mesh) connect() {
	step := [3]int{1, m.grid[0], m.grid[0] * m.grid[1]}
	for rank, d := range m.domains {
		for axis, i := range m.place(rank) {
			if i+1 == m.grid[axis] {
				continue
			}
			up, down := make(chan []cons, 1), make(chan []cons, 1)
			next := m.domains[rank+step[axis]]
			n := ghosts * d.size[(axis+1)%3] * d.size[(axis+2)%3]
			d.sides[axis][1] = &link{out: up, in: down, face: newFaces(n)}
			next.sides[axis][0] = &link{out: down, in: up, face: newFaces(n)}
		}
	}
}

func newFaces(n int) [2][]cons { return [2][]cons{make([]cons, n), make([]cons, n)} }

// index is the place in cells of a domain's cell; ghosts have indices below 0 and from size on.
func (d *domain) index(i, j, k int) int {
	return (i + ghosts) + (j+ghosts)*d.stride[1] + (k+ghosts)*d.stride[2]
}

// each calls f for all cells of the mesh with their centres.
func (m *mesh) each(f func(c *cons, centre [3]float64)) {
	for _, d := range m.domains {
		for k := range d.size[2] {
			for j := range d.size[1] {
				for i := range d.size[0] {
					f(&d.cells[d.index(i, j, k)], [3]float64{
						(float64(d.lo[0]+i) + 0.5) * d.dx,
						(float64(d.lo[1]+j) + 0.5) * d.dx,
						(float64(d.lo[2]+k) + 0.5) * d.dx,
					})
				}
			}
		}
	}
}

// cellsOf is the number of cells of a domain, ghosts not counted.
func (d *domain) cellsOf() int { return d.size[0] * d.size[1] * d.size[2] }

package main

// grid is a periodic cube of values. Behind the first and before the last of each axis are its own points; the outermost are
// copies of those at the other end.
type grid struct {
	n int // values along an axis, copies included
	v []float64
}

func newGrid(points int) *grid {
	n := points + 2
	return &grid{n, make([]float64, n*n*n)}
}

// row returns the values along the first axis.
func (g *grid) row(j, k int) []float64 { return g.v[(k*g.n+j)*g.n:][:g.n] }

// sums sets faces to the sums of the four rows next to one, and edges to those of the four diagonal to it. It returns the row.
func (g *grid) sums(j, k int, faces, edges []float64) []float64 {
	n := g.n
	faces, edges = faces[:n], edges[:n]
	down, up, back, front := g.row(j-1, k)[:n], g.row(j+1, k)[:n], g.row(j, k-1)[:n], g.row(j, k+1)[:n]
	backDown, backUp := g.row(j-1, k-1)[:n], g.row(j+1, k-1)[:n]
	frontDown, frontUp := g.row(j-1, k+1)[:n], g.row(j+1, k+1)[:n]
	for i := range faces {
		faces[i] = down[i] + up[i] + back[i] + front[i]
		edges[i] = backDown[i] + backUp[i] + frontDown[i] + frontUp[i]
	}
	return g.row(j, k)
}

// exchange copies what is at the ends of each axis.
func (g *grid) exchange() {
	last := g.n - 1
	for k := 1; k < last; k++ {
		for j := 1; j < last; j++ {
			row := g.row(j, k)
			row[0], row[last] = row[last-1], row[1]
		}
		copy(g.row(0, k), g.row(last-1, k))
		copy(g.row(last, k), g.row(1, k))
	}
	plane := g.n * g.n
	copy(g.v[:plane], g.v[(last-1)*plane:])
	copy(g.v[last*plane:], g.v[plane:2*plane])
}

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

// rows are the nine rows around and including one, named for where they are along the second and third axis.
type rows struct{ center, down, up, back, front, backDown, backUp, frontDown, frontUp []float64 }

func (g *grid) around(j, k int) rows {
	return rows{g.row(j, k), g.row(j-1, k), g.row(j+1, k), g.row(j, k-1), g.row(j, k+1),
		g.row(j-1, k-1), g.row(j+1, k-1), g.row(j-1, k+1), g.row(j+1, k+1)}
}

// sums sets faces to the sums of the four rows next to the center, and edges to those of the four diagonal to it.
func (r rows) sums(faces, edges []float64) {
	n := len(faces)
	edges, down, up, back, front := edges[:n], r.down[:n], r.up[:n], r.back[:n], r.front[:n]
	backDown, backUp, frontDown, frontUp := r.backDown[:n], r.backUp[:n], r.frontDown[:n], r.frontUp[:n]
	for i := range faces {
		faces[i] = down[i] + up[i] + back[i] + front[i]
		edges[i] = backDown[i] + backUp[i] + frontDown[i] + frontUp[i]
	}
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

package main

import "tracerec/instrument"

// exchange fills the ghost cells of an axis: from the neighbours, or with a mirror image at a wall.
func (d *domain) exchange(axis int) {
	defer instrument.Region("exchange").End()
	for side, l := range d.sides[axis] {
		if l == nil {
			d.reflect(axis, side)
			continue
		}
		face := l.face[d.step%2]
		d.border(axis, side, 0, func(i int, c *cons) { face[i] = *c })
		instrument.Send(l.out, face)
	}
	for side, l := range d.sides[axis] {
		if l != nil {
			face := instrument.Recv(l.in)
			d.border(axis, side, -ghosts, func(i int, c *cons) { *c = face[i] })
		}
	}
}

// border visits, in the same order on both sides of a face, the layers of cells next to a domain's lower
// (0) or upper (1) side: its own for offset 0, its ghosts for offset -ghosts.
func (d *domain) border(axis, side, offset int, visit func(i int, c *cons)) {
	first := offset
	if side == 1 {
		first = d.size[axis] - ghosts - offset
	}
	b, c := (axis+1)%3, (axis+2)%3
	i := 0
	for k := range d.size[c] {
		for j := range d.size[b] {
			at := (first+ghosts)*d.stride[axis] + (j+ghosts)*d.stride[b] + (k+ghosts)*d.stride[c]
			for layer := range ghosts {
				visit(i, &d.cells[at+layer*d.stride[axis]])
				i++
			}
		}
	}
}

// reflect makes a wall: gas behind it is the mirror image of the gas before it.
func (d *domain) reflect(axis, side int) {
	b, c := (axis+1)%3, (axis+2)%3
	edge, inward := ghosts, 1
	if side == 1 {
		edge, inward = d.size[axis]+ghosts-1, -1
	}
	for k := range d.size[c] {
		for j := range d.size[b] {
			at := edge*d.stride[axis] + (j+ghosts)*d.stride[b] + (k+ghosts)*d.stride[c]
			for layer := range ghosts {
				image := d.cells[at+layer*inward*d.stride[axis]]
				image.m[axis] = -image.m[axis]
				d.cells[at-(layer+1)*inward*d.stride[axis]] = image
			}
		}
	}
}

// reduction computes a global minimum: domain 0 gathers and tells the result.
type reduction struct{ up, down []chan float64 }

func newReduction(procs int) *reduction {
	r := &reduction{make([]chan float64, procs), make([]chan float64, procs)}
	for i := range procs {
		r.up[i], r.down[i] = make(chan float64, 1), make(chan float64, 1)
	}
	return r
}

// min returns the smallest of the values that all domains bring.
func (r *reduction) min(rank int, value float64) float64 {
	if rank != 0 {
		instrument.Send(r.up[rank], value)
		return instrument.Recv(r.down[rank])
	}
	for _, ch := range r.up[1:] {
		value = min(value, instrument.Recv(ch))
	}
	for _, ch := range r.down[1:] {
		instrument.Send(ch, value)
	}
	return value
}

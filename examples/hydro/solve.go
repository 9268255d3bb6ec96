package main

import (
	"math"

	"tracerec/instrument"
)

// courant is the part of a cell that the fastest wave may cross in one step.
const courant = 0.8

var (
	regionSweep = [3]*instrument.Handle{
		instrument.NewRegion("sweep_x"), instrument.NewRegion("sweep_y"), instrument.NewRegion("sweep_z"),
	}
	regionReconstruct = instrument.NewRegion("reconstruct")
	regionRiemann     = instrument.NewRegion("riemann")
)

// solve advances all domains to the time end, or by steps steps if that is less (0 no limit).
func (m *mesh) solve(end float64, steps int) {
	defer instrument.Region("solve").End()
	var wg instrument.WaitGroup
	for _, d := range m.domains {
		wg.Go(func() { d.solve(end, steps) })
	}
	wg.Wait()
}

func (d *domain) solve(end float64, steps int) {
	defer instrument.Region("domain").End()
	for d.time < end && (steps == 0 || d.step < steps) {
		d.advance(end)
	}
}

// advance does one time step. Sweeping the axes forth and back in turn keeps the splitting second order.
func (d *domain) advance(end float64) {
	defer instrument.Region("step").End()
	dt := min(d.timestep(), end-d.time)
	for i := range 3 {
		if d.step%2 == 1 {
			i = 2 - i
		}
		d.sweep(i, dt)
	}
	d.time += dt
	d.step++
}

// timestep is the longest step that is stable everywhere: a minimum over all domains.
func (d *domain) timestep() float64 {
	defer instrument.Region("timestep").End()
	fastest := 0.0
	for k := range d.size[2] {
		for j := range d.size[1] {
			at := d.index(0, j, k)
			for i := range d.size[0] {
				s := d.cells[at+i].primitive(0)
				fastest = max(fastest, max(math.Abs(s.u), math.Abs(s.v), math.Abs(s.w))+s.sound())
			}
		}
	}
	return d.reduce.min(d.rank, courant*d.dx/fastest)
}

// sweep moves what the gas carries along one axis, line of cells by line of cells.
func (d *domain) sweep(axis int, dt float64) {
	defer regionSweep[axis].Enter().End()
	d.exchange(axis)
	b, c := (axis+1)%3, (axis+2)%3
	n, stride, r := d.size[axis], d.stride[axis], dt/d.dx
	for k := range d.size[c] {
		for j := range d.size[b] {
			first := ghosts*(stride+d.stride[b]+d.stride[c]) + j*d.stride[b] + k*d.stride[c]
			d.line.reconstruct(d.cells, first, stride, n, axis, r)
			d.line.update(d.cells, first, stride, n, axis, r)
		}
	}
}

// pencil holds one line of cells while it is swept.
type pencil struct {
	state  []prim // cell i is at i+ghosts
	lo, hi []prim // face states of cells -1 … n
}

func newPencil(n int) pencil {
	return pencil{make([]prim, n+2*ghosts), make([]prim, n+2), make([]prim, n+2)}
}

// reconstruct computes the face states of n cells, of which the first is cells[first].
func (l *pencil) reconstruct(cells []cons, first, stride, n, axis int, r float64) {
	s := regionReconstruct.Enter()
	for i := range n + 2*ghosts {
		l.state[i] = cells[first+(i-ghosts)*stride].primitive(axis)
	}
	for i := range n + 2 {
		l.lo[i], l.hi[i] = faces(&l.state[i], &l.state[i+1], &l.state[i+2], r)
	}
	s.End()
}

// update adds to each cell what comes in through its lower face and takes away what leaves through the upper.
func (l *pencil) update(cells []cons, first, stride, n, axis int, r float64) {
	s := regionRiemann.Enter()
	b, c := (axis+1)%3, (axis+2)%3
	in := hllc(&l.hi[0], &l.lo[1])
	for i := range n {
		out := hllc(&l.hi[i+1], &l.lo[i+2])
		u := &cells[first+i*stride]
		u.rho += r * (in[0] - out[0])
		u.m[axis] += r * (in[1] - out[1])
		u.m[b] += r * (in[2] - out[2])
		u.m[c] += r * (in[3] - out[3])
		u.e += r * (in[4] - out[4])
		in = out
	}
	s.End()
}

package main

import "math"

// gamma is the ratio of specific heats of a diatomic gas.
const gamma = 1.4

// cons is the state of one cell in the quantities that are conserved, per volume.
type cons struct {
	rho float64    // mass
	m   [3]float64 // momentum
	e   float64    // total energy
}

// prim is the state of one cell or face in primitive variables, seen along one axis.
type prim struct {
	rho  float64
	u    float64 // velocity along the axis
	v, w float64 // velocities along the two axes that follow it, cyclically
	p    float64 // pressure
}

// primitive looks at c along axis.
func (c *cons) primitive(axis int) prim {
	r := 1 / c.rho
	u, v, w := c.m[axis]*r, c.m[(axis+1)%3]*r, c.m[(axis+2)%3]*r
	return prim{c.rho, u, v, w, (gamma - 1) * (c.e - 0.5*c.rho*(u*u+v*v+w*w))}
}

// conserved is the inverse of primitive.
func (s prim) conserved(axis int) cons {
	c := cons{rho: s.rho, e: s.energy()}
	c.m[axis], c.m[(axis+1)%3], c.m[(axis+2)%3] = s.rho*s.u, s.rho*s.v, s.rho*s.w
	return c
}

func (s *prim) energy() float64 {
	return s.p/(gamma-1) + 0.5*s.rho*(s.u*s.u+s.v*s.v+s.w*s.w)
}

func (s *prim) sound() float64 { return math.Sqrt(gamma * s.p / s.rho) }

// limited is the monotonised central slope: never steeper than the neighbours allow, zero at an extremum.
func limited(left, mid, right float64) float64 {
	a, b := mid-left, right-mid
	if a*b <= 0 {
		return 0
	}
	return math.Copysign(min(2*math.Abs(a), 2*math.Abs(b), 0.5*math.Abs(a+b)), a)
}

// faces reconstructs a cell piecewise linearly, moves it half a time step on, and returns its states at
// the lower and upper face. r is dt/dx.
func faces(left, mid, right *prim, r float64) (lo, hi prim) {
	d := prim{
		limited(left.rho, mid.rho, right.rho),
		limited(left.u, mid.u, right.u),
		limited(left.v, mid.v, right.v),
		limited(left.w, mid.w, right.w),
		limited(left.p, mid.p, right.p),
	}
	h := 0.5 * r
	c := prim{
		mid.rho - h*(mid.u*d.rho+mid.rho*d.u),
		mid.u - h*(mid.u*d.u+d.p/mid.rho),
		mid.v - h*mid.u*d.v,
		mid.w - h*mid.u*d.w,
		mid.p - h*(mid.u*d.p+gamma*mid.p*d.u),
	}
	lo = prim{c.rho - d.rho/2, c.u - d.u/2, c.v - d.v/2, c.w - d.w/2, c.p - d.p/2}
	hi = prim{c.rho + d.rho/2, c.u + d.u/2, c.v + d.v/2, c.w + d.w/2, c.p + d.p/2}
	return lo, hi
}

// flux is what crosses a face per area and time: mass, momentum along the axis and the two that follow, energy.
type flux [5]float64

func (s *prim) flux() flux {
	mass := s.rho * s.u
	return flux{mass, mass*s.u + s.p, mass * s.v, mass * s.w, s.u * (s.energy() + s.p)}
}

// hllc solves the Riemann problem between l and r approximately: two outer waves and the contact between them.
func hllc(l, r *prim) flux {
	cl, cr := l.sound(), r.sound()
	sl, sr := min(l.u-cl, r.u-cr), max(l.u+cl, r.u+cr)
	switch {
	case sl >= 0:
		return l.flux()
	case sr <= 0:
		return r.flux()
	}
	ml, mr := l.rho*(sl-l.u), r.rho*(sr-r.u)
	contact := (r.p - l.p + l.u*ml - r.u*mr) / (ml - mr)
	if contact >= 0 {
		return l.star(sl, contact)
	}
	return r.star(sr, contact)
}

// star is the flux behind the outer wave of speed s when the contact moves with speed c.
func (p *prim) star(s, c float64) flux {
	f, e := p.flux(), p.energy()
	rho := p.rho * (s - p.u) / (s - c)
	eStar := rho * (e/p.rho + (c-p.u)*(c+p.p/(p.rho*(s-p.u))))
	return flux{
		f[0] + s*(rho-p.rho),
		f[1] + s*(rho*c-p.rho*p.u),
		f[2] + s*p.v*(rho-p.rho),
		f[3] + s*p.w*(rho-p.rho),
		f[4] + s*(eStar-e),
	}
}

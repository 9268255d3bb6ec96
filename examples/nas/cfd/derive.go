package cfd

// Point is what is derived from the quantities at a point.
type Point struct {
	Inverse  float64 // of density
	Velocity [3]float64
	Kinetic  float64 // energy in a volume
	Specific float64 // kinetic energy of a unit of mass
}

// Derive computes Points and Change from U: what the equations, discretized, say of the change in a unit of time. The faces do
// not change.
func (f *Flow) Derive() {
	f.derivePoints()
	copy(f.Change, f.forcing)
	for axis := range uint(3) {
		f.Lines(axis, func(start int) {
			f.flux(axis, start)
			f.dissipate(f.Strides[axis%3], start)
		})
	}
}

// Lines calls do for the first point of each line along an axis that is not on a face.
func (f *Flow) Lines(axis uint, do func(start int)) {
	a, b := f.Strides[(axis+1)%3], f.Strides[(axis+2)%3]
	for k := 1; k < f.N-1; k++ {
		for j := 1; j < f.N-1; j++ {
			do(j*a + k*b)
		}
	}
}

func (f *Flow) derivePoints() {
	points := f.Points[:len(f.U)]
	for i := range points {
		u, p := &f.U[i], &points[i]
		inverse := 1 / u[0]
		x, y, z := u[1], u[2], u[3]
		kinetic := 0.5 * (x*x + y*y + z*z) * inverse
		p.Inverse, p.Kinetic, p.Specific = inverse, kinetic, kinetic*inverse
		p.Velocity[0], p.Velocity[1], p.Velocity[2] = x*inverse, y*inverse, z*inverse
	}
}

// flux adds to the changes of a line along an axis what flows in and out, by the current, by diffusion, and by viscosity and
// conduction of heat. The line starts at point start.
func (f *Flow) flux(axis uint, start int) {
	along, across, beyond := axis%3, (axis+1)%3, (axis+2)%3
	s, end := f.Strides[along], start+(f.N-1)*f.Strides[along]
	t1, t2 := 1/(f.H*f.H), 1/(2*f.H)
	d, v := Diffusion[along]*t1, C34*t1
	vAlong, vKinetic, vSquare, vHeat := R43*v, (1-C1*C5)*v, v/6, C1*C5*v
	u, points, change := f.U, f.Points, f.Change
	for at := start + s; at < end; at += s {
		lu, mu, hu, c := &u[at-s], &u[at], &u[at+s], &change[at]
		l, m, h := &points[at-s], &points[at], &points[at+s]
		lw, mw, hw := l.Velocity[along], m.Velocity[along], h.Velocity[along]
		ln, hn, l4, m4, h4 := lu[1+along], hu[1+along], lu[4], mu[4], hu[4]
		lk, hk := l.Kinetic, h.Kinetic

		c[0] += d*(hu[0]-2*mu[0]+lu[0]) - t2*(hn-ln)
		c[1+along] += d*(hn-2*mu[1+along]+ln) + vAlong*(hw-2*mw+lw) - t2*(hn*hw-ln*lw+C2*(h4-hk-l4+lk))
		lx, hx, ly, hy := lu[1+across], hu[1+across], lu[1+beyond], hu[1+beyond]
		c[1+across] += d*(hx-2*mu[1+across]+lx) + v*(h.Velocity[across]-2*m.Velocity[across]+l.Velocity[across]) - t2*(hx*hw-lx*lw)
		c[1+beyond] += d*(hy-2*mu[1+beyond]+ly) + v*(h.Velocity[beyond]-2*m.Velocity[beyond]+l.Velocity[beyond]) - t2*(hy*hw-ly*lw)
		c[4] += d*(h4-2*m4+l4) + vKinetic*(h.Specific-2*m.Specific+l.Specific) + vSquare*(hw*hw-2*mw*mw+lw*lw) +
			vHeat*(h4*h.Inverse-2*m4*m.Inverse+l4*l.Inverse) - t2*((C1*h4-C2*hk)*hw-(C1*l4-C2*lk)*lw)
	}
}

// weights are the factor and the weights of dissipation: a variable, since constants would be loaded from memory for each use.
var weights = [4]float64{Dissipation, 4, 5, 6}

// dissipate takes from the changes of a line fourth differences, one-sided next to the faces.
func (f *Flow) dissipate(s, start int) {
	u, change, last := f.U, f.Change, start+(f.N-1)*s
	e, w4, w5, w6 := weights[0], weights[1], weights[2], weights[3]
	for at := start + s; at < last; at += s {
		c, m := &change[at], &u[at]
		switch at {
		case start + s:
			h, hh := &u[at+s], &u[at+2*s]
			for i := range c {
				c[i] -= e * (w5*m[i] - w4*h[i] + hh[i])
			}
		case start + 2*s:
			l, h, hh := &u[at-s], &u[at+s], &u[at+2*s]
			for i := range c {
				c[i] -= e * (-w4*l[i] + w6*m[i] - w4*h[i] + hh[i])
			}
		case last - 2*s:
			ll, l, h := &u[at-2*s], &u[at-s], &u[at+s]
			for i := range c {
				c[i] -= e * (ll[i] - w4*l[i] + w6*m[i] - w4*h[i])
			}
		case last - s:
			ll, l := &u[at-2*s], &u[at-s]
			for i := range c {
				c[i] -= e * (ll[i] - w4*l[i] + w5*m[i])
			}
		default:
			ll, l, h, hh := &u[at-2*s], &u[at-s], &u[at+s], &u[at+2*s]
			for i := range c {
				c[i] -= e * (ll[i] - w4*l[i] + w6*m[i] - w4*h[i] + hh[i])
			}
		}
	}
}

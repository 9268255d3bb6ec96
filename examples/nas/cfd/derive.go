package cfd

// Derive computes Change from U: what the equations, discretized, say of the change in a unit of time. The faces do not change.
func (f *Flow) Derive() {
	f.quantities()
	copy(f.Change, f.forcing)
	n := f.N
	for axis := range uint(3) {
		a, b := f.Strides[(axis+1)%3], f.Strides[(axis+2)%3]
		for k := 1; k < n-1; k++ {
			for j := 1; j < n-1; j++ {
				f.flux(axis, j*a+k*b)
				f.dissipate(f.Strides[axis%3], j*a+k*b)
			}
		}
	}
}

// quantities computes what is derived from U at each point.
func (f *Flow) quantities() {
	n := len(f.U)
	inverse, velocity, kinetic, specific := f.Inverse[:n], f.Velocity[:n], f.Kinetic[:n], f.Specific[:n]
	for p := range f.U {
		u, v := &f.U[p], &velocity[p]
		inv := 1 / u[0]
		x, y, z := u[1], u[2], u[3]
		e := 0.5 * (x*x + y*y + z*z) * inv
		inverse[p], kinetic[p], specific[p] = inv, e, e*inv
		v[0], v[1], v[2] = x*inv, y*inv, z*inv
	}
}

// flux adds to the changes of a line along an axis what flows in and out, by the current, by diffusion, and by viscosity and
// conduction of heat. The line starts at point start.
func (f *Flow) flux(axis uint, start int) {
	along, s := axis%3, f.Strides[axis%3]
	across, beyond := (axis+1)%3, (axis+2)%3
	t1, t2 := 1/(f.H*f.H), 1/(2*f.H)
	d, v := Diffusion[along]*t1, C34*t1
	for at := start + s; at < start+(f.N-1)*s; at += s {
		below, above := at-s, at+s
		l, u, h, c := &f.U[below], &f.U[at], &f.U[above], &f.Change[at]
		lv, uv, hv := &f.Velocity[below], &f.Velocity[at], &f.Velocity[above]
		lw, w, hw := lv[along], uv[along], hv[along]

		c[0] += d*(h[0]-2*u[0]+l[0]) - t2*(h[1+along]-l[1+along])
		c[1+along] += d*(h[1+along]-2*u[1+along]+l[1+along]) + R43*v*(hw-2*w+lw) -
			t2*(h[1+along]*hw-l[1+along]*lw+C2*(h[4]-f.Kinetic[above]-l[4]+f.Kinetic[below]))
		c[1+across] += d*(h[1+across]-2*u[1+across]+l[1+across]) + v*(hv[across]-2*uv[across]+lv[across]) -
			t2*(h[1+across]*hw-l[1+across]*lw)
		c[1+beyond] += d*(h[1+beyond]-2*u[1+beyond]+l[1+beyond]) + v*(hv[beyond]-2*uv[beyond]+lv[beyond]) -
			t2*(h[1+beyond]*hw-l[1+beyond]*lw)
		c[4] += d*(h[4]-2*u[4]+l[4]) +
			(1-C1*C5)*v*(f.Specific[above]-2*f.Specific[at]+f.Specific[below]) +
			v/6*(hw*hw-2*w*w+lw*lw) +
			C1*C5*v*(h[4]*f.Inverse[above]-2*u[4]*f.Inverse[at]+l[4]*f.Inverse[below]) -
			t2*((C1*h[4]-C2*f.Kinetic[above])*hw-(C1*l[4]-C2*f.Kinetic[below])*lw)
	}
}

// dissipate takes from the changes of a line fourth differences, one-sided next to the faces.
func (f *Flow) dissipate(s, start int) {
	last := start + (f.N-1)*s
	for m := range 5 {
		u, c := f.U, f.Change
		at := start + s
		c[at][m] -= Dissipation * (5*u[at][m] - 4*u[at+s][m] + u[at+2*s][m])
		at += s
		c[at][m] -= Dissipation * (-4*u[at-s][m] + 6*u[at][m] - 4*u[at+s][m] + u[at+2*s][m])
		for at += s; at < last-2*s; at += s {
			c[at][m] -= Dissipation * (u[at-2*s][m] - 4*u[at-s][m] + 6*u[at][m] - 4*u[at+s][m] + u[at+2*s][m])
		}
		c[at][m] -= Dissipation * (u[at-2*s][m] - 4*u[at-s][m] + 6*u[at][m] - 4*u[at+s][m])
		at += s
		c[at][m] -= Dissipation * (u[at-2*s][m] - 4*u[at-s][m] + 5*u[at][m])
	}
}

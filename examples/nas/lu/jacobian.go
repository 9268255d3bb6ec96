package main

import "tracerec/examples/nas/cfd"

// offDiagonal sets b to the block of a neighbor with quantities u along an axis: what it loses in time dt by viscosity, conduction and
// diffusion comes here, and in time current, which is below zero for neighbors below, its current.
func offDiagonal(b *cfd.Matrix, u *cfd.Vector, axis uint, current, dt, h float64) {
	const c1, c2 = cfd.C1, cfd.C2
	n, s, t := 1+axis%3, 1+(axis+1)%3, 1+(axis+2)%3
	t1, t2 := dt/(h*h), current/(2*h)
	inv := 1 / u[0]
	inv2 := inv * inv
	inv3 := inv * inv2
	un, us, ut := u[n], u[s], u[t]
	w := un * inv
	q := 0.5 * (un*un + us*us + ut*ut) * inv2
	d := t1 * cfd.Diffusion[axis%3]
	v := t1 * cfd.C34 * inv
	vn := cfd.R43 * v

	b[0] = [5]float64{0: -d}
	b[0][n] = t2

	b[n][0] = t2*(c2*q-w*w) + vn*w
	b[n][n] = t2*(2-c2)*w - vn - d
	b[n][s] = -t2 * c2 * (us * inv)
	b[n][t] = -t2 * c2 * (ut * inv)
	b[n][4] = t2 * c2

	b[s][0] = -t2*(un*us*inv2) + v*(us*inv)
	b[s][n] = t2 * (us * inv)
	b[s][s] = t2*w - v - d
	b[s][t], b[s][4] = 0, 0

	b[t][0] = -t2*(un*ut*inv2) + v*(ut*inv)
	b[t][n] = t2 * (ut * inv)
	b[t][t] = t2*w - v - d
	b[t][s], b[t][4] = 0, 0

	b[4][0] = t2*(2*c2*q-c1*(u[4]*inv))*w + t1*((cfd.R43*cfd.C34-cfd.C1345)*inv3*(un*un)+
		(cfd.C34-cfd.C1345)*inv3*(us*us)+(cfd.C34-cfd.C1345)*inv3*(ut*ut)+cfd.C1345*inv2*u[4])
	b[4][n] = t2*(c1*(u[4]*inv)-c2*(w*w+q)) - t1*(cfd.R43*cfd.C34-cfd.C1345)*inv2*un
	b[4][s] = -t2*(c2*us*un)*inv2 - t1*(cfd.C34-cfd.C1345)*inv2*us
	b[4][t] = -t2*(c2*ut*un)*inv2 - t1*(cfd.C34-cfd.C1345)*inv2*ut
	b[4][4] = t2*c1*w - t1*cfd.C1345*inv - d
}

// onDiagonal sets b to the block of a point with quantities u: all that it loses in time dt, on both sides along each axis.
func onDiagonal(b *cfd.Matrix, u *cfd.Vector, dt, h float64) {
	const along = cfd.R43 + 1 + 1 // viscosity acts on momentum along an axis by more than on the others
	t1 := 2 * dt / (h * h)
	inv := 1 / u[0]
	inv2 := inv * inv
	inv3 := inv * inv2
	d := 1 + t1*(cfd.Diffusion[0]+cfd.Diffusion[1]+cfd.Diffusion[2])
	v := t1 * along * cfd.C34
	e := t1 * (along*cfd.C34 - 3*cfd.C1345)

	*b = cfd.Matrix{}
	b[0][0] = d
	b[1][0], b[1][1] = -v*inv2*u[1], d+v*inv
	b[2][0], b[2][2] = -v*inv2*u[2], d+v*inv
	b[3][0], b[3][3] = -v*inv2*u[3], d+v*inv
	b[4][0] = -e*inv3*(u[1]*u[1]+u[2]*u[2]+u[3]*u[3]) - t1*3*cfd.C1345*inv2*u[4]
	b[4][1], b[4][2], b[4][3] = e*inv2*u[1], e*inv2*u[2], e*inv2*u[3]
	b[4][4] = d + t1*3*cfd.C1345*inv
}

package cfd

// Matrix has derivatives of five quantities by five others.
type Matrix [5][5]float64

// Jacobians sets a and v to the derivatives of what flows along an axis by the quantities u: of the current, and of what viscosity
// and conduction of heat carry.
func Jacobians(u *Vector, axis uint, a, v *Matrix) {
	n, s, t := 1+axis%3, 1+(axis+1)%3, 1+(axis+2)%3
	inv := 1 / u[0]
	inv2 := inv * inv
	inv3 := inv * inv2
	square := u[1]*u[1] + u[2]*u[2] + u[3]*u[3]
	q := 0.5 * square * inv2
	w, ws, wt := u[n]*inv, u[s]*inv, u[t]*inv
	e := C1 * u[4] * inv

	a[0] = [5]float64{}
	a[0][n] = 1
	a[n][0], a[n][n], a[n][s], a[n][t], a[n][4] = C2*q-w*w, (2-C2)*w, -C2*ws, -C2*wt, C2
	a[s][0], a[s][n], a[s][s], a[s][t], a[s][4] = -ws*w, ws, w, 0, 0
	a[t][0], a[t][n], a[t][s], a[t][t], a[t][4] = -wt*w, wt, 0, w, 0
	a[4][0], a[4][n], a[4][s], a[4][t], a[4][4] = (2*C2*q-e)*w, e-C2*(w*w+q), -C2*ws*w, -C2*wt*w, C1*w

	*v = Matrix{}
	v[n][0], v[n][n] = -R43*C34*inv2*u[n], R43*C34*inv
	v[s][0], v[s][s] = -C34*inv2*u[s], C34*inv
	v[t][0], v[t][t] = -C34*inv2*u[t], C34*inv
	v[4][0] = -(R43*C34-C1345)*inv3*u[n]*u[n] - (C34-C1345)*inv3*(u[s]*u[s]+u[t]*u[t]) - C1345*inv2*u[4]
	v[4][n], v[4][s], v[4][t] = (R43*C34-C1345)*inv2*u[n], (C34-C1345)*inv2*u[s], (C34-C1345)*inv2*u[t]
	v[4][4] = C1345 * inv
}

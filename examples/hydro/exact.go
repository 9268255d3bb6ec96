package main

import "math"

// side is one half of a one-dimensional Riemann problem: gas at rest or moving towards the other half.
type side struct{ rho, u, p, c float64 }

func newSide(s prim) side { return side{s.rho, s.u, s.p, s.sound()} }

// velocity is the change of velocity across the outer wave of this side when the pressure behind it is p,
// with its derivative.
func (s side) velocity(p float64) (f, df float64) {
	if p > s.p { // shock
		a, b := 2/((gamma+1)*s.rho), (gamma-1)/(gamma+1)*s.p
		q := math.Sqrt(a / (p + b))
		return (p - s.p) * q, q * (1 - (p-s.p)/(2*(p+b)))
	}
	ratio := p / s.p // rarefaction
	return 2 * s.c / (gamma - 1) * (math.Pow(ratio, (gamma-1)/(2*gamma)) - 1),
		math.Pow(ratio, -(gamma+1)/(2*gamma)) / (s.rho * s.c)
}

// riemann is the exact solution of the Riemann problem between two states.
type riemann struct {
	left, right side
	p, u        float64 // between the outer waves
}

func newRiemann(l, r prim) riemann {
	x := riemann{left: newSide(l), right: newSide(r)}
	x.p = 0.5 * (l.p + r.p)
	for range 50 {
		fl, dl := x.left.velocity(x.p)
		fr, dr := x.right.velocity(x.p)
		next := max(x.p-(fl+fr+r.u-l.u)/(dl+dr), 1e-12)
		done := math.Abs(next-x.p) < 1e-14*next
		if x.p = next; done {
			break
		}
	}
	fl, _ := x.left.velocity(x.p)
	fr, _ := x.right.velocity(x.p)
	x.u = 0.5 * (l.u + r.u + fr - fl)
	return x
}

// density is the mass density on the ray x/t = xi.
func (x riemann) density(xi float64) float64 {
	if xi <= x.u {
		return x.left.density(xi, x.u, x.p)
	}
	mirrored := x.right
	mirrored.u = -mirrored.u
	return mirrored.density(-xi, -x.u, x.p)
}

// density follows a left side from its undisturbed gas through its wave to the contact, which moves with
// speed u under pressure p.
func (s side) density(xi, u, p float64) float64 {
	ratio := p / s.p
	if p > s.p {
		shock := s.u - s.c*math.Sqrt((gamma+1)/(2*gamma)*ratio+(gamma-1)/(2*gamma))
		if xi < shock {
			return s.rho
		}
		k := (gamma - 1) / (gamma + 1)
		return s.rho * (ratio + k) / (k*ratio + 1)
	}
	tail := u - s.c*math.Pow(ratio, (gamma-1)/(2*gamma))
	switch {
	case xi < s.u-s.c:
		return s.rho
	case xi > tail:
		return s.rho * math.Pow(ratio, 1/gamma)
	}
	return s.rho * math.Pow(2/(gamma+1)+(gamma-1)/((gamma+1)*s.c)*(s.u-xi), 2/(gamma-1))
}

// Command ft is the NAS kernel FT: it solves a diffusion equation in three dimensions, with periodic boundaries, by fast Fourier
// transforms: once forth, and back after each time step (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.5).
package main

import (
	"fmt"
	"math"

	"tracerec/examples/nas/nas"
)

const (
	seed  = 314159265
	alpha = 1e-6 // of diffusion
)

// problems are the sizes of the classes, and the checksums after each time step.
var problems = map[nas.Class]struct {
	grid
	checksums []complex128
}{
	'S': {grid{64, 64, 64}, []complex128{
		5.546087004964e+02 + 4.845363331978e+02i, 5.546385409189e+02 + 4.865304269511e+02i,
		5.546148406171e+02 + 4.883910722336e+02i, 5.545423607415e+02 + 4.901273169046e+02i,
		5.544255039624e+02 + 4.917475857993e+02i, 5.542683411902e+02 + 4.932597244941e+02i}},
	'W': {grid{128, 128, 32}, []complex128{
		5.673612178944e+02 + 5.293246849175e+02i, 5.631436885271e+02 + 5.282149986629e+02i,
		5.594024089970e+02 + 5.270996558037e+02i, 5.560698047020e+02 + 5.260027904925e+02i,
		5.530898991250e+02 + 5.249400845633e+02i, 5.504159734538e+02 + 5.239212247086e+02i}},
}

func main() { nas.Main("FT", solve) }

func solve(c nas.Class) (*nas.Result, error) {
	p := problems[c]
	s := newSolver(p.grid, len(p.checksums))
	got := make([]complex128, len(p.checksums))
	r := &nas.Result{Size: fmt.Sprintf("%d × %d × %d", p.nx, p.ny, p.nz), Iterations: len(got), Epsilon: 1e-12}
	r.Timed = nas.Timed(func() { s.run(got) })
	for i, want := range p.checksums {
		step := fmt.Sprintf("checksum %d, ", i+1)
		r.Values = append(r.Values, nas.Value{Name: step + "real", Got: real(got[i]), Want: real(want)},
			nas.Value{Name: step + "imaginary", Got: imag(got[i]), Want: imag(want)})
	}
	return r, nil
}

// solver is a problem and the memory it takes.
type solver struct {
	*transformer
	spectrum, u []complex128
	squares     []int32   // of the wave number of each point of the spectrum
	decay       []float64 // [n]: by what a unit of squares decays in n time steps
}

func newSolver(g grid, steps int) *solver {
	most := (g.nx*g.nx + g.ny*g.ny + g.nz*g.nz) / 4
	return &solver{newTransformer(g), make([]complex128, g.points()), make([]complex128, g.points()),
		make([]int32, g.points()), make([]float64, steps*most+1)}
}

// run is what the benchmark measures.
func (s *solver) run(checksums []complex128) {
	s.waveNumbers()
	s.decays()
	s.fill()
	s.forward(s.spectrum)
	for step := range checksums {
		s.evolve(step + 1)
		s.inverse(s.u)
		checksums[step] = s.checksum()
	}
}

// waveNumbers computes squares. Wave numbers go from -n/2 to n/2-1, those below zero behind the others.
func (s *solver) waveNumbers() {
	signed := func(i, n int) int { return (i+n/2)%n - n/2 }
	for k := range s.nz {
		kk := signed(k, s.nz)
		for j := range s.ny {
			jj := signed(j, s.ny)
			row := s.squares[(k*s.ny+j)*s.nx:][:s.nx]
			for i := range row {
				ii := signed(i, s.nx)
				row[i] = int32(ii*ii + jj*jj + kk*kk)
			}
		}
	}
}

// decays computes the powers of exp(-4 α π²).
func (s *solver) decays() {
	unit := math.Exp(-4 * alpha * math.Pi * math.Pi)
	power := 1.0
	for n := range s.decay {
		s.decay[n] = power
		power *= unit
	}
}

// fill sets the spectrum to the field at the beginning, which is random.
func (s *solver) fill() {
	x := float64(seed)
	plane := make([]float64, 2*s.nx*s.ny)
	for k := range s.nz {
		nas.Randoms(plane, &x, nas.Multiplier)
		u := s.spectrum[k*s.nx*s.ny:][:s.nx*s.ny]
		for i := range u {
			u[i] = complex(plane[2*i], plane[2*i+1])
		}
	}
}

// evolve sets u to the spectrum after so many time steps.
func (s *solver) evolve(steps int) {
	u, squares := s.u[:len(s.spectrum)], s.squares[:len(s.spectrum)]
	for i, x := range s.spectrum {
		d := s.decay[steps*int(squares[i])]
		u[i] = complex(d*real(x), d*imag(x))
	}
}

// checksum adds 1024 values of u, which is to be divided by the number of points still.
func (s *solver) checksum() (sum complex128) {
	for q := 1; q <= 1024; q++ {
		i, j, k := q%s.nx, 3*q%s.ny, 5*q%s.nz
		sum += s.u[(k*s.ny+j)*s.nx+i]
	}
	return sum / complex(float64(s.points()), 0)
}

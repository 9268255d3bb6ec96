// Command hydro computes a shock tube in three dimensions: the Euler equations of gas dynamics on a
// Cartesian mesh, cut into domains that each belong to a goroutine. Domains exchange the cells next to
// their borders over channels before each sweep, and agree on the length of every time step.
//
// The result is checked against the exact solution, and mass and energy against what was there at the
// start. With -skew one domain is larger than the others, which then wait for it.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"

	"tracerec/instrument"
)

// The shock tube of Sod: dense gas on the left of x = 0.5, thin gas on the right, both at rest.
var (
	sodLeft  = prim{rho: 1, p: 1}
	sodRight = prim{rho: 0.125, p: 0.1}
)

// endTime is when the shock is still well before the wall.
const endTime = 0.2

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "hydro:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("hydro", flag.ExitOnError)
	n := flags.Int("n", 80, "cells along each axis")
	procs := flags.Int("procs", runtime.GOMAXPROCS(0), "domains, each with a goroutine of its own")
	steps := flags.Int("steps", 0, "stop after so many time steps (0: at time 0.2)")
	skew := flags.Bool("skew", false, "make the first domain larger than the others")
	flags.Parse(args)

	defer instrument.Region("hydro").End()
	m, err := newMesh(*n, *procs, *skew)
	if err != nil {
		return err
	}
	m.describe(out)
	m.fillTube(0)
	before := m.total()
	m.solve(endTime, *steps)
	return m.verify(before, 0, out)
}

// describe prints how the mesh is cut.
func (m *mesh) describe(out io.Writer) {
	first := m.domains[0].cellsOf()
	least, most := math.MaxInt, 0
	for _, d := range m.domains[1:] {
		least, most = min(least, d.cellsOf()), max(most, d.cellsOf())
	}
	fmt.Fprintf(out, "%d³ cells in %d×%d×%d domains", m.n, m.grid[0], m.grid[1], m.grid[2])
	if most > 0 {
		fmt.Fprintf(out, "; domain 0 has %d cells, the others %d to %d: ratio %.3f", first, least, most,
			float64(first)/float64(most))
	}
	fmt.Fprintln(out)
}

// fillTube puts the initial state of the shock tube into the mesh, the tube lying along axis.
func (m *mesh) fillTube(axis int) {
	m.each(func(c *cons, at [3]float64) {
		s := sodRight
		if at[axis] < 0.5 {
			s = sodLeft
		}
		*c = s.conserved(axis)
	})
}

// total sums the conserved quantities over the mesh.
func (m *mesh) total() (sum cons) {
	m.each(func(c *cons, _ [3]float64) {
		sum.rho += c.rho
		sum.e += c.e
	})
	return sum
}

// errorOf is the mean deviation of the density from the exact solution.
func (m *mesh) errorOf(axis int) float64 {
	exact := newRiemann(sodLeft, sodRight)
	t, sum := m.domains[0].time, 0.0
	m.each(func(c *cons, at [3]float64) {
		sum += math.Abs(c.rho - exact.density((at[axis]-0.5)/t))
	})
	return sum / float64(m.n*m.n*m.n)
}

// errorBound is the largest deviation that is no fault: a shock and a contact are smeared over a few
// cells, so it shrinks with their number.
func (m *mesh) errorBound() float64 { return 0.5 * math.Pow(float64(m.n), -0.9) }

// roundOff bounds the relative change of a sum that is conserved.
const roundOff = 1e-11

// verify prints the checks and returns an error if one fails.
func (m *mesh) verify(before cons, axis int, out io.Writer) error {
	after := m.total()
	mass := math.Abs(after.rho/before.rho - 1)
	energy := math.Abs(after.e/before.e - 1)
	deviation, bound := m.errorOf(axis), m.errorBound()
	fmt.Fprintf(out, "time %.4f after %d steps\n", m.domains[0].time, m.domains[0].step)
	fmt.Fprintf(out, "conservation: mass %.1e, energy %.1e relative change (bound %.0e)\n", mass, energy, roundOff)
	fmt.Fprintf(out, "shock tube:   mean density error %.5f (bound %.5f)\n", deviation, bound)
	if !(mass <= roundOff && energy <= roundOff) {
		return fmt.Errorf("mass or energy is not conserved")
	}
	if !(deviation <= bound) {
		return fmt.Errorf("solution deviates from the exact one")
	}
	return nil
}

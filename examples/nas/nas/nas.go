// Package nas is what the NAS kernels of this folder have in common: problem classes, the timed region, and verification by the
// values that NAS publishes (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, and the definitions of NPB 3). A
// kernel is a program of its own:
//
//	func main() { nas.Main("CG", solve) }
//
// The kernels are serial. Their arrays are slices, since a pointer to an array would be checked for nil by a load, and their
// loops follow the specification operation by operation, so that counts of loads, stores and floating-point operations compare.
// Compilers may fuse multiplications and additions: results are then not the same to the last bit, but verify.
package nas

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"tracerec/instrument"
)

// Class is the size of a problem: 'S', the sample, or 'W', for workstations.
type Class byte

// Value is a number that a kernel computed, and what NAS says it is.
type Value struct {
	Name      string
	Got, Want float64
}

// Result is what a kernel computed.
type Result struct {
	Size       string // of the problem, as in "64 × 64 × 64"
	Iterations int
	Timed      time.Duration // of the timed region
	Epsilon    float64       // the relative error that verification allows; 0 asks for equal values
	Values     []Value
}

// Verify returns an error that names the first value that is not what NAS says it is.
func (r *Result) Verify() error {
	if len(r.Values) == 0 {
		return fmt.Errorf("nothing to verify")
	}
	for _, v := range r.Values {
		if !(math.Abs(v.Got-v.Want) <= r.Epsilon*math.Abs(v.Want)) { // also if it is not a number
			return fmt.Errorf("%s is %.15g: NAS has %.15g, and allows a relative error of %g", v.Name, v.Got, v.Want, r.Epsilon)
		}
	}
	return nil
}

// Timed executes f, which is what the benchmark measures, and returns how long it took. It is a region "timed", and a goroutine
// of its own, so that the simulator's account of that goroutine is that of f.
func Timed(f func()) time.Duration {
	start, done := time.Now(), make(chan bool)
	go func() {
		region := instrument.Region("timed")
		f()
		region.End()
		done <- true
	}()
	<-done
	return time.Since(start)
}

// Main is the main function of a kernel, whose problem the flag -class chooses. It prints what the kernel computed. The exit
// status is 1 unless that is verified.
func Main(name string, kernel func(Class) (*Result, error)) {
	class := flag.String("class", "S", "problem: S or W")
	flag.Parse()
	if err := run(name, *class, kernel, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: class %s: %v\n", name, *class, err)
		os.Exit(1)
	}
}

func run(name, class string, kernel func(Class) (*Result, error), out io.Writer) error {
	if class != "S" && class != "W" {
		return fmt.Errorf("no such class: S and W exist")
	}
	r, err := kernel(Class(class[0]))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s class %s: %s, %d iterations, %.3f s\n", name, class, r.Size, r.Iterations, r.Timed.Seconds())
	for _, v := range r.Values {
		fmt.Fprintf(out, "  %-22s %22.15g, NAS has %.15g\n", v.Name, v.Got, v.Want)
	}
	if err := r.Verify(); err != nil {
		return err
	}
	fmt.Fprintln(out, "verified")
	return nil
}

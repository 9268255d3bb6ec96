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
	"tracerec/simulator/guest"
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
	Timed      Timing
	Epsilon    float64 // the relative error that verification allows; 0 asks for equal values
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

// Timing is what a timed region took.
type Timing struct {
	time.Duration
	Counts []Count // on the simulator; elsewhere there are none
}

// Count is how often an event happened.
type Count struct {
	Event string
	N     uint64
}

// Timed executes f, which is what the benchmark measures. It is a region "timed", and a goroutine of its own, so that a recorder
// and the simulator's accounts know it. On the simulator, that goroutine reads the counters at begin and end.
func Timed(f func()) Timing {
	guest.Events() // is remembered: the goroutine does not have to ask
	start, done := time.Now(), make(chan *guest.Counters)
	go func() {
		counters, err := guest.Init(guest.Goroutine)
		region := instrument.Region("timed")
		if err == nil {
			counters.Start()
		}
		f()
		if err == nil {
			counters.Stop()
		}
		region.End()
		done <- counters
	}()
	c := <-done
	return Timing{time.Since(start), counts(c)}
}

// counts reads counters, if there are any.
func counts(c *guest.Counters) (all []Count) {
	if c == nil {
		return nil
	}
	events := c.Events()
	values := make([]uint64, len(events))
	if c.Read(values, nil) != nil {
		return nil
	}
	for i, e := range events {
		all = append(all, Count{e.Name, values[i]})
	}
	return all
}

// Main is the main function of a kernel, whose problem the flag -class chooses. It prints what the kernel computed, and with -counters
// what the simulator counted in the timed region. The exit status is 1 unless the result is verified.
func Main(name string, kernel func(Class) (*Result, error)) {
	class := flag.String("class", "S", "problem: S or W")
	counters := flag.Bool("counters", false, "on the simulator, print what happened in the timed region")
	flag.Parse()
	if err := run(name, *class, *counters, kernel, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: class %s: %v\n", name, *class, err)
		os.Exit(1)
	}
}

func run(name, class string, counters bool, kernel func(Class) (*Result, error), out io.Writer) error {
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
	if counters {
		for _, c := range r.Timed.Counts {
			fmt.Fprintf(out, "  %-22s %22d\n", c.Event, c.N)
		}
	}
	if err := r.Verify(); err != nil {
		return err
	}
	fmt.Fprintln(out, "verified")
	return nil
}

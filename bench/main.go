// Command bench measures tracerec and its peers, each pair in the same run on the same machine, and
// prints a table of the figures that the design requires.
//
//	bench [-rounds N]                 regions, operations, archive size, analysis, slow-down, the simulator
//	bench micro|size|analysis|slowdown|simulator        one part of it
//	bench goroutines [-n 1000000]     a program of very many goroutines
//	bench scaling [-sizes 1e6,1e7,1e8]        analysis of larger and larger archives
//	bench shapes [-sizes 1e6,1e7,1e8]         analysis of programs that do one thing only, within limits on memory
//	bench hybrids [-sizes 1e6,1e7,1e8]        analysis of OTF2 archives of a program of MPI and OpenMP, likewise
//	bench make lock 1e7 lock.dir              only writes such an archive
//	bench make hybrid 1e7 traces.otf2         likewise
//
// Every measurement is a process of its own, so that a tracer slows down nothing but
// its own subject. Measurements that are compared take turns. The table shows medians, and minima for the simulator.
// The simulator is compared with qemu-riscv64 and valgrind's cachegrind where they are installed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// options are the flags.
type options struct {
	rounds     int
	goroutines int
	live       int
	sizes      []int
}

// parts are the measurements, by name; those of the default run come first.
var parts = []struct {
	name     string
	standard bool
	run      func(*bench) error
}{
	{"micro", true, (*bench).micro},
	{"size", true, (*bench).size},
	{"analysis", true, (*bench).analysis},
	{"slowdown", true, (*bench).slowdown},
	{"simulator", true, (*bench).simulator},
	{"goroutines", false, (*bench).goroutines},
	{"scaling", false, (*bench).scaling},
	{"shapes", false, (*bench).shapes},
	{"hybrids", false, (*bench).hybrids},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var name string
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	switch name {
	case "probe":
		return probe(args)
	case "simulate":
		return simulate(args)
	case "make":
		return makeArchive(args)
	}
	var o options
	sizes := "1e6,1e7,1e8"
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.IntVar(&o.rounds, "rounds", 5, "how often each measurement is taken")
	flags.IntVar(&o.goroutines, "n", 1_000_000, "goroutines of the part goroutines")
	flags.IntVar(&o.live, "live", 1_000_000, "how many of them live at the same time at most")
	flags.StringVar(&sizes, "sizes", sizes, "events in the archives of the parts scaling, shapes and hybrids")
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: the part is named before the flags", flags.Arg(0))
	}
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("-sizes %s: not a number of events", s)
		}
		o.sizes = append(o.sizes, int(n))
	}
	if o.rounds < 1 || o.goroutines < 1 || o.live < 1 {
		return errors.New("-rounds, -n and -live must be positive")
	}

	b, err := newBench(o)
	if err != nil {
		return err
	}
	defer b.close()
	known := false
	for _, p := range parts {
		if p.name == name || name == "" && p.standard {
			known = true
			if err := p.run(b); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	if !known {
		return fmt.Errorf("unknown part %q", name)
	}
	return b.table.print(os.Stdout)
}

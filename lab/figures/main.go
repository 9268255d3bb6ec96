// Command figures reproduces figures 3 and 4 of May's MPX paper as far as the counters of a machine allow: how near
// multiplexed counts come to the truth, on one thread and on four.
//
// Debug registers count stores to known places, and the program itself knows the truth: a thread writes to
// eight cells, steadily, in phases or at random, while sets of the eight watchpoints run over periods of very different
// length, all at once. If the processor's own counters can be read, the command also measures the paper's loops.
//
// On the simulator it measures these loops on any machine, with the truth of the same run, and also what multiplexing itself does to
// the level-one cache.
//
//	go run ./figures                                 tables on the standard output
//	go run ./figures -doc ../docs/multiplexing.md    tables into the document, plots beside it
//	go run ./figures -simulated …                    on the simulator
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"tracerec/counters/perf"
	"tracerec/counters/substrate"
)

func main() {
	var c config
	flag.DurationVar(&c.slice, "slice", 10*time.Millisecond, "time `slice` t")
	flag.IntVar(&c.longest, "longest", 100, "longest period in units of t·n")
	flag.IntVar(&c.threads, "threads", 4, "threads of figure 4")
	flag.IntVar(&c.iterations, "iterations", 24, "the paper's loops run 2^17 to 2^`n` times")
	doc := flag.String("doc", "", "document to update; without it the tables are printed")
	inside := flag.Bool("simulated", false, "measure the paper's loops on the simulator")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	measured := run
	if *inside {
		measured = runSimulated
	}
	if err := measured(c, *doc); err != nil {
		fmt.Fprintf(os.Stderr, "figures: %v\n", err)
		os.Exit(1)
	}
}

func run(c config, doc string) error {
	from, ok := any(perf.New()).(substrate.Slotter)
	if !ok {
		return fmt.Errorf("%s: %w: no counters that take turns", perf.New().Name(), substrate.ErrUnsupported)
	}
	r, err := measure(from, c)
	if err != nil {
		return err
	}
	if doc == "" {
		return r.tables(os.Stdout)
	}
	return r.update(doc)
}

// runSimulated does the same on the simulator, and says on the standard error how far it is.
func runSimulated(c config, doc string) error {
	n, begin := 0, time.Now()
	s, err := simulateAll(c, func(a ask, took time.Duration) {
		n++
		fmt.Fprintf(os.Stderr, "%d/%d %+v: %.1f s\n", n, len(simulatedAsks(c)), a, took.Seconds())
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "all: %.0f s\n", time.Since(begin).Seconds())
	if doc == "" {
		_, err = os.Stdout.Write(s.tables())
		return err
	}
	return s.update(doc)
}

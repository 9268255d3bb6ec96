// Command figures reproduces figures 3 and 4 of May's MPX paper as far as the counters of a machine allow: how near
// multiplexed counts come to the truth, on one thread and on four.
//
// Debug registers count stores to known places, so the truth is what the program knows of itself: a thread writes to
// eight cells, steadily, in phases or at random, while sets of the eight watchpoints run over periods of very different
// length, all at once. Where the processor's own counters can be read, the paper's loops are measured as well.
//
//	go run ./counters/mpx/figures                         tables on the standard output
//	go run ./counters/mpx/figures -doc docs/multiplexing.md   tables into the document, plots beside it
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
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(c, *doc); err != nil {
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

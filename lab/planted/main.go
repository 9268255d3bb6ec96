// Command planted contains small programs as people write them, each with one planted cause of waiting. The test records
// and analyzes each of them, completely and with some operations left out, and counts how often the analysis names the planted cause first.
//
//	planted NAME    run one
//	planted         list them
//
// The source says what was planted. A scenario's comment has a line //planted:metric with the name of the metric that must come first (a wait
// state, or execution if nobody waits in vain), and may have //planted:object with the name of the object. //planted:wait
// marks the lines at which goroutines wait, //planted:cause the lines that they wait for, //planted:keep whatever else belongs to the
// planted wait, and //planted:work a region whose work all others wait for.
package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// scenarios are the programs, by name.
var scenarios = map[string]func(){}

// register adds scenarios.
func register(more map[string]func()) {
	for name, run := range more {
		scenarios[name] = run
	}
}

func main() {
	if len(os.Args) != 2 {
		var names []string
		for name := range scenarios {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Println(name)
		}
		return
	}
	run := scenarios[os.Args[1]]
	if run == nil {
		fmt.Fprintf(os.Stderr, "planted: there is no scenario %q\n", os.Args[1])
		os.Exit(2)
	}
	run()
}

const ms = time.Millisecond

// disk is waiting for a device or another machine: nobody records it.
func disk(d time.Duration) { time.Sleep(d) }

// compute keeps a processor busy.
func compute(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}

// Command planted holds small programs as people write them, each of which is held up by one thing that was put there. The test records
// and analyzes each, whole and with some of its operations left unrecorded, and counts how often the analysis says first what it was.
//
//	planted NAME    run one
//	planted         list them
//
// What was planted stands in the source: a scenario's comment has a line //planted:metric with the name of what must come first (a wait
// state, or execution where nobody waits in vain), and perhaps //planted:object with the name of what is waited at; //planted:wait
// marks the lines at which goroutines wait, //planted:cause those in which they are waited for, //planted:keep what belongs to the
// planted wait besides, and //planted:work a region whose work is what all wait for.
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

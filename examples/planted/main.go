// Command planted produces every wait state, one after the other, for a known time and a known reason, and
// prints what it did. Tests compare an analysis of its trace with this truth.
//
//	planted waits                    one wait of each kind
//	planted locks -competitors 8     many goroutines at a lock; one of them holds it for long
//
// The waits for a busy processor (start_latency, wakeup, barrier_completion) are as long as printed only
// with GODEBUG=asyncpreemptoff=1.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	mode := "waits"
	if len(args) > 0 {
		mode, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("planted", flag.ExitOnError)
	length := flags.Duration("length", 200*time.Millisecond, "length of each wait")
	competitors := flags.Int("competitors", 8, "goroutines beside the one that holds the lock long")
	rounds := flags.Int("rounds", 100, "how often that one takes the lock")
	flags.Parse(args)

	var truth any
	switch mode {
	case "waits":
		truth = plantAll(*length)
	case "locks":
		truth = crowd(*competitors, *rounds)
	default:
		return fmt.Errorf("unknown mode %q: waits or locks", mode)
	}
	return json.NewEncoder(os.Stdout).Encode(truth)
}

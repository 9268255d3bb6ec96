package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// simOptions are the flags of runs on the simulator.
type simOptions struct {
	on, list, untimed bool

	machine, pmu    string
	set             []string
	cpus            int
	seed            uint64
	maxInstructions uint64
	maxMemory       string
	timeout         time.Duration
	mounts, env     []string
	breaks          []string
	dump            string
	trace           string

	filter []string
	only   string
	sweep  []string
	format string
}

// Exit statuses of runs on the simulator, beside the program's own and badUse.
const (
	ranOut    = 124 // a limit was reached
	cannotRun = 125 // the simulator cannot go on
	noProgram = 126 // not a program that the simulator runs
	notFound  = 127
)

// noMachine is the machine of which nothing is modelled but instructions.
const noMachine = "none"

// add adds the flags to a command.
func (o *simOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.on, "sim", false, "run a package or RISC-V binary simulated")
	f.BoolVar(&o.list, "list", false, "sim: list machines, parameters, counters")
	f.StringVar(&o.machine, "machine", "server", "sim: `NAME`, file or none")
	f.StringVar(&o.pmu, "pmu", "", "sim: `NAME` or FILE.json, for its perf events")
	f.StringArrayVar(&o.set, "set", nil, "sim: `PARAMETER=VALUE` of the machine")
	f.BoolVar(&o.untimed, "untimed", false, "sim: stalls take no time, as in a sweep")
	f.IntVar(&o.cpus, "cpus", 2, "sim: virtual processors")
	f.Uint64Var(&o.seed, "seed", 0, "sim: another seed is another schedule")
	f.Uint64Var(&o.maxInstructions, "max-instructions", 0, "sim: end after `N` instructions")
	f.StringVar(&o.maxMemory, "max-memory", "", "sim: give at most `SIZE` bytes, as in 2GiB")
	f.DurationVar(&o.timeout, "timeout", 0, "sim: end after this time")
	f.StringArrayVar(&o.mounts, "mount", nil, "sim: give `GUEST=HOST[:rw]`, a directory")
	f.StringArrayVar(&o.env, "env", nil, "sim: set `NAME=VALUE` for the program")
	f.StringArrayVar(&o.breaks, "break", nil, "sim: end at `FUNCTION[:N]` or an address")
	f.StringVar(&o.dump, "dump", "", "sim: state at a break or failure, to `FILE`")
	f.Lookup("dump").NoOptDefVal = "-"
	f.StringVar(&o.trace, "trace", "", "sim: write addresses to `FILE`.din or .trz")
	f.StringArrayVar(&o.filter, "filter", nil, "sim: record `FUNCTIONS`, as in main.*,-*.init")
	f.StringVar(&o.only, "only", "", "sim: count goroutines begun by `FUNCTION`")
	f.StringArrayVar(&o.sweep, "sweep", nil, "sim: counts for each of `PARAM=A,B,…`")
	f.StringVar(&o.format, "format", "", "sim: --list or --sweep as `text`, json, csv")
}

var (
	simFlags = []string{"list", "untimed", "machine", "pmu", "set", "cpus", "seed", "max-instructions", "max-memory", "timeout", "mount", "env", "break", "dump", "trace",
		"filter", "only", "sweep", "format"}
	notSimFlags = []string{"spec", "certify", "buffer", "block", "patience", "live", "resolution"}
)

// check tells what is wrong with the flags, those of recordings without the simulator included.
func (o *simOptions) check(cmd *cobra.Command) error {
	refused, why := simFlags, "--%s is for runs on the simulator; give --sim, too"
	if o.on {
		refused, why = notSimFlags, "--%s is not for runs on the simulator"
	}
	given := cmd.Flags().Changed
	for _, name := range refused {
		if given(name) {
			return fmt.Errorf(why, name)
		}
	}
	switch {
	case o.cpus < 1 || o.cpus > 256:
		return fmt.Errorf("--cpus %d: from 1 to 256", o.cpus)
	case o.timeout < 0:
		return fmt.Errorf("--timeout %v: less than nothing", o.timeout)
	case given("timeout") && o.timeout == 0:
		return errors.New("--timeout 0s: more than nothing; without it there is none")
	case given("max-instructions") && o.maxInstructions == 0:
		return errors.New("--max-instructions 0: at least one")
	case o.format != "" && o.format != "text" && o.format != "json" && (o.format != "csv" || o.list):
		return fmt.Errorf("unknown format %q: text, json or, with --sweep, csv", o.format)
	case given("format") && o.sweep == nil && !o.list:
		return errors.New("--format is for --sweep and --list")
	case o.only != "" && o.sweep == nil && cmd.Flag("output").Value.String() != "":
		return errors.New("--only is for counts that are printed: with -o '', or --sweep; a recording has them of all goroutines")
	case o.sweep != nil:
		return onlyCounts(cmd)
	}
	return nil
}

// onlyCounts refuses flags that do not go with --sweep.
func onlyCounts(cmd *cobra.Command) error {
	for _, name := range []string{"output", "break", "dump", "trace", "filter"} {
		if f := cmd.Flag(name); f.Changed && f.Value.String() != "" {
			return fmt.Errorf("--%s does not go with --sweep, which only counts", name)
		}
	}
	return nil
}

// simHelp is what the help of tracerec says about the simulator.
var simHelp = strings.TrimSpace(`
With --sim, PROGRAM is a package, Go files, or a static RISC-V binary. It runs
on a simulated machine that counts everything exactly, in virtual time, the same
every time. Nothing has to be instrumented: regions are the program's functions.
-o '' writes no archive but the counts, to standard error. The program sees its
working directory, read-only, an empty /tmp, and what --mount gives; of the
environment what --env gives. Flags for it are marked "sim" below. --sweep runs
it for every combination of parameters. The exit status is the program's, 2 if a
package does not build, 127 or 126 if there is no such program or it is none for
the simulator, 124 when --max-instructions or --timeout ended it, and 125 when
it does what the simulator cannot do.`)

// simRecording is what the flags of all recordings say.
type simRecording struct {
	dir    string // "" for none
	events []string
	quiet  bool
}

// simEvents joins the lists of -c; nil for none.
func simEvents(lists []string) (names []string) {
	for _, list := range lists {
		names = append(names, splitEvents(list)...)
	}
	return names
}

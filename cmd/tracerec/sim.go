package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/internal/launch"
	"tracerec/metric/spec"
	"tracerec/recorder"
)

// simOptions are the flags of runs on the simulator.
type simOptions struct {
	dir   string   // "" for no archive
	lists []string // of counters
	quiet bool

	list, untimed, uncounted, strict bool

	machine, pmu    string
	print           string // a machine to print
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
	ranOut    = 124                  // a limit was reached
	cannotRun = 125                  // the simulator cannot go on
	noProgram = launch.NotExecutable // not a program that the simulator runs
)

// newSim returns the command that runs a program on the simulator.
func newSim() *cobra.Command {
	o := new(simOptions)
	cmd := &cobra.Command{
		Use:   "sim [flags] [--] PACKAGE|BINARY [ARG…]",
		Short: "Run and record a program on the simulator",
		Long: `tracerec sim runs a package, Go files, or a static RISC-V binary on a simulated
machine that counts everything exactly, in virtual time, the same every time.
It records the program without instrumentation: regions are the program's
functions. With -o '' it writes no archive, and prints the counts.

The program sees its working directory, read-only, an empty /tmp, directories
given by --mount, and variables given by --env. --sweep runs it for every
combination of parameters. If the program uses a service of the kernel that the
simulator does not have, it gets an error, and the end of the run reports this;
with --strict, the run ends there.

The exit status is that of the program (128+n if signal n ended it), 2 for wrong
usage or a package that does not build, 127 if the program does not exist, 126
if the simulator cannot run it, 124 if --max-instructions or --timeout ended it,
and 125 if it does something that the simulator cannot do.`,
		Example: `  tracerec sim --list                  # machines, parameters, counters
  tracerec sim ./cmd/app               # record a package, with caches
  tracerec sim -o '' ./cmd/app         # only count
  tracerec sim -c PAPI_L1_DCM --sweep l1d.size=32k,64k ./cmd/app
  tracerec sim --print-machine server > mine.json
  tracerec sim --machine mine.json ./cmd/app`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			names, err := chosenCounters(o.lists, nil, spec.CPU{Vendor: "simulator"})
			if err != nil {
				return err
			}
			return o.run(cmd, names, args)
		},
	}
	o.add(cmd)
	return cmd
}

// add adds the flags.
func (o *simOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&o.dir, "output", "o", recorder.DefaultDir, "trace `DIR`, '' for none")
	f.StringArrayVarP(&o.lists, "counters", "c", nil, "record these counters, or a `SET`")
	f.StringVar(&o.machine, "machine", "server", "machine `NAME`, file, or none")
	f.StringArrayVar(&o.set, "set", nil, "set `PARAMETER=VALUE` of the machine")
	f.StringVar(&o.print, "print-machine", "", "print machine `NAME` as a template")
	f.StringVar(&o.pmu, "pmu", "", "use PMU `NAME`, or a file, for perf events")
	f.BoolVar(&o.list, "list", false, "list machines, PMUs, parameters, counters")
	f.IntVar(&o.cpus, "cpus", 2, "virtual processors")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the schedule")
	f.BoolVar(&o.untimed, "untimed", false, "stalls take no time, as in a sweep")
	f.BoolVar(&o.uncounted, "uncounted", false, "only run, as fast as possible; with -o ''")
	f.BoolVar(&o.strict, "strict", false, "end at the first unsupported service")
	f.Uint64Var(&o.maxInstructions, "max-instructions", 0, "end after `N` instructions")
	f.StringVar(&o.maxMemory, "max-memory", "", "limit memory to `SIZE`, such as 2GiB")
	f.DurationVar(&o.timeout, "timeout", 0, "end after this real time")
	f.StringArrayVar(&o.mounts, "mount", nil, "mount a directory: `GUEST=HOST[:rw]`")
	f.StringArrayVar(&o.env, "env", nil, "set `NAME=VALUE` for the program")
	f.StringArrayVar(&o.filter, "filter", nil, "record only `FUNCTIONS`, such as main.*,-*.init")
	f.StringVar(&o.only, "only", "", "count only goroutines that start in `FUNCTION`")
	f.StringArrayVar(&o.sweep, "sweep", nil, "print counts for each `PARAMETER=A,B,…`")
	f.StringVar(&o.format, "format", "", "print --list or --sweep as `text`, json, csv")
	f.StringArrayVar(&o.breaks, "break", nil, "end at `FUNCTION[:N]` or an address")
	f.StringVar(&o.dump, "dump", "", "write state at break or failure to `FILE`")
	f.Lookup("dump").NoOptDefVal = "-"
	f.StringVar(&o.trace, "trace", "", "write an address trace: `FILE`.din or .trz")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing unless something was lost")
}

// check tells what is wrong with the flags.
func (o *simOptions) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case o.cpus < 1 || o.cpus > 256:
		return fmt.Errorf("--cpus %d: must be from 1 to 256", o.cpus)
	case o.timeout < 0:
		return fmt.Errorf("--timeout %v: must be positive", o.timeout)
	case given("timeout") && o.timeout == 0:
		return errors.New("--timeout 0s: must be positive; leave it out for no limit")
	case given("max-instructions") && o.maxInstructions == 0:
		return errors.New("--max-instructions 0: must be at least 1")
	case o.format != "" && o.format != "text" && o.format != "json" && (o.format != "csv" || o.list):
		return fmt.Errorf("unknown format %q: neither text, json nor, with --sweep, csv", o.format)
	case given("format") && o.sweep == nil && !o.list:
		return errors.New("--format needs --sweep or --list")
	case o.only != "" && o.sweep == nil && o.dir != "":
		return errors.New("--only needs -o '' or --sweep: a recording has the counts of all goroutines")
	case o.sweep != nil:
		return without(cmd, "--sweep, which only counts", "output", "break", "dump", "trace", "filter", "uncounted")
	case o.uncounted && o.dir != "":
		return errors.New("--uncounted records nothing: give -o '', too")
	case o.uncounted:
		return without(cmd, "--uncounted, which observes nothing", "machine", "set", "counters", "pmu", "only", "filter", "trace", "untimed")
	}
	return nil
}

// without refuses flags that do not go with another.
func without(cmd *cobra.Command, what string, names ...string) error {
	for _, name := range names {
		if f := cmd.Flag(name); f.Changed && f.Value.String() != "" {
			return fmt.Errorf("--%s does not go with %s", name, what)
		}
	}
	return nil
}

// flagError says what is wrong with a flag, and what to type for one that is a command now.
func flagError(cmd *cobra.Command, err error) error {
	type named interface {
		error
		GetSpecifiedName() string
	}
	if e, ok := errors.AsType[named](err); ok && e.GetSpecifiedName() == "sim" {
		return errors.New("--sim is a command: tracerec sim [flags] PACKAGE|BINARY")
	}
	return command.FlagError(cmd, err)
}

// simEvents joins the lists of --filter; nil for none.
func simEvents(lists []string) (names []string) {
	for _, list := range lists {
		names = append(names, spec.SplitEvents(list)...)
	}
	return names
}

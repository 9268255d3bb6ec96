package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/launch"
	"tracerec/internal/readable"
	"tracerec/internal/size"
	"tracerec/recorder"
	"tracerec/recorder/simulated"
	"tracerec/recorder/simulated/sweep"
	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/description"
	"tracerec/simulator/linux"
	"tracerec/simulator/pmu"
)

// simulation is a command line for the simulator.
type simulation struct {
	*simOptions
	events  []string
	cmd     *cobra.Command
	say     func(string)
	home    string // temporary directory
	program string // as it was named
}

// run does what the command line asks of the simulator.
func (o *simOptions) run(cmd *cobra.Command, events, args []string) error {
	if o.print != "" {
		return printMachine(cmd.OutOrStdout(), o.print, args)
	}
	s := &simulation{simOptions: o, events: events, cmd: cmd, say: sayTo(cmd.ErrOrStderr())}
	m, err := s.chosenMachine()
	if err != nil {
		return err
	}
	if o.list {
		if len(args) > 0 {
			return fmt.Errorf("--list takes no program: unexpected %s", args[0])
		}
		return s.listing(m)
	}
	if len(args) == 0 {
		return errors.New("no program to run; see tracerec sim --help")
	}
	if err := simulated.CheckFilter(simEvents(o.filter)); err != nil {
		return err
	}
	if err := s.outputFits(); err != nil {
		return err
	}
	if s.home, err = os.MkdirTemp("", "tracerec-sim-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.home)
	options, err := s.options(m, args)
	if err != nil {
		return err
	}
	if o.sweep != nil {
		return s.runSweep(options)
	}
	options.Output, options.Events, options.Filter = o.dir, events, simEvents(o.filter)
	return s.runOnce(options)
}

// outputFits tells whether the archive can be made, before anything is built.
func (s *simulation) outputFits() error {
	if s.dir == "" || s.sweep != nil {
		return nil
	}
	_, undo, err := recorder.Prepare(s.dir)
	if err == nil {
		err = undo()
	}
	if err != nil {
		return fmt.Errorf("-o %s: %w", s.dir, err)
	}
	return nil
}

// chosenMachine returns the machine, with parameters as --set has them; nil for none.
func (s *simulation) chosenMachine() (m *cache.Machine, err error) {
	if s.machine == simulated.NoMachine {
		if len(s.set) > 0 || len(s.sweep) > 0 {
			return nil, errors.New("--machine none has no parameters")
		}
		return nil, nil
	}
	if m, err = cache.Open(s.machine); err != nil && !description.IsFile(s.machine) {
		err = fmt.Errorf("%w; or give none, or a description in a FILE.json", err)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range s.set {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: not PARAMETER=VALUE", p)
		}
		if err := m.Set(name, value); err != nil {
			return nil, fmt.Errorf("--set %s: %w", p, err)
		}
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("--set %s: %w", strings.Join(s.set, " --set "), err)
	}
	return m, nil
}

// printMachine prints the description of a machine, which is a template for others.
func printMachine(w io.Writer, name string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--print-machine takes no program: unexpected %s", args[0])
	}
	text, err := cache.Text(name)
	if err != nil {
		return fmt.Errorf("--print-machine: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// options makes those of a run.
func (s *simulation) options(m *cache.Machine, args []string) (o simulated.Options, err error) {
	if err = o.Share(s.home, s.mounts, s.env); err != nil {
		return o, err
	}
	o.Strict = s.strict
	o.Machine, o.CPUs, o.Seed, o.MaxInstructions, o.Timeout, o.Break = m, s.cpus, s.seed, s.maxInstructions, s.timeout, s.breaks
	if s.maxMemory != "" {
		var n size.Bytes
		if n.Set(s.maxMemory) != nil {
			return o, fmt.Errorf("--max-memory %s: not a size such as 512MiB or 2GiB", s.maxMemory)
		}
		o.MaxMemory = uint64(n)
	}
	o.Untimed = s.untimed || s.sweep != nil
	if s.pmu != "" {
		if o.PMU, err = pmu.Open(s.pmu); err != nil {
			return o, err
		}
	}
	if o.Classify, err = s.classify(m); err != nil {
		return o, err
	}
	p, err := simulated.Build(args, simulated.ProgramDir(s.home), s.cmd.ErrOrStderr())
	switch s.program = args[0]; {
	case errors.Is(err, simulated.ErrBuild):
		return o, &exit{badUse, nil}
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return o, launch.Failed(args[0], err)
	case err != nil:
		return o, err
	}
	o.Use(p)
	return o, nil
}

// classify tells whether misses have to be told apart for the events that are asked for, all of which have to exist.
func (s *simulation) classify(m *cache.Machine) (bool, error) {
	apart, err := count.Choosable(m, s.events)
	if errors.Is(err, count.ErrUnknown) {
		err = fmt.Errorf("%w on machine %s; see tracerec sim --machine %s --list", err, s.machine, s.machine)
	}
	if err != nil {
		return false, fmt.Errorf("-c %w", err)
	}
	return apart || s.events == nil && m != nil && s.sweep == nil, nil
}

// runSweep runs the program on a machine for each combination of the parameters, and prints a table.
func (s *simulation) runSweep(o simulated.Options) error {
	for _, m := range o.Mounts {
		if m.Write && m.Guest != simulated.GuestTemp {
			return fmt.Errorf("--mount %s: runs of a sweep would change each other's files; give it without :rw", m.Guest)
		}
	}
	runs, err := sweep.New(o.Machine, s.sweep)
	if err != nil {
		return fmt.Errorf("--sweep %w", err)
	}
	if err := runs.Check(); err != nil {
		return fmt.Errorf("--sweep: %w", err)
	}
	runs.Program, runs.Machine, runs.Only = s.program, s.machine, s.only
	if s.events != nil {
		runs.Counts = s.events
	}
	var stop func()
	o.Context, stop = untilSignal()
	defer stop()
	o.Stdin, o.Stderr = s.cmd.InOrStdin(), s.cmd.ErrOrStderr()
	r, err := runs.Run(o, s.home)
	if err == nil {
		if err := runs.Write(s.cmd.OutOrStdout(), s.format); err != nil {
			return err
		}
	}
	return s.ended(r, err)
}

// runOnce runs the program and records it, or prints its counts.
func (s *simulation) runOnce(o simulated.Options) error {
	o.Stdin, o.Stdout, o.Stderr = steady(s.cmd.InOrStdin()), s.cmd.OutOrStdout(), s.cmd.ErrOrStderr()
	ctx, stop := untilSignal()
	defer stop()
	o.Context = ctx
	state, closeState, err := s.stateFile()
	if err != nil {
		return err
	}
	o.Dump = state
	addresses, closeTrace, err := s.addressTrace()
	if err != nil {
		return errors.Join(err, closeState())
	}
	o.Trace = addresses
	run := simulated.Run
	if s.uncounted {
		run = simulated.RunUncounted
	} else if content, err := os.ReadFile(o.Program); err == nil && o.Output != "" && o.Filter == nil && simulated.Instrumented(content) {
		run = simulated.RunInstrumented
	}
	begin := time.Now()
	r, err := run(o)
	if failed := errors.Join(closeState(), closeTrace()); failed != nil {
		err = errors.Join(failed, err)
	}
	if r != nil && r.Instructions > 0 && !s.quiet {
		on := "machine " + s.machine
		if s.uncounted {
			on = "uncounted"
		}
		s.all(r.Summary(on, o.CPUs, time.Since(begin)))
	}
	if r != nil && r.Instructions > 0 && s.dir == "" && !s.uncounted && (!s.quiet || s.events != nil || s.only != "") { // what was asked for is told
		text, err := r.Counts(s.program, s.only, s.events)
		if err != nil {
			return s.ended(r, err)
		}
		s.cmd.PrintErr(text)
	}
	if r != nil {
		s.all(r.InVain(s.program))
	}
	if err == nil && r.Break == "" && len(s.breaks) > 0 {
		s.say("the run did not reach " + strings.Join(s.breaks, " or "))
	}
	if by, ok := errors.AsType[caughtSignal](context.Cause(ctx)); ok && errors.Is(err, linux.ErrInterrupted) {
		return &exit{128 + int(by.Signal), fmt.Errorf("%s: ended by %w", s.program, by)}
	}
	return s.ended(r, err)
}

// all says some lines.
func (s *simulation) all(lines []string) {
	for _, line := range lines {
		s.say(line)
	}
}

// listing tells what there is to choose from.
func (s *simulation) listing(m *cache.Machine) error {
	v, err := simulated.List(s.machine, m)
	if err != nil {
		return err
	}
	if s.format == "json" {
		return readable.JSON(s.cmd.OutOrStdout(), v)
	}
	_, err = io.WriteString(s.cmd.OutOrStdout(), v.Text())
	return err
}

// steady makes reads of standard input return as much as was asked for, whenever it was written, so that a pipe does not make
// runs differ. A person at a terminal is answered line by line.
func steady(in io.Reader) io.Reader {
	if readable.Terminal(in) {
		return in
	}
	return fullReads{in}
}

type fullReads struct{ io.Reader }

func (r fullReads) Read(b []byte) (int, error) {
	n, err := io.ReadFull(r.Reader, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it is told the next time
	}
	return n, err
}

// caughtSignal is why a run was interrupted.
type caughtSignal struct{ syscall.Signal }

func (c caughtSignal) Error() string { return fmt.Sprintf("signal %d, %v", int(c.Signal), c.Signal) }

// untilSignal returns a context that a signal to this process ends. Another one kills it, as it always would. When nobody reads
// the program's output any more, that is told to the program.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(caughtSignal{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); signal.Stop(broken); cancel(nil) }
}

// stateFile opens what --dump names; nil for nothing.
func (s *simulation) stateFile() (io.Writer, func() error, error) {
	switch s.dump {
	case "":
		return nil, func() error { return nil }, nil
	case "-":
		return s.cmd.ErrOrStderr(), func() error { return nil }, nil
	}
	f, err := os.Create(s.dump)
	if err != nil {
		return nil, nil, fmt.Errorf("--dump: %w", err)
	}
	return f, f.Close, nil
}

// addressTrace begins what --trace asks for, and returns what ends it; nil for nothing.
func (s *simulation) addressTrace() (*addresstrace.Tracer, func() error, error) {
	if s.trace == "" {
		return nil, func() error { return nil }, nil
	}
	format := addresstrace.Format(strings.TrimPrefix(filepath.Ext(s.trace), "."))
	if format != addresstrace.Dinero && format != addresstrace.Binary {
		return nil, nil, fmt.Errorf("--trace %s: the name must end in .din (Dinero's format) or .trz (compressed)", s.trace)
	}
	f, err := os.Create(s.trace)
	if err != nil {
		return nil, nil, fmt.Errorf("--trace: %w", err)
	}
	w, err := addresstrace.NewWriter(f, format)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return addresstrace.NewTracer(w, true), func() error {
		err := errors.Join(w.Close(), f.Close())
		if err != nil {
			return fmt.Errorf("--trace %s: %w", s.trace, err)
		}
		if !s.quiet {
			s.say(fmt.Sprintf("%s: %s", s.trace, readable.Plural(w.Records(), "record")))
		}
		return nil
	}, nil
}

// ended turns the end of a run into that of tracerec.
func (s *simulation) ended(r *simulated.Result, err error) error {
	nobody, none := errors.AsType[*count.NotCounted](err)
	switch {
	case none:
		return fmt.Errorf("--only %w", nobody)
	case errors.Is(err, sweep.ErrDiffers):
		return &exit{cannotRun, err}
	case err == nil && r.Break != "":
		return nil
	case err == nil && r.Status == 0:
		return nil
	case err == nil && r.Signal != 0:
		return &exit{r.Status, fmt.Errorf("%s: ended by %w", s.program, caughtSignal{syscall.Signal(r.Signal)})}
	case err == nil:
		return &exit{r.Status, nil}
	case errors.Is(err, linux.ErrLimit):
		return &exit{ranOut, fmt.Errorf("%s: ended by --max-instructions after %s", s.program, readable.Plural(s.maxInstructions, "instruction"))}
	case errors.Is(err, linux.ErrTimeout):
		return &exit{ranOut, fmt.Errorf("%s: ended by --timeout after %v", s.program, s.timeout)}
	case errors.Is(err, simulated.ErrBreakpoint):
		return err
	case r == nil || r.Instructions == 0:
		return &exit{noProgram, err}
	}
	return &exit{cannotRun, fmt.Errorf("%s: the simulator cannot continue: %w", s.program, err)}
}

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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/launch"
	"tracerec/internal/readable"
	"tracerec/internal/shm"
	"tracerec/recorder"
	"tracerec/recorder/simulated"
	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
	counting "tracerec/simulator/count"
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

// The guest's directories beside those that are given.
const (
	guestProgram = "/program"
	guestTemp    = "/tmp"
)

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
			return fmt.Errorf("--list takes no program, such as %s", args[0])
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
	switch {
	case s.machine == noMachine:
		if len(s.set) > 0 || len(s.sweep) > 0 {
			return nil, errors.New("--machine none has no parameters")
		}
		return nil, nil
	case isFile(s.machine):
		if m, err = readFile(s.machine, "machine", cache.Read); err == nil {
			m.Name = strings.TrimSuffix(filepath.Base(s.machine), ".json")
		}
	default:
		if m, err = cache.Named(s.machine); err != nil {
			err = fmt.Errorf("%w; none; or a description in a FILE.json", err)
		}
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

// chosenPMU returns the PMU of the machine; nil for none.
func (s *simulation) chosenPMU() (*pmu.PMU, error) {
	switch {
	case s.pmu == "":
		return nil, nil
	case isFile(s.pmu):
		return readFile(s.pmu, "PMU", pmu.Read)
	}
	p, err := pmu.Named(s.pmu)
	if err != nil {
		err = fmt.Errorf("%w; or a description in a FILE.json", err)
	}
	return p, err
}

// isFile tells whether a description is not the name of one that is shipped.
func isFile(name string) bool { return strings.HasSuffix(name, ".json") || strings.Contains(name, "/") }

// readFile reads a description from a file.
func readFile[T any](name, what string, read func(io.Reader) (*T, error)) (*T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, name, err)
	}
	return v, nil
}

// printMachine prints the description of a machine, which is a template for others.
func printMachine(w io.Writer, name string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--print-machine takes no program, such as %s", args[0])
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
	if err = s.given(&o); err != nil {
		return o, err
	}
	o.Strict = s.strict
	o.Machine, o.CPUs, o.Seed, o.MaxInstructions, o.Timeout, o.Break = m, s.cpus, s.seed, s.maxInstructions, s.timeout, s.breaks
	if s.maxMemory != "" {
		n, err := shm.ParseSize(s.maxMemory)
		if err != nil || n <= 0 {
			return o, fmt.Errorf("--max-memory %s: not a size such as 512MiB or 2GiB", s.maxMemory)
		}
		o.MaxMemory = uint64(n)
	}
	o.Untimed = s.untimed || s.sweep != nil
	if o.PMU, err = s.chosenPMU(); err != nil {
		return o, err
	}
	if o.Classify, err = s.classify(m); err != nil {
		return o, err
	}
	p, err := simulated.Build(args, filepath.Join(s.home, "program"), s.cmd.ErrOrStderr())
	switch s.program = args[0]; {
	case errors.Is(err, simulated.ErrBuild):
		return o, &exit{badUse, nil}
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return o, launch.Failed(args[0], err)
	case err != nil:
		return o, err
	}
	o.Program, o.Sources, o.Args = p.File, p.Sources, append([]string{guestProgram + "/" + filepath.Base(p.File)}, p.Args...)
	return o, nil
}

// given says what the guest sees of the host: directories and environment.
func (s *simulation) given(o *simulated.Options) (err error) {
	if o.Dir, err = os.Getwd(); err != nil {
		return err
	}
	o.Mounts = []linux.Mount{{Guest: o.Dir, Host: o.Dir}, {Guest: guestProgram, Host: filepath.Join(s.home, "program")},
		{Guest: guestTemp, Host: filepath.Join(s.home, "tmp"), Write: true}}
	for _, m := range o.Mounts[1:] {
		if err := os.Mkdir(m.Host, 0o700); err != nil {
			return err
		}
	}
	everything := o.Dir == "/"
	for _, text := range s.mounts {
		given, err := parseMount(text, o.Dir)
		if err != nil {
			return err
		}
		everything = everything && given.Guest != "/"
		o.Mounts = slices.DeleteFunc(o.Mounts, func(m linux.Mount) bool { return m.Guest == given.Guest })
		o.Mounts = append(o.Mounts, given)
	}
	if everything {
		return errors.New("the working directory is /, which would give the program all files of this machine; start in another, or give --mount /=/")
	}
	return s.environment(o)
}

// environment sets that of the guest.
func (s *simulation) environment(o *simulated.Options) error {
	o.Env = []string{"HOME=" + guestTemp, "PATH=" + guestProgram, "TMPDIR=" + guestTemp}
	for _, text := range s.env {
		name, _, ok := strings.Cut(text, "=")
		if name == "" {
			return fmt.Errorf("--env %s: not NAME=VALUE or NAME", text)
		}
		o.Env = slices.DeleteFunc(o.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		if !ok {
			value, set := os.LookupEnv(name)
			if !set {
				continue // nor is it in the guest
			}
			text += "=" + value
		}
		o.Env = append(o.Env, text)
	}
	return nil
}

// parseMount reads GUEST=HOST[:rw]; names of the guest are relative to its working directory.
func parseMount(text, dir string) (linux.Mount, error) {
	guest, host, ok := strings.Cut(text, "=")
	m := linux.Mount{Guest: guest}
	if m.Host, m.Write = strings.CutSuffix(host, ":rw"); !ok || guest == "" || m.Host == "" {
		return m, fmt.Errorf("--mount %s: not GUEST=HOST or GUEST=HOST:rw", text)
	}
	if !filepath.IsAbs(m.Guest) {
		m.Guest = filepath.Join(dir, m.Guest)
	}
	m.Guest = filepath.Clean(m.Guest)
	switch info, err := os.Stat(m.Host); {
	case err != nil:
		return m, fmt.Errorf("--mount %s: %w", text, err)
	case !info.IsDir():
		return m, fmt.Errorf("--mount %s: %s is not a directory", text, m.Host)
	}
	return m, nil
}

// classify tells whether misses have to be told apart for the events that are asked for, all of which have to exist.
func (s *simulation) classify(m *cache.Machine) (bool, error) {
	plain, err := countable(m, false)
	if err != nil {
		return false, err
	}
	all, err := countable(m, true)
	if err != nil {
		return false, err
	}
	apart := false
	for _, text := range s.events {
		name, mode, more := strings.Cut(text, ":")
		switch {
		case !all[name]:
			return false, fmt.Errorf("-c %s: %w on machine %s, which counts PAPI presets and others; see tracerec sim --machine %s --list", text, counting.ErrUnknown,
				s.machine, s.machine)
		case more && mode != "u" && mode != "k":
			return false, fmt.Errorf("-c %s: behind the colon stands u or k", text)
		case mode == "k" && !ofKernel(m, name):
			return false, fmt.Errorf("-c %s: nothing of that is modelled of the kernel; SIM_KERNEL_CYC is", text)
		}
		apart = apart || !plain[name]
	}
	return apart || s.events == nil && m != nil && s.sweep == nil, nil
}

// ofKernel tells whether an event has a part that is the kernel's.
func ofKernel(m *cache.Machine, name string) bool {
	c, err := counting.New(m, counting.Options{Classify: true})
	if err != nil {
		return false
	}
	v := counting.Values{counting.KernelCycles: 1e6}
	n, err := c.Value(&v, name)
	return err == nil && n > 0
}

// countable returns the events that a machine has.
func countable(m *cache.Machine, classify bool) (map[string]bool, error) {
	c, err := counting.New(m, counting.Options{Classify: classify})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range c.Events() {
		names[e.Name] = true
	}
	return names, nil
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
		s.summary(o, r, time.Since(begin))
	}
	if r != nil && r.Instructions > 0 && s.dir == "" && !s.uncounted && (!s.quiet || s.events != nil || s.only != "") { // what was asked for is told
		if err := s.table(s.cmd.ErrOrStderr(), r); err != nil {
			return err
		}
	}
	if r != nil {
		s.inVain(r.Unsupported)
	}
	if err == nil && r.Break == "" && len(s.breaks) > 0 {
		s.say("the run did not get to " + strings.Join(s.breaks, " or "))
	}
	if by, ok := errors.AsType[caughtSignal](context.Cause(ctx)); ok && errors.Is(err, linux.ErrInterrupted) {
		return &exit{128 + int(by.Signal), fmt.Errorf("%s: ended by %w", s.program, by)}
	}
	return s.ended(r, err)
}

// steady makes reads of standard input return as much as was asked for, whenever it was written, so that a pipe does not make
// runs differ. A person at a terminal is answered line by line.
func steady(in io.Reader) io.Reader {
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeCharDevice != 0 {
			return in
		}
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
		return nil, nil, fmt.Errorf("--trace %s: end the name with .din for Dinero's format, or with .trz for a compressed one", s.trace)
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
	switch {
	case errors.As(err, new(*exit)):
		return err
	case err == nil && r.Break != "":
		return nil
	case err == nil && r.Status == 0:
		return nil
	case err == nil && r.Signal != 0:
		return &exit{r.Status, fmt.Errorf("%s: ended by %w", s.program, caughtSignal{syscall.Signal(r.Signal)})}
	case err == nil:
		return &exit{r.Status, nil}
	case errors.Is(err, linux.ErrLimit):
		return &exit{ranOut, fmt.Errorf("%s: ended after %s, as --max-instructions says", s.program, readable.Plural(s.maxInstructions, "instruction"))}
	case errors.Is(err, linux.ErrTimeout):
		return &exit{ranOut, fmt.Errorf("%s: ended after %v, as --timeout says", s.program, s.timeout)}
	case errors.Is(err, simulated.ErrBreakpoint):
		return err
	case r == nil || r.Instructions == 0:
		return &exit{noProgram, err}
	}
	return &exit{cannotRun, fmt.Errorf("%s: the simulator cannot go on: %w", s.program, err)}
}

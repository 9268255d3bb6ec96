package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
	"tracerec/internal/launch"
	"tracerec/internal/readable"
	"tracerec/recorder"
)

// regionsHelp describes what build, run and test have in common.
const regionsHelp = `--rewrite, among the flags of the go command, has operations rewritten in the
source instead of recorded by the runtime: those of the packages of the main
module only. This happens by itself where the runtime is not known.

Functions of the main module are regions, unless the compiler inlines them and
nothing outside the program is waited for in them, or they call nothing and have
no loop. With -cover there are none. Flags for them stand before the packages;
with tracerec test, before the flags of go test, too:
` + regions.Help

// newBuild returns the command that builds programs that record themselves.
func newBuild() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build [--exact-counters] [go build flags] [PACKAGE…]",
		Short: "Build a program that can be recorded, as go build does",
		Long: `tracerec build runs go build with these flags and packages, and adds what records
every goroutine of the program and every operation by which goroutines wait for
each other, in the program, in its dependencies and in the standard library.
Nothing is recorded unless tracerec runs the program. No file of the program,
its module or the Go installation is changed. "tracerec build -o app ." builds
the program app, and "tracerec ./app" records it.

--exact-counters, which comes first, uses a patched copy of the Go scheduler
instead, which reads the counters whenever a goroutine is put on a thread or
taken off. tracerec -c then records counters of such a program, which must use
package instrument, without an uncertain part, if they are counters of threads:
those of the kernel and the processor. Those of the Go runtime (go:...) count
for the process, and stay uncertain.

` + regionsHelp,
	}
	return ofGo(cmd, func(args []string) error {
		var b *build.Build
		var err error
		if len(args) > 0 && args[0] == "--exact-counters" {
			if b, err = build.NewExact(args[1:]); err != nil {
				err = refused(cmd, "build", args[1:], err)
			}
		} else {
			var r regions.Options
			if args, err = build.Among("build", args, r.Take); err != nil {
				return err
			}
			b, err = prepared(cmd, "build", args, r)
		}
		defer b.Close()
		if err != nil {
			return err
		}
		status, err := b.Run(nil, given.Orders{}, cmd.OutOrStdout(), cmd.ErrOrStderr())
		return exited(status, err)
	})
}

// ofGo makes a command one that parses its own flags, because most of them are the go command's.
func ofGo(cmd *cobra.Command, run func(args []string) error) *cobra.Command {
	cmd.DisableFlagParsing, cmd.DisableFlagsInUseLine = true, true
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
			return cmd.Help()
		}
		return run(args)
	}
	return cmd
}

// prepared prepares a command of go, whose flags these are. The caller closes it, whatever the error is.
func prepared(cmd *cobra.Command, verb string, args []string, r regions.Options) (*build.Build, error) {
	defer build.Building(cmd.ErrOrStderr())()
	b, err := build.New(verb, args, r)
	if err != nil {
		return b, refused(cmd, verb, args, err)
	}
	if b.Warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "tracerec:", b.Warning)
	}
	if r.Say {
		regions.Write(cmd.ErrOrStderr(), b.Regions())
	}
	return b, nil
}

// refused ends a command of go that cannot be prepared. What the go command has to say about that comes first.
func refused(cmd *cobra.Command, verb string, args []string, err error) error {
	if !build.Refused(err) {
		return err
	}
	status, failed := build.Plain(verb, args, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if failed != nil || status == 0 {
		return err
	}
	return &exit{status, fmt.Errorf("nothing was recorded, because go %s failed", verb)}
}

// own are the flags of run and test that are not the go command's.
type own struct {
	dir         string
	quiet, view bool
	window      *recorder.Window
	regions     regions.Options
}

// take takes them.
func (o *own) take(args []string) (rest []string, err error) {
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		switch name {
		case "-q", "--quiet":
			o.quiet = true
		case "--view":
			o.view = true
		case "-o", "--output", "--window":
			if !joined {
				if len(args) < 2 {
					return nil, fmt.Errorf("%s: no value", name)
				}
				value, args = args[1], args[1:]
			}
			if name != "--window" {
				o.dir = value
			} else if o.window, err = recorder.ParseWindow(value); err != nil {
				return nil, fmt.Errorf("--window: %w", err)
			}
		default:
			rest, err := o.regions.Take(args)
			if err != nil || len(rest) == len(args) {
				return rest, err
			}
			args = rest
			continue
		}
		args = args[1:]
	}
	return args, nil
}

// absolute makes the name of the directory good for other working directories.
func (o *own) absolute() (err error) {
	if o.dir == "" {
		return fmt.Errorf("the name of the trace directory is empty")
	}
	o.dir, err = filepath.Abs(o.dir)
	return err
}

// shown is the name of a directory for people.
func shown(dir string) string {
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(short) {
			return short
		}
	}
	return dir
}

// expert returns the command line of expert beside this program, for people.
func expert(args ...string) string {
	text := "expert"
	for _, a := range args {
		text += " " + readable.Argument(a)
	}
	return text
}

// view shows an archive in the browser, until it or this program is told to end.
func view(cmd *cobra.Command, dir string) error {
	self, _ := os.Executable()
	program, err := launch.Find(filepath.Join(filepath.Dir(self), "expert"))
	if err != nil {
		program, err = launch.Find("expert")
	}
	if err != nil {
		return fmt.Errorf("--view: %w", err)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	show := exec.CommandContext(ctx, program, "view", dir)
	show.Stdout, show.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	show.Cancel = func() error { return cmp.Or(show.Process.Signal(syscall.SIGTERM), os.ErrProcessDone) } // it ends as it does by itself
	return show.Run()
}

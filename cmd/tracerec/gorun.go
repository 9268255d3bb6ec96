package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/internal/readable"
	"tracerec/recorder"
	"tracerec/report"
)

// newRun returns the command that builds, records and analyzes a program.
func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [-o DIR] [-q] [--view] [go run flags] PACKAGE|FILES [ARG…]",
		Short: "Build, record and analyze a program, as go run runs it",
		Long: `tracerec run builds a program as go run does, with what tracerec build adds, and
records it into DIR (default trace.dir). Standard input, output and error are
the program's own. When it has ended, the analysis follows on standard error:
where the program waits, and why. The exit status is that of the program, or of
the go command if there is none to run.

The flags of tracerec stand before the package, also among those of go run: -o
DIR, -q for a recording without analysis, --view to show it in the browser as
well, and --window of tracerec record. If recording is impossible, because DIR
cannot be made for instance, the program is not started: the status is 2.
To record a program that is built, use "tracerec record".

` + regionsHelp,
	}
	return ofGo(cmd, func(args []string) error {
		o := own{dir: recorder.DefaultDir}
		args, err := build.Among("run", args, o.take)
		if err == nil {
			err = o.absolute()
		}
		if err != nil {
			return err
		}
		b, err := prepared(cmd, "run", args, o.regions)
		defer b.Close()
		if err != nil {
			return err
		}
		p, err := built(cmd, b, args)
		if p == nil || err != nil {
			return err
		}
		return o.record(cmd, b, p)
	})
}

// built builds the program; it is nil if there is nothing to run.
func built(cmd *cobra.Command, b *build.Build, args []string) (*given.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	status, err := b.Run([]string{self, takeProgram}, given.Orders{}, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	p, err := b.Program()
	if err != nil || p != nil || status == 0 {
		return p, err
	}
	why := "nothing was recorded, because go run failed"
	for _, a := range args {
		if info, err := os.Stat(a); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			why += "; to record a program that is built: tracerec record " + readable.Argument(a)
		}
		if !strings.HasPrefix(a, "-") {
			break
		}
	}
	return nil, &exit{status, errors.New(why)}
}

// record records a program and prints what there is to say about it.
func (o *own) record(cmd *cobra.Command, b *build.Build, p *given.Program) error {
	say, dir := sayTo(cmd.ErrOrStderr()), shown(o.dir)
	here, err := os.Getwd()
	if err == nil {
		err = p.Enter()
	}
	if err != nil {
		return err
	}
	options := recorder.Defaults(o.dir)
	options.Window = o.window
	options.Required = true
	options.Quiet, options.Say = o.quiet, func(message string) { say(strings.ReplaceAll(message, o.dir, dir)) }
	status, err := recorder.Run(options, p.Args)
	if err = errors.Join(err, os.Chdir(here)); err != nil {
		return &exit{status, err}
	}
	if !o.quiet {
		w := cmd.ErrOrStderr()
		err = analyzed(w, o.dir, func(e *report.Experiment) error {
			defer e.Verdict.Hint(say, b.Hint)
			return report.Text(w, e, report.TextOptions{Top: 3, Color: readable.Colored(w)})
		})
	}
	if err == nil && o.view {
		err = view(cmd, o.dir)
	}
	return exited(status, err)
}

// analyzed analyzes an archive for people who see w.
func analyzed(w io.Writer, dir string, use func(*report.Experiment) error) error {
	o := pipeline.Options{}
	if readable.Terminal(w) {
		o.Terminal = w
	}
	e, err := pipeline.Analyze(dir, o, nil)
	if err != nil {
		return fmt.Errorf("no analysis: %w", err)
	}
	return use(e)
}

// takeProgram is the command to which go run gives the program.
const takeProgram = "take-run"

func newTakeProgram() *cobra.Command {
	cmd := &cobra.Command{Use: takeProgram, Hidden: true}
	return ofGo(cmd, func(args []string) error {
		if len(args) < 2 {
			return errors.New("only the go command uses this")
		}
		return given.Take(args[0], args[1:])
	})
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/internal/command"
	"tracerec/internal/readable"
	"tracerec/recorder"
	"tracerec/report"
	"tracerec/trace/wire"
)

// newTest returns the command that records tests.
func newTest() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test [-o DIR] [-q] [go test flags] [PACKAGE…]",
		Short: "Record and analyze tests and benchmarks, as go test runs them",
		Long: `tracerec test runs go test with these flags and packages, and records every
goroutine of the tests and every operation by which they wait for each other.
The tests of a package are recorded into DIR/IMPORT/PATH (default DIR is
trace.dir), each benchmark into a directory of its own below that. Output and
exit status are those of go test. What delays each package follows on standard
error. "tracerec test -run NONE -bench X" tells why a benchmark does not scale.

Tests always run, as with -count=1. Packages that do not pass go vet come first.
With several benchmarks, each runs in a process of its own, unless go test writes
a profile. The flags of tracerec come first: -o DIR, and -q for recordings
without analysis. All others are those of go test, which has a -o, too. Nothing is
tested if DIR cannot be made: the status is 2.

` + regionsHelp,
	}
	return ofGo(cmd, func(args []string) error {
		o := own{dir: recorder.DefaultDir}
		args, err := o.take(args)
		if err == nil && (o.view || o.window != nil) {
			err = errors.New("--view and --window are for one recording: use tracerec run")
		}
		if err == nil {
			err = o.absolute()
		}
		if err != nil {
			return err
		}
		b, err := prepared(cmd, "test", args, o.regions)
		defer b.Close()
		if err != nil {
			return err
		}
		return o.test(cmd, b)
	})
}

// test runs go test.
func (o *own) test(cmd *cobra.Command, b *build.Build) error {
	if !b.Runs() {
		status, err := b.Run(nil, given.Orders{}, cmd.OutOrStdout(), cmd.ErrOrStderr())
		return exited(status, err)
	}
	take, err := takeTests()
	if err != nil {
		return err
	}
	aside, undo, err := recorder.Prepare(o.dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.dir, recorder.TestsFile), []byte("{}\n"), 0o666); err != nil {
		return errors.Join(err, undo())
	}
	status, err := b.Run(take, given.Orders{Output: o.dir}, cmd.OutOrStdout(), cmd.ErrOrStderr())
	list, failed := b.Archives(o.dir)
	if err = errors.Join(err, failed); err != nil {
		status = max(status, 1)
	}
	if len(list) == 0 {
		if err == nil {
			err = undo()
		}
		return exited(status, err)
	}
	if aside != "" && !o.quiet {
		sayTo(cmd.ErrOrStderr())(fmt.Sprintf("the older %s is now %s", shown(o.dir), shown(aside)))
	}
	return exited(status, errors.Join(err, o.tell(cmd, b, list)))
}

// tell prints what there is to say about recorded tests.
func (o *own) tell(cmd *cobra.Command, b *build.Build, list []given.Recorded) error {
	text, err := json.MarshalIndent(map[string]any{"archives": list}, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(o.dir, recorder.TestsFile), append(text, '\n'), 0o666)
	}
	w := cmd.ErrOrStderr()
	say := sayTo(w)
	longest, most := report.Verdict{}, int64(0)
	for _, r := range list {
		for _, message := range slices.DeleteFunc(r.Said, wire.TellsVisits) { // as the report does
			say(r.Package + ": " + message)
		}
		if r.Dir == "" || o.quiet {
			continue
		}
		dir := filepath.Join(o.dir, r.Dir)
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(readable.Clean(r.Package)+" "+readable.Clean(r.Benchmark)))
		failed := analyzed(w, dir, func(e *report.Experiment) error {
			if e.Header.Focus > most {
				longest, most = e.Verdict, e.Header.Focus
			}
			return report.Brief(w, e, report.TextOptions{Color: readable.Colored(w)})
		})
		if failed != nil {
			say(readable.OneLine(failed))
			continue
		}
		fmt.Fprintf(w, "  → %s\n", expert("analyze", shown(dir)))
	}
	if !o.quiet && slices.ContainsFunc(list, func(r given.Recorded) bool { return r.Benchmark != "" }) {
		say("times per operation of benchmarks include what recording costs: compare them only with those of other recorded runs")
	}
	longest.Hint(say, b.Hint)
	return err
}

// takeTest is the command to which go test gives the tests of a package, where there is no other program for that.
const takeTest = "take-test"

// takeTests returns the command to which go test is to give the tests of packages: tracerec-test, or this program if that is not beside it.
func takeTests() ([]string, error) {
	if quick, ok := command.Beside("tracerec-test"); ok {
		return []string{quick}, nil
	}
	self, err := os.Executable()
	return []string{self, takeTest}, err
}

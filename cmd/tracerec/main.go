// Command tracerec records Go programs and maintains the archives that it writes.
package main

//go:generate go test -run ^TestManualIsCurrent$ . -update

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"tracerec/autoinst/build"
	"tracerec/internal/command"
	"tracerec/internal/launch"
	"tracerec/internal/readable"
	"tracerec/internal/typo"
	"tracerec/recorder/tests"
)

// badUse is the exit status for bad usage and for input that cannot be read.
const badUse = 2

// An exit ends tracerec with a status of its own, without a message if err is nil.
type exit struct {
	status int
	err    error
}

func (e *exit) Error() string { return fmt.Sprint(e.err) }
func (e *exit) Unwrap() error { return e.err }

// exited is nil if a program ended with status 0 and nothing is to be said.
func exited(status int, err error) error {
	if status == 0 && err == nil {
		return nil
	}
	return &exit{status, err}
}

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs the command line and returns the exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == takeTest { // to make all commands takes longer than some tests
		return tests.Main(args[1:], stderr)
	}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return 0
	}
	status := badUse
	if e, ok := errors.AsType[*build.Interrupted](err); ok {
		return e.Status
	}
	if e, ok := errors.AsType[*exit](err); ok {
		status, err = e.status, e.err
	} else if e, ok := errors.AsType[*launch.Error](err); ok {
		status = e.Status
	}
	if errors.Is(err, syscall.EPIPE) {
		return 0 // who reads the output has enough
	}
	if err != nil {
		fmt.Fprintf(stderr, "tracerec: %s\n", readable.Clean(readable.OneLine(err))) // names may be anything
	}
	return status
}

func newRoot() *cobra.Command {
	root := newRecord("tracerec [flags] [--] PROGRAM [ARG…]")
	root.Short = "Record what the goroutines of a Go program do"
	root.Long = `tracerec runs a program that "tracerec build" has built, or that uses package
instrument, and records when its goroutines enter and leave regions,
communicate, and wait for each other. Use "expert analyze" to analyze the
archive that it writes. "tracerec run" builds, records and analyzes a program.

An older archive of the same name is kept, with its start time appended to its
name. Flags of tracerec end at the program's name. The exit status is that of
the program (128+n if signal n ended it), 127 or 126 if the program is not found
or cannot be started, and 2 for wrong usage. If a program has the name of a
tracerec command, such as info, record it with tracerec -- info.

The program comes first. Only a wrong command line keeps it from running, such
as a counter that cannot be counted, or a trace directory whose name is taken.
If recording is impossible, the program runs unrecorded: the trace directory
cannot be written, another tracerec records into it, or there are too few file
descriptors. --live without a terminal records, and shows nothing. Messages
about this go to standard error.`
	root.Version, root.SilenceErrors, root.SilenceUsage = command.Version(), true, true
	root.RunE = orCommand(root.RunE)
	root.SetFlagErrorFunc(flagError)
	record := newRecord("record [flags] [--] PROGRAM [ARG…]")
	record.Short = "Record a program (same as tracerec PROGRAM)"
	record.Long = root.Long
	root.AddCommand(record, newBuild(), newRun(), newTest(), newTakeProgram(), newSim(), newInfo(), newDump(), newCheck(), newRecover(), newCounters(), newCount(), newCampaign(), newLive(), newCtl(), command.NewVersion())
	return root
}

// orCommand returns what records a program, and says so if one that is not found is called nearly like a command. Behind -- a program
// is meant.
func orCommand(record func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := record(cmd, args)
		e, ok := errors.AsType[*exit](err)
		if !ok || e.err == nil || e.status != launch.NotFound || cmd.ArgsLenAtDash() >= 0 {
			return err
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && typo.Near(args[0], c.Name()) {
				e.err = fmt.Errorf("%w; did you mean %s?", e.err, c.CommandPath())
				break
			}
		}
		return e
	}
}

// oneArchive requires one argument.
func oneArchive(_ *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" {
		return errors.New("no DIR; give the trace directory that was recorded, for instance trace.dir")
	}
	if len(args) > 1 {
		return fmt.Errorf("one DIR at a time, not %d", len(args))
	}
	return nil
}

// sayTo returns a function that writes messages for the user to w.
func sayTo(w io.Writer) func(string) {
	return func(message string) { fmt.Fprintf(w, "tracerec: %s\n", message) }
}

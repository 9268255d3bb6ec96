package main

import (
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"tracerec/autoinst/build"
	"tracerec/autoinst/exact"
	"tracerec/recorder"
)

// newBuild returns the command that builds programs for measurement.
func newBuild() *cobra.Command {
	return &cobra.Command{
		Use:   "build --exact-counters [go build flags] [PACKAGE…]",
		Short: "Build a program with exact counters for every goroutine",
		Long: `tracerec build --exact-counters runs go build with a patched copy of the Go
scheduler, which reads the counters whenever a goroutine is put on a thread or
taken off. tracerec -c then records counters of such a program without an
uncertain part, if they are counters of threads: those of the kernel and the
processor. Counters of the Go runtime (go:...) count for the process, and stay
uncertain. The Go installation is not changed. Flags and packages after
--exact-counters, such as -o FILE, are passed to go build.`,
		DisableFlagParsing:    true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			var err error
			if len(args) > 0 && args[0] == "--exact-counters" {
				err = exact.Build(args[1:], cmd.OutOrStdout(), cmd.ErrOrStderr())
			} else {
				err = buildRecorded(cmd, args)
			}
			if e, ok := err.(*exec.ExitError); ok {
				return &exit{e.ExitCode(), nil}
			}
			return err
		},
	}
}

// buildRecorded builds a program that records itself.
func buildRecorded(cmd *cobra.Command, args []string) error {
	command, done, err := build.Command("build", args, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer done()
	run := exec.Command(command[0], command[1:]...)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
	return run.Run()
}

// newTest returns the command that records tests.
func newTest() *cobra.Command {
	o := recorder.Defaults(recorder.DefaultDir)
	cmd := &cobra.Command{
		Use:   "test [-o DIR] [-q] [go test flags] [PACKAGE…]",
		Short: "Record tests as they are",
		Long: `tracerec test runs go test, and records every goroutine of the tests and every
operation by which they wait for each other.`,
		DisableFlagParsing:    true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			for len(args) > 0 && (args[0] == "-q" || args[0] == "-o" && len(args) > 1) {
				if args[0] == "-q" {
					o.Quiet, args = true, args[1:]
				} else {
					o.Dir, args = args[1], args[2:]
				}
			}
			command, done, err := build.Command("test", args, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer done()
			o.Say = sayTo(cmd.ErrOrStderr())
			return exited(recorder.Run(o, command))
		},
	}
	return cmd
}

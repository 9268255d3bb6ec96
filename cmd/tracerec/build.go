package main

import (
	"errors"
	"os/exec"

	"github.com/spf13/cobra"

	"tracerec/autoinst/exact"
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
			if len(args) == 0 || args[0] != "--exact-counters" {
				return errors.New("build: --exact-counters must come first; without it, use go build")
			}
			err := exact.Build(args[1:], cmd.OutOrStdout(), cmd.ErrOrStderr())
			if e, ok := err.(*exec.ExitError); ok {
				return &exit{e.ExitCode(), nil}
			}
			return err
		},
	}
}

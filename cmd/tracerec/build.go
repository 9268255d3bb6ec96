package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/autoinst/exact"
)

// newBuild returns the command that builds programs for measurement.
func newBuild() *cobra.Command {
	return &cobra.Command{
		Use:   "build --exact-counters [go build flags] [PACKAGE…]",
		Short: "Build a program whose counters are exact for every goroutine",
		Long: `tracerec build --exact-counters runs go build with a patched copy of the Go
scheduler, which reads the counters whenever a goroutine is put on a thread or
taken off. tracerec -c then records counters of such a program without an
uncertain part, if they are the kernel's or the processor's, which count for
threads. Those of the Go runtime (go:...) stay the process's, and uncertain. The
Go installation is not changed. Flags and packages behind --exact-counters, such
as -o FILE, are those of go build.`,
		DisableFlagParsing:    true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			if len(args) == 0 || args[0] != "--exact-counters" {
				return errors.New("build: --exact-counters has to come first; without it, go build does all that is needed")
			}
			return buildExact(cmd, args[1:])
		},
	}
}

// buildExact runs go build with an overlay.
func buildExact(cmd *cobra.Command, args []string) error {
	in, rest, user, err := overlayOf(args)
	if err != nil {
		return err
	}
	t, err := toolchain(in)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tracerec-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := exact.Overlay(t, dir, user)
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	build := exec.Command("go", slices.Concat([]string{"build"}, in, []string{"-overlay", overlay}, rest)...)
	build.Stdout, build.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := build.Run(); err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			return &exit{e.ExitCode(), nil} // go build has said why
		}
		return err
	}
	return nil
}

// overlayOf takes -C DIR, which has to come first, and -overlay FILE out of the flags of go build.
func overlayOf(args []string) (in, rest []string, overlay string, err error) {
	if len(args) > 0 && isFlag(args[0], "C") {
		n := 1
		if !strings.Contains(args[0], "=") {
			n = 2
		}
		if len(args) < n {
			return nil, nil, "", errors.New("build: -C without a directory")
		}
		in, args = args[:n:n], args[n:]
	}
	for i := 0; i < len(args); i++ {
		switch {
		case !isFlag(args[i], "overlay"):
			rest = append(rest, args[i])
		case strings.Contains(args[i], "="):
			_, overlay, _ = strings.Cut(args[i], "=")
		case i+1 < len(args):
			i++
			overlay = args[i]
		default:
			return nil, nil, "", errors.New("build: -overlay without a file")
		}
	}
	return in, rest, overlay, nil
}

// isFlag tells whether an argument is a flag of that name, with or without its value.
func isFlag(arg, name string) bool {
	arg, _, _ = strings.Cut(arg, "=")
	return arg == "-"+name || arg == "--"+name
}

// toolchain asks the go command with which Go it builds, and for what.
func toolchain(in []string) (t exact.Toolchain, err error) {
	env := exec.Command("go", slices.Concat([]string{"env"}, in, []string{"-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH"})...)
	env.Stderr = os.Stderr
	out, err := env.Output()
	if err != nil {
		return t, fmt.Errorf("go env: %w", err)
	}
	return t, json.Unmarshal(out, &t)
}

// Command expert finds and explains the wait states of a recorded program.
package main

//go:generate go run tracerec/internal/patterndoc ../../docs/patterns.md
//go:generate go test -run ^TestManualIsCurrent$ . -update
//go:generate go test -run ReportIsCurrent$ . -update-counters

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/internal/readable"
)

// badUse is the exit status for bad usage and for input that cannot be read.
const badUse = 2

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs the command line and returns the exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.Execute(); {
	case errors.Is(err, errExceeded), errors.Is(err, errDifferent):
		return 1
	case err != nil:
		fmt.Fprintf(stderr, "expert: %s\n", readable.Clean(readable.OneLine(err))) // names may be anything
		return badUse
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "expert",
		Short: "Find where a concurrent program waits, why, and what it costs",
		Long: `expert reads what tracerec recorded and explains it: which wait states cost how
much, in which call path, on which goroutines, who caused them, what of it lies
on the critical path, and what to do.

Wherever a command reads a report or a Go execution trace, - is standard input,
and http://HOST:PORT is a Go program that serves net/http/pprof: it is asked to
write an execution trace for --seconds, which is then read. A trace directory
must be named.

Exit status: 0 fine, 1 a limit was exceeded (check) or reports differ (cmp),
2 bad usage or unreadable input.`,
		Version:       command.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		// Without a command this prints the help; an unknown one is an error.
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				return fmt.Errorf("no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
			}
			return fmt.Errorf("no command %q; expert help lists them", args[0])
		},
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE:          takeLive,
		SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(command.FlagError)
	root.AddCommand(newAnalyze(), newStat(), newCallTree(), newDump(), newExport(), newPatterns(), command.NewVersion(), newView(), newCheck(),
		newDiff(), newMerge(), newMean(), newCut(), newCmp(), newCompare(), newRemap(), newMetrics(), newScore(), newRequests())
	for _, cmd := range root.Commands() {
		if cmd.Flags().Lookup("metrics") != nil {
			_ = cmd.RegisterFlagCompletionFunc("metrics", completeMetrics) // fails for flags that there are none of
		}
	}
	return root
}

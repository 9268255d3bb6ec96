package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tracerec/exchange/otf2"
	"tracerec/trace"
)

// inOTF2 shows something of an OTF2 archive, and tells what is damaged in it.
func inOTF2(cmd *cobra.Command, path string, show func(io.Writer, *otf2.Archive) ([]trace.Problem, error)) error {
	a, err := otf2.Open(path)
	if err != nil {
		return err
	}
	problems, err := show(cmd.OutOrStdout(), a)
	for _, p := range problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracerec: %v\n", p)
	}
	return err
}

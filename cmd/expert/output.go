package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"tracerec/internal/output"
)

// outputFile is the flag -o: where a command writes a file.
type outputFile struct {
	path  string
	texts bool // standard output has a text of the command's own
}

// add adds the flag.
func (o *outputFile) add(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&o.path, "output", "o", "", usage)
}

// require adds the flag, which must be given.
func (o *outputFile) require(cmd *cobra.Command, usage string) {
	o.add(cmd, usage)
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // there is no such flag
	}
}

// check returns an error if the output cannot be meant: before anything is done, so that nothing is lost. read is what
// the command reads.
func (o *outputFile) check(cmd *cobra.Command, read ...string) error {
	switch {
	case !cmd.Flags().Changed("output"):
		return nil
	case o.path == "":
		return errors.New("-o: the name of the output is empty")
	case o.path == "-" && o.texts:
		return errors.New("-o -: standard output has the text; give the name of a file")
	case o.path == "-":
		return nil
	}
	return output.Check(o.path, read...)
}

// write writes the file, or standard output if it is called "-".
func (o *outputFile) write(cmd *cobra.Command, write func(io.Writer) error) error {
	if o.path == "-" {
		return write(cmd.OutOrStdout())
	}
	return output.Write(o.path, write)
}

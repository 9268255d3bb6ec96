package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tracerec/internal/output"
	"tracerec/report/inputs"
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
	out, err := os.Stat(o.path)
	if err != nil {
		return nil // writing tells
	}
	if out.IsDir() {
		return fmt.Errorf("-o %s: is a directory", o.path)
	}
	for _, input := range read {
		if input == inputs.Stdin {
			continue
		}
		in, err := os.Stat(input)
		switch {
		case err != nil: // reading tells
		case os.SameFile(in, out):
			return fmt.Errorf("-o %s: it is the input %s, which would be lost", o.path, input)
		case in.IsDir() && partOf(input, out):
			return fmt.Errorf("-o %s: it is a part of the input %s, which would be lost", o.path, input)
		}
	}
	return nil
}

// partOf tells whether a file is one of those that make a trace directory.
func partOf(dir string, file os.FileInfo) bool {
	list, err := os.ReadDir(dir)
	if err != nil {
		return false // reading tells
	}
	for _, e := range list {
		if filepath.Ext(e.Name()) != ".trc" {
			continue
		}
		if info, err := e.Info(); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// write writes the file, or standard output if it is called "-".
func (o *outputFile) write(cmd *cobra.Command, write func(io.Writer) error) error {
	if o.path == "-" {
		return write(cmd.OutOrStdout())
	}
	return output.Write(o.path, write)
}

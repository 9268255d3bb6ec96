package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// values say what a flag of these types, by the names of package pflag, does not take something for.
var values = map[string]string{
	"bool": "neither true nor false", "duration": "not a time such as 30s", "float64": "not a number",
	"int": "not a whole number", "int64": "not a whole number", "uint64": "not a whole number from 0 on",
}

// FlagError says in words what is wrong with the value of a flag, where the error is that of the standard library; see cobra's SetFlagErrorFunc.
func FlagError(_ *cobra.Command, err error) error {
	e, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	if words := values[e.GetFlag().Value.Type()]; words != "" {
		return errors.New(strings.TrimSuffix(e.Error(), e.Unwrap().Error()) + words)
	}
	return err
}

// NewVersion returns the command that prints the version of its program.
func NewVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), cmd.Root().Name(), Version())
			return err
		},
	}
}

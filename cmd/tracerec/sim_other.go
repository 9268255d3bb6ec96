//go:build !linux

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// run does nothing: there is no simulator here.
func (o *simOptions) run(*cobra.Command, []string, []string) error {
	return errors.New("sim: the simulator needs Linux")
}

//go:build !linux

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newLive() *cobra.Command {
	return &cobra.Command{Use: "live", Short: "Watch a recording that goes on (Linux only)",
		RunE: func(*cobra.Command, []string) error { return errors.New("live: recordings are made on Linux") }}
}

// liveBeside does nothing: there are no recordings here.
func liveBeside(string, string) (stop func(), err error) {
	return nil, errors.New("--live: recordings are made on Linux")
}

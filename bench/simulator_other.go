//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os"
)

func simulate([]string) error { return errors.New("simulate: the simulator runs on Linux") }

// simulator measures nothing.
func (b *bench) simulator() error {
	fmt.Fprintln(os.Stderr, "the simulator is not measured: it runs on Linux")
	return nil
}

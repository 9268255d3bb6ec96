//go:build !linux

package recorder

import "errors"

// A Recorder records measured programs, which needs Linux.
type Recorder struct{}

// Machine is a machine on which the measured processes run, which needs Linux.
type Machine struct{}

var errSystem = errors.New("recording needs Linux")

// Run returns an error: recording needs Linux.
func Run(Options, []string) (status int, err error) { return 2, errSystem }

// Control returns an error: recording needs Linux.
func Control(string, bool) error { return errSystem }

// Recover returns an error: recording needs Linux.
func Recover(string, func(string)) error { return errSystem }

// Start returns an error: recording needs Linux.
func Start(string) (*Recorder, error) { return nil, errSystem }

// Stop does nothing.
func (*Recorder) Stop() error { return nil }

// Countable returns an error: recording needs Linux.
func Countable([]string, string) error { return errSystem }

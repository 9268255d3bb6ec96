//go:build !linux

package main

import "errors"

// once counts one run.
func (o *countOptions) once(*tally) (stop bool, err error) {
	return false, errors.New("count: programs can be counted on Linux only")
}

// watchpoint returns the event as it is.
func (*countOptions) watchpoint(name string) (string, error) { return name, nil }

//go:build !linux

package live

import (
	"errors"
	"io"
)

var errSystem = errors.New("recording needs Linux")

// Watch shows nothing: there are no recordings here.
func Watch(string, Options, io.Writer) error { return errSystem }

// Beside shows nothing: there are no recordings here.
func Beside(string, string) (stop func(), err error) { return nil, errSystem }

//go:build !linux

package recorder

// StartError says that a program cannot be started, which is so without Linux.
type StartError struct {
	Program string
	Status  int
	Err     error
}

func (e *StartError) Error() string { return e.Program + ": " + e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// Countable returns an error: recording needs Linux.
func Countable([]string, string) error { return errSystem }

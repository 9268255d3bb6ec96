//go:build !linux

package recorder

import (
	"errors"
	"os"
	"path/filepath"
)

// A Recorder records measured programs, which needs Linux.
type Recorder struct{}

var errSystem = errors.New("recording needs Linux")

// Run returns an error: recording needs Linux.
func Run(Options, []string) (status int, err error) { return 2, errSystem }

// Recover returns an error: recording needs Linux.
func Recover(string, func(string)) error { return errSystem }

// Unfinished returns an error if the recording of the archive in dir was cut off.
func Unfinished(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, sessionFile)); err == nil {
		return errors.New(dir + ": recording was cut off; tracerec recover completes it, on the host where it ran")
	}
	return nil
}

// Start returns an error: recording needs Linux.
func Start(string) (*Recorder, error) { return nil, errSystem }

// Stop does nothing.
func (*Recorder) Stop() error { return nil }

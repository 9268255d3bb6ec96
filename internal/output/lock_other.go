//go:build !linux

package output

import (
	"errors"
	"os"
)

// lock says that files cannot be locked here.
func lock(*os.File) error { return errors.ErrUnsupported }

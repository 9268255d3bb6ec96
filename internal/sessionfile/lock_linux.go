package sessionfile

import (
	"errors"
	"os"
	"syscall"
)

const whereRecorded = ""

// lock locks a file, or tells that somebody else holds the lock.
func lock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK), err
}

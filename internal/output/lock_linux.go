package output

import (
	"os"
	"syscall"
)

// lock locks a file for this process until it is closed, which the end of the process does as well.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

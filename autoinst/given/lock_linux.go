package given

import (
	"os"

	"golang.org/x/sys/unix"
)

// locked opens a file and locks it, for this process alone or not. The lock ends with the file, or with the process, however that ends.
func locked(name string, alone bool) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(file.Fd()), how)
	}
	return file, err
}

// terminate ends this process as a signal does by which one asks for it: what it runs is ended first.
func terminate() { unix.Kill(unix.Getpid(), unix.SIGTERM) }

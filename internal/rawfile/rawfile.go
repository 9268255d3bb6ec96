//go:build linux

// Package rawfile reads small files, and appends to files, by bare system calls. Package os starts Go's network poller with the first file
// that it opens: two descriptors more in the process, which a program that is measured did not ask for, and which it may close or count.
package rawfile

import (
	"os"
	"syscall"
)

// Read returns the content of a file. No descriptor stays open.
func Read(path string) ([]byte, error) {
	fd, err := again(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	content := make([]byte, 0, 4096)
	for {
		n, err := again(func() (int, error) { return syscall.Read(fd, content[len(content):cap(content)]) })
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 {
			return content, nil
		}
		if content = content[:len(content)+n]; len(content) == cap(content) {
			content = append(content, make([]byte, cap(content))...)[:len(content)]
		}
	}
}

// again makes a system call until no signal interrupts it.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != syscall.EINTR {
			return n, err
		}
	}
}

// An Appender appends to a file that stays closed in between: a program that closes descriptors which it does not know, and opens files
// of its own under their numbers, gets nothing written into these.
type Appender struct {
	path     string
	dev, ino uint64
	failed   error
}

// Create makes a file that must not exist.
func Create(path string) (*Appender, error) {
	a := &Appender{path: path}
	err := a.open(syscall.O_CREAT|syscall.O_EXCL, func(fd int, st *syscall.Stat_t) error {
		a.dev, a.ino = uint64(st.Dev), st.Ino
		return nil
	})
	return a, err
}

// Write appends to the file, if it is still the one that was made. After an error nothing is written any more, for there would be a gap.
func (a *Appender) Write(data []byte) (n int, err error) {
	if a.failed != nil {
		return 0, a.failed
	}
	a.failed = a.open(0, func(fd int, st *syscall.Stat_t) error {
		if uint64(st.Dev) != a.dev || st.Ino != a.ino {
			return &os.PathError{Op: "append", Path: a.path, Err: os.ErrNotExist}
		}
		for n < len(data) {
			written, err := again(func() (int, error) { return syscall.Write(fd, data[n:]) })
			if err != nil {
				return &os.PathError{Op: "append", Path: a.path, Err: err}
			}
			n += written
		}
		return nil
	})
	return n, a.failed
}

// open calls use with a descriptor of the file.
func (a *Appender) open(flags int, use func(fd int, st *syscall.Stat_t) error) error {
	flags |= syscall.O_WRONLY | syscall.O_APPEND | syscall.O_CLOEXEC | syscall.O_NOFOLLOW
	fd, err := again(func() (int, error) { return syscall.Open(a.path, flags, 0o666) })
	if err != nil {
		return &os.PathError{Op: "open", Path: a.path, Err: err}
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "stat", Path: a.path, Err: err}
	}
	return use(fd, &st)
}

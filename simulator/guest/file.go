package guest

import (
	"fmt"
	"os"
	"unsafe"
)

// ReadFile returns the content of a file of the host, by its name in the directory that the host gives.
func ReadFile(name string) ([]byte, error) {
	var content []byte
	err := transfer(name, func(b []byte) error {
		content = append(content, b...)
		return nil
	})
	return content, err
}

// CopyFile writes a file of the host to one of the program's. If the host does not give it, nothing is written.
func CopyFile(name, to string) (err error) {
	var f *os.File
	write := func(b []byte) error {
		if f == nil {
			if f, err = os.Create(to); err != nil {
				return err
			}
		}
		_, err := f.Write(b)
		return err
	}
	if err = transfer(name, write); err == nil {
		err = write(nil) // it may be empty
	}
	if f != nil {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	return err
}

// transfer takes a file in pieces.
func transfer(name string, take func(b []byte) error) error {
	b := make([]byte, 64<<10)
	for at := uint64(0); ; {
		n := call(File, at, unsafe.Pointer(unsafe.StringData(name)), uint64(len(name)), unsafe.Pointer(unsafe.SliceData(b)), uint64(len(b)))
		switch {
		case n < 0:
			return fmt.Errorf("%s: %w", name, failure(n))
		case n == 0:
			return nil
		}
		if err := take(b[:n]); err != nil {
			return err
		}
		at += uint64(n)
	}
}

//go:build !linux

// Package rawfile reads small files, and appends to files.
package rawfile

import "os"

// Read returns the content of a file.
func Read(path string) ([]byte, error) { return os.ReadFile(path) }

// An Appender appends to a file.
type Appender struct{ *os.File }

// Create makes a file that must not exist.
func Create(path string) (*Appender, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	return &Appender{f}, err
}

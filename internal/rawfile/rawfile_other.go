//go:build !linux

// Package rawfile reads small files.
package rawfile

import "os"

// Read returns the content of a file.
func Read(path string) ([]byte, error) { return os.ReadFile(path) }

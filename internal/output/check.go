package output

import (
	"fmt"
	"os"
	"path/filepath"
)

// Check returns an error if a file cannot be written, or would be written over what is read.
func Check(path string, read ...string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // writing tells
	}
	if out.IsDir() {
		return fmt.Errorf("-o %s: is a directory", path)
	}
	for _, input := range read {
		if input == "-" { // standard input
			continue
		}
		in, err := os.Stat(input)
		switch {
		case err != nil: // reading tells
		case os.SameFile(in, out):
			return fmt.Errorf("-o %s: it is the input %s, which would be lost", path, input)
		case in.IsDir() && partOf(input, out):
			return fmt.Errorf("-o %s: it is a part of the input %s, which would be lost", path, input)
		}
	}
	return nil
}

// partOf tells whether a file is one of those that make a trace directory.
func partOf(dir string, file os.FileInfo) bool {
	list, err := os.ReadDir(dir)
	if err != nil {
		return false // reading tells
	}
	for _, e := range list {
		if filepath.Ext(e.Name()) != ".trc" {
			continue
		}
		if info, err := e.Info(); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

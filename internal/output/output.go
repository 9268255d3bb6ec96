// Package output writes files that people name on a command line.
package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write lets a function write the content of a file. A regular file appears, or is replaced, only when it is complete; it
// keeps its permissions, and a symbolic link to it stays one. What is no regular file, such as a pipe or a device, is
// written to as it is, and so is what standard output or standard error already go to: /dev/stdout may well be a file.
//
// Errors name the file as it is named here.
func Write(path string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666) // as far as the user's mask allows
	if info, err := os.Stat(path); err == nil {
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			if there, err := f.Stat(); err == nil && os.SameFile(info, there) {
				return write(&file{f, path})
			}
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(&file{f, path}), f.Close())
		}
		mode = info.Mode().Perm()
	}
	target, err := follow(path)
	if err != nil {
		return err
	}
	p, err := newPart(target, path, mode)
	if err != nil {
		return err
	}
	defer p.locked.Close()
	if err = errors.Join(write(&file{p.File, path}), named(p.Close(), path)); err == nil {
		err = named(os.Rename(p.Name(), target), path)
	}
	if err != nil {
		os.Remove(p.Name()) // nobody else has a file of that name
	}
	return err
}

// mostLinks is how many symbolic links may lead to a file, as for the system.
const mostLinks = 40

// follow returns where symbolic links lead, even if nothing is there yet.
func follow(path string) (string, error) {
	at := path
	for range mostLinks {
		link, err := os.Readlink(at)
		if err != nil {
			return at, nil // none
		}
		if !filepath.IsAbs(link) {
			dir, _ := filepath.Split(at)
			link = dir + link // not cleaned: what is before .. may be a link
		}
		at = link
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many levels of symbolic links")}
}

// file is an open file whose errors call it by a name.
type file struct {
	file *os.File
	name string
}

// Write implements io.Writer.
func (f *file) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	return n, named(err, f.name)
}

// named returns an error of the system with another name.
func named(err error, name string) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return &fs.PathError{Op: path.Op, Path: name, Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "write", Path: name, Err: link.Err}
	}
	return err
}

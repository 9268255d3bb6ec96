package inputs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
)

// Stdin is what a command line calls standard input.
const Stdin = "-"

// Called returns what messages call an input.
func Called(input string) string {
	if input == Stdin {
		return "standard input"
	}
	if u, err := url.Parse(input); err == nil && Live(input) {
		return u.Redacted()
	}
	return input
}

// spooled is what was read of standard input.
var spooled spool

// stdin returns the standard input of the process.
func stdin() *spool {
	if spooled.from != os.Stdin { // not asked for yet
		spooled = spool{from: os.Stdin}
	}
	return &spooled
}

// spool keeps what a stream holds in a file without a name, as the parts of a report are read in any order, and by some
// commands twice.
type spool struct {
	from *os.File
	file *os.File // nil: not read yet
	size int64
}

// stat says that the stream is no directory, which could not be read from it.
func (s *spool) stat() (os.FileInfo, error) {
	info, err := s.from.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory; give its name")
	}
	return info, s.named(err)
}

// open returns all that the stream holds.
func (s *spool) open() (*io.SectionReader, error) {
	if s.file == nil {
		if err := s.fill(); err != nil {
			return nil, s.named(err)
		}
	}
	return io.NewSectionReader(s.file, 0, s.size), nil
}

func (s *spool) fill() error {
	f, err := unnamed()
	if err != nil {
		return err
	}
	if s.size, err = io.Copy(f, s.from); err != nil {
		f.Close()
		return err
	}
	s.file = f
	return nil
}

// unnamed makes a file without a name.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "expert-")
	if err != nil {
		return nil, err
	}
	if err = os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// named says that an error is one of standard input, without the name that the system has for it.
func (s *spool) named(err error) error {
	if err == nil {
		return nil
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == s.from.Name() {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", Called(Stdin), err)
}

// Open opens an input that is no directory; done ends its use.
func Open(input string) (r *io.SectionReader, done func(), err error) {
	if input == Stdin {
		r, err = stdin().open()
		return r, func() {}, err
	}
	if Live(input) {
		l := at(input)
		return io.NewSectionReader(l.file, 0, l.size), func() {}, l.err
	}
	f, err := os.Open(input)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return io.NewSectionReader(f, 0, info.Size()), func() { f.Close() }, nil
}

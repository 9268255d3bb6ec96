// Package inputs opens the reports that people name: files of expert and of other tools, which it recognises by their content, standard input, and the
// execution traces of programs that run, by their address. It leaves trace directories to its callers.
package inputs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/tracestat"
)

// Statistics looks for Scalasca's statistics of wait states within a report and beside it; nil if there are none.
func Statistics(c *cube.Cube, input string) (*tracestat.Stat, error) {
	for _, m := range c.Members {
		if m.Name == tracestat.FileName {
			return tracestat.Read(Called(input)+": "+m.Name, m.Open())
		}
	}
	if File(input) == "" {
		return nil, nil // lies beside nothing
	}
	name := filepath.Join(filepath.Dir(input), tracestat.FileName)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tracestat.Read(name, f)
}

// Stat looks for an input, which is a directory, a regular file, standard input or an address.
func Stat(input string) (os.FileInfo, error) {
	switch input {
	case "":
		return nil, errors.New("the name of the input is empty")
	case Stdin:
		return stdin().stat()
	}
	if Live(input) {
		l := at(input)
		if l.err != nil {
			return nil, l.err
		}
		return l.file.Stat()
	}
	info, err := os.Stat(input)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no such file or directory: %s", input)
	}
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: neither a directory nor a file", input)
	}
	return info, err
}

// IsDir tells whether an input is a directory, such as that of a trace.
func IsDir(name string) bool {
	info, err := Stat(name)
	return err == nil && info.IsDir()
}

// Cube opens a report file. What is none gets an error that says what it is, if that is known.
func Cube(input string) (c *cube.Cube, err error) {
	f, done, err := Open(input)
	if err != nil {
		return nil, err
	}
	defer done()
	start := make([]byte, 16)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if what := foreign(start[:n]); what != "" {
		return nil, fmt.Errorf("%s: %s", Called(input), what)
	}
	if input == Stdin || Live(input) {
		c, err = cube.Read(Called(input), f, f.Size())
	} else {
		c, err = cube.Open(input)
	}
	if e, ok := errors.AsType[*cube.FormatError](err); ok && e.None {
		err = fmt.Errorf("%s: %s", Called(input), unknown(start[:n]))
	}
	return c, err
}

// unknown says of a file that starts in this way and is no report, what it is not.
func unknown(start []byte) string {
	if bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		return "a file compressed with gzip, which has no report in it"
	}
	return "neither a report, nor a Go execution trace, nor the anchor of an OTF2 archive"
}

var goTrace = regexp.MustCompile(`^go 1\.\d+ trace`)

// foreign says what a file is that starts in this way and is no report, "" if it may be one.
func foreign(start []byte) string {
	switch {
	case len(start) == 0:
		return "it is empty"
	case goTrace.Match(start):
		return "a Go execution trace, which is no report; expert analyze makes one of it"
	case len(start) > 6 && start[0] == 3 && bytes.Equal(start[2:7], []byte("OTF2\x00")):
		return "the anchor of an OTF2 archive, not a report; expert analyze makes one of it"
	}
	return ""
}

// ShortNames returns names of inputs without the directories, and without the names at the end, that all have in common.
func ShortNames(files []string) []string {
	parts := make([][]string, len(files))
	for i, f := range files {
		parts[i] = strings.Split(filepath.ToSlash(filepath.Clean(Called(f))), "/")
	}
	same := func(at func([]string) string) bool {
		return !slices.ContainsFunc(parts, func(p []string) bool { return len(p) < 2 || at(p) != at(parts[0]) })
	}
	for same(func(p []string) string { return p[0] }) {
		for i := range parts {
			parts[i] = parts[i][1:]
		}
	}
	for same(func(p []string) string { return p[len(p)-1] }) {
		for i := range parts {
			parts[i] = parts[i][:len(parts[i])-1]
		}
	}
	names := make([]string, len(files))
	for i, p := range parts {
		names[i] = strings.TrimSuffix(strings.Join(p, "/"), ".cubex")
	}
	return names
}

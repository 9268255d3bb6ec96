// Package description reads descriptions of simulated machines and their parts, in JSON. Some are built in: files
// machines/NAME.json.
package description

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"os"
	"strings"
)

// Names returns the names of those that are part of the program, sorted.
func Names(files embed.FS) (names []string) {
	list, _ := files.ReadDir("machines") // sorted
	for _, f := range list {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	return names
}

// Text returns the one of a name as it is written; kind says in errors of what it is.
func Text(files embed.FS, kind, name string) ([]byte, error) {
	content, err := files.ReadFile("machines/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("unknown %s %q: there are %s", kind, name, Enumerate(Names(files)))
	}
	return content, nil
}

// Named reads the one of a name, see [Text].
func Named[T any](files embed.FS, kind, name string, check func(*T) error) (*T, error) {
	content, err := Text(files, kind, name)
	if err != nil {
		return nil, err
	}
	t, err := Read(bytes.NewReader(content), new(T), check)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return t, nil
}

// largest is how many bytes a description may have.
const largest = 1 << 20

// Read reads one into t, which has what it does not say, and checks it. The error is one line, and names the line of the description, or what the
// check found. What fails the check is returned with the error.
func Read[T any](r io.Reader, t *T, check func(*T) error) (*T, error) {
	content, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return nil, err
	}
	if len(content) > largest {
		return nil, fmt.Errorf("more than %d bytes", largest)
	}
	if err := decode(content, t); err != nil {
		return nil, err
	}
	return t, check(t)
}

// IsFile tells whether a description is in a file of this name, and not one that is part of the program.
func IsFile(name string) bool { return strings.HasSuffix(name, ".json") || strings.Contains(name, "/") }

// File reads one from a file; kind says in errors of what it is.
func File[T any](name, kind string, read func(io.Reader) (*T, error)) (*T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	defer f.Close()
	t, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return t, nil
}

// Enumerate lists at least one name as a sentence does.
func Enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Package description reads descriptions of simulated machines and their parts, which are JSON. Some are part of the program:
// files machines/NAME.json.
package description

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
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

// Named reads the one of a name; kind says in errors of what it is.
func Named[T any](files embed.FS, kind, name string, check func(*T) error) (*T, error) {
	content, err := files.ReadFile("machines/" + name + ".json")
	if err != nil {
		names := Names(files)
		last := len(names) - 1
		return nil, fmt.Errorf("%s %q: there are %s and %s", kind, name, strings.Join(names[:last], ", "), names[last])
	}
	t, err := Read(bytes.NewReader(content), check)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return t, nil
}

// Read reads one, all of whose fields have to be known, and checks it. What fails the check is returned with the error.
func Read[T any](r io.Reader, check func(*T) error) (*T, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	t := new(T)
	if err := d.Decode(t); err != nil {
		return nil, err
	}
	return t, check(t)
}

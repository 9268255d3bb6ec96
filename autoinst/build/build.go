// Package build runs the go command so that the programs and tests that it builds record themselves: every goroutine, and every operation by
// which goroutines wait for each other, in the program, in its dependencies and in the standard library. No file of the user's is touched:
// what is added goes through an overlay. A program built so and run without a recorder behaves as one built without it.
package build

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tracerec"
	"tracerec/autoinst/overlay"
	"tracerec/autoinst/sync"
)

// toolchain is what go env says of the Go that builds.
type toolchain struct {
	GOROOT, GOVERSION, GOOS, GOARCH string
}

// versions are those of Go, without their last number, whose runtime is known.
var versions = []string{"go1.26"}

func (t toolchain) supported() error {
	known := func(v string) bool { return t.GOVERSION == v || strings.HasPrefix(t.GOVERSION, v+".") }
	switch {
	case t.GOOS != "linux" || t.GOARCH != "amd64":
		return fmt.Errorf("%w: %s/%s: only linux/amd64 is supported", overlay.ErrUnsupported, t.GOOS, t.GOARCH)
	case !slices.ContainsFunc(versions, known):
		return fmt.Errorf("%w: %s: only %s is supported (GOTOOLCHAIN chooses one)", overlay.ErrUnsupported, t.GOVERSION, strings.Join(versions, ", "))
	}
	return nil
}

// Command returns the command line of the go command that does what go build or go test does with these arguments, for programs that record
// themselves. It is good until done is called.
func Command(verb string, args []string, stderr io.Writer) (command []string, done func(), err error) {
	a, err := split(verb, args)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", verb, err)
	}
	dir, err := os.MkdirTemp("", "tracerec-build-")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(dir) }
	file, err := a.write(dir, verb, stderr)
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("%s: %w", verb, err)
	}
	command = slices.Concat([]string{"go", verb}, a.dir, a.flags, []string{"-overlay", file})
	if verb == "test" {
		command = append(command, "-vet=off", "-count=1")
	}
	return slices.Concat(command, a.packages, a.rest), done, nil
}

// write writes the overlay into a directory and returns the name of its file.
func (a *arguments) write(dir, verb string, stderr io.Writer) (string, error) {
	var t toolchain
	if err := a.ask(&t, stderr, "env", "-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH"); err != nil {
		return "", err
	}
	if err := t.supported(); err != nil {
		return "", err
	}
	o := overlay.New(t.GOROOT)
	if err := o.AddRecorder("tracerec", tracerec.Source); err != nil {
		return "", err
	}
	if err := sync.Patch(o); err != nil {
		return "", err
	}
	if verb == "test" {
		return a.tests(o, dir)
	}
	mains, err := a.mains(stderr)
	if err != nil {
		return "", err
	}
	for _, main := range mains {
		o.Add(filepath.Join(main, imports), "package main\n\nimport _ \"tracerec/instrument\"\n")
	}
	return o.Write(dir, a.overlay)
}

// imports is the name of the file that is added to programs.
const imports = "zz_tracerec.go"

// tests adds the recorder to what all tests import.
func (a *arguments) tests(o *overlay.Overlay, dir string) (string, error) {
	err := o.Patch(overlay.Patch{File: "testing/testing.go", Within: "import (", Anchor: "import (\n", Where: overlay.Behind, Text: "\t_ \"tracerec/instrument\"\n"})
	if err != nil {
		return "", err
	}
	return o.Write(dir, a.overlay)
}

// mains returns the directories of the programs that are to be built.
func (a *arguments) mains(stderr io.Writer) (dirs []string, err error) {
	list := exec.Command("go", slices.Concat([]string{"list"}, a.dir, []string{"-find", "-e", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`}, listed(a.flags), a.packages)...)
	list.Stderr = stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// listed are the flags that go list has to know as well: not where the result goes.
func listed(flags []string) (known []string) {
	for i := 0; i < len(flags); i++ {
		switch name, _, joined := strings.Cut(strings.TrimLeft(flags[i], "-"), "="); name {
		case "o":
			if !joined {
				i++
			}
		case "v", "x", "n", "a", "work", "json":
		default:
			known = append(known, flags[i])
		}
	}
	return known
}

// ask runs the go command and decodes what it prints as JSON.
func (a *arguments) ask(to any, stderr io.Writer, command string, args ...string) error {
	ask := exec.Command("go", slices.Concat([]string{command}, a.dir, args)...)
	ask.Stderr = stderr
	out, err := ask.Output()
	if err != nil {
		return fmt.Errorf("go %s: %w", command, err)
	}
	return json.Unmarshal(out, to)
}

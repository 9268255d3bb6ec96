package exact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Build runs go build with these flags and packages and a patched scheduler. Where go build fails, it has said why, and the error is an
// *[exec.ExitError].
func Build(args []string, stdout, stderr io.Writer) error {
	in, rest, user, err := splitFlags(args)
	if err != nil {
		return err
	}
	t, err := toolchainOf(in, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tracerec-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := overlay(t, dir, user)
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	build := exec.Command("go", slices.Concat([]string{"build"}, in, []string{"-overlay", file}, rest)...)
	build.Stdout, build.Stderr = stdout, stderr
	return build.Run()
}

// splitFlags takes -C DIR, which has to come first, and -overlay FILE out of the flags of go build.
func splitFlags(args []string) (in, rest []string, overlay string, err error) {
	if len(args) > 0 && isFlag(args[0], "C") {
		n := 1
		if !strings.Contains(args[0], "=") {
			n = 2
		}
		if len(args) < n {
			return nil, nil, "", errors.New("build: -C without a directory")
		}
		in, args = args[:n:n], args[n:]
	}
	for i := 0; i < len(args); i++ {
		switch {
		case !isFlag(args[i], "overlay"):
			rest = append(rest, args[i])
		case strings.Contains(args[i], "="):
			_, overlay, _ = strings.Cut(args[i], "=")
		case i+1 < len(args):
			i++
			overlay = args[i]
		default:
			return nil, nil, "", errors.New("build: -overlay without a file")
		}
	}
	return in, rest, overlay, nil
}

// isFlag tells whether an argument is a flag of that name, with or without its value.
func isFlag(arg, name string) bool {
	arg, _, _ = strings.Cut(arg, "=")
	return arg == "-"+name || arg == "--"+name
}

// toolchainOf asks the go command with which Go it builds, and for what.
func toolchainOf(in []string, stderr io.Writer) (t toolchain, err error) {
	env := exec.Command("go", slices.Concat([]string{"env"}, in, []string{"-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH"})...)
	env.Stderr = stderr
	out, err := env.Output()
	if err != nil {
		return t, fmt.Errorf("go env: %w", err)
	}
	return t, json.Unmarshal(out, &t)
}

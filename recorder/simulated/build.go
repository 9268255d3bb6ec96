//go:build linux

package simulated

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrBuild is the error of a package that does not build; the go command has said why.
var ErrBuild = errors.New("the package does not build")

// Build takes what to run off the front of a command line: a program's file, which is used as it is, or a package or Go files, which
// are built for the simulator. It puts the program, or a copy, into dir, an empty directory, and returns its file and the
// arguments that are left. What the go command says goes to w.
func Build(args []string, dir string, w io.Writer) (file string, rest []string, err error) {
	n := 1
	for strings.HasSuffix(args[0], ".go") && n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	what, rest := args[:n], args[n:]
	switch info, err := os.Stat(args[0]); {
	case strings.HasSuffix(args[0], ".go"):
	case err == nil && info.IsDir():
		what = []string{local(args[0])}
	case err == nil:
		return args[0], rest, copyFile(filepath.Join(dir, filepath.Base(args[0])), args[0])
	case isPath(args[0]) && !strings.Contains(args[0], "...") || !errors.Is(err, os.ErrNotExist):
		return "", nil, err
	}
	file, err = build(what, dir, w)
	return file, rest, err
}

// build runs go build for a package or files.
func build(what []string, dir string, w io.Writer) (string, error) {
	cmd := exec.Command("go", append([]string{"build", "-o", dir + string(filepath.Separator), "--"}, what...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); ok {
			return "", ErrBuild
		}
		return "", fmt.Errorf("go build %s: %w", strings.Join(what, " "), err)
	}
	made, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return "", err
	case len(made) == 0:
		return "", fmt.Errorf("%s: not a main package", strings.Join(what, " "))
	case len(made) > 1:
		return "", fmt.Errorf("%s: %d programs; name one of them", strings.Join(what, " "), len(made))
	}
	return filepath.Join(dir, made[0].Name()), nil
}

// isPath tells whether the go command takes a name for that of a directory, and not for an import path.
func isPath(name string) bool {
	return name == "" || filepath.IsAbs(name) || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")
}

// local makes the name of a directory one that is not an import path.
func local(dir string) string {
	if isPath(dir) || dir == "." || dir == ".." {
		return dir
	}
	return "./" + dir
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

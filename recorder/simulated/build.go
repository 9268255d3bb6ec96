//go:build linux

package simulated

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// ErrBuild is the error of a package that does not build; the go command has said why.
var ErrBuild = errors.New("the package does not build")

// Program is what is run.
type Program struct {
	File string   // an ELF program
	Args []string // for it
	// Sources are the directories of the source by what they are called in the program, which does not depend on where it was built.
	// Nil for a program that was there already.
	Sources map[string]string
}

// Build takes what to run off the front of a command line: a program's file, which is used as it is, or a package or Go files, which
// are built for the simulator. It puts the program, or a copy, into dir, an empty directory. What the go command says goes to w.
// The same source makes the same program, wherever it is.
func Build(args []string, dir string, w io.Writer) (p Program, err error) {
	n := 1
	for strings.HasSuffix(args[0], ".go") && n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	what := args[:n]
	p.Args = args[n:]
	switch info, err := os.Stat(args[0]); {
	case strings.HasSuffix(args[0], ".go"):
	case err == nil && info.IsDir():
		what = []string{local(args[0])}
	case err == nil:
		p.File = args[0]
		return p, copyFile(filepath.Join(dir, filepath.Base(args[0])), args[0])
	case isPath(args[0]) && !strings.Contains(args[0], "...") || !errors.Is(err, os.ErrNotExist):
		return p, err
	}
	if p.File, err = build(what, dir, w); err == nil {
		p.Sources = sources(what)
	}
	return p, err
}

// goCommand is a go command for linux/riscv64.
func goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0")
	return cmd
}

// sources returns the directories of the packages of a program by what -trimpath calls them; those that are not known keep that name.
func sources(what []string) map[string]string {
	const format = "{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{if .Version}}{{.Path}}\t{{.Version}}{{end}}{{end}}"
	list, err := goCommand(append([]string{"list", "-deps", "-f", format, "--"}, what...)...).Output()
	if err != nil {
		return nil
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(f) == 4: // of another module
			dirs[f[2]+"@"+f[3]+strings.TrimPrefix(f[0], f[2])] = f[1]
		case len(f) == 3 && f[0] == "command-line-arguments":
			dirs["."] = f[1]
		case len(f) == 3:
			dirs[f[0]] = f[1]
		}
	}
	return dirs
}

// source returns where a file is that the program calls by that name.
func (o *Options) source(file string) string {
	if dir, ok := o.Sources[path.Dir(file)]; ok && file != "" {
		return filepath.Join(dir, path.Base(file))
	}
	return file
}

// build runs go build for a package or files.
func build(what []string, dir string, w io.Writer) (string, error) {
	cmd := goCommand(append([]string{"build", "-trimpath", "-buildvcs=false", "-o", dir + string(filepath.Separator), "--"}, what...)...)
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

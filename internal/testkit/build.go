// Package testkit serves the tests of several packages: programs to run, waits without a limit of their own, signals that a
// parent ignored, files that must equal what a generator writes. Only tests import it.
package testkit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// RISCV is the environment that builds for the simulator.
var RISCV = []string{"GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0"}

// Build builds a program as go build with the arguments does, the last of which is a package, and returns its file, which nobody may
// change. The variables of env are added to the environment. Programs are kept in the module's bin/.tests, see keep, and written
// again only when their sources are others. The test is skipped where there is no go tool. It may be called at the same time.
func Build(t testing.TB, env []string, args ...string) string {
	t.Helper()
	return build(t, env, append([]string{"build"}, args...))
}

// BuildTests is Build for the tests of a package.
func BuildTests(t testing.TB, env []string, args ...string) string {
	t.Helper()
	return build(t, env, append([]string{"test", "-c"}, args...))
}

// built has a function for each command that this process asked for. It returns the file, or what is wrong.
var built sync.Map

// here is where tests begin; some go elsewhere.
var here, _ = os.Getwd()

func build(t testing.TB, env, args []string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go tool here to build a program with")
	}
	if slices.Contains(env, "GOARCH=riscv64") {
		NeedSimulator(t) // which is to run it
	}
	once, _ := built.LoadOrStore(strings.Join(slices.Concat(env, args), "\x00"), sync.OnceValues(func() (string, error) {
		return compile(here, env, args)
	}))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// compile runs the go command in dir. A file that is what it would write stays. Otherwise it writes another one and renames it, as both
// are in the same file system: others may compile the same at the same time.
func compile(dir string, env, args []string) (string, error) {
	kept, err := keep(dir)
	if err != nil {
		return "", err
	}
	last := len(args) - 1
	pkg := args[last]
	key := sha256.Sum256([]byte(strings.Join(slices.Concat([]string{dir}, env, args), "\x00")))
	file := filepath.Join(kept, fmt.Sprintf("%x", key[:6]), filepath.Base(filepath.Join(dir, pkg)))
	cmd := exec.Command("go", slices.Concat(args[:last], []string{"-o", file, pkg})...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), []string{"GOTMPDIR=" + kept}, env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return file, nil
}

// keep returns bin/.tests of the module that dir is in, or where sources cannot be written one in the user's cache. The go command does not
// look for packages in there.
func keep(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			kept := filepath.Join(at, "bin", ".tests")
			if writable(kept) == nil {
				return kept, nil
			}
			cache, err := os.UserCacheDir()
			if err != nil {
				return "", err
			}
			kept = filepath.Join(cache, "tracerec.tests")
			return kept, writable(kept)
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s: no go.mod above", dir)
		}
	}
}

// writable makes a directory, if need be, and tells whether files can be made in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

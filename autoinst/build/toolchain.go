package build

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/autoinst/overlay"
	"tracerec/internal/launch"
)

// toolchain is what go env says of the Go that builds.
type toolchain struct {
	GOROOT, GOVERSION, GOOS, GOARCH, GOHOSTOS, GOHOSTARCH, GOFLAGS, GOMODCACHE, GOCACHE string

	program string          // the go command
	env     []string        // of it; nil: that of this process
	ctx     context.Context // canceled by a signal, for *Interrupted

	interrupted bool // by a signal, while the go command ran
}

// processors are those whose time stamps and goroutines the recorder knows.
var processors = []string{"amd64", "arm64", "riscv64"}

// versions are those of Go, without their last number, whose runtime is known.
var versions = []string{"go1.25", "go1.26"}

func newToolchain(ctx context.Context) *toolchain { return &toolchain{program: "go", ctx: ctx} }

// cause returns what ended the go command, if that is a signal, instead of what came of it.
func (t *toolchain) cause(err error) error { return cmp.Or(context.Cause(t.ctx), err) }

// ask asks the go command with which Go it builds, in the directory of this -C, and for what.
func (t *toolchain) ask(dir []string) error {
	if _, err := launch.Find(t.program); err != nil {
		return err
	}
	text, err := t.output(slices.Concat([]string{"env"}, dir, []string{"-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH",
		"GOFLAGS", "GOMODCACHE", "GOCACHE"})...)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, t)
}

func (t *toolchain) supported() error {
	known := func(v string) bool { return t.GOVERSION == v || strings.HasPrefix(t.GOVERSION, v+".") }
	switch {
	case t.GOOS != "linux":
		return fmt.Errorf("%w: programs for %s/%s cannot record themselves, only those for linux", overlay.ErrUnsupported, t.GOOS, t.GOARCH)
	case !slices.Contains(processors, t.GOARCH):
		return fmt.Errorf("%w: the runtime for %s is not known, only that for %s", overlay.ErrUnsupported, t.GOARCH, strings.Join(processors, ", "))
	case !slices.ContainsFunc(versions, known):
		newest := versions[len(versions)-1]
		return fmt.Errorf("%w: the runtime of %s is not known, only that of %s; GOTOOLCHAIN=%s.0 in the environment chooses that",
			overlay.ErrUnsupported, t.GOVERSION, strings.Join(versions, ", "), newest)
	}
	return nil
}

// reach makes it possible to replace files of a Go installation that is in the module cache, where the go command refuses it: by a link to
// there from the user's cache, as which the installation is used from now on.
func (t *toolchain) reach() error {
	if !beneath(t.GOROOT, t.GOMODCACHE) {
		return nil
	}
	link, err := linked("goroot", filepath.Base(t.GOROOT), t.GOROOT)
	if err != nil {
		return err
	}
	t.GOROOT, t.program = link, filepath.Join(link, "bin", "go")
	t.setenv("GOROOT="+link, "GOTOOLCHAIN=local")
	return nil
}

// setenv adds to the environment of the go command.
func (t *toolchain) setenv(list ...string) {
	if t.env == nil {
		t.env = os.Environ()
	}
	t.env = append(t.env, list...)
}

// beneath tells whether a file is in a directory, or is it.
func beneath(file, dir string) bool {
	return dir != "" && (file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/"))
}

// command returns the go command with these arguments. A signal ends it, and is waited for.
func (t *toolchain) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.ctx, t.program, args...)
	cmd.Env = t.env
	cmd.Cancel = func() error {
		if e, ok := errors.AsType[*Interrupted](t.cause(nil)); ok {
			return e.handOn(cmd.Process)
		}
		return nil
	}
	return cmd
}

// output returns what the go command prints. What it says beside that it will say again when it does what it was called for.
func (t *toolchain) output(args ...string) ([]byte, error) {
	out, err := t.command(args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%w: go %s: %w", errGo, args[0], err)
	}
	return out, nil
}

//go:build !linux

package build

import (
	"io"
	"os"

	"tracerec/internal/launch"
)

// hold makes a temporary directory.
func hold() (dir string, err error) { return os.MkdirTemp("", "tracerec-build-") }

// watch catches no signals.
func watch(func(error)) (stop func()) { return func() {} }

// run runs the go command for the user and returns its exit status. It has no standard input.
func (t *toolchain) run(stdout, stderr io.Writer, args ...string) (status int, err error) {
	cmd := t.command(args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return 0, launch.Failed(t.program, err)
	}
	cmd.Wait() // how it ended is asked
	return launch.Status(cmd.ProcessState), nil
}

package build

import (
	"io"

	"tracerec/internal/launch"
)

// run runs the go command for the user, with his signals, and returns its exit status. It has no standard input.
func (t *toolchain) run(stdout, stderr io.Writer, args ...string) (status int, err error) {
	cmd := t.command(args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	signals := launch.Before()
	defer signals.Stop()
	if err := cmd.Start(); err != nil {
		return 0, launch.Failed(t.program, err)
	}
	signals.Started()
	go signals.HandOn(cmd.Process)
	cmd.Wait() // how it ended is asked
	return launch.Status(cmd.ProcessState), nil
}

// Package tests records tests that go test gives to a command of its -exec flag. Go test starts one for each package, many of which take milliseconds, so
// little is imported here: what a package does when it is initialized takes as long as some tests.
package tests

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"tracerec/autoinst/given"
	"tracerec/internal/readable"
	"tracerec/recorder"
)

// badUse is the exit status for a command line that is not the go command's.
const badUse = 2

// Main records the test of args, which are a file with orders, the test's program and its arguments, as orders say, and returns the exit status. It is
// for a command: the test gets its standard streams and signals.
func Main(args []string, stderr io.Writer) (status int) {
	status, err := run(args)
	if err != nil {
		fmt.Fprintf(stderr, "tracerec: %s\n", readable.Clean(readable.OneLine(err))) // names may be anything
	}
	return status
}

func run(args []string) (status int, err error) {
	if len(args) < 2 {
		return badUse, errors.New("only the go command uses this")
	}
	by := syscall.Signal(0)
	status, err = given.Test(args[0], args[1:], func(dir string, command []string, stdout *os.File, say func(string)) (int, error) {
		o := recorder.Defaults(dir)
		o.Quiet, o.Stdout, o.Say, o.Died = true, stdout, say, func(s syscall.Signal) { by = s }
		return recorder.Run(o, command)
	})
	if err == nil && by != 0 && status == 128+int(by) {
		die(by)
	}
	return status, err
}

// die ends this process as the test was ended, which go test tells: "signal: killed". It returns if the signal is one of those that do other things in Go, or is ignored.
func die(by syscall.Signal) {
	switch by {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		signal.Reset(by)
		if syscall.Kill(os.Getpid(), by) == nil && !signal.Ignored(by) {
			time.Sleep(time.Second) // it may come to another thread
		}
	}
}

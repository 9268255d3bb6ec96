//go:build linux

package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/internal/clock"
	"tracerec/internal/launch"
	"tracerec/internal/readable"
	"tracerec/internal/shm"
	"tracerec/internal/size"
	"tracerec/trace"
)

// usageStatus is the exit status when nothing was started because of what was asked for.
const usageStatus = 2

// Run records the program args[0] with its arguments and returns its exit status, 128+n when signal n ended
// it. It is an error if nothing was started: the status is then 2 for what is wrong with the command itself, a trace
// directory that is something else or an event set that cannot be counted, and 127 or 126 for a program that is not
// found or cannot be started. Where the state of the system or another recording forbids recording, that is an error of status 2 if o.Required;
// else the program runs unrecorded. That, and whatever goes wrong later, is told to o.Say.
//
// Run is for a command: the program gets its standard streams and its signals.
func Run(o Options, args []string) (status int, err error) {
	path, err := launch.Find(args[0])
	if n := freeDescriptors(); err == nil && n < leastDescriptors {
		why := fmt.Sprintf("only %s left (ulimit -n), and recording needs %d", readable.Plural(n, "file descriptor"), leastDescriptors)
		if o.Required {
			return usageStatus, errors.New(why)
		}
		return runUnrecorded(o, why, path, args)
	}
	if err == nil && (o.Buffer < MinBuffer || o.Buffer > MaxBuffer) {
		buffer, least, most := size.Bytes(o.Buffer), size.Bytes(MinBuffer), size.Bytes(MaxBuffer)
		err = fmt.Errorf("a buffer of %s: must be from %s to %s", &buffer, &least, &most)
	}
	if err == nil && o.Dir == "" {
		err = errors.New("the name of the trace directory is empty")
	}
	if err == nil {
		o.handed, err = handDown(o.Counters, path)
	}
	if err != nil {
		return statusOf(err), err
	}
	out, err := makeOutput(o.Dir)
	var r *Recorder
	if err == nil {
		if r, err = begin(out.dir, o); err != nil {
			err = errors.Join(err, out.undo())
		}
	}
	if errors.Is(err, errTaken) || err != nil && o.Required {
		return usageStatus, err
	}
	if err != nil && o.Say != nil {
		o.Say(readable.OneLine(err) + "; the program is not recorded")
	}
	if r != nil && o.Window != nil {
		if err := r.openWindow(); err != nil {
			return usageStatus, errors.Join(err, r.abandon(), out.undo())
		}
	}
	began := trace.Stamp(clock.Take(clock.Monotonic))
	c, err := start(path, args, environment(r), cmp.Or(o.Stdout, os.Stdout))
	if err != nil {
		if r != nil {
			err = errors.Join(err, r.abandon(), out.undo())
		}
		return statusOf(err), err
	}
	c.died = o.Died
	defer c.release()
	if r == nil {
		return c.wait(), nil
	}
	defer leaveCores()()
	r.root, r.args, r.began = c.cmd.Process.Pid, args, began
	r.family = newFamily(r.root, r.session.dir, began.Mono)
	tellOuter()
	go r.drain()
	if o.Window != nil {
		go r.keepWindow()
	}
	status = c.wait()
	r.used = c.used
	r.finish(status, o.Patience, c.hurry)
	r.close()
	r.report()
	if out.aside != "" && !o.Quiet {
		r.say("the older %s is now %s", out.dir, out.aside)
	}
	return status, nil
}

// leaveCores leaves cores to the measured program, which needs them, until the function that it returns is called. A program
// that ends at once is not worth it: to change their number takes longer than to write what such a program recorded.
func leaveCores() (restore func()) {
	before := runtime.GOMAXPROCS(0)
	left := make(chan struct{})
	timer := time.AfterFunc(longestPoll, func() {
		defer close(left)
		runtime.GOMAXPROCS(max(1, runtime.NumCPU()/2))
	})
	return func() {
		if !timer.Stop() {
			<-left
			runtime.GOMAXPROCS(before)
		}
	}
}

// leastDescriptors is how many descriptors a recording takes beside those that are open, with some for children of the program.
const leastDescriptors = 24

// freeDescriptors returns how many descriptors this process may still open, up to leastDescriptors.
func freeDescriptors() (n int) {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return leastDescriptors
	}
	for fd := uint64(0); fd < l.Cur && n < leastDescriptors; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			n++
		}
	}
	return n
}

// runUnrecorded makes this process the program, which takes no descriptor at all.
func runUnrecorded(o Options, why, path string, args []string) (status int, err error) {
	if o.Say != nil {
		o.Say(why + "; the program is not recorded")
	}
	err = launch.Failed(args[0], unix.Exec(path, args, environment(nil)))
	return statusOf(err), err
}

// nestedFile is made in a session directory by a tracerec that runs in the session and so keeps its program from it.
const nestedFile = "nested"

// tellOuter tells the recorder that records this one, if there is one, why it will see nothing.
func tellOuter() {
	if c, err := shm.ParseConfig(os.Getenv(shm.Environment)); err == nil && c.Dir != "" {
		os.WriteFile(filepath.Join(c.Dir, nestedFile), nil, 0o600) // if it fails the other says less
	}
}

// statusOf returns the exit status for a start that failed.
func statusOf(err error) int {
	if e, ok := errors.AsType[*launch.Error](err); ok {
		return e.Status
	}
	return usageStatus
}

// environment returns the environment of the program, which is told of the recorder r if there is one.
func environment(r *Recorder) []string {
	env := os.Environ()[:0:0]
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, shm.Environment+"=") {
			env = append(env, v)
		}
	}
	if r != nil {
		env = append(env, shm.Environment+"="+r.config().String())
	}
	return env
}

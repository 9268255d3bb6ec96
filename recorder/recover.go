//go:build linux

package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os/signal"

	"golang.org/x/sys/unix"

	"tracerec/trace"
)

// Recover completes the archive in dir, whose recorder died or could not write: with what the processes left in
// their measurement buffers, and with its end. Processes that still run are recorded until they end, or until
// SIGINT or SIGTERM. Damaged parts at the end of the archive are cut off; damage elsewhere remains, and is an
// error after everything else is done. Messages go to say.
func Recover(dir string, say func(string)) error {
	o := Defaults(dir)
	o.Say = say
	s, err := openSession(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s == nil {
		whole, err := complete(dir)
		if whole {
			say(dir + ": complete, nothing to recover")
		}
		if err != nil || whole {
			return err
		}
	}
	w, processes, err := trace.Resume(dir)
	if err != nil {
		return err
	}
	r, err := newRecorder(o, s, w, processes)
	if err != nil {
		return err
	}
	if s != nil {
		r.record()
	}
	r.close()
	r.report()
	return errors.Join(r.err, remaining(dir))
}

// complete tells whether nothing is wrong with the archive in dir.
func complete(dir string) (bool, error) {
	a, err := trace.Open(dir)
	if err != nil {
		return false, err
	}
	defer a.Close()
	return a.Header().Complete && len(a.Problems()) == 0, nil
}

// remaining returns an error if there is damage in the archive.
func remaining(dir string) error {
	a, err := trace.Open(dir)
	if err != nil {
		return err
	}
	defer a.Close()
	if problems := a.Problems(); len(problems) > 0 {
		return fmt.Errorf("%w (%s remain; the rest can be used)", problems[0], Plural(len(problems), "problem"))
	}
	return nil
}

// record records the processes of a session that lost its recorder, until the last has ended.
func (r *Recorder) record() {
	interrupted, release := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer release()
	r.join()
	for _, p := range r.procs {
		if p.view.Alive() {
			r.say("process %d still runs and is recorded until it ends, or until an interrupt", p.info.PID)
		}
	}
	go r.drain()
	r.finish(-1, math.MaxInt64, interrupted.Done())
}

//go:build linux

package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	sessionfile "tracerec/internal/session"
	"tracerec/trace"
)

// Recover completes the archive in dir, whose recorder died or could not write: with what the processes left in
// their measurement buffers, and with its end. It waits for processes that still run to end, or for SIGINT or SIGTERM,
// after which these are recorded no further. Damaged parts at the end of the archive are cut off; damage elsewhere remains, and is an
// error after everything else is done. Messages go to say.
func Recover(dir string, say func(string)) error {
	o := Defaults(dir)
	o.Say = say
	s, err := openSession(dir)
	for range 20 { // a recorder that was just killed takes a moment to vanish
		if !errors.Is(err, sessionfile.ErrBusy) {
			break
		}
		time.Sleep(longestPoll)
		s, err = openSession(dir)
	}
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
		r.collect()
	}
	if r.close(); r.err != nil {
		return r.failure()
	}
	if len(r.procs) > 0 {
		r.report()
	}
	return r.remaining()
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

// remaining returns an error if there is damage in the archive. It says what the archive holds if no process did.
func (r *Recorder) remaining() error {
	a, err := trace.Open(r.o.Dir)
	if err != nil {
		return err
	}
	defer a.Close()
	if len(r.procs) == 0 {
		total, err := Measure(a, r.o.Dir)
		if err != nil {
			return err
		}
		r.say("%s: %s", r.o.Dir, total)
	}
	if problems := a.Problems(); len(problems) > 0 {
		return fmt.Errorf("%w (%s in the middle of the archive, which recover leaves as it is; the rest can be used)",
			problems[0], Plural(len(problems), "problem"))
	}
	return nil
}

// collect waits for the processes of a session that lost its recorder, and reads their buffers. Not before they
// have ended: what the dead recorder had taken is on no stack any more, and cannot be told from what is just
// being retired.
func (r *Recorder) collect() {
	interrupted, release := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer release()
	if _, err := os.Stat(r.session.dir); errors.Is(err, fs.ErrNotExist) {
		r.say("%s is gone, and with it what was not in the archive yet", r.session.dir)
		return
	}
	r.join()
	for _, p := range r.procs {
		if p.view.Alive() {
			r.say("waiting for process %d (%s) to end; interrupt to take what there is", p.info.PID, p.command())
		}
	}
	for r.awaited() && interrupted.Err() == nil {
		time.Sleep(longestPoll)
		r.join() // its children
	}
	r.finishAll(-1)
}

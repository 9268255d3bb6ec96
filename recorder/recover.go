//go:build linux

package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/internal/clock"
	"tracerec/internal/readable"
	"tracerec/internal/sessionfile"
	"tracerec/trace"
)

// Recover completes the archive in dir, whose recorder died or could not write: with what the processes left in
// their measurement buffers, and with its end. It waits for processes that still run to end, or for SIGINT or SIGTERM,
// after which these are recorded no further. Damaged parts at the end of the archive are cut off, after the file was
// copied if there is room; damage elsewhere remains, and is an error after everything else is done. Messages go to
// say.
func Recover(dir string, say func(string)) error {
	o := Defaults(dir)
	o.Say = say
	if at, err := os.Stat(dir); err == nil && !at.IsDir() {
		return fmt.Errorf("%s: a file, not the directory of a recording", dir)
	}
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
	if s != nil {
		if err := beginEmpty(dir); err != nil {
			return err
		}
	}
	if s == nil {
		if err := anythingLeft(dir); err != nil {
			return err
		}
	}
	lost, err := keepDamaged(dir, say)
	if err != nil {
		return err
	}
	marks, err := marked(dir)
	if err != nil {
		return err
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
	} else if n := len(processes); n > 0 && marks != nil {
		r.fail(processes[n-1].Warnings(marks))
	}
	if r.close(); r.err != nil {
		return r.failure()
	}
	if len(r.procs) > 0 {
		r.report()
	}
	return r.remaining(lost)
}

// beginEmpty makes the archive that a recorder was killed before it came to. Nothing can have been recorded by then.
func beginEmpty(dir string) error {
	segments, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	for _, segment := range segments {
		info, failed := os.Stat(segment)
		if failed != nil || info.Size() > 0 {
			return failed
		}
		err = errors.Join(err, os.Remove(segment))
	}
	if err != nil {
		return err
	}
	var m *Machine
	now := m.now(clock.Monotonic)
	w, err := trace.Create(dir, trace.Options{Resolution: DefaultResolution, Mono: now.Mono, Wall: now.Wall})
	if err != nil {
		return err
	}
	return w.Close()
}

// anythingLeft returns an error if an archive whose session is over has lost its end and all events: recover would make a whole archive of it, as if
// nothing had been recorded.
func anythingLeft(dir string) error {
	a, err := trace.Open(dir)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, c := range a.Chunks() {
		if c.Events > 0 {
			return nil
		}
	}
	if a.Header().Complete {
		return nil
	}
	why := fmt.Errorf("%s: the end of the archive is missing", dir)
	if problems := a.Problems(); len(problems) > 0 {
		why = problems[0]
	}
	return fmt.Errorf("%w; no events are left to recover; the archive is not changed", why)
}

// marked returns the warnings of the last process of the archive in dir, with one that the end of the archive was lost, nil if it was not or there
// is no process. Once the archive is completed, nothing else tells.
func marked(dir string) (map[string]uint64, error) {
	a, err := trace.Open(dir)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	processes := a.Definitions().Processes
	if a.Header().Complete || len(processes) == 0 {
		return nil, nil
	}
	marks := map[string]uint64{}
	maps.Copy(marks, processes[len(processes)-1].Warnings)
	marks[endLost]++
	return marks, nil
}

// keepDamaged returns how many bytes of the archive in dir cannot be read. If some of them are at the end, where they
// will be cut off, it copies the file before.
func keepDamaged(dir string, say func(string)) (lost int64, err error) {
	a, err := trace.Open(dir)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	file, torn := a.Torn()
	if torn == 0 {
		return a.Lost(), nil
	}
	copied := file + damagedSuffix
	for i := 2; ; i++ {
		if _, err := os.Lstat(copied); errors.Is(err, fs.ErrNotExist) {
			break
		}
		copied = fmt.Sprintf("%s-%d%s", file, i, damagedSuffix)
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	if freeSpace(dir) < info.Size()+spare {
		say(fmt.Sprintf("%s: no room to keep a copy of the damaged file", file))
	} else if err := copyFile(copied, file); err != nil {
		return 0, errors.Join(fmt.Errorf("cannot copy the damaged file: %w", err), os.Remove(copied))
	} else {
		say(fmt.Sprintf("%s: cut off %s at the end; the original file is kept as %s", file, readable.Plural(torn, "byte"), copied))
	}
	return a.Lost(), nil
}

// spare is what a copy of a damaged file leaves free on the disk for the completed one.
const spare = 16 << 20

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
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

// remaining returns an error if there is damage in the archive. It says what the archive holds, if no process did, and
// how many bytes were lost.
func (r *Recorder) remaining(lost int64) error {
	a, err := trace.Open(r.o.Dir)
	if err != nil {
		return err
	}
	defer a.Close()
	if len(r.procs) == 0 || lost > 0 {
		total, err := Measure(a, r.o.Dir)
		if err != nil {
			return err
		}
		text := "kept " + total.String()
		if lost > 0 {
			text += "; lost " + readable.Plural(lost, "byte") + " of damaged data, and anything after it if the file was truncated"
		}
		r.say("%s: %s", r.o.Dir, text)
	}
	if problems := a.Problems(); len(problems) > 0 {
		return fmt.Errorf("%w (%s in the middle of the archive, which recover does not change; the rest can be used)",
			problems[0], readable.Plural(len(problems), "problem"))
	}
	return nil
}

// collect waits for the processes of a session that lost its recorder, and reads their buffers. Not before they
// have ended: what the dead recorder had taken is on no stack any more, and cannot be told from what is just
// being retired.
func (r *Recorder) collect() {
	interrupted, release := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer release()
	if r.session.early {
		return
	}
	if _, err := os.Stat(r.session.dir); errors.Is(err, fs.ErrNotExist) {
		r.say("%s is gone, and with it all events that were not in the archive yet", r.session.dir)
		return
	}
	r.join()
	for _, p := range r.procs {
		if p.view.Alive() {
			r.say("waiting for process %d (%s) to end; interrupt to recover only what is there now", p.info.PID, p.command())
		}
	}
	for r.awaited() && interrupted.Err() == nil {
		time.Sleep(longestPoll)
		r.join() // its children
	}
	r.finishAll(-1)
}

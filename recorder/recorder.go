//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"os"
	"time"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace"
)

// A Recorder drains the measurement buffers of one session into an archive.
type Recorder struct {
	o          Options
	made       *os.File    // the trace directory, wherever it is by now
	clock      clock.Kind  // of the programs, most likely
	prepared   clock.Stamp // when making the session began: what has passed since tells how fast that clock goes
	session    *session
	writer     *trace.Writer
	resumed    []*trace.ProcessWriter // processes that the archive knows from before
	names      map[string]bool        // files of the session that were seen
	blind      error                  // why the session directory could not be read the last time
	unmapped   map[string]error       // buffers that could not be mapped so far
	unrecorded []unrecorded           // processes that are not in the archive
	family     *family                // the processes that the system shows, nil if they are not looked at
	procs      []*process             // as they joined
	root       int                    // pid of the process whose exit status is known, and so waited for
	args       []string               // its command line, if it was launched,
	began      trace.Stamp            // and when that was
	ended      stamps                 // when it was found to have ended,
	used       int64                  // and the processor time that it had used then, ns; 0 unknown
	nested     bool                   // another tracerec runs in the session
	machine    *Machine               // where the processes run, nil if here
	aside      string                 // see Aside
	undo       func() error           // see Abandon
	err        error                  // why the archive is written no further
	replaced   chan struct{}          // gets something when the root may have become another program
	stop       chan struct{}
	stopped    chan struct{}
}

// begin makes a session and begins an archive in the trace directory dir, which exists.
func begin(dir string, o Options) (*Recorder, error) {
	o.Dir = dir
	kind := clock.Best()
	prepared := clock.Take(kind)
	say := o.Say
	if say == nil || o.Quiet {
		say = func(string) {}
	}
	tidy(o.Buffer, say)
	s, err := makeSession(o.Dir, o.Buffer)
	if err != nil {
		return nil, err
	}
	now := o.machine.now(clock.Monotonic)
	w, err := trace.Create(o.Dir, trace.Options{Resolution: o.Resolution, Mono: now.Mono, Wall: now.Wall})
	if err != nil {
		return nil, errors.Join(err, s.remove(o.Dir))
	}
	r, err := newRecorder(o, s, w, nil)
	if err == nil {
		r.clock, r.prepared = kind, prepared
	}
	return r, err
}

func newRecorder(o Options, s *session, w *trace.Writer, resumed []*trace.ProcessWriter) (*Recorder, error) {
	made, err := os.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Recorder{o: o, made: made, session: s, writer: w, resumed: resumed, machine: o.machine, names: map[string]bool{}, unmapped: map[string]error{},
		replaced: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{})}, nil
}

// config is what the session's processes are told.
func (r *Recorder) config() shm.Config {
	if r.machine != nil {
		return shm.Config{Dir: r.machine.Session, Buffer: r.o.Buffer, Block: r.o.Block, NoStates: r.o.NoStates, Counters: r.o.handed}
	}
	return shm.Config{Dir: r.session.dir, Buffer: r.o.Buffer, Block: r.o.Block, NoStates: r.o.NoStates, Counters: r.o.handed, Recorder: os.Getpid(), Window: r.o.Window != nil,
		Frequency: clock.FrequencySince(r.prepared, r.clock)}
}

// Times between two looks at the buffers. They are chosen so that few megabytes fill in between: the program then
// reuses memory that is in the processor's caches, instead of touching new pages.
const (
	shortestPoll = 2 * time.Millisecond
	longestPoll  = 50 * time.Millisecond
	manyBytes    = 2 << 20
)

// drain looks at the buffers until stop is closed.
func (r *Recorder) drain() {
	defer close(r.stopped)
	for interval := shortestPoll; ; {
		select {
		case <-r.stop:
			return
		case <-r.replaced:
			r.family.next = time.Time{}
		case <-time.After(interval):
		}
		switch filled := r.poll(); {
		case filled > manyBytes:
			interval = max(interval/2, shortestPoll)
		case filled < manyBytes/4:
			interval = min(interval*3/2, longestPoll)
		}
	}
}

// poll maps the buffers of new processes and writes what is due. It returns how many bytes of a buffer it
// found filled, at most.
func (r *Recorder) poll() (filled int) {
	r.join() // first: less has to be found out about who records
	r.family.look(r)
	r.family.count(r.machine.monotonic())
	for _, p := range r.procs {
		if p.over {
			continue
		}
		dead := !r.isRoot(p) && !p.alive() // asked first: what it left is complete
		closed := p.closed                 // seen before: what was in progress then has written its last event by now
		if _, finished := p.view.Finished(); finished && r.o.Window != nil && p.closed == nil {
			now := takeStamps()
			p.closed = &now
		}
		dead = dead || closed != nil
		r.fail(p.intact(func() error {
			filled = max(filled, p.take())
			if r.o.Block && p.awaited() {
				filled = manyBytes + 1
			}
			switch {
			case r.failed():
				if r.o.Block {
					p.drop() // nobody will make room any more
				}
			case !dead && p.due(r.o.Block):
				return p.write(r.writer)
			}
			return nil
		}))
		if dead && !r.failed() {
			at := stamps{}
			if closed != nil {
				at = *closed
			} else {
				at[p.info.Clock] = endOf(p)
			}
			r.fail(p.finish(r.writer, -1, at[p.info.Clock]))
		}
	}
	return filled
}

// failed tells whether the archive cannot be written any further. What comes then stays in the buffers.
func (r *Recorder) failed() bool { return r.err != nil }

// fail notes the first reason for which the archive cannot be written.
func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// finish ends the recording: the program has ended with this status. Other processes get until patience
// is over, or hurry closed, to end as well.
func (r *Recorder) finish(status int, patience time.Duration, hurry <-chan struct{}) {
	r.ended = takeStamps()
	close(r.stop)
	<-r.stopped
	r.family.search(r)
	for over := time.After(patience); r.poll() >= 0 && r.awaited() && !r.failed(); {
		select {
		case <-time.After(10 * time.Millisecond):
			continue
		case <-over:
		case <-hurry:
		}
		break
	}
	r.family.end(r)
	r.finishAll(status)
}

// finishAll writes what is left in all buffers; status is how the root ended.
func (r *Recorder) finishAll(status int) {
	for _, p := range r.procs {
		if p.over || r.failed() {
			continue
		}
		if r.isRoot(p) {
			p.usedUntil(r.used)
			at := r.ended[p.info.Clock]
			if r.args != nil {
				at = p.end(at)
			}
			p.unrecorded = uint64(len(r.unrecorded))
			r.fail(p.finish(r.writer, status, at))
			continue
		}
		if p.runsOn = r.machine == nil && p.alive(); p.runsOn { // what a simulated machine has ends with it
			r.say("process %d (%s) still runs; what it does from now on is not recorded", p.info.PID, p.command())
		}
		r.fail(p.finish(r.writer, -1, endOf(p)))
	}
	r.addLaunched(status)
	r.fail(r.unread())
}

// addLaunched adds the program that was launched to an archive that has only its children, because it is a script for
// instance: how it ended says how the measured run went.
func (r *Recorder) addLaunched(status int) {
	for _, p := range r.procs {
		if p.info.PID == r.root {
			return
		}
	}
	if r.args == nil || len(r.procs) == 0 || r.failed() {
		return
	}
	parent := os.Getpid()
	if r.machine != nil {
		parent = 1
	}
	out, err := r.writer.AddProcess(trace.ProcessInfo{PID: r.root, Parent: parent, Args: r.args, Start: r.began,
		Clock: clock.Monotonic.String()})
	if r.fail(err); err == nil {
		if n := uint64(len(r.unrecorded)); n > 0 {
			r.fail(out.Warnings(map[string]uint64{notRecorded: n}))
		}
		r.fail(out.Exited(status, r.ended[clock.Monotonic]))
	}
}

// awaited tells whether processes other than the root may still record, or are about to begin.
func (r *Recorder) awaited() bool {
	known := len(r.procs)
	for _, p := range r.procs {
		if !p.over && !r.isRoot(p) && p.alive() {
			return true
		}
	}
	if r.family.expects(r) { // asked second: what those who are dead have started is there by now
		return true
	}
	r.join()
	return len(r.procs) > known // whoever joined meanwhile may have started others since
}

var errRemoved = errors.New("removed during the run")

// abandon ends a session that nobody joined, and forgets the archive.
func (r *Recorder) abandon() error {
	return errors.Join(r.made.Close(), r.writer.Close(), r.session.remove(r.o.Dir))
}

// place returns where the trace directory is by now, which others may have moved, and errRemoved if it is nowhere.
func (r *Recorder) place() (dir string, err error) {
	made, err := r.made.Stat()
	if err != nil {
		return "", err
	}
	is := func(dir string) bool {
		info, err := os.Stat(dir)
		return err == nil && os.SameFile(info, made)
	}
	if is(r.o.Dir) {
		return r.o.Dir, nil
	}
	if moved, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", r.made.Fd())); err == nil && is(moved) {
		return moved, nil
	}
	return "", errRemoved
}

// close completes the archive and ends the session. If the archive could not be written, what it lacks stays in
// the buffers, as long as there is an archive that it could complete.
func (r *Recorder) close() {
	defer r.made.Close()
	if place, err := r.place(); err != nil {
		r.err = fmt.Errorf("%s: %w", r.o.Dir, err)
	} else if place != r.o.Dir {
		r.say("%s was moved during the run; it is now %s", r.o.Dir, place)
		r.o.Dir = place
	}
	if err := r.writer.Close(); r.err == nil {
		r.err = err
	}
	for _, p := range r.procs {
		if !p.over {
			p.leave()
		}
	}
	if r.session != nil && (r.err == nil || errors.Is(r.err, errRemoved)) {
		r.fail(r.session.remove(r.o.Dir))
	}
}

func (r *Recorder) say(format string, args ...any) {
	if r.o.Say != nil {
		r.o.Say(fmt.Sprintf(format, args...))
	}
}

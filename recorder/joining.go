//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"

	"tracerec/internal/clock"
	"tracerec/internal/readable"
	"tracerec/internal/shm"
	"tracerec/trace"
)

// An unrecorded process is one of the run that is not in the archive, with the reason.
type unrecorded struct {
	pid     int
	command string
	why     string
}

func (u unrecorded) String() string {
	return fmt.Sprintf("process %d (%s) is not recorded: %s", u.pid, u.command, u.why)
}

// join maps the buffers of processes that are new, and reads what processes noted that cannot have one.
func (r *Recorder) join() {
	entries, err := os.ReadDir(r.session.dir)
	if r.blind = err; errors.Is(err, fs.ErrNotExist) {
		r.blind, r.session.gone = nil, true
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case r.names[name]:
		case name == nestedFile:
			r.nested = true
		case strings.HasSuffix(name, shm.NoteSuffix):
			if pid, note, err := shm.ReadNote(r.session.path(name)); err == nil {
				r.names[name] = true
				r.unrecorded = append(r.unrecorded, unrecorded{pid, note.Command, note.Why})
			}
		case strings.HasSuffix(name, shm.Suffix):
			r.fail(r.open(name))
		}
	}
}

// open maps the buffer of a new process and adds the process to the archive. A file that is no buffer is told
// and left alone. One that cannot be mapped is tried again, for it may hold events.
func (r *Recorder) open(name string) error {
	view, err := shm.Open(r.session.path(name))
	if _, system := errors.AsType[syscall.Errno](err); system {
		r.unmapped[name] = err
		return nil
	}
	delete(r.unmapped, name)
	r.names[name] = true
	if err != nil {
		r.say("%v", err)
		return nil
	}
	p := &process{view: view, info: view.Info(), machine: r.machine}
	if p.machine != nil {
		p.info.Start, p.info.EventCost = clock.Stamp(p.machine.at(p.info.Start.Ticks)), 0
	} else if s, ok := readStatus(p.info.PID); !ok || s.born != p.info.Born {
		p.hidden = true
	} else if !p.recordsItself() {
		p.watch()
		if r.family != nil && p.info.PID == r.root {
			go r.awaitReplaced(p.view)
		}
	}
	if p.machine == nil && !p.hidden {
		p.quotas = quotasOf(p.info.PID)
	}
	for _, q := range r.procs {
		if q.info.PID == p.info.PID && q.info.Born == p.info.Born && q.next == nil {
			q.usedUntil(p.info.Used)
			q.next = p // exec, or the next window
		}
	}
	r.procs = append(r.procs, p)
	for _, out := range r.resumed {
		if i := out.Info(); i.PID == p.info.PID && i.Start == trace.Stamp(p.info.Start) {
			p.out = out
			return nil
		}
	}
	i := trace.ProcessInfo{PID: p.info.PID, Parent: p.info.Parent, Args: p.info.Args,
		Start: trace.Stamp(p.info.Start), Clock: p.info.Clock.String(), Frequency: p.info.Frequency, EventCost: p.info.EventCost}
	i.Processor, i.Hertz = r.machine.processor()
	i.Processors = int(min(p.info.Processors, math.MaxInt32))
	p.out, err = r.writer.AddProcess(i)
	return err
}

// awaitReplaced waits until the root becomes another program (exec), or ends. The former may not last until the next look. One that ends is not
// looked at, because the system would wait for that, on a processor, before it removes the files of the process from /proc.
func (r *Recorder) awaitReplaced(v *shm.View) {
	if !v.Await() {
		return
	}
	if s, ok := readStatus(r.root); !ok || s.ending {
		return
	}
	select {
	case r.replaced <- struct{}{}:
	default: // there is a look to come
	}
}

// unread returns why what some processes recorded is not in the archive, nil if everything that was found is: their buffers are
// whole, but cannot be mapped here, or the session directory cannot be read.
func (r *Recorder) unread() error {
	if r.blind != nil {
		return r.blind
	}
	for name, err := range r.unmapped {
		if errors.Is(err, fs.ErrNotExist) {
			delete(r.unmapped, name) // it was made and removed by others than its process and us
			r.say("%s was removed during the run, and with it what its process recorded", r.session.path(name))
		}
	}
	names := make([]string, 0, len(r.unmapped))
	for name := range r.unmapped {
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("cannot map the buffer of %s: %w", readable.Plural(len(names), "process"), r.unmapped[slices.Min(names)])
}

// isRoot tells whether a process is the one whose exit status is that of the run.
func (r *Recorder) isRoot(p *process) bool { return p.info.PID == r.root && p.next == nil }

// endOf returns when a process ended that is not the root. One that became another program ended when that began to record.
func endOf(p *process) trace.Stamp {
	if p.next != nil && p.next.info.Clock == p.info.Clock {
		return p.next.start()
	}
	return p.end(p.start())
}

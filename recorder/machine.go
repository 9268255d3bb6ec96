//go:build linux

package recorder

import (
	"errors"

	"tracerec/counters/sample"
	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace"
)

// Machine is a machine on which the measured processes run, if that is not the one of the recorder: a simulated one, whose session
// directory is a directory of this machine, and whose time stands still while the recorder looks into the buffers. The recording
// then is part of neither time nor work of the processes but for what they do in order to store their events, and it
// depends on nothing but the run.
type Machine struct {
	Session string             // the session directory's name there
	Now     func() trace.Stamp // its time; ticks are ns of the monotonic clock
	// Ended tells whether a process has ended since it began to record at a time, in ticks, or has become another program, and when;
	// else the present time.
	Ended     func(pid int, began uint64) (at trace.Stamp, ended bool)
	Processor trace.Processor
	Hertz     uint64                   // its processors' cycles per second
	Source    func(file string) string // where a file of the source is that the program calls so; nil if it is there
}

func (m *Machine) now(k clock.Kind) trace.Stamp {
	if m != nil {
		return m.Now()
	}
	return trace.Stamp(clock.Take(k))
}

// at returns the stamp of a time in ticks.
func (m *Machine) at(ticks uint64) trace.Stamp {
	s := m.Now()
	s.Wall += int64(ticks) - s.Mono
	s.Ticks, s.Mono = ticks, int64(ticks)
	return s
}

func (m *Machine) monotonic() int64 {
	if m != nil {
		return m.Now().Mono
	}
	return int64(clock.Now(clock.Monotonic))
}

func (m *Machine) processor() (trace.Processor, uint64) {
	if m != nil {
		return m.Processor, m.Hertz
	}
	return processor()
}

// alive tells whether the process may still write.
func (p *process) alive() bool {
	if p.machine == nil {
		return p.view.Alive()
	}
	_, ended := p.machine.Ended(p.info.PID, p.info.Start.Ticks)
	return !ended
}

// Attend begins to record processes of another machine, which are started by somebody else: with a directory of this machine
// as their session directory, and with the variable of the environment that [Recorder.Environment] returns. The counters are the
// simulator's, read through a call of its own. An older archive is moved aside.
func Attend(o Options, m *Machine) (*Recorder, error) {
	if o.Buffer < MinBuffer || o.Buffer > MaxBuffer || o.Dir == "" {
		return nil, errors.New("recording needs a trace directory and a buffer")
	}
	out, err := makeOutput(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir, o.machine = out.dir, m
	for _, name := range o.Counters {
		o.handed = append(o.handed, sample.Spec{Name: name, Simulated: true}.String())
	}
	r, err := begin(out.dir, o)
	if err != nil {
		return nil, errors.Join(err, out.undo())
	}
	r.aside, r.undo = out.aside, out.undo
	return r, nil
}

// Aside returns where an older archive of that name went, "" if there was none.
func (r *Recorder) Aside() string { return r.aside }

// Abandon takes back Attend: nothing was run.
func (r *Recorder) Abandon() error { return errors.Join(r.abandon(), r.undo()) }

// Session returns the session directory, of this machine.
func (r *Recorder) Session() string { return r.session.dir }

// Environment returns the variable by which the processes learn of the recording, NAME=VALUE.
func (r *Recorder) Environment() string { return shm.Environment + "=" + r.config().String() }

// Step takes what the processes have filled in their buffers. They must not run meanwhile.
func (r *Recorder) Step() { r.poll() }

// Complete ends the recording after the run: the process root, which was started first at a time with these arguments, ended with this
// status, -1 if it did not. It returns what was recorded, and why the archive is not complete; everything else is said.
func (r *Recorder) Complete(root int, args []string, began trace.Stamp, status int) (Total, error) {
	r.root, r.args, r.began = root, args, began
	for k := range r.ended {
		r.ended[k] = r.machine.Now()
	}
	r.poll()
	r.finishAll(status)
	r.close()
	err := r.failure()
	if err == nil {
		r.report()
	}
	r.session = nil
	return r.total(), err
}

//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"os"

	"tracerec/instrument"
	"tracerec/internal/shm"
)

// Start records the calling program into the trace directory dir until Stop; an older archive of that name is
// moved aside. Under tracerec, which records the program anyway, it does nothing but warn, and so does Stop.
// What goes wrong after the start is told on standard error.
func Start(dir string) (*Recorder, error) {
	say := func(message string) { fmt.Fprintf(os.Stderr, "tracerec: %s\n", message) }
	if os.Getenv(shm.Environment) != "" {
		say("recorder.Start does nothing: this program runs under tracerec")
		return &Recorder{}, nil
	}
	out, err := makeOutput(dir)
	if err != nil {
		return nil, err
	}
	o := Defaults(out.dir)
	o.Say, o.Quiet = say, true
	r, err := begin(out.dir, o)
	if err != nil {
		return nil, errors.Join(err, out.undo())
	}
	if err := instrument.Attach(r.config()); err != nil {
		return nil, errors.Join(err, r.abandon(), out.undo())
	}
	r.root = os.Getpid()
	go r.drain()
	return r, nil
}

// Stop ends the recording and completes the archive. Regions that are open end with it. Only the first call
// does something; no two may overlap.
func (r *Recorder) Stop() error {
	if r.session == nil {
		return nil
	}
	instrument.Detach()
	r.finish(-1, 0, nil)
	r.close()
	err := r.failure()
	if err == nil {
		r.report()
	}
	r.session = nil
	return err
}

//go:build linux

package simulated

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"tracerec/counters/sample"
	"tracerec/recorder"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/service"
	"tracerec/trace"
)

// Instrumented tells whether a program, the content of its file, records itself: it was built with package instrument, by hand or by
// tracerec build.
func Instrumented(program []byte) bool {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return false
	}
	names := f.Section(".gopclntab") // has the names of functions also in stripped programs
	if names == nil {
		return false
	}
	content, err := names.Data()
	return err == nil && bytes.Contains(content, []byte("\x00tracerec/instrument.Attach\x00"))
}

// RunInstrumented is [Run] for an instrumented program: its own regions and operations are recorded, and those of the instrumented
// programs that it starts. The recorder is outside: it takes what they have stored at fixed virtual times, while nothing
// executes. Events are read at the regions' begins and ends, of the goroutine that is there, on its own stack. What the program does to
// record itself is charged to nobody, and no time passes meanwhile, but for what it calls of the runtime. Options.Filter and Options.Frequent mean nothing here, and Options.Output must be given.
func RunInstrumented(o Options) (r *Result, err error) {
	program, err := os.ReadFile(o.Program)
	if err != nil {
		return nil, err
	}
	r = new(Result)
	if r.Counters, err = count.New(o.Machine, count.Options{Program: program, CPUs: o.CPUs, Classify: o.Classify, Stalls: !o.Untimed,
		Silent: recorders}); err != nil {
		return nil, err
	}
	in, err := attend(&o, r.Counters)
	if err != nil {
		return nil, err
	}
	lo := o.kernel()
	lo.Env = append(slices.Clone(o.Env), in.recorder.Environment())
	lo.Mounts = append(slices.Clone(o.Mounts), linux.Mount{Guest: sessionDir, Host: in.recorder.Session(), Write: true})
	lo.Pulse, lo.Observer, lo.Services, lo.Counting = in.pulse, o.observed(r.Counters), in, r.Counters
	k, err := linux.New(program, lo)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Program, err), in.recorder.Abandon())
	}
	defer k.Close()
	in.clock = k.Time
	err = o.run(k, program, r)
	status := r.Status
	if err != nil || r.Break != "" {
		status = -1
	}
	return r, errors.Join(err, in.complete(r, o.Args, status))
}

// recorders begin the names of the functions with which programs record themselves: what they do is not the program's work.
var recorders = []string{"tracerec/instrument.", "tracerec/counters/sample.", "tracerec/internal/shm."}

// sessionDir is the session directory's name in the guest.
const sessionDir = "/dev/shm/tracerec"

// interval is the virtual time between two looks at the buffers. A million instructions fill little of them.
const interval = time.Millisecond

// inside records instrumented programs on the simulator. It is the services of the run, and learns of the life of processes so.
type inside struct {
	*service.Services
	recorder *recorder.Recorder
	archive  *Archive
	clock    func() time.Duration // virtual
	next     time.Duration        // look at the buffers
	first    int                  // process
	lives    map[int][]life
}

// life is what a process did as one program.
type life struct {
	began, ended time.Duration
	over         bool
}

// attend begins a recording.
func attend(o *Options, c *count.Counters) (*inside, error) {
	events := o.Events
	if len(events) == 0 {
		events = usualEvents(c)
	}
	if _, err := newReadings(c, o.Machine, events); err != nil {
		return nil, err
	}
	in := &inside{clock: func() time.Duration { return 0 }, lives: map[int][]life{}, archive: &Archive{Dir: o.Output, Events: events}}
	var err error
	if in.Services, err = o.services(c); err != nil {
		return nil, err
	}
	options := recorder.Defaults(o.Output)
	options.Resolution, options.Counters = 1, events
	options.Say = func(text string) { in.archive.Messages = append(in.archive.Messages, text) }
	in.recorder, err = recorder.Attend(options, &recorder.Machine{Session: sessionDir, Now: in.now, Ended: in.ended, Processor: processorOf(o.Machine), Source: o.source})
	if err != nil {
		return nil, err
	}
	in.archive.Aside = in.recorder.Aside()
	return in, nil
}

const _ = uint(sample.MaxSimulated - most)

// processorOf describes a machine, nil for none.
func processorOf(m *cache.Machine) trace.Processor {
	p := trace.Processor{Arch: "riscv64", Vendor: "simulator", Name: "simulated, without caches"}
	if m != nil {
		p.Name = cmp.Or(m.Name, m.Title)
	}
	return p
}

// pulse looks at the buffers when it is time to.
func (in *inside) pulse(now time.Duration) {
	if now >= in.next {
		in.next = now + interval
		in.recorder.Step()
	}
}

// now is the virtual time, on the clocks that the guest has.
func (in *inside) now() trace.Stamp { return stamp(int64(in.clock())) }

// Loaded implements [linux.Lifecycle].
func (in *inside) Loaded(process int, program []byte) {
	in.Services.Loaded(process, program)
	if in.first == 0 {
		in.first = process
	}
	in.end(process)
	in.lives[process] = append(in.lives[process], life{began: in.clock()})
}

// Forked implements [linux.Lifecycle].
func (in *inside) Forked(parent, child int) {
	in.Services.Forked(parent, child)
	in.lives[child] = append(in.lives[child], life{began: in.clock()})
}

// Ended implements [linux.Lifecycle].
func (in *inside) Ended(process, thread int) {
	in.Services.Ended(process, thread)
	if thread == 0 {
		in.end(process)
	}
}

// end ends the life of a process as a program.
func (in *inside) end(process int) {
	if lives := in.lives[process]; len(lives) > 0 && !lives[len(lives)-1].over {
		l := &lives[len(lives)-1]
		l.ended, l.over = in.clock(), true
	}
}

// ended implements [recorder.Machine].
func (in *inside) ended(process int, began uint64) (trace.Stamp, bool) {
	for _, l := range slices.Backward(in.lives[process]) {
		if l.began <= time.Duration(began) {
			if !l.over {
				break
			}
			return stamp(int64(l.ended)), true
		}
	}
	return in.now(), false
}

// complete ends the recording.
func (in *inside) complete(r *Result, args []string, status int) error {
	total, err := in.recorder.Complete(in.first, args, stamp(0), status)
	a := in.archive
	a.Processes, a.Locations, a.Records, a.Bytes = total.Processes, total.Goroutines, total.Events, total.Bytes
	r.Archive = a
	return errors.Join(err, in.Close())
}

package perf

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// slot is a counter of a thread that is given one event after the other. It leads a group of two: cycles, which count on,
// and the event. Events of debug registers are exchanged in the open descriptor, others by another one.
type slot struct {
	mu       sync.Mutex
	from     *Substrate
	on       target
	own      *claim
	lead, fd int
	e        Encoded
	known    map[string]Encoded // what was counted, by name: looking names up in sysfs takes much longer than exchanging events
	bits     uint64             // flags that it was opened with
	count0   uint64             // values at the begin of the slice
	cycles0  uint64
	words    [3]uint64
	closed   bool
}

var _ substrate.Slotter = (*Substrate)(nil)

// companions are the events that tell how long a thread ran, the best first: cycles of the processor, the time stamp
// counter while the thread runs, and the thread's time in ns.
var companions = []string{"cycles", "msr/tsc/", "task-clock"}

// OpenSlot opens a slot on the thread and counts the event. Its cycles are those of the processor, where it has a
// counter for them, else of its time-stamp counter while the thread runs, else ns of the thread's time. The methods of slots may be
// called on any thread; the one that is measured is not disturbed by signals.
func (s *Substrate) OpenSlot(thread int, event string) (substrate.Slot, error) {
	if thread <= 0 {
		return nil, fmt.Errorf("perf_event: %w: a slot needs the number of a thread", substrate.ErrUnsupported)
	}
	l := &slot{from: s, on: target{thread, -1, false}, lead: -1, fd: -1, known: map[string]Encoded{}}
	first, err := l.parse(event)
	if err != nil {
		return nil, err
	}
	for _, name := range companions {
		e, parseErr := s.catalog.parse(name)
		if parseErr != nil || e.pmu == "cpu" && s.single() {
			continue
		}
		if l.lead, err = s.openPermitted(slotLead(&e), &e, l.on, -1, true); err == nil {
			break
		}
	}
	if l.lead < 0 {
		e, _ := s.catalog.parse(companions[len(companions)-1])
		return nil, s.explain(err, []Encoded{e}, &e, l.on)
	}
	l.own = claimOn(thread)
	if err := l.attach(first); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// parse encodes an event, and remembers how.
func (l *slot) parse(name string) (Encoded, error) {
	if e, ok := l.known[name]; ok {
		return e, nil
	}
	e, err := l.from.catalog.parse(name)
	if err == nil {
		l.known[name] = e
	}
	return e, err
}

// single reports whether the processor has one counter only: none is left for cycles beside another event.
func (s *Substrate) single() bool {
	s.alone.Do(func() {
		fds := []int{-1}
		for _, name := range []string{"cycles", "instructions"} {
			e, _ := s.catalog.parse(name)
			a := slotAttribute(&e)
			a.Flags |= perfevent.FlagDisabled | perfevent.FlagExcludeKernel
			fd, err := s.sys.open(a, 0, -1, fds[len(fds)-1], perfevent.OpenCloseExec)
			if err != nil {
				s.isSingle = err == unix.EINVAL && len(fds) == 2
				break
			}
			fds = append(fds, fd)
		}
		for _, fd := range fds[1:] {
			unix.Close(fd)
		}
	})
	return s.isSingle
}

// slotLead is that of cycles. It is pinned, to learn when no counter is left for the group.
func slotLead(e *Encoded) *perfevent.Attr {
	a := slotAttribute(e)
	a.Flags |= perfevent.FlagPinned
	return a
}

func slotAttribute(e *Encoded) *perfevent.Attr {
	a := attribute(e)
	a.Format = perfevent.FormatGroup
	return a
}

// attach opens the event beside the cycles and begins its slice.
func (l *slot) attach(e Encoded) (err error) {
	a := slotAttribute(&e)
	if l.fd, err = l.from.openPermitted(a, &e, l.on, l.lead, true); err != nil {
		return l.from.explain(err, []Encoded{e}, &e, l.on)
	}
	l.bits = a.Flags
	l.e = e
	if err := l.restart(); err != nil {
		return err
	}
	if err := l.fetch(); err != nil {
		return err
	}
	l.cycles0, l.count0 = l.words[1], l.words[2]
	return nil
}

// restart stops and starts the group. A member that joins a running group or is enabled in one, and is of another PMU than
// the leader, is otherwise not put on its counter before the thread is next scheduled (Linux 6.18): up to a tick is lost.
func (l *slot) restart() error {
	for _, request := range []uintptr{unix.PERF_EVENT_IOC_DISABLE, unix.PERF_EVENT_IOC_ENABLE} {
		if errno := l.from.sys.ioctl(l.lead, request, 0); errno != 0 {
			return l.from.explain(errno, []Encoded{l.e}, &l.e, l.on)
		}
	}
	return nil
}

// Switch ends the slice of the event that is counted and begins one of next. When next cannot be counted the error says
// why, and a slice of the event that was counted begins.
func (l *slot) Switch(next string) (count, cycles uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, 0, fmt.Errorf("perf_event: %w: the slot is closed", substrate.ErrUnsupported)
	}
	e, parseErr := l.parse(next)
	if parseErr == nil && e.Type == perfevent.Breakpoint && l.e.Type == perfevent.Breakpoint && e.Flags == l.e.Flags {
		return l.modify(e)
	}
	if count, cycles, err = l.finish(); err != nil || parseErr != nil {
		return count, cycles, errors.Join(err, parseErr)
	}
	old := l.e
	unix.Close(l.fd)
	l.fd = -1
	if err = l.attach(e); err != nil {
		err = errors.Join(err, l.attach(old))
	}
	return count, cycles, err
}

// modify exchanges the place that is watched. The group stands still from the end of one slice to the begin of the next:
// each store counts for the slice that it falls in, and what this takes belongs to none.
func (l *slot) modify(e Encoded) (count, cycles uint64, err error) {
	a := slotAttribute(&e)
	a.Flags = l.bits // without the kernel, where that was not permitted
	stopped := l.from.sys.ioctl(l.lead, unix.PERF_EVENT_IOC_DISABLE, 0)
	refused := l.from.sys.ioctl(l.fd, unix.PERF_EVENT_IOC_MODIFY_ATTRIBUTES, uintptr(unsafe.Pointer(a)))
	count, cycles, err = l.finish()
	started := l.from.sys.ioctl(l.lead, unix.PERF_EVENT_IOC_ENABLE, 0)
	if refused == 0 {
		l.e = e
	}
	for _, errno := range []unix.Errno{stopped, refused, started} {
		if errno != 0 && err == nil {
			err = l.from.explain(errno, []Encoded{e}, &e, l.on)
		}
	}
	return count, cycles, err
}

// finish returns what the slice counted and begins another.
func (l *slot) finish() (count, cycles uint64, err error) {
	if err = l.fetch(); err != nil {
		return 0, 0, err
	}
	cycles, count = l.words[1]-l.cycles0, l.words[2]-l.count0
	l.cycles0, l.count0 = l.words[1], l.words[2]
	return count, cycles, nil
}

// Read returns what the slice counted up to now.
func (l *slot) Read() (count, cycles uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, 0, fmt.Errorf("perf_event: %w: the slot is closed", substrate.ErrUnsupported)
	}
	if err = l.fetch(); err != nil {
		return 0, 0, err
	}
	return l.words[2] - l.count0, l.words[1] - l.cycles0, nil
}

func (l *slot) fetch() error {
	if err := l.from.sys.readGroup(l.lead, l.words[:]); err != nil {
		return readError(err)
	}
	return nil
}

// Close gives the counter back.
func (l *slot) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.own.drop()
	var errs []error
	for _, fd := range []int{l.fd, l.lead} {
		if fd >= 0 {
			errs = append(errs, unix.Close(fd))
		}
	}
	return errors.Join(errs...)
}

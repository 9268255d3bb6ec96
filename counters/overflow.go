package counters

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"

	"tracerec/counters/substrate"
	"tracerec/internal/goid"
)

// Overflow tells that an event has passed its threshold (Browne et al., section 3.5).
type Overflow struct {
	Event  string
	Index  int       // the event's position in the set
	Count  uint64    // events that it stands for: the threshold, or a multiple of it when overflows were joined
	Excess uint64    // how far the count was beyond the threshold when it was found out
	PC     uintptr   // the program counter, at the event or soon after it; 0 unknown
	Stack  []uintptr // PC first, then return addresses, as far as known
	Thread int       // 0 unknown
	Time   int64     // ns, of the substrate's clock; 0 unknown
}

// OverflowOptions say how overflows are found.
type OverflowOptions struct {
	// Software asks for a timer that compares the count with the threshold, even where counters can tell by themselves.
	Software bool
	// Interval is that of the timer; 0 is 1 ms of the thread's processor time, or of real time for events of the process.
	Interval time.Duration
}

const overflowInterval = time.Millisecond

// overflow is an event whose overflows are handled.
type overflow struct {
	event     string
	kind      State // Overflowing or Profiling
	threshold uint64
	options   OverflowOptions
	handle    func(Overflow)

	// While the set runs:
	index    int
	deadline int64 // count at which the timer finds the next overflow
	stop     func() (lost uint64, err error)
	timed    bool // by a timer
	lost     uint64
	failed   error // why the timer could not read
}

// handlers serializes the handlers of a set.
type handlers struct {
	mu sync.Mutex
	in struct {
		mu sync.Mutex
		g  unsafe.Pointer // the goroutine that runs one
	}
}

// call runs a handler. It never runs beside itself or another one of the set.
func (h *handlers) call(f func(Overflow), o Overflow) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.enter(goid.G())
	defer h.enter(nil)
	f(o)
}

func (h *handlers) enter(g unsafe.Pointer) {
	h.in.mu.Lock()
	defer h.in.mu.Unlock()
	h.in.g = g
}

// mine reports whether the calling goroutine is in a handler.
func (h *handlers) mine() bool {
	h.in.mu.Lock()
	defer h.in.mu.Unlock()
	return h.in.g != nil && h.in.g == goid.G()
}

// OnOverflow has handle called every threshold occurrences of the event, which must be in the stopped set. Threshold 0
// takes the handler away. Where the substrate's counters tell that they have counted so many, they do, which takes a
// second counter for the event; otherwise, and if Software is set, a timer compares the count with the threshold: then
// there is at most one call per interval and one when the set is stopped, and Excess says by how much it is late. Derived
// presets have no counter of their own and take the timer, as do events for which no second counter is left.
//
// Handlers run on a goroutine of their own, one at a time. They may read the set, but not stop it.
func (s *EventSet) OnOverflow(event string, threshold uint64, o OverflowOptions, handle func(Overflow)) error {
	return s.onOverflow(&overflow{event: event, kind: Overflowing, threshold: threshold, options: o, handle: handle})
}

func (s *EventSet) onOverflow(o *overflow) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	at := slices.IndexFunc(s.entries, func(e entry) bool { return e.name == o.event })
	switch {
	case at < 0:
		return fmt.Errorf("%s: %w", o.event, ErrNotInSet)
	case o.threshold > 0 && o.handle == nil || o.options.Interval < 0:
		return fmt.Errorf("%s: %w: an overflow needs a handler, and its interval must not be negative", o.event, ErrInvalid)
	case s.entries[at].event.Gauge:
		return fmt.Errorf("%s: %w: a level does not overflow", o.event, ErrUnsupported)
	}
	s.overflows = slices.DeleteFunc(s.overflows, func(p *overflow) bool { return p.event == o.event })
	if o.threshold > 0 {
		s.overflows = append(s.overflows, o)
	}
	return nil
}

// Lost returns how many overflows came too fast to be handled, in the last run of the set.
func (s *EventSet) Lost() (n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.overflows {
		n += o.lost
	}
	return n
}

// startOverflows starts all samplers and timers. After an error, some are running.
func (s *EventSet) startOverflows() error {
	for _, o := range s.overflows {
		if err := s.startOverflow(o); err != nil {
			return fmt.Errorf("%s: overflow: %w", o.event, err)
		}
	}
	return nil
}

func (s *EventSet) startOverflow(o *overflow) (err error) {
	o.index = slices.IndexFunc(s.entries, func(e entry) bool { return e.name == o.event })
	o.deadline, o.lost, o.failed, o.timed = int64(o.threshold), 0, nil, false
	e := &s.entries[o.index]
	if sampler, ok := e.natives[0].from.(substrate.Sampler); ok && e.formula == nil && !o.options.Software {
		o.stop, err = sampler.Sample(e.natives[0].name, o.threshold, s.options, func(x substrate.Sample) {
			s.handlers.call(o.handle, Overflow{Event: o.event, Index: o.index, Count: x.Count, Excess: x.Count - min(x.Count, o.threshold),
				PC: x.PC, Stack: x.Stack, Thread: x.Thread, Time: x.Time})
		})
		if !errors.Is(err, ErrUnsupported) && !scarce(err) {
			return err
		}
	}
	return s.startTimer(o, e)
}

// clockEvent is the event whose overflows are the timer: like SIGPROF in PAPI, they tell where the thread was.
const clockEvent = "task-clock"

// startTimer emulates overflows of a counter that cannot tell.
func (s *EventSet) startTimer(o *overflow, e *entry) error {
	interval := o.options.Interval
	if interval == 0 {
		interval = overflowInterval
	}
	o.timed = true
	tick := func(x substrate.Sample) { s.compare(o, e, x) }
	for _, from := range s.substrates() {
		sampler, ok := from.(substrate.Sampler)
		if !ok || e.event.Process {
			continue
		}
		stop, err := sampler.Sample(clockEvent, uint64(interval), s.clockOptions(), tick)
		if err == nil {
			o.stop = stop
			return nil
		}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				tick(substrate.Sample{})
			}
		}
	}()
	o.stop = func() (uint64, error) {
		close(done)
		<-ended
		return 0, nil
	}
	return nil
}

// clockOptions are the set's, as far as they make sense for the timer.
func (s *EventSet) clockOptions() Options {
	return Options{Thread: s.options.Thread, CPU: s.options.CPU, Inherit: s.options.Inherit}
}

// compare calls the handler if the count has reached the deadline.
func (s *EventSet) compare(o *overflow, e *entry, x substrate.Sample) {
	s.mu.Lock()
	late := int64(-1)
	err := s.read()
	if err == nil {
		late = e.value(s.counts) - o.deadline
	} else if o.failed == nil {
		o.failed = err
	}
	if late < 0 {
		s.mu.Unlock()
		return
	}
	stands := int64(o.threshold) * (1 + late/int64(o.threshold))
	o.deadline += stands
	s.mu.Unlock()
	s.handlers.call(o.handle, Overflow{Event: o.event, Index: o.index, Count: uint64(stands), Excess: uint64(late),
		PC: x.PC, Stack: x.Stack, Thread: x.Thread, Time: x.Time})
}

// compareLast finds what overflowed since the timers' last ticks, in the counts that the stopped set keeps.
func (s *EventSet) compareLast() {
	done := make(chan struct{})
	go func() { // as all handlers, not on the goroutine that stops the set
		defer close(done)
		for _, o := range s.overflows {
			if o.timed && o.failed == nil {
				s.compare(o, &s.entries[o.index], substrate.Sample{})
			}
		}
	}()
	<-done
}

// stopOverflows ends all samplers and timers after their last calls. The set must not be locked.
func (s *EventSet) stopOverflows() error {
	if len(s.overflows) == 0 {
		return nil
	}
	lost, err := s.endOverflows()
	s.compareLast()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.overflows {
		o.lost = lost[i]
		if o.failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: overflow: %w", o.event, o.failed))
		}
	}
	return err
}

// endOverflows waits for handlers, which may be waiting for the set's lock.
func (s *EventSet) endOverflows() (lost []uint64, err error) {
	for _, o := range s.overflows {
		var n uint64
		if o.stop != nil {
			var e error
			n, e = o.stop()
			err = errors.Join(err, e)
			o.stop = nil
		}
		lost = append(lost, n)
	}
	return lost, err
}

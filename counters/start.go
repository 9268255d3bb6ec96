package counters

import (
	"errors"
	"runtime"
	"slices"
	"time"
)

// Counting is the high level (Browne et al., section 1): a list of events that are counted from [Start] to Stop, for the
// goroutine that started it.
type Counting struct {
	set   *EventSet
	names []string
	since timers
}

type timers struct {
	real, virtual int64
	err           error // why there is no virtual time
}

func now() (t timers) {
	t.real = RealNanoseconds()
	t.virtual, t.err = VirtualNanoseconds()
	return t
}

// Start counts events, native or preset, which must fit together: multiplexing is asked for at the low level. The calling
// goroutine is locked to its thread until it calls Stop.
func Start(names ...string) (*Counting, error) {
	runtime.LockOSThread()
	c := &Counting{set: New(), names: slices.Clone(names), since: now()}
	err := c.set.AddAll(names...)
	if err == nil {
		err = c.set.Start()
	}
	if err != nil {
		runtime.UnlockOSThread()
		return nil, errors.Join(err, c.set.Close())
	}
	return c, nil
}

// Read returns the counts since Start, in the order of the names.
func (c *Counting) Read() ([]int64, error) {
	values := make([]int64, len(c.names))
	return values, c.set.Read(values)
}

// Stop ends counting and returns the last counts. Events and thread are given back; Rates and Read do not work any more.
func (c *Counting) Stop() ([]int64, error) {
	values := make([]int64, len(c.names))
	if err := c.set.Stop(values); errors.Is(err, ErrNotRunning) || errors.Is(err, ErrDestroyed) {
		return nil, err
	} else if err != nil {
		runtime.UnlockOSThread()
		return values, errors.Join(err, c.set.Close())
	}
	runtime.UnlockOSThread()
	return values, c.set.Close()
}

// Rates is counts with the time in which they came together (PAPI_ipc, PAPI_flops_rate).
type Rates struct {
	Names         []string
	Values        []int64
	Real, Virtual time.Duration // Virtual is 0 where the system does not tell it
}

// Rates returns the counts and times since Start.
func (c *Counting) Rates() (Rates, error) {
	values, err := c.Read()
	if err != nil {
		return Rates{}, err
	}
	t := now()
	r := Rates{Names: slices.Clone(c.names), Values: values, Real: time.Duration(t.real - c.since.real)}
	if t.err == nil && c.since.err == nil {
		r.Virtual = time.Duration(t.virtual - c.since.virtual)
	}
	return r, nil
}

// Per returns the quotient of two events: PAPI_TOT_INS per PAPI_TOT_CYC is IPC. It is not known if one was not counted or
// the second is 0.
func (r Rates) Per(event, other string) (float64, bool) {
	i, k := slices.Index(r.Names, event), slices.Index(r.Names, other)
	if i < 0 || k < 0 || r.Values[k] == 0 {
		return 0, false
	}
	return float64(r.Values[i]) / float64(r.Values[k]), true
}

// PerSecond returns an event's rate in virtual time, as PAPI has its rates of floating-point operations; in real time
// where there is no virtual one. It is not known if the event was not counted or no time has passed.
func (r Rates) PerSecond(event string) (float64, bool) {
	t := r.Virtual
	if t == 0 {
		t = r.Real
	}
	i := slices.Index(r.Names, event)
	if i < 0 || t <= 0 {
		return 0, false
	}
	return float64(r.Values[i]) / t.Seconds(), true
}

package counters

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"tracerec/counters/substrate"
)

// registered is the substrate of counters that the program itself keeps.
type registered struct {
	mu   sync.Mutex
	list []userCounter
}

type userCounter struct {
	event Event
	read  func() uint64
}

// userPrefix begins the names of registered counters.
const userPrefix = "user:"

var userCounters registered

// Register makes a counter of the program's own an event named user:NAME, which can be put into sets beside others
// (PAPI's software-defined events). The event needs a name; it counts for the process and may have a unit, a
// description, a width and be a gauge. read returns the present value; it is called from any goroutine. The counter is
// known until unregister is called; sets that hold it go on reading it.
func Register(e Event, read func() uint64) (unregister func(), err error) {
	e.Name, e.Process = userPrefix+e.Name, true
	if e.Unit == "" {
		e.Unit = "events"
	}
	switch {
	case len(e.Name) == len(userPrefix) || strings.ContainsAny(e.Name, ", \t\n") || len(e.Name) > maxName:
		return nil, fmt.Errorf("%w: %q is not the name of a counter: it must have letters, and no commas or spaces", ErrInvalid, e.Name)
	case read == nil:
		return nil, fmt.Errorf("%s: %w: there is no function to read it", e.Name, ErrInvalid)
	}
	r := &userCounters
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.find(e.Name) >= 0 {
		return nil, fmt.Errorf("%s: %w: it is already registered", e.Name, ErrDuplicate)
	}
	r.list = append(r.list, userCounter{e, read})
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if at := r.find(e.Name); at >= 0 {
			r.list = slices.Delete(r.list, at, at+1)
		}
	}), nil
}

func (r *registered) find(name string) int {
	return slices.IndexFunc(r.list, func(c userCounter) bool { return c.event.Name == name })
}

// Name identifies the substrate.
func (*registered) Name() string { return "registered counters" }

// Events lists what is registered now.
func (r *registered) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Event
	for _, c := range r.list {
		out = append(out, c.event)
	}
	return out
}

// Resolve describes a registered counter.
func (r *registered) Resolve(name string) (Event, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.find(name); at >= 0 {
		return r.list[at].event, nil
	}
	return Event{}, notOurs(userPrefix, name)
}

// Open makes counters readable together.
func (r *registered) Open(names []string, o Options) (substrate.Group, error) {
	if err := processOnly(names, o); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g := make(userGroup, len(names))
	for i, n := range names {
		at := r.find(n)
		if at < 0 {
			return nil, fmt.Errorf("%s: %w: it is no longer registered", n, ErrUnknownEvent)
		}
		g[i] = r.list[at].read
	}
	return g, nil
}

type userGroup []func() uint64

// Read stores the values; they belong to no goroutine.
func (g userGroup) Read(dst []uint64) (where uint64, err error) {
	for i, read := range g {
		dst[i] = read()
	}
	return 0, nil
}

// Close has nothing to release.
func (g userGroup) Close() error { return nil }

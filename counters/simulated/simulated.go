// Package simulated is the substrate of programs that run on the simulator. It reads everything that the simulated machine counts, all events at once and
// without estimates, through package guest. A group counts for the goroutine that opens it, so all of its readings are certain. If it is attached to a
// thread, it counts for that thread.
package simulated

import (
	"errors"
	"fmt"
	"strings"

	"tracerec/counters/substrate"
	"tracerec/simulator/guest"
)

// prefix is that of the events' names: sim:PAPI_TOT_INS. Portable names stand for them, too.
const prefix = "sim:"

// Substrate counts in one scope. The zero value is for goroutines.
type Substrate struct{ threads bool }

// Available tells whether the program runs on a simulator that counts.
func Available() bool { return guest.Available() }

// Goroutines returns the substrate whose groups count for the goroutine that opens them, whatever thread it is on: every reading is certain.
func Goroutines() *Substrate { return &goroutines }

// Threads returns the substrate whose groups count for the thread that opens them, as most substrates do: with the runtime's work there, and
// with that of other goroutines.
func Threads() *Substrate { return &threads }

var goroutines, threads = Substrate{}, Substrate{threads: true}

// Name identifies the substrate.
func (s *Substrate) Name() string { return "simulator" }

// Events lists what the simulated machine counts, nothing elsewhere.
func (s *Substrate) Events() []substrate.Event {
	all, err := guest.Events()
	if err != nil {
		return nil
	}
	out := make([]substrate.Event, len(all))
	for i, e := range all {
		out[i] = described(e)
	}
	return out
}

func described(e guest.Event) substrate.Event {
	return substrate.Event{Name: prefix + e.Name, Description: e.Description, Unit: "events"}
}

// wanted is an event and which part of it is counted.
type wanted struct {
	event  guest.Event
	domain substrate.Domain
}

// find looks an event up by its name, which may end with a domain.
func find(name string, d substrate.Domain) (wanted, error) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return wanted{}, substrate.ErrUnknownEvent
	}
	base, suffix, cut := strings.Cut(rest, ":")
	if cut {
		switch suffix {
		case "u":
			d = substrate.User
		case "k":
			d = substrate.Kernel
		case "uk", "ku":
			d = substrate.All
		default:
			return wanted{}, fmt.Errorf("%s: %w: the suffix must be :u, :k or :uk", name, substrate.ErrUnknownEvent)
		}
	}
	all, err := guest.Events()
	if err != nil {
		return wanted{}, fmt.Errorf("%s: %w: %w", name, substrate.ErrUnavailable, err)
	}
	for _, e := range all {
		if e.Name == base {
			return wanted{e, d}, nil
		}
	}
	return wanted{}, fmt.Errorf("%s: %w", name, substrate.ErrUnknownOwn)
}

// Resolve describes an event. Names may end with :u or :k, for what is done in user mode and for what the kernel does, as far as that is modelled.
func (s *Substrate) Resolve(name string) (substrate.Event, error) {
	w, err := find(name, 0)
	if err != nil {
		return substrate.Event{}, err
	}
	e := described(w.event)
	e.Name = name
	return e, nil
}

// Preset returns the event of that portable name, if the machine counts it.
func (s *Substrate) Preset(name string) (formula string, events []string, ok bool) {
	_, err := find(prefix+name, 0)
	return "", []string{prefix + name}, err == nil
}

// Goroutine returns the number of the calling goroutine if groups count for it.
func (s *Substrate) Goroutine() (uint64, error) {
	if s.threads {
		return 0, nil
	}
	n, err := guest.Identity(guest.Goroutine)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", substrate.ErrUnavailable, err)
	}
	return n, nil
}

// Open makes the events readable together, whatever their number. Without a domain, what is counted is both, as far as it is modelled.
func (s *Substrate) Open(names []string, o substrate.Options) (substrate.Group, error) {
	switch {
	case o.CPU != 0:
		return nil, fmt.Errorf("%w: the simulator counts for goroutines and threads, not for processors", substrate.ErrUnsupported)
	case o.Inherit || o.OnExec:
		return nil, fmt.Errorf("%w: each program on the simulator has its own counters", substrate.ErrUnsupported)
	}
	g := &group{}
	list := make([]string, len(names))
	for i, name := range names {
		w, err := find(name, o.Domain)
		if err != nil {
			return nil, err
		}
		if w.domain == substrate.Kernel && !w.event.Kernel {
			return nil, fmt.Errorf("%s: %w: only cycles of the kernel are modelled", name, substrate.ErrUnavailable)
		}
		list[i], g.wanted = w.event.Name, append(g.wanted, w)
	}
	scope := guest.Goroutine
	if s.threads || o.Thread != 0 {
		scope = guest.Thread
	}
	c, err := guest.InitOf(scope, uint64(o.Thread))
	if err == nil {
		err = c.Select(list...)
	}
	if err == nil && scope == guest.Goroutine {
		g.caller, err = s.Goroutine()
	}
	switch {
	case errors.Is(err, guest.ErrGone):
		return nil, fmt.Errorf("thread %d: %w", o.Thread, substrate.ErrGone)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", substrate.ErrUnavailable, err)
	}
	g.of, g.user, g.kernel = c, make([]uint64, len(names)), make([]uint64, len(names))
	return g, nil
}

// group is events opened together.
type group struct {
	of           *guest.Counters
	wanted       []wanted
	user, kernel []uint64
	caller       uint64 // the goroutine that they count for, 0 for a thread
}

// Read stores the values. If they are those of the goroutine that reads, all of them are its own.
func (g *group) Read(dst []uint64) (where uint64, err error) {
	caller, err := g.of.Now(g.user, g.kernel)
	if err != nil {
		return 0, fmt.Errorf("cannot read the counters: %w", err)
	}
	if caller == g.caller {
		where = caller
	}
	for i, w := range g.wanted {
		dst[i] = 0
		if w.domain != substrate.Kernel {
			dst[i] = g.user[i]
		}
		if w.domain != substrate.User && w.event.Kernel {
			dst[i] += g.kernel[i]
		}
	}
	return where, nil
}

// Close ends the use of the counters.
func (g *group) Close() error {
	if err := g.of.Close(); err != nil {
		return fmt.Errorf("cannot close the counters: %w", err)
	}
	return nil
}

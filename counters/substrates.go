package counters

import (
	"errors"
	"fmt"
	"sync"

	"tracerec/counters/sample"
	"tracerec/counters/substrate"
	"tracerec/internal/goid"
)

// Substrates lists the sources of counters in the order in which names are looked up.
func Substrates() []Substrate { return append([]Substrate(nil), substrates()...) }

var substrates = sync.OnceValue(func() []Substrate {
	return []Substrate{software{}, goRuntime{}, &userCounters}
})

// software counts the kernel's software events on the calling thread.
type software struct{}

// Name identifies the substrate.
func (software) Name() string { return "perf software events" }

// Events lists the kernel's software events.
func (software) Events() (out []Event) {
	for _, e := range sample.Events() {
		if !e.Process {
			out = append(out, Event{Name: e.Name, Description: e.Description, Unit: e.Unit})
		}
	}
	return out
}

// Resolve describes an event.
func (s software) Resolve(name string) (Event, error) {
	for _, e := range s.Events() {
		if e.Name == name {
			return e, nil
		}
	}
	return Event{}, ErrUnknownEvent
}

// Open makes events readable together, on whatever thread reads.
func (software) Open(names []string, o Options) (substrate.Group, error) {
	if o != (Options{}) {
		return nil, fmt.Errorf("%s: %w: options of software events", names[0], ErrUnsupported)
	}
	set, err := sample.Open(names, goid.G)
	if err != nil {
		return nil, err
	}
	return &sampleGroup{set: set, words: make([]uint64, 1+len(names))}, nil
}

type sampleGroup struct {
	set   *sample.Set
	words []uint64
}

// Read stores the values.
func (g *sampleGroup) Read(dst []uint64) (where uint64, err error) {
	if n := g.set.Read(goid.G(), g.words); n != len(g.words) {
		return 0, errors.New("the kernel refused the reading")
	}
	copy(dst, g.words[1:])
	return g.words[0], nil
}

// Close releases the events.
func (g *sampleGroup) Close() error {
	g.set.Close()
	return nil
}

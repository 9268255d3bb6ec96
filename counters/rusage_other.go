//go:build !linux

package counters

import (
	"fmt"

	"tracerec/counters/substrate"
)

// rusage has no events here.
type rusage struct{}

// Name identifies the substrate.
func (rusage) Name() string { return "resource usage" }

// Events lists nothing.
func (rusage) Events() []Event { return nil }

// Resolve knows nothing.
func (rusage) Resolve(name string) (Event, error) { return Event{}, ErrUnknownEvent }

// Open opens nothing.
func (rusage) Open(names []string, o Options) (substrate.Group, error) {
	return nil, fmt.Errorf("%s: %w", names[0], ErrUnavailable)
}

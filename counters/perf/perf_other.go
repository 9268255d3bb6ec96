//go:build !linux

package perf

import (
	"fmt"

	"tracerec/counters/substrate"
)

const supported = false

type opener struct{}

func newSubstrate() *Substrate { return &Substrate{} }

// Open fails: there are no perf events here.
func (s *Substrate) Open(names []string, o substrate.Options) (substrate.Group, error) {
	return nil, fmt.Errorf("perf_event: %w: %w", substrate.ErrUnsupported, errOpen)
}

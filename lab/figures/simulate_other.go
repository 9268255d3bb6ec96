//go:build !linux

package main

import (
	"fmt"
	"time"

	"tracerec/counters/substrate"
)

func simulateAll(config, func(ask, time.Duration)) (*simulation, error) {
	return nil, fmt.Errorf("simulator: %w: it runs on Linux", substrate.ErrUnsupported)
}

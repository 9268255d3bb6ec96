//go:build !linux

package counters

import "fmt"

// thread returns 0: no substrate tells threads apart here.
func thread() int { return 0 }

// threadTime is not known here.
func threadTime() (int64, error) {
	return 0, fmt.Errorf("thread's processor time: %w", ErrUnavailable)
}

//go:build !linux

package clock

import "time"

// Pause waits for a moment.
func Pause(d time.Duration) { time.Sleep(d) }

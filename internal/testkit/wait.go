package testkit

import (
	"testing"
	"time"
)

// Until waits until ready returns true. There is no limit but that of all tests, because on a machine that does something else
// nothing takes any time for certain; just before it the test fails and says what it waited for.
func Until(t testing.TB, what string, ready func() bool) {
	t.Helper()
	var end time.Time
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if limit, ok := limited.Deadline(); ok {
			end = limit.Add(-time.Until(limit) / 20)
		}
	}
	for pause := 50 * time.Microsecond; !ready(); pause = min(2*pause, 5*time.Millisecond) {
		if !end.IsZero() && time.Now().After(end) {
			t.Fatalf("waited for %s until the tests' time was up", what)
		}
		time.Sleep(pause)
	}
}

// Receive returns what comes through a channel, and fails like [Until].
func Receive[T any](t testing.TB, what string, from <-chan T) (v T) {
	t.Helper()
	Until(t, what, func() bool {
		select {
		case v = <-from:
			return true
		default:
			return false
		}
	})
	return v
}

package instrument_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"tracerec/internal/testkit"
)

// created is what stacks of goroutines say that [instrument.Go] started.
const created = "created by tracerec/instrument."

// others tells whether the stack of any goroutine but the calling one is as wanted.
func others(wanted func(stack string) bool) bool {
	for size := 1 << 16; ; size *= 2 {
		text := make([]byte, size)
		n := runtime.Stack(text, true)
		if n == size {
			continue
		}
		for _, stack := range strings.Split(string(text[:n]), "\n\n")[1:] {
			if wanted(stack) {
				return true
			}
		}
		return false
	}
}

// waits returns when another goroutine of the test waits in a state of which the runtime's stack traces tell.
func waits(t testing.TB, state string) {
	test, _, _ := strings.Cut(t.Name(), "/")
	testkit.Until(t, "a goroutine in "+state, func() bool {
		return others(func(stack string) bool {
			head, calls, _ := strings.Cut(stack, "\n")
			return strings.Contains(head, "["+state) && (strings.Contains(calls, "instrument_test."+test) || strings.Contains(calls, created))
		})
	})
}

// ended returns when all goroutines that [instrument.Go] started have ended, but those that never will.
func ended() {
	for others(func(stack string) bool {
		return strings.Contains(stack, created) && !strings.Contains(stack, "(nil chan")
	}) {
		time.Sleep(time.Millisecond)
	}
}

package testkit

import (
	"os"
	"runtime/debug"
	"testing"
)

// Roomy runs tests of which each leaves all its memory, with a heap that may grow more: collecting every few megabytes takes as long as
// what they test. A package's TestMain calls it.
func Roomy(m *testing.M) {
	os.Setenv("GOGC", "400") // for a command that obeys it
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

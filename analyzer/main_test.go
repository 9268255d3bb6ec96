package analyzer_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow more: thousands of small traces are analyzed, each leaves all its memory, and collecting after every few
// takes as long as analyzing them.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

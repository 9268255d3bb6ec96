package main

import (
	"flag"
	"testing"

	"tracerec/internal/manpage"
	"tracerec/internal/testkit"
)

var update = flag.Bool("update", false, "write the manual pages instead of comparing with them")

// The manual pages are what the commands say of themselves, and there are no others.
func TestManualIsCurrent(t *testing.T) {
	testkit.Generated(t, "../../docs/man", "tracerec*.1", manpage.All(newRoot()), *update)
}

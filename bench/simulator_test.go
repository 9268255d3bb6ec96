//go:build linux

package main

import (
	"runtime"
	"strings"
	"testing"
)

// What the simulator is compared by does the same on it as without it.
func TestWorkloads(t *testing.T) {
	for _, w := range works {
		b := &bench{dir: t.TempDir()}
		if err := b.buildWorkload(); err != nil {
			t.Fatal(err)
		}
		want, err := execute(b.path("workload."+runtime.GOARCH), w.kind, "1")
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if _, err := instructionsOf([]string{b.path("workload.riscv64"), w.kind, "1"}, "", false, &got); err != nil || got.String() != want.output {
			t.Errorf("%q, want %q, error %v", got.String(), want.output, err)
		}
	}
}

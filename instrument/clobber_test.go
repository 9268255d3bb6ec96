//go:build linux && (amd64 || arm64)

package instrument_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/internal/testkit/clobber"
)

// Assembly of the program may leave anything in the register of frame pointers: places are found all the same, and nothing is read where
// there is nothing.
func TestLostFramePointers(t *testing.T) {
	var local [4]uintptr
	here := uintptr(unsafe.Pointer(&local))
	for name, instead := range map[string]uintptr{
		"none": 0, "small": 9, "odd": here + 3, "below": here - 1<<10, "above": here + 1<<30, "largest": ^uintptr(0), "no address": 0xdead_beef_dead_beef,
	} {
		t.Run(name, func(t *testing.T) {
			var regionAt, handleAt string
			r := record(t, shm.Config{}, func() {
				clobber.Call(func() {
					regionAt = line(1)
					instrument.Region("region").End()
					handleAt = line(1)
					handle.Enter().End()
				}, instead)
			})
			events := r.only()
			require.Equal(t, []string{"enter region", "exit", "enter handle", "exit"}, texts(events))
			require.Equal(t, regionAt, events[0].at)
			require.Equal(t, handleAt, events[2].at)
		})
	}
	require.Zero(t, local)
}

//go:build linux && (amd64 || arm64)

package instrument_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
)

// roles are what this test program does as a child of itself.
var roles = map[string]func(){}

// modes are the ways to find goroutines.
var modes = map[string]shm.Config{"descriptors": {}, "portable": {Portable: true}}

func forModes(t *testing.T, f func(t *testing.T, c shm.Config)) {
	for name, c := range modes {
		t.Run(name, func(t *testing.T) { f(t, c) })
	}
}

var handle, handleAt = instrument.NewRegion("handle"), line(0)

func TestRegionsNest(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		var outerAt, innerAt string
		r := record(t, c, func() {
			outerAt = line(1)
			defer instrument.Region("outer").End()
			for range 2 {
				innerAt = line(1)
				s := instrument.Region("inner")
				handle.Enter().End()
				s.End()
			}
		})
		events := r.only()
		require.Equal(t, []string{"enter outer", "enter inner", "enter handle", "exit", "exit",
			"enter inner", "enter handle", "exit", "exit", "exit"}, texts(events))
		require.Equal(t, outerAt, events[0].at)
		require.Equal(t, innerAt, events[1].at)
		require.Equal(t, handleAt, events[2].at)
		require.Empty(t, r.warnings)
	})
}

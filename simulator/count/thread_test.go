//go:build linux

package count

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
	"tracerec/simulator/pmu"
)

// The events for a PMU are all events, each with its own code, the same on all machines; and what one instruction adds is known.
func TestPMUEvents(t *testing.T) {
	codes := map[string]uint64{}
	for _, name := range []string{"", "bgl", "server"} {
		var m *cache.Machine
		if name != "" {
			var err error
			m, err = cache.Named(name)
			require.NoError(t, err)
		}
		c, err := New(m, Options{Classify: true})
		require.NoError(t, err)
		events := c.PMUEvents()
		require.Len(t, events, len(c.Events()))
		seen := map[uint64]bool{}
		for i, e := range events {
			require.NotZero(t, e.Code)
			require.False(t, seen[e.Code])
			seen[e.Code] = true
			require.Equal(t, c.Events()[i].Name, e.Name)
			if known, ok := codes[e.Name]; ok {
				require.Equal(t, known, e.Code, e.Name)
			}
			codes[e.Name] = e.Code
			require.NotZero(t, c.Most(e.Code), e.Name)
		}
		for event, most := range map[string]uint64{"PAPI_TOT_INS": 1, "PAPI_FP_OPS": 2, "PAPI_FMA_INS": 1, "PAPI_BR_INS": 1, "PAPI_LST_INS": 2, "SIM_SYSCALL": 1} {
			require.Equal(t, most, c.Most(codes[event]), event)
		}
	}
	for _, name := range pmu.Names() { // limits are of events that there are
		u, err := pmu.Named(name)
		require.NoError(t, err)
		for _, l := range u.Limits {
			for _, pattern := range l.Events {
				found := false
				for event := range codes {
					found = found || (&pmu.PMU{Counters: 2, Limits: []pmu.Limit{{Events: []string{pattern}, Counters: []int{0}}}}).Mask(event) == 1
				}
				require.True(t, found, "%s: %s", name, pattern)
			}
		}
		for _, f := range u.Fixed {
			require.Contains(t, codes, f)
		}
	}
}

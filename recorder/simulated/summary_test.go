//go:build linux

package simulated

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
)

func TestSummary(t *testing.T) {
	r := &Result{Instructions: 3_000_000, Time: 2 * time.Millisecond}
	require.Equal(t, []string{"3,000,000 instructions in 2.00 ms of virtual time, uncounted with 1 processor; simulated in 3.00 s at 1 million instructions per second"},
		r.Summary("uncounted", 1, 3*time.Second))
	require.Empty(t, r.InVain("app"))
	r.Break, r.Unsupported = "main.main", []linux.Unsupported{{What: "vmsplice", Error: "ENOSYS", Times: 2, PC: 0x10}}
	r.Archive = &Archive{Dir: "a b", Records: 7, Functions: 1, Locations: 2, Processes: 1, Bytes: 1000, Aside: "a b.old", Idle: []string{"nobody.*"},
		Frequent: []Frequent{{"f", 1, 10}, {"g", 1, 5}, {"h", 1, 4}, {"i", 1, 2}, {"j", 1, 1}}}
	require.Equal(t, []string{
		"ended at main.main",
		"a b: 7 events of 1 function in 2 locations of 1 process, 0.98 KiB, with 0 counters; see expert analyze 'a b'",
		"the older a b is now a b.old",
		"22 calls of short functions are counted in their callers: f, g, h, 2 more",
		"--filter nobody.* matches no function",
	}, r.Summary("machine server", 2, time.Second)[1:])
	require.Equal(t, []string{"app: vmsplice is not supported; it failed with ENOSYS 2 times, first at 0x10"}, r.InVain("app"))
}

func TestListing(t *testing.T) {
	m, err := cache.Named("server")
	require.NoError(t, err)
	with, err := List("server", m)
	require.NoError(t, err)
	without, err := List(NoMachine, nil)
	require.NoError(t, err)
	require.Greater(t, len(with.Events), len(without.Events))
	require.Contains(t, with.Text(), "parameters of server")
	require.NotContains(t, without.Text(), "parameters of")
	text, err := json.Marshal(with)
	require.NoError(t, err)
	require.Contains(t, string(text), `"machines":[{"name":`)
	require.Contains(t, string(text), `{"name":"PAPI_TOT_INS","description":"`)
}

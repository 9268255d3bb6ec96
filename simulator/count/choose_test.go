//go:build linux

package count

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
)

func TestChoosable(t *testing.T) {
	m, err := cache.Named("server")
	require.NoError(t, err)
	for _, c := range []struct {
		machine *cache.Machine
		names   []string
		apart   bool
		err     string
	}{
		{m, nil, false, ""},
		{m, []string{"PAPI_L1_DCM", "PAPI_TOT_INS:u"}, false, ""},
		{m, []string{"PAPI_TOT_INS", "SIM_L1D_COLD"}, true, ""},
		{m, []string{"PAPI_TOT_CYC:k"}, false, ""},
		{m, []string{"NOTHING"}, false, "NOTHING: no such event"},
		{nil, []string{"PAPI_L1_DCM"}, false, "PAPI_L1_DCM: no such event"},
		{m, []string{"PAPI_TOT_INS:x"}, false, "PAPI_TOT_INS:x: the suffix must be :u or :k"},
		{m, []string{"PAPI_TOT_INS:k"}, false, "PAPI_TOT_INS:k: only cycles of the kernel are modelled: use SIM_KERNEL_CYC"},
	} {
		apart, err := Choosable(c.machine, c.names)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.apart, apart, c.names)
	}
}

// TestKernelPart: an event has a part that is the kernel's exactly if cycles of the kernel make it grow.
func TestKernelPart(t *testing.T) {
	for _, name := range cache.Machines() {
		m, err := cache.Named(name)
		require.NoError(t, err)
		c, err := New(m, Options{Classify: true})
		require.NoError(t, err)
		for _, e := range c.Events() {
			require.Equal(t, c.Evaluate(&e, &Values{KernelCycles: 1e6}) > 0, c.Kernel(&e), "%s on %s", e.Name, name)
		}
	}
}

func TestWildcard(t *testing.T) {
	require.True(t, wildcard("sync.*.Go.func1", "sync.(*WaitGroup).Go.func1"))
	require.True(t, wildcard("example.com/*.main", "example.com/a/b.main"))
	require.False(t, wildcard("*", ""), "nobody")
	require.False(t, wildcard("main.a", "main.b"))
}

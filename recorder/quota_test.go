//go:build linux

package recorder

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuotas: of the groups around a process, the quota that held it up in most periods is told; none if none did, or there is no limit.
func TestQuotas(t *testing.T) {
	root := t.TempDir()
	write := func(group string, files map[string]string) {
		require.NoError(t, os.MkdirAll(filepath.Join(root, group), 0o777))
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(root, group, name), []byte(text), 0o666))
		}
	}
	write("pod/app", map[string]string{"cpu.max": "150000 100000\n", "cpu.stat": "usage_usec 7\nnr_periods 20\nnr_throttled 3\n"})
	write("pod", map[string]string{"cpu.max": "max 100000\n", "cpu.stat": "nr_throttled 9\n"})
	write("cpu/job", map[string]string{"cpu.cfs_quota_us": "20000\n", "cpu.cfs_period_us": "100000\n", "cpu.stat": "nr_periods 2\nnr_throttled 1\nthrottled_time 5\n"})
	write("cpu", map[string]string{"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n", "cpu.stat": "nr_throttled 0\n"})

	two := quotasIn(root, "0::/pod/app\n")
	require.Equal(t, []quota{{filepath.Join(root, "pod/app"), 1.5, 3}}, two)
	one := quotasIn(root, "4:memory:/else\n3:cpu,cpuacct:/job\n1:cpuset:/pod/app\n")
	require.Equal(t, []quota{{filepath.Join(root, "cpu/job"), 0.2, 1}}, one)
	require.Empty(t, quotasIn(root, "0::/pod\n"))
	require.Empty(t, quotasIn(root, "nonsense\n0::/../../..\n"))

	counts := map[string]uint64{}
	heldUpByQuotas(counts, slices.Concat(two, one), 2)
	require.Empty(t, counts, "nothing has happened since")
	write("pod/app", map[string]string{"cpu.stat": "nr_throttled 8\n"})
	write("cpu/job", map[string]string{"cpu.stat": "nr_throttled 2\n"})
	heldUpByQuotas(counts, slices.Concat(two, one), 2)
	require.Equal(t, map[string]uint64{"periods in which the quota of a control group around it, 1.5 processors, was used up by all in the group; the program can use 2 at once": 5}, counts)
	clear(counts)
	heldUpByQuotas(counts, two, 1)
	require.Equal(t, []string{"periods in which the quota of a control group around it, 1.5 processors, was used up by all in the group"}, slices.Collect(maps.Keys(counts)))
}

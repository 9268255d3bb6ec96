package explain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// Verdicts on reports of Scalasca and Score-P, and findings that are worth reading.
func TestSharedReports(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the reports of other tools are not beside the project: ", err)
	}
	for file, verdict := range map[string]string{
		"cube/epcc/scorep_bt-mz_C_8x6_sum.hwc/profile.cubex":         "This report does not tell waiting from work; most time was spent in !$omp do @z_solve.f:52 itself: 23.9\u00a0% of all time.",
		"cube/epcc/scorep_tea_leaf_baseline_8x12_trace/scout.cubex":  "There is little to gain from less waiting: all wait states together have 1.3\u00a0% of the time.",
		"cube/epcc/scorep_tea_leaf_optimized_8x12_trace/scout.cubex": "There is little to gain from less waiting: all wait states together have 0.6\u00a0% of the time.",
		"oracle/npb-btmzS_4x2/scout.cubex":                           "Of all wait states, Late Sender in MPI_Waitall costs most: 3.7\u00a0% of all time.",
		"oracle/dorsal-bsend/scout.cubex":                            "There is little to gain from less waiting: all wait states together have 0.0\u00a0% of the time.",
	} {
		c, err := cube.Open(filepath.Join(root, filepath.FromSlash(file)))
		require.NoError(t, err)
		m, problems, err := query.Display(c)
		require.NoError(t, err)
		require.Empty(t, problems)
		x := Of(m, nil)
		require.Equal(t, verdict, x.Verdict.Text, file)
		for i, f := range x.Findings {
			require.True(t, i == 0 || f.Share > little || f.Share == x.Findings[0].Share, "%s: finding %d has %g", file, i+1, f.Share)
		}
		text(t, x)
		document(t, x)
		require.NoError(t, c.Close())
	}
}

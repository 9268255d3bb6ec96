package examples_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// simulated records an example on the simulator, unmodified, and returns its output, the archive and the properties that its counters have.
func simulated(t *testing.T, pkg string, args ...string) (output, dir string, found []counted) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "trace.dir")
	output = string(execute(t, "tracerec", append([]string{"sim", "--machine", "server", "-q", "-o", dir, pkg}, args...)...))
	var report struct {
		Properties []counted `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(execute(t, "expert", "analyze", "--format", "json", dir), &report))
	return output, dir, report.Properties
}

// counted is a property above counters.
type counted struct {
	Property string `json:"property"`
	place
	Part  int64 `json:"part"`
	Of    int64 `json:"of"`
	Kinds []struct {
		Words string `json:"words"`
		Part  int64  `json:"part"`
	} `json:"kinds"`
}

// The loop that misses the cache, and the one whose branches are chance, are found in programs that nobody has instrumented, and are gone
// when they are mended.
func TestPropertiesOnTheSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates programs before and after they are mended")
	}
	if runtime.GOOS != "linux" || testkit.Race {
		t.Skip("the simulator runs on Linux, and with the race detector too slowly")
	}
	for _, c := range []struct {
		pkg, mend, property, function, kind string
		least, most                         int64 // of Part
	}{
		// 128³ elements of a column each: a row is 16 lines of 64 bytes, so the 128 lines of a column share 4 of the 64 sets of 8 lines.
		{"./matrix", "-transposed", "poor_cache_utilisation", "main.product", "by conflicts in a set", 128 * 128 * 128, 128*128*128 + 128*128*4},
		// Half of 50 · 20 000 branches are wrong.
		{"./filter", "-mask", "branch_bound", "main.large", "", 480_000, 520_000},
	} {
		before, slow, found := simulated(t, c.pkg)
		require.NotEmpty(t, found)
		p := found[0]
		require.Equal(t, c.property, p.Property)
		require.Equal(t, c.function, p.CallPath[len(p.CallPath)-1])
		require.Equal(t, "main.go", filepath.Base(p.File))
		require.Positive(t, p.Line)
		require.GreaterOrEqual(t, p.Part, c.least)
		require.LessOrEqual(t, p.Part, c.most)
		if c.kind != "" {
			require.Equal(t, c.kind, p.Kinds[0].Words)
			require.Greater(t, p.Kinds[0].Part, p.Part*8/10)
		}

		after, fast, left := simulated(t, c.pkg, c.mend)
		require.Equal(t, before, after, "the result is the same")
		for _, p := range left {
			require.False(t, p.Property == c.property && p.CallPath[len(p.CallPath)-1] == c.function, "%+v", p)
		}
		diff := string(execute(t, "expert", "diff", slow, fast))
		require.Regexp(t, `is \d\.\d\d times as fast`, diff, "stalls take time")
		require.Contains(t, diff, "Execution in main.main/"+c.function)
		t.Log("\n" + diff)
	}
}

// libHPM's report of IS has as many loads and stores as its ten iterations ask for: 10·(3·2^16 + 2·2^11) and 10·(2·2^16 + 2·2^11).
func TestHPMOnTheSimulator(t *testing.T) {
	if runtime.GOOS != "linux" || testkit.Race {
		t.Skip("the simulator runs on Linux, and with the race detector too slowly")
	}
	dir := filepath.Join(t.TempDir(), "trace.dir")
	output := execute(t, "tracerec", "sim", "--machine", "bgl", "-c", "hpm", "--env", "GODEBUG=asyncpreemptoff=1", "-q", "-o", dir, "./nas/is")
	require.Contains(t, string(output), "verified")
	report := string(execute(t, "expert", "stat", "--hpm", "--region", "^timed$", dir))
	value := func(name string) (user int64) {
		m := regexp.MustCompile(regexp.QuoteMeta(name) + ` +: +(\d+) +(\S+)\n`).FindStringSubmatch(report)
		require.NotNil(t, m, "%s in\n%s", name, report)
		user, err := strconv.ParseInt(m[1], 10, 64)
		require.NoError(t, err)
		return user
	}
	require.InEpsilon(t, 2_007_040, value("BGL_LOAD (Loads completed)"), 0.001)
	require.InEpsilon(t, 1_351_680, value("BGL_STORE (Stores completed)"), 0.001)
	accesses := value("BGL_LOAD (Loads completed)") + value("BGL_STORE (Stores completed)") + value("BGL_FP_LOAD (Floating point loads)") + value("BGL_FP_STORE (Floating point stores)")
	require.Equal(t, accesses, value("BGL_D1_HIT (L1 data hits (l/s))")+value("BGL_D1_L_MISS (L1 data load misses)")+value("BGL_D1_S_MISS (L1 data store misses)"))
	require.Regexp(t, `PAPI_TOT_CYC +: +\d+ +0\n`, report, "the kernel's cycles are modelled, and nothing calls it")
}

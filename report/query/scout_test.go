package query

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/cube"
)

// shared holds reports of other tools.
const shared = "../../../shared/data"

// open opens a shared report, or skips the test.
func open(t testing.TB, file string) *cube.Cube {
	t.Helper()
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no reports of other tools here: ", err)
	}
	c, err := cube.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// scouts opens all reports of trace analyses by Scalasca, with -short the small ones.
func scouts(t testing.TB, each func(t testing.TB, file string, c *cube.Cube)) {
	for _, file := range testkit.Reports(t, "oracle", "cube/epcc") {
		if filepath.Base(file) == "scout.cubex" {
			each(t, file, open(t, file))
		}
	}
}

// display makes a model in the display hierarchy.
func display(t testing.TB, c *cube.Cube) *Model {
	spec, ok := Embedded(c)
	require.True(t, ok)
	shown, err := Remap(c, spec)
	require.NoError(t, err)
	m, err := New(shown)
	require.NoError(t, err)
	return m
}

// rowSum adds up the rows of a stored metric by a property of the call path's region, with the exclusive values.
func rowSum(t testing.TB, m *cube.Metric, paths []*cube.CallPath, key func(*cube.Region) string) map[string]float64 {
	sums := map[string]float64{}
	for _, p := range paths {
		values, err := m.Values(p, false)
		require.NoError(t, err)
		for _, v := range values {
			sums[key(p.Region)] += v.Float64()
		}
	}
	return sums
}

// Scalasca's display hierarchy on its own reports: all metrics can be evaluated, the parts of time make up the whole, and
// what is derived by expressions is what adding up rows by hand says.
func TestDisplayHierarchyOfReports(t *testing.T) {
	reports := 0
	scouts(t, func(t testing.TB, file string, c *cube.Cube) {
		reports++
		m := display(t, c)
		total := map[string]float64{}
		for _, q := range m.Metrics {
			require.NoError(t, q.Err, file)
			v, err := m.Total(What{Metric: q})
			require.NoError(t, err, "%s in %s", q.Name, file)
			total[q.Name] = v.Float64()
		}
		require.Positive(t, total["time"], file)
		byParadigm := rowSum(t, c.Metric("time"), c.Paths(), func(r *cube.Region) string { return r.Paradigm })
		byRole := rowSum(t, c.Metric("time"), c.Paths(), func(r *cube.Region) string {
			if slices.Contains([]string{"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Test", "MPI_Testall"}, r.Name) {
				return "mpi point2point"
			}
			return r.Paradigm + " " + r.Role
		})
		same := func(want, got float64) {
			require.InDelta(t, want, got, 1e-9*total["time"], file)
		}
		same(total["time"], total["execution"]+total["overhead"]+total["omp_idle_threads"])
		same(total["execution"], total["comp"]+total["mpi"]+total["omp_time"])
		same(byParadigm["mpi"], total["mpi"])
		same(byRole["mpi point2point"], total["mpi_point2point"])
		same(byRole["mpi barrier"], total["mpi_sync_collective"])
		same(byRole["openmp implicit barrier"], total["omp_ibarrier"])
		require.Equal(t, byParadigm["mpi"] == 0, m.Metric("mpi").Index < 0, file)
		for _, old := range c.AllMetrics() {
			want, err := old.Total()
			require.NoError(t, err)
			got, err := m.Total(What{Metric: m.Metric(old.Name)})
			require.NoError(t, err)
			require.InDelta(t, want.Float64(), got.Float64(), 1e-9*max(1e-300, want.Float64()), "%s in %s", old.Name, file)
			if want.Integer() {
				require.Equal(t, want.Int64(), got.Int64(), "%s in %s", old.Name, file)
			}
		}
	})
	if testing.Short() {
		require.Positive(t, reports)
	} else {
		require.Equal(t, 16, reports)
	}
}

// The display hierarchy, evaluated by brute force.
func TestDisplayHierarchyAgainstNaive(t *testing.T) {
	m := display(t, open(t, shared+"/oracle/dorsal-ssend-irecv/scout.cubex"))
	check(t, m, m.Metrics[:12], []*Resource{nil})
	m = display(t, open(t, shared+"/oracle/omp-tiny_trace_function_runtime_fraction/scout.cubex"))
	check(t, m, []*Metric{m.Metric("execution"), m.Metric("comp"), m.Metric("critical_path_imbalance"), m.Metric("omp_time")}, m.Resources)
}

// Every report of other tools that can be read can be asked, and totals are those of its rows.
func TestAllReports(t *testing.T) {
	files := 0
	for _, file := range testkit.Reports(t, "") {
		c, err := cube.Open(file)
		if err != nil {
			continue // package cube knows which
		}
		files++
		m, problems, err := Display(c)
		require.Empty(t, problems, file)
		require.NoError(t, err, file)
		for _, q := range m.Metrics {
			for _, self := range []bool{false, true} {
				total, err := m.Total(What{Metric: q, Self: self})
				if q.DType.Numeric() {
					require.NoError(t, err, "%s: %s", file, q.Name)
				}
				inclusive, _, err := m.ByPath(What{Metric: q, Self: self}, nil)
				bySystem, other := m.ByResource(What{Metric: q, Self: self}, nil, true)
				require.Equal(t, err, other)
				if err != nil || !q.Additive {
					continue
				}
				roots, top := 0.0, 0.0
				for _, i := range m.paths.roots() {
					roots += inclusive[i].Float64()
				}
				for i, r := range m.Resources {
					if r.Parent == nil {
						top += bySystem[i].Float64()
					}
				}
				whole, err := m.Total(What{Metric: q})
				require.NoError(t, err)
				require.InDelta(t, total.Float64(), roots, 1e-9*math.Abs(whole.Float64()), "%s: %s", file, q.Name)
				require.InDelta(t, total.Float64(), top, 1e-9*math.Abs(whole.Float64()), "%s: %s", file, q.Name)
			}
			if !q.Kind.Derived() && q.DType.Numeric() {
				want, err := q.Metric.Total()
				require.NoError(t, err)
				got, err := m.Total(What{Metric: q})
				require.NoError(t, err)
				require.InDelta(t, want.Float64(), got.Float64(), 1e-12*math.Abs(want.Float64()), "%s: %s", file, q.Name)
			}
		}
		m.Findings(5)
		require.Len(t, m.Efficiency(), 5)
		c.Close()
	}
	require.Greater(t, files, map[bool]int{false: 70, true: 30}[testing.Short()])
}

// Values by location are those that pycubexr expects, digit for digit.
func TestExpectedValues(t *testing.T) {
	for _, dir := range []string{"blast.p64.r1/profile.cubex", "call_tree_test/call_tree_test.cubex", "time.p4.n2000.x1.r0/profile.cubex"} {
		file := filepath.Join(shared, "cube/pycubexr", dir)
		c := open(t, file)
		m, err := New(c)
		require.NoError(t, err)
		for name, inclusive := range map[string]bool{"incl.csv": true, "excl.csv": false} {
			f, err := os.Open(filepath.Join(filepath.Dir(file), name))
			require.NoError(t, err)
			defer f.Close()
			r := csv.NewReader(f)
			r.TrimLeadingSpace = true
			lines, err := r.ReadAll()
			require.NoError(t, err)
			for column, metric := range lines[0][2:] {
				q := m.Metric(metric)
				for _, line := range lines[1:] {
					id, err := strconv.Atoi(line[0])
					require.NoError(t, err)
					location, err := strconv.Atoi(line[1])
					require.NoError(t, err)
					values, err := m.ByResource(What{Metric: q}, c.Paths()[slices.IndexFunc(c.Paths(), func(p *cube.CallPath) bool { return p.ID == id })], inclusive)
					require.NoError(t, err)
					leaf := m.leaves[slices.IndexFunc(c.Locations(), func(l *cube.Location) bool { return l.ID == location })]
					v, digits := values[leaf.Index], 6
					if extreme(q.DType) {
						digits = 12
					}
					got := v.String()
					if q.DType == "DOUBLE" || extreme(q.DType) {
						got = strconv.FormatFloat(v.Float64(), 'g', digits, 64)
					}
					require.Equal(t, strings.Replace(line[2+column], "e-00", "e-0", 1), got, "%s: %s", file, metric)
				}
			}
		}
	}
}

// The hierarchy for reports that lack one gives the same values as that which newer ones bring along.
func TestBuiltInHierarchy(t *testing.T) {
	newer, ok := Embedded(open(t, shared+"/oracle/partdiff1/scout.cubex"))
	require.True(t, ok)
	scouts(t, func(t testing.TB, file string, c *cube.Cube) {
		model := func(spec string) *Model {
			shown, err := Remap(c, spec)
			require.NoError(t, err)
			m, err := New(shown)
			require.NoError(t, err)
			return m
		}
		ours, theirs := model(scoutSpec), model(newer)
		for _, q := range ours.Metrics {
			other := theirs.Metric(q.Name)
			require.NotNil(t, other, q.Name)
			require.GreaterOrEqual(t, other.Index, 0, "%s is hidden in %s", q.Name, file)
			if q.Parent != nil {
				require.Equal(t, other.Parent.Name, q.Parent.Name)
			}
			for _, self := range []bool{false, true} {
				want, _, err := theirs.ByPath(What{Metric: other, Self: self}, nil)
				require.NoError(t, err)
				got, _, err := ours.ByPath(What{Metric: q, Self: self}, nil)
				require.NoError(t, err)
				for i, p := range c.Paths() {
					if want[i] != got[i] {
						require.InDelta(t, want[i].Float64(), got[i].Float64(), 1e-9*(1+math.Abs(want[i].Float64())), "%s at %s in %s", q.Name, p.Region.Name, file)
					}
				}
			}
		}
	})
}

// A remapped report that is written and read again is the same, and needs no specification.
func TestRemappedFile(t *testing.T) {
	scouts(t, func(t testing.TB, file string, c *cube.Cube) {
		m := display(t, c)
		path := filepath.Join(t.TempDir(), "remapped.cubex")
		require.NoError(t, m.Cube.Save(path))
		again := open(t, path)
		_, ok := Embedded(again)
		require.False(t, ok)
		n, err := New(again)
		require.NoError(t, err)
		require.Len(t, n.Metrics, len(m.Metrics))
		for i, q := range m.Metrics {
			require.Equal(t, q.Name, n.Metrics[i].Name)
			for _, self := range []bool{false, true} {
				want, wantErr := m.Total(What{Metric: q, Self: self})
				got, err := n.Total(What{Metric: n.Metrics[i], Self: self})
				require.Equal(t, wantErr, err)
				require.Equal(t, want, got, "%s in %s", q.Name, file)
			}
		}
	})
}

// Imbalance that is computed here is that which Scalasca computed when it converted this report.
func TestImbalance(t *testing.T) {
	c := open(t, shared+"/cube/cubelib-4.6-tests/test16/profile_remapped.cube")
	stored := map[string]*cube.Metric{}
	var others []*cube.Metric
	for _, m := range c.Metrics {
		if m.Name != "imbalance" {
			copied := *m
			others = append(others, &copied)
		}
	}
	for _, m := range c.AllMetrics() {
		if strings.HasPrefix(m.Name, "imbalance") {
			stored[m.Name] = m
		}
	}
	require.Len(t, stored, 6)
	without, err := c.WithMetrics(others)
	require.NoError(t, err)
	names := []string{"imbalance", "imbalance_above", "imbalance_above_single", "imbalance_below", "imbalance_below_bypass", "imbalance_below_singularity"}
	spec := `<metrics><metric type="POSTDERIVED"><uniq_name>comp</uniq_name><dtype>DOUBLE</dtype>
		<cubepl>metric::execution() - metric::mpi() - metric::omp_time()</cubepl></metric>`
	for _, name := range names {
		spec += "<metric><uniq_name>" + name + "</uniq_name></metric>"
	}
	d, err := Remap(without, spec+"</metrics>")
	require.NoError(t, err)
	m, err := New(d)
	require.NoError(t, err)
	for _, name := range names {
		_, got, err := m.ByPath(What{Metric: m.Metric(name)}, nil)
		require.NoError(t, err)
		for i, p := range c.Paths() {
			values, err := stored[name].Values(p, false)
			require.NoError(t, err)
			want := 0.0
			for _, v := range values {
				want += v.Float64()
			}
			require.InDelta(t, want, got[i].Float64(), 1e-9, "%s at %s", name, p.Region.Name)
		}
	}
}

func TestEmbedded(t *testing.T) {
	spec, ok := Embedded(open(t, shared+"/oracle/partdiff1/scout.cubex"))
	require.True(t, ok)
	_, ok = Embedded(open(t, shared+"/cube/epcc/scorep_tea_leaf_baseline_8x12_trace/scout.cubex"))
	require.True(t, ok, "built in")
	shown, err := Remap(open(t, shared+"/oracle/partdiff1/scout.cubex"), spec)
	require.NoError(t, err)
	_, ok = Embedded(shown)
	require.False(t, ok, "followed already")
	_, ok = Embedded(open(t, shared+"/cube/pycubexr/blast.p64.r1/profile.cubex"))
	require.False(t, ok)
	require.Equal(t, 103, strings.Count(spec, "</cubepl>"))
}

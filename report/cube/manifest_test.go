package cube

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const shared = "../../../shared/data" // reports of other tools, not part of this tree

// entry says of one file what it is, and what it is checked against. All must be read.
type entry struct {
	file                      string
	metrics, paths, locations int
	problems                  int // that must be told
	checks                    []check
}

// check compares a cube with something else that is known about it.
type check func(t *testing.T, file string, c *Cube)

// local are the files that are always there.
var local = []entry{
	{file: "pycubexr/time.cubex.gz", metrics: 10, paths: 46, locations: 4, checks: checks(againstCSV("incl.csv", "excl.csv"), nested, visited)},
	{file: "pycubexr/bigendian.cubex.gz", metrics: 15, paths: 14, locations: 8, checks: checks(nested, visited)},
	{file: "pycubexr/types.cubex.gz", metrics: 18, paths: 3, locations: 4, checks: checks(allTypes)},
	{file: "pycubexr/checksum.cubex.gz", metrics: 10, paths: 127, locations: 8, checks: checks(nested)},
	{file: "extrap/compressed.cubex.gz", metrics: 9, paths: 4, locations: 1, checks: checks(nested, visited, stored(
		"visits: 1 2 1 1",
		"time: 3.8177e-05 3.795e-06 1.266e-06 1.233e-06",
		"PAPI_FP_OPS: 22 14 0 2"))},
	{file: "extrap/example1.cubex.gz", metrics: 2, paths: 5, locations: 4, checks: checks(nested, example(1))},
	{file: "cubelib/version40.cubex.gz", metrics: 3, paths: 3, locations: 2, checks: checks(cubelibExample, same("version30.cube.gz"))},
	{file: "cubelib/version30.cube.gz", metrics: 3, paths: 3, locations: 2, checks: checks(cubelibExample)},
	{file: "cubelib/dense.cubex.gz", metrics: 2, paths: 236, locations: 1, checks: checks(total("time", "228"))},
	{file: "cubelib/ampersand.cube.gz", metrics: 47, paths: 21, locations: 32, problems: 1, checks: checks(total("0Time", "0"))},
}

// others are the files in the shared data: all of them.
var others = append([]entry{
	{file: "cube/cubelib-4.6-tests/test0.0/test0.0.cube", metrics: 3, paths: 3, locations: 2, checks: checks(text3, cubelibExample)},
	{file: "cube/cubelib-4.6-tests/test0.0/test0.0.cubex", metrics: 3, paths: 3, locations: 2, checks: checks(cubelibExample, same("test0.0.cube"))},
	{file: "cube/cubelib-4.6-tests/test1.1/equal.cube", metrics: 47, paths: 21, locations: 32, checks: checks(text3, same("template.cube"))},
	{file: "cube/cubelib-4.6-tests/test1.1/not_equal1.cube", metrics: 47, paths: 21, locations: 32, checks: checks(text3, differs("template.cube"))},
	{file: "cube/cubelib-4.6-tests/test1.1/not_equal2.cube", metrics: 47, paths: 21, locations: 32, checks: checks(text3, differs("template.cube"))},
	{file: "cube/cubelib-4.6-tests/test1.1/template.cube", metrics: 47, paths: 21, locations: 32, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test1.2/empty.cube", metrics: 47, paths: 21, locations: 32, problems: 1, checks: checks(total("0Time", "0"))},
	{file: "cube/cubelib-4.6-tests/test1.2/no_structure.cube", checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test1.2/non_empty1.cube", metrics: 47, paths: 21, locations: 32, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test1.3/template.cube", metrics: 47, paths: 21, locations: 32, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test13/template.cube", metrics: 4, paths: 37, locations: 1024, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test16/profile.cube", metrics: 6, paths: 130, locations: 36, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test16/profile_remapped.cube", metrics: 63, paths: 130, locations: 36, checks: checks(text3, composed)},
	{file: "cube/cubelib-4.6-tests/test16/trace.cube", metrics: 110, paths: 130, locations: 36, checks: checks(text3, composed)},
	{file: "cube/cubelib-4.6-tests/test16/trace_remapped.cube", metrics: 110, paths: 130, locations: 36, checks: checks(text3, composed)},
	{file: "cube/cubelib-4.6-tests/test2/template.cube", metrics: 3, paths: 3, locations: 2, checks: checks(text3, cubelibExample)},
	{file: "cube/cubelib-4.6-tests/test28/template1.cube", metrics: 2, paths: 195, locations: 1, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test28/template2.cube", metrics: 2, paths: 8, locations: 1, checks: checks(text3, stored("TIME: 0 1 2 3 4 2 3 5", "CALLS: -1 -1 0 1 0 0 1 1"))},
	{file: "cube/cubelib-4.6-tests/test32/example.cube", metrics: 4, paths: 3, locations: 2, checks: checks(text3)},
	{file: "cube/cubelib-4.6-tests/test32/experiment1.cube", metrics: 110, paths: 130, locations: 128, checks: checks(text3, composed)},
	{file: "cube/cubelib-4.6-tests/test33_CubeProxy/proxy.cubex", metrics: 2, paths: 236, locations: 1, checks: checks(total("time", "228"))},
	{file: "cube/epcc/scorep_bt-mz_C_8x6_sum.hwc/profile.cubex", metrics: 12, paths: 170, locations: 48, checks: checks(nested)},
	{file: "cube/epcc/scorep_tea_leaf_baseline_8x12_trace/scout.cubex", metrics: 81, paths: 329, locations: 96, checks: checks(nested, againstStat)},
	{file: "cube/epcc/scorep_tea_leaf_optimized_8x12_trace/scout.cubex", metrics: 81, paths: 329, locations: 96, checks: checks(nested, againstStat)},
	{file: "cube/extrap/simple_threaded/example.f1/cube-example1.cubex", metrics: 2, paths: 5, locations: 4, checks: checks(nested, example(1))},
	{file: "cube/extrap/simple_threaded/example.f2/cube-example2.cubex", metrics: 2, paths: 5, locations: 4, checks: checks(nested, example(2))},
	{file: "cube/extrap/simple_threaded/example.f3/cube-example3.cubex", metrics: 2, paths: 5, locations: 4, checks: checks(nested, example(3))},
	{file: "cube/extrap/simple_threaded/example.f4/cube-example4.cubex", metrics: 2, paths: 5, locations: 4, checks: checks(nested, example(4))},
	{file: "cube/extrap/simple_threaded/example.f5/cube-example5.cubex", metrics: 2, paths: 5, locations: 4, checks: checks(nested, example(5))},
	{file: "cube/pycubexr/blast.p64.r1/profile.cubex", metrics: 15, paths: 32, locations: 64, checks: checks(againstCSV("incl.csv", "excl.csv"), nested, visited)},
	{file: "cube/pycubexr/bt-mz_sum.p2.r1/cube4.8_with_checksum_bug.cubex", metrics: 10, paths: 127, locations: 8, checks: checks(nested)},
	{file: "cube/pycubexr/call_tree_test/call_tree_test.cubex", metrics: 8, paths: 18, locations: 1, checks: checks(againstCSV("incl.csv", "excl.csv"), nested, visited)},
	{file: "cube/pycubexr/fastest.p16.size131072.r1/profile.cubex", metrics: 12, paths: 584, locations: 16, checks: checks(nested, visited)},
	{file: "cube/pycubexr/hw_counter/L2_DCM_negative.cubex", metrics: 15, paths: 280, locations: 128, checks: checks(nested, visited, negative(29))},
	{file: "cube/pycubexr/hw_counter/L3_DCA_negative.cubex", metrics: 13, paths: 280, locations: 128, checks: checks(nested, visited, negative(36))},
	{file: "cube/pycubexr/kripke.p8.d2.g32.r1/profile.cubex", metrics: 15, paths: 14, locations: 8, checks: checks(nested, visited)},
	{file: "cube/pycubexr/test_only_files/cube-values_example.cubex", metrics: 18, paths: 3, locations: 4, checks: checks(allTypes)},
	{file: "cube/pycubexr/time.p4.n2000.x1.r0/profile.cubex", metrics: 10, paths: 46, locations: 4, checks: checks(againstCSV("incl.csv", "excl.csv"), nested, visited)},
}, append(extrapScaling, scouts...)...)

// extrapScaling is one program with matrices of growing size.
var extrapScaling = func() (list []entry) {
	for _, x := range []struct{ size, time, ops string }{
		{"1", "3.8177e-05 3.795e-06 1.266e-06 1.233e-06", "22 14 0 2"},
		{"10", "1.7147e-05 3.34e-06 1.071e-06 1.069e-06", "54 25 0 20"},
		{"25", "1.7601e-05 3.474e-06 1.08e-06 1.116e-06", "113 50 0 54"},
		{"50", "1.794e-05 3.659e-06 1.115e-06 1.159e-06", "221 109 0 103"},
		{"100", "1.8759e-05 4.171e-06 1.198e-06 1.339e-06", "419 208 0 202"},
		{"250", "2.0486e-05 5.501e-06 1.35e-06 1.718e-06", "991 480 0 505"},
		{"500", "2.4388e-05 7.969e-06 1.648e-06 2.405e-06", "1984 970 0 1008"},
		{"1000", "3.141e-05 1.2865e-05 2.228e-06 3.829e-06", "3925 1864 0 2055"},
		{"2000", "4.5265e-05 2.2166e-05 3.478e-06 6.546e-06", "7800 3766 0 4028"},
	} {
		list = append(list, entry{file: "cube/extrap/single_parameter/mm.x" + x.size + "y1z1.r1/profile.cubex", metrics: 9, paths: 4, locations: 1,
			checks: checks(nested, visited, stored("visits: 1 2 1 1", "time: "+x.time, "PAPI_FP_OPS: "+x.ops))})
	}
	return list
}()

// scouts are analyses by Scalasca.
var scouts = func() (list []entry) {
	for _, x := range []entry{
		{file: "casita-ls_barr", metrics: 73, paths: 12, locations: 4},
		{file: "dorsal-allreduce", metrics: 73, paths: 12, locations: 8},
		{file: "dorsal-bsend", metrics: 73, paths: 10, locations: 2},
		{file: "dorsal-ssend-irecv", metrics: 73, paths: 9, locations: 2},
		{file: "npb-btmzS_4x2", metrics: 83, paths: 123, locations: 8},
		{file: "npb-spmzS_4x2", metrics: 83, paths: 97, locations: 8},
		{file: "omp-tiny_trace_function_runtime_fraction", metrics: 17, paths: 8, locations: 4},
		{file: "partdiff1", metrics: 83, paths: 29, locations: 4},
		{file: "partdiff2", metrics: 83, paths: 29, locations: 16},
		{file: "partdiff3", metrics: 83, paths: 29, locations: 16},
		{file: "partdiff4", metrics: 83, paths: 29, locations: 4},
		{file: "partdiff7", metrics: 83, paths: 29, locations: 16},
		{file: "pipit-pingpong", metrics: 73, paths: 8, locations: 2},
		{file: "pipit-pingpong-papi", metrics: 73, paths: 8, locations: 2},
	} {
		x.file = "oracle/" + x.file + "/scout.cubex"
		x.checks = checks(nested, againstOracle, againstStat)
		list = append(list, x)
	}
	return list
}()

func checks(list ...check) []check { return list }

func TestLocalFiles(t *testing.T) {
	runManifest(t, "testdata", local)
	requireListed(t, "testdata", ".", local)
}

func TestSharedFiles(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the shared data is not here")
	}
	runManifest(t, shared, others)
	requireListed(t, shared, "cube", others)
	requireListed(t, shared, "oracle", others)
}

func runManifest(t *testing.T, dir string, list []entry) {
	for _, e := range list {
		t.Run(e.file, func(t *testing.T) {
			file := filepath.Join(dir, e.file)
			c, err := Open(file)
			require.NoError(t, err)
			defer c.Close()
			require.Equal(t, []int{e.metrics, e.paths, e.locations}, []int{len(c.AllMetrics()), len(c.Paths()), len(c.Locations())})
			require.Len(t, c.Problems, e.problems)
			require.NoError(t, c.Load())
			for _, check := range e.checks {
				check(t, file, c)
			}
			requireRewritten(t, c)
		})
	}
}

// noReports are the names of files beside the reports. They must be refused.
var noReports = []string{"README.md", "LICENSE", "MANIFEST.md", "scorep.cfg", "scorep.filter", "scorep.log", "scout.log", "trace.stat",
	"oracle.tsv", "excl.csv", "incl.csv", "csv.zip"}

// requireListed fails if there are files that the manifest does not know, or others that are read as if they were reports.
func requireListed(t *testing.T, root, dir string, list []entry) {
	known := map[string]bool{}
	for _, e := range list {
		known[e.file] = true
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(file string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, file)
		if name == "fuzz" { // inputs of the fuzz targets
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || known[filepath.ToSlash(name)] {
			return err
		}
		require.Contains(t, noReports, d.Name(), "%s is not in the manifest", name)
		_, err = Open(file)
		require.ErrorContains(t, err, d.Name()+": offset 0: neither .cubex nor .cube")
		return nil
	}))
}

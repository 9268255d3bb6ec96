package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/otf2"
)

// profile is times (s) and visits by location and call path.
type profile map[[2]string]map[string]float64

// profileOf returns what dump prints of an input, of the metrics that it has, of which times are in so many ns for each second. Where nothing was entered, threads without a
// team for instance, is left out.
func profileOf(t *testing.T, input string, metrics []string, second float64) profile {
	status, stdout, stderr := expert("dump", "--self=false", "--metrics", strings.Join(metrics, ","), "--format", "tsv", input)
	for m := unknown.FindStringSubmatch(stderr); m != nil; m = unknown.FindStringSubmatch(stderr) {
		metrics = slices.DeleteFunc(slices.Clone(metrics), func(name string) bool { return name == m[1] })
		status, stdout, stderr = expert("dump", "--self=false", "--metrics", strings.Join(metrics, ","), "--format", "tsv", input)
	}
	require.Equal(t, 0, status, stderr)
	p := profile{}
	for line := range strings.Lines(stdout) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		v, err := strconv.ParseFloat(f[5], 64)
		if err != nil || f[1] == "(outside regions)" || f[1] == "(idle)" {
			continue
		}
		if f[6] == "ns" {
			v /= second
		}
		at := [2]string{f[4], f[1]}
		if p[at] == nil {
			p[at] = map[string]float64{}
		}
		p[at][f[0]] = v
	}
	return p
}

// ours returns what we call a location of a report of Scalasca.
func (p profile) ours(location string) string {
	if rank, thread, ok := strings.Cut(strings.TrimPrefix(location, "MPI Rank "), "/"); ok {
		return fmt.Sprintf("%s[%s]", thread, rank)
	}
	return location
}

var unknown = regexp.MustCompile(`no metric "(\w+)"`)

// TestLocksByHand: what threads of a real program waited for at critical sections is what follows from each event of its archive alone.
func TestLocksByHand(t *testing.T) {
	const file = "../../../shared/data/otf2/casita/2_jacobi_blame_cpu_015/traces.otf2"
	a, err := otf2.Open(file)
	if err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	const enter, acquire, release = 12, 57, 58
	type acquired struct{ process, lock, order uint64 }
	released, begins := map[acquired]uint64{}, map[acquired][2]uint64{}
	r := a.NewReader()
	defer r.Close()
	for _, l := range a.Locations {
		chunks, problems := a.Chunks(l)
		require.Empty(t, problems)
		begin := uint64(0)
		for _, c := range chunks {
			for require.NoError(t, r.Open(c)); r.Next(); {
				switch e := &r.Event; e.Spec.ID {
				case enter:
					begin = e.Time
				case acquire:
					begins[acquired{l.Group, e.Values[1], e.Values[2]}] = [2]uint64{begin, e.Time}
				case release:
					released[acquired{l.Group, e.Values[1], e.Values[2]}] = e.Time
				}
			}
		}
	}
	want := uint64(0)
	for k, v := range begins {
		k.order--
		if end := min(released[k], v[1]); end > v[0] {
			want += end - v[0]
		}
	}
	require.Positive(t, want)
	got := 0.0
	for _, cells := range profileOf(t, file, []string{"omp_lock_contention_critical"}, 1e9) {
		got += cells["omp_lock_contention_critical"]
	}
	require.InDelta(t, float64(want)/float64(a.Clock.Resolution), got, 20*0.5e-9, "each cell is rounded to ns")
	t.Logf("%d acquisitions, %.1f µs", len(begins), got*1e6)
}

// TestPage: the report in the documentation is what expert says.
func TestPage(t *testing.T) {
	const file = "../../../shared/data/otf2/casita/2_jacobi_blame_cpu_015/traces.otf2"
	if _, err := os.Stat(file); err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	page, err := os.ReadFile("../../docs/otf2.md")
	require.NoError(t, err)
	text := run(t, "analyze", file)
	blocks := regexp.MustCompile("(?s)```\n(.*?)\n```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 3)
	for _, b := range blocks {
		require.Contains(t, text, b[1])
	}
}

// TestMetricsOfThreads: an archive of threads has no metrics of what only goroutines wait for, and one of goroutines none of MPI.
func TestMetricsOfThreads(t *testing.T) {
	const file = "../../../shared/data/otf2/partdiff/run_2/traces.otf2"
	if _, err := os.Stat(file); err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	threads, goroutines := run(t, "metrics", file), run(t, "metrics", archive(t, lockTrace))
	for _, name := range []string{"late_sender", "lock_competition", "rw_reader_wait", "once_wait", "join_wait", "cond_wait", "barrier_wait"} {
		require.NotRegexp(t, `(?m)^ *`+name+` `, threads)
		require.Regexp(t, `(?m)^ *`+name+` `, goroutines)
	}
	require.Regexp(t, `(?m)^ *mpi_latesender `, threads)
	require.NotContains(t, goroutines, "mpi")
}

// TestGrid: on which grid threads lie is said of the archive and of its report, which other tools read it from; a recording has none.
func TestGrid(t *testing.T) {
	const file = "../../../shared/data/otf2/partdiff/run_2/traces.otf2"
	if _, err := os.Stat(file); err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	report := filepath.Join(t.TempDir(), "report.cubex")
	status, text, _ := expert("analyze", "-o", report, file)
	require.Equal(t, 0, status)
	const said = "\non the grid Process x Thread: Process 4 × Thread 4\n"
	require.Contains(t, text, said)
	require.Contains(t, run(t, "analyze", report), said)
	var out struct {
		Topologies []struct {
			Name   string
			Dims   []any
			Places []struct {
				Location string
				At       []int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, "analyze", "--format", "json", report)), &out))
	require.Len(t, out.Topologies, 1)
	require.Equal(t, "Process x Thread", out.Topologies[0].Name)
	require.Len(t, out.Topologies[0].Dims, 2)
	places := map[string][]int{}
	for _, p := range out.Topologies[0].Places {
		places[p.Location] = p.At
	}
	require.Len(t, places, 16)
	require.Equal(t, []int{3, 0}, places["Master thread[3]"])
	require.Equal(t, []int{1, 2}, places["OMP thread 2[1]"])

	recording := archive(t, lockTrace)
	require.NotContains(t, run(t, "analyze", recording), "on the grid")
	require.NotContains(t, run(t, "analyze", "--format", "json", recording), "topologies")
}

// TestClocks: the clocks of a real archive, in which a barrier ends before the last process begins it, are corrected unless the user wants them as recorded.
func TestClocks(t *testing.T) {
	const file = "../../../shared/data/otf2/small/small_trace_MPI_THREAD_MULTIPLE/traces.otf2"
	if _, err := os.Stat(file); err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	require.Regexp(t, `3 of 10 messages arrived, or collective operations ended, before they could:\s+the clocks of 3 processes were corrected, by up to 64.6 µs, and none\s+does now`, run(t, "analyze", file))
	require.NotContains(t, run(t, "analyze", "--recorded-clocks", file), "corrected")
}

// TestAsScoreP compares visits of each call path, and the bytes that are sent and received in it, with the profile that Score-P itself made of the same run.
func TestAsScoreP(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/otf2/*/*/profile.cubex")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	theirs := map[string]string{"bytes_cout": "bytes_sent", "bytes_rcvd": "bytes_received", "bytes_cin": "bytes_received"}
	byPath := func(input string, metrics ...string) map[string]map[string]float64 {
		sums := map[string]map[string]float64{}
		for at, cells := range profileOf(t, input, metrics, 1) {
			if strings.HasPrefix(at[1], "copy ") { // what streams copy is in no profile
				continue
			}
			if sums[at[1]] == nil {
				sums[at[1]] = map[string]float64{"bytes_sent": 0, "bytes_received": 0}
			}
			for metric, v := range cells {
				sums[at[1]][cmp.Or(theirs[metric], metric)] += v
			}
		}
		return sums
	}
	compared := 0
	for _, file := range files {
		archive := filepath.Join(filepath.Dir(file), "traces.otf2")
		want := byPath(file, "visits", "bytes_sent", "bytes_received")
		require.Equal(t, want, byPath(archive, "visits", "bytes_sent", "bytes_cout", "bytes_rcvd", "bytes_cin"), archive)
		compared += len(want)
	}
	require.Greater(t, compared, 1000)
	t.Logf("%d call paths of %d archives", compared, len(files))
}

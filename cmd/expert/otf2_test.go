package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// profile is times (s) and visits by location and call path.
type profile map[[2]string]map[string]float64

// profileOf returns what dump prints of an input. Where nothing was entered, threads without a team for instance, is left out.
func profileOf(t *testing.T, input string) profile {
	status, stdout, stderr := expert("dump", "--self=false", "--metrics", "time,visits", "--format", "tsv", input)
	require.Equal(t, 0, status, stderr)
	p := profile{}
	for line := range strings.Lines(stdout) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		v, err := strconv.ParseFloat(f[5], 64)
		if err != nil || f[1] == "(goroutine)" {
			continue
		}
		if f[6] == "ns" {
			v /= 1e9
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

// TestProfilesAsScalasca: time and visits of every call path on every location are those that Scalasca's scout computed. Times are rounded to ns here, once; scout's sums are
// of double precision.
func TestProfilesAsScalasca(t *testing.T) {
	const shared = "../../../shared/data"
	cells, difference := 0, 0.0
	for archive, oracle := range map[string]string{
		"partdiff/run_1": "partdiff1", "partdiff/run_2": "partdiff2", "partdiff/run_3": "partdiff3", "partdiff/run_4": "partdiff4", "partdiff/run_7": "partdiff7",
		"small/mpi_allreduce": "dorsal-allreduce", "small/mpi_bsend": "dorsal-bsend", "small/mpi_ssend_irecv": "dorsal-ssend-irecv",
		"small/tiny_trace_function_runtime_fraction": "omp-tiny_trace_function_runtime_fraction", "casita/4_mpi_ls_barr": "casita-ls_barr",
		"npb-mz/btmzS_4x2": "npb-btmzS_4x2", "npb-mz/spmzS_4x2": "npb-spmzS_4x2", "pipit/ping-pong-otf2": "pipit-pingpong", "pipit/ping-pong-otf2-papi": "pipit-pingpong-papi",
	} {
		t.Run(oracle, func(t *testing.T) {
			report := filepath.Join(shared, "oracle", oracle, "scout.cubex")
			if _, err := os.Stat(report); err != nil {
				t.Skip("no reports of Scalasca in ../shared/data/oracle")
			}
			want, got := profileOf(t, report), profileOf(t, filepath.Join(shared, "otf2", archive, "traces.otf2"))
			require.Equal(t, len(want), len(got))
			for at, w := range want {
				g := got[[2]string{want.ours(at[0]), at[1]}]
				require.Equal(t, w["visits"], g["visits"], "visits of %v", at)
				require.InDelta(t, w["time"], g["time"], 0.5e-9+1e-12, "time of %v", at)
				difference = max(difference, math.Abs(w["time"]-g["time"]))
				cells += 2
			}
		})
	}
	t.Logf("%d cells, largest difference %.2g s", cells, difference)
}

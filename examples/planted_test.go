package examples_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each flag of the examples that plants an inefficiency, and what has to be found then.
var plantedFlags = []struct {
	program string
	args    []string
	flag    string
	metrics []string
	waiting string // region in which the waiting goroutines are
	causing string // region in which the causer is
	verdict string // of the runs in which who waits never holds anybody up: there the first sentence is about what causes the waits, and these are behind
}{
	{"hydro", []string{"-n", "64", "-steps", "8", "-procs", "2"}, "-skew", []string{"late_sender"}, "timestep", "timestep", "the work is not divided evenly"},
	{"compress", []string{"-queue", "8", "-workers", "2"}, "-slow-writer", []string{"full_buffer"}, "work", "write", ""},
	{"kvserver", []string{"-requests", "100"}, "-hot-lock", []string{"lock_competition"}, "serve", "serve", ""},
	{"kvserver", []string{"-requests", "100", "-rw"}, "-hot-lock", []string{"rw_reader_wait", "lock_competition"}, "serve", "put", ""},
}

func TestFirstFindingIsThePlantedOne(t *testing.T) {
	for i, p := range plantedFlags {
		if testing.Short() && i%2 == 0 {
			continue // kvserver -rw and compress are left
		}
		t.Run(fmt.Sprint(p.program, p.args, p.flag), func(t *testing.T) {
			var input []string
			if p.program == "compress" {
				goroot, err := exec.Command("go", "env", "GOROOT").Output()
				require.NoError(t, err)
				input = []string{filepath.Join(strings.TrimSpace(string(goroot)), "src", "net")}
			}
			args := append([]string{p.flag}, append(p.args, input...)...)
			var first finding
			var planted int64
			undisturbed(t, func(check require.TestingT) {
				with := record(t, nil, p.program, args...)
				require.Empty(check, with.Warnings)
				require.NotEmpty(check, with.Findings)
				at := 0
				if p.verdict != "" && strings.Contains(with.Verdict.Text, p.verdict) {
					at = slices.IndexFunc(with.Findings, func(f finding) bool {
						return slices.Contains(p.metrics, f.Metric) && slices.Contains(f.CallPath, p.waiting)
					})
					require.GreaterOrEqual(check, at, 0)
				}
				first = with.Findings[at]
				require.Contains(check, p.metrics, first.Metric)
				require.Contains(check, first.CallPath, p.waiting)
				require.NotEmpty(check, first.Causers)
				require.Contains(check, first.Causers[0].CallPath, p.causing)
				require.NotEmpty(check, first.File)
				require.NotEmpty(check, first.Advice)
				planted = with.same(first, p.causing)
				require.Positive(check, planted)
			})

			// Other load on the machine only adds waits, so the least of many runs says what the program does. An idle one needs one run.
			least := planted
			for range 100 {
				without := record(t, nil, p.program, append(p.args, input...)...)
				if least = min(least, without.same(first, p.causing)); least < planted/10 {
					break
				}
			}
			t.Logf("planted %d ms, without the flag %d ms", planted/1e6, least/1e6)
			require.Less(t, least, planted/10)
		})
	}
}

// plant is one wait that the program planted made on purpose.
type plant struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Region string `json:"region"`
	Causer string `json:"causer"`
	Length int64  `json:"planted_ns"`
}

func TestPlantedWaitsAreFound(t *testing.T) {
	t.Setenv("GODEBUG", "asyncpreemptoff=1") // lets a goroutine keep the processor from others
	undisturbed(t, func(check require.TestingT) {
		var plants []plant
		a := record(t, &plants, "planted", "waits")
		require.NotEmpty(check, plants)
		require.Empty(check, a.Warnings)
		for _, p := range plants {
			got := a.value(p.Metric, p.Region)
			t.Logf("%s: planted %.3f ms, found %.3f ms", p.Metric, float64(p.Length)/1e6, float64(got)/1e6)
			require.InEpsilon(check, p.Length, got, 0.05, p.Name)
			if p.Causer != "" {
				require.InEpsilon(check, p.Length, a.caused(p.Metric, p.Region, p.Causer), 0.05, p.Name)
			}
		}
	})
}

func TestLongHolderIsBlamed(t *testing.T) {
	for _, competitors := range []int{8, 32} {
		if testing.Short() && competitors > 8 {
			continue
		}
		t.Run(strconv.Itoa(competitors), func(t *testing.T) {
			var truth struct {
				Long int64 `json:"long_ns"`
				All  int64 `json:"all_ns"`
			}
			a := record(t, &truth, "planted", "locks", "-competitors", strconv.Itoa(competitors))
			long := a.caused("lock_competition", "short_holder", "long_holder")
			all := long + a.caused("lock_competition", "short_holder", "short_holder") +
				a.caused("lock_competition", "long_holder", "short_holder")
			t.Logf("waiting charged to the long holder %d of %d ms, exactly %d of %d ms", long/1e6, all/1e6, truth.Long/1e6, truth.All/1e6)
			require.GreaterOrEqual(t, long, truth.Long*9/10)
			require.LessOrEqual(t, long, truth.Long*11/10)
		})
	}
}
